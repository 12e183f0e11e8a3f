/* generate.h - matrices of many shapes and sizes, for training sets that need no files. */
#ifndef NITRO_APPS_SPMV_GENERATE_MATRIX_H
#define NITRO_APPS_SPMV_GENERATE_MATRIX_H

#include "nitro/nitro_backend.h"
#include "variants/spmv/spmv.h"

/**
 * Matrix number `index` of the set that `seed` stands for; the families of families.c take turns.
 * Non-zeros are spread evenly by order of magnitude: 1,000 to 1,000,000, one in eight up to
 * 3,000,000. Same seed and index: same matrix.
 * @param[out] name  shape [name_size]; family, sizes, index and seed, as in
 *                   "stencil2d-5pt-412x397#17-seed1": no two of a set are alike.
 * @param[out] spmv  free it with nitro_spmv_matrix_free. NULL: only the name is wanted.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (the name does not fit), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_spmv_generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                                 size_t name_size, nitro_spmv **spmv);

/** How many families take turns: so many matrices in a row show each once. */
size_t nitro_spmv_num_families(void);

/**
 * A 7-point stencil on a grid of side x side x side: the large, regular matrix of benchmarks.
 * @param[out] spmv  free it with nitro_spmv_matrix_free.
 */
nitro_status nitro_spmv_generate_stencil(nitro_context *context, int64_t side, nitro_spmv **spmv);

#endif
