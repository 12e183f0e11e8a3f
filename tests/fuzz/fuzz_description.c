/* Description files of any bytes: refused with an error, or applied to a computation whose relative
 * features can then be evaluated. */
#include <math.h>

#include "fuzz.h"
#include "nitro/records/relative.h"

static void evaluate(nitro_context *context, const nitro_schema *schema)
{
    static const double inputs[NITRO_MAX_FEATURES] = {1, 2, 3};
    static const double device[NITRO_RELATIVE_MAX_DEVICE_VALUES] = {4, 5, 6};
    double values[NITRO_MAX_FEATURES];
    nitro_relative *relative = NULL;
    if (nitro_relative_compile(context, schema, &relative) != NITRO_OK)
        abort();
    nitro_relative_evaluate(relative, inputs, device, values);
    for (size_t i = 0; i < relative->count; i++)
        if (isinf(values[i]))
            abort();
    nitro_relative_free(relative);
}

static void apply(nitro_context *context, const nitro_description *description)
{
    nitro_schema *schema = NULL;
    if (nitro_schema_create(context, "fuzz", &schema) == NITRO_OK &&
        nitro_schema_add_feature(context, schema, "rows", "1", NITRO_SCALE_AUTO) == NITRO_OK &&
        nitro_schema_add_feature(context, schema, "nnz", "1", NITRO_SCALE_AUTO) == NITRO_OK &&
        nitro_schema_add_variant(context, schema, "csr") == NITRO_OK &&
        nitro_description_apply(context, description, schema) == NITRO_OK)
        evaluate(context, schema);
    nitro_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_description *description = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_description_parse(context, "fuzz", (const char *)data, size, &description) ==
        NITRO_OK) {
        evaluate(context, description->names);
        apply(context, description);
    }
    nitro_description_free(description);
    nitro_context_free(context);
    return 0;
}
