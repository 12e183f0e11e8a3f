/* Table of the variants of spmv, in declared order: on ties the first wins. */
#include <stdlib.h>

#include "variants/spmv/host/spmv_kernels.h"

nitro_status nitro_spmv_add_variants(nitro_computation *computation)
{
    static const nitro_variant *const variants[] = {
        &nitro_spmv_variant_csr,           &nitro_spmv_variant_csr_vector,
        &nitro_spmv_variant_dia,           &nitro_spmv_variant_ell,
        &nitro_spmv_variant_coo,           &nitro_spmv_variant_hybrid,
        &nitro_spmv_variant_sellp,         &nitro_spmv_variant_cusparse_csr1,
        &nitro_spmv_variant_cusparse_csr2,
    };
    static const nitro_hooks hooks = {
        .keep_reference = nitro_spmv_keep_reference,
        .check_result = nitro_spmv_check_result,
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_variant(computation, variants[i]);
    if (status == NITRO_OK)
        status = nitro_computation_set_default(computation, nitro_spmv_variant_csr.name);
    if (status == NITRO_OK)
        status = nitro_computation_set_reference(computation, nitro_spmv_variant_csr.name);
    if (status == NITRO_OK)
        status = nitro_computation_set_hooks(computation, &hooks);
    return status;
}

void nitro_spmv_release(nitro_spmv *spmv)
{
    nitro_spmv_release_dia(spmv, NULL);
    nitro_spmv_release_ell(spmv, NULL);
    nitro_spmv_release_coo(spmv, NULL);
    nitro_spmv_release_hybrid(spmv, NULL);
    nitro_spmv_release_sellp(spmv, NULL);
    free(spmv->reference);
    free(spmv->magnitudes);
    spmv->reference = NULL;
    spmv->magnitudes = NULL;
}
