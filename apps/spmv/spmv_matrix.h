/* spmv_matrix.h - arguments of spmv made of matrices. */
#ifndef NITRO_APPS_SPMV_SPMV_MATRIX_H
#define NITRO_APPS_SPMV_SPMV_MATRIX_H

#include "apps/matrix/matrix.h"
#include "nitro/nitro_backend.h"
#include "variants/spmv/spmv.h"

/**
 * Make an argument: x is filled with a fixed pattern of numbers in [-1, 1), y zero.
 * @param[in]  matrix  taken, or freed on error.
 * @param[out] spmv    free it with nitro_kit_free.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_spmv_adopt(nitro_context *context, nitro_matrix *matrix, nitro_spmv **spmv);

extern const nitro_module nitro_module_spmv, nitro_module_spmv_cuda;

#endif
