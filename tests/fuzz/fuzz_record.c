/* Any bytes as a record: what decodes must encode to a record that decodes to the same bytes again.
 * The first byte chooses the sort. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The names that samples are read by. */
static nitro_schema *make_names(nitro_context *context)
{
    nitro_schema *schema = NULL;
    require(nitro_schema_create(context, "spmv", &schema) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "rows", "rows", NITRO_SCALE_LOG) == NITRO_OK);
    require(nitro_schema_add_feature(context, schema, "fill", "1", NITRO_SCALE_AUTO) == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "csr") == NITRO_OK);
    require(nitro_schema_add_variant(context, schema, "ell") == NITRO_OK);
    return schema;
}

static nitro_status append(nitro_context *context, const nitro_schema *names,
                           const nitro_sample *sample, char **copy, size_t *copy_size)
{
    nitro_record_bytes bytes = {0};
    nitro_status status = nitro_record_append_sample(
        context, "spmv", nitro_record_schema_hash(names), "K20", sample, &bytes);
    *copy = (char *)bytes.bytes;
    *copy_size = bytes.size;
    return status;
}

/* Decode and encode; false: refused. */
static bool again(nitro_context *context, const nitro_schema *names, char sort, const char *text,
                  size_t size, char **copy, size_t *copy_size)
{
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    nitro_profile *profile = NULL;
    nitro_status status = NITRO_ERR_FORMAT;
    if (sort == 'c' && nitro_record_decode_schema(context, "fuzz", text, size, &schema) == NITRO_OK)
        status = nitro_record_encode_schema(context, schema, copy, copy_size);
    if (sort == 'd' && nitro_record_decode_device(context, "fuzz", text, size, &device) == NITRO_OK)
        status = nitro_record_encode_device(context, device, copy, copy_size);
    if (sort == 's' &&
        nitro_record_decode_sample(context, "fuzz", names, "K20", text, size, &sample) == NITRO_OK)
        status = nitro_record_encode_sample(context, "spmv", "K20", sample, copy, copy_size);
    if ((sort == 'v' || sort == 'x') &&
        nitro_record_decode_profile(context, "fuzz", sort == 'v' ? names : NULL, "K20", text, size,
                                    &profile) == NITRO_OK)
        status = nitro_record_encode_profile(context, "K20", profile, copy, copy_size);
    if (sort == 'b' &&
        nitro_record_read_sample(context, names, nitro_record_schema_hash(names), "K20",
                                 "input-000", text, size, &sample) == NITRO_OK)
        status = append(context, names, sample, copy, copy_size);
    nitro_profile_free(profile);
    nitro_schema_free(schema);
    nitro_device_free(device);
    nitro_sample_free(sample);
    return status == NITRO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    char *once = NULL, *twice = NULL;
    size_t once_size = 0, twice_size = 0;
    if (size == 0)
        return 0;
    require(nitro_context_create(&context) == NITRO_OK);
    nitro_schema *names = make_names(context);
    char sort = (char)data[0];
    if (again(context, names, sort, (const char *)data + 1, size - 1, &once, &once_size)) {
        require(again(context, names, sort, once, once_size, &twice, &twice_size));
        require(once_size == twice_size && memcmp(once, twice, once_size) == 0);
    }
    free(once);
    free(twice);
    nitro_schema_free(names);
    nitro_context_free(context);
    return 0;
}
