/* spmv_matrix.h - arguments of spmv made of matrices, for benchmarks and tests. */
#ifndef NITRO_APPS_SPMV_SPMV_MATRIX_H
#define NITRO_APPS_SPMV_SPMV_MATRIX_H

#include "apps/matrix/matrix.h"
#include "nitro/nitro_backend.h"
#include "variants/spmv/spmv.h"

/**
 * Make an argument: x is filled with a fixed pattern of numbers in [-1, 1), y zero.
 * @param[in]  matrix  taken, or freed on error.
 * @param[out] spmv    free it with nitro_spmv_matrix_free.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_spmv_adopt(nitro_context *context, nitro_matrix *matrix, nitro_spmv **spmv);

/** The same of entries (nitro_matrix_create). */
nitro_status nitro_spmv_matrix_create(nitro_context *context, const char *origin,
                                      nitro_matrix_entries *entries, nitro_spmv **spmv);

/** Of a stencil (nitro_matrix_make_stencil). */
nitro_status nitro_spmv_generate_stencil(nitro_context *context, int64_t side, nitro_spmv **spmv);

/** Also frees what variants and hooks allocated. NULL is allowed. */
void nitro_spmv_matrix_free(nitro_spmv *spmv);

extern const nitro_module nitro_module_spmv, nitro_module_spmv_cuda;

#endif
