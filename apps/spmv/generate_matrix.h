/* generate_matrix.h - random matrices of many shapes and sizes: training sets without files. */
#ifndef NITRO_APPS_SPMV_GENERATE_MATRIX_H
#define NITRO_APPS_SPMV_GENERATE_MATRIX_H

#include "nitro/nitro_backend.h"
#include "variants/spmv/spmv.h"

/**
 * Matrix number `index` of the set of `seed`; families (matrix_families.c) take turns. Sizes
 * are log-uniform in 1,000 to 1,000,000 non-zeros, one in eight up to `most_nonzeros`, and a few of
 * the first have the largest if that is above NITRO_SPMV_BASE_NONZEROS. Deterministic in seed,
 * index and most_nonzeros.
 * @param[out] name  shape [name_size]; family, sizes, index and seed, as in
 *                   "stencil2d-5pt-412x397#17-seed1": unique within a set.
 * @param[out] spmv  free it with nitro_spmv_matrix_free. NULL: only the name is made.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (the name does not fit), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_spmv_generate(nitro_context *context, uint64_t seed, size_t index,
                                 double most_nonzeros, char *name, size_t name_size,
                                 nitro_spmv **spmv);

#define NITRO_SPMV_BASE_NONZEROS 3e6

/** Number of families: so many consecutive matrices contain each once. */
size_t nitro_spmv_num_families(void);

/**
 * A 7-point stencil on a grid of side x side x side: the large, regular matrix of benchmarks.
 * @param[out] spmv  free it with nitro_spmv_matrix_free.
 */
nitro_status nitro_spmv_generate_stencil(nitro_context *context, int64_t side, nitro_spmv **spmv);

#endif
