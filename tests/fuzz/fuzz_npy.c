/* Arbitrary bytes as a file of numpy: an error, or keys that every variant sorts, or a matrix. */
#include "apps/sort/keys.h"
#include "apps/transpose/transpose_inputs.h"
#include "fuzz.h"

static void run_variants(nitro_sort *sort)
{
    const nitro_variant *const *variants = nitro_sort_variants;
    for (size_t i = 0; i < NITRO_SORT_NUM_VARIANTS - 1; i++) /* but Highway's */
        if (variants[i]->prepare(sort, variants[i]->user) != 0 ||
            variants[i]->run(sort, variants[i]->user) != 0 ||
            nitro_kit_keep_reference(&nitro_sort_kit, sort) != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context;
    nitro_sort *sort = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_sort_npy_parse(context, "fuzz", (const char *)data, size, &sort) == NITRO_OK)
        run_variants(sort);
    nitro_kit_free(&nitro_sort_kit, false, sort);
    nitro_transpose *matrix = NULL;
    nitro_transpose_npy_parse(context, &nitro_transpose_inplace_kit, "fuzz", (const char *)data,
                              size, &matrix);
    nitro_kit_free(&nitro_transpose_inplace_kit, false, matrix);
    nitro_context_free(context);
    return 0;
}
