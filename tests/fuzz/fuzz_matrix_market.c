/* Arbitrary bytes as a Matrix Market file: an error, or a matrix that all variants and features
 * accept. */
#include "apps/matrix/matrix_market.h"
#include "apps/spmv/spmv_module.h"
#include "fuzz.h"

/* Whatever was accepted must run, and give the right result. */
static void run_variants(nitro_spmv *spmv)
{
    static const nitro_variant *const variants[] = {
        &nitro_spmv_variant_csr,
        &nitro_spmv_variant_csr_vector,
        &nitro_spmv_variant_coo,
        &nitro_spmv_variant_hybrid,
    };
    char why[256];
    if (nitro_spmv_variant_csr.run(spmv, NULL) != 0 ||
        nitro_kit_keep_reference(&nitro_spmv_kit, spmv) != 0)
        return; /* products beyond the range of double */
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        if (variants[i]->prepare && variants[i]->prepare(spmv, variants[i]->user) != 0)
            abort();
        if (variants[i]->run(spmv, variants[i]->user) != 0 ||
            nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context;
    nitro_matrix *matrix;
    nitro_spmv *spmv = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_matrix_market_parse(context, "fuzz", (const char *)data, size, &matrix) == NITRO_OK &&
        nitro_spmv_kit.adopt(context, matrix, (void **)&spmv) == NITRO_OK)
        run_variants(spmv);
    nitro_kit_free(&nitro_spmv_kit, false, spmv);
    nitro_context_free(context);
    return 0;
}
