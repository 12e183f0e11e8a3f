/* spmv_kernels_cuda.h - shared by the CUDA variants of SpMV: what a variant consists of, the
 * formats in device memory, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H
#define NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H

#include <cuda_runtime_api.h>

#include "variants/spmv/formats.h"
#include "variants/spmv/spmv_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block. These kernels use at most 32 registers a thread (ptxas, sm_90): full
 * occupancy. */
#define NITRO_SPMV_CUDA_BLOCK 256

/** Entries and rows of a tile of csr_merge; a thread has NITRO_SPMV_CUDA_TILE / 128 of them. */
#define NITRO_SPMV_CUDA_TILE 896
/** Entries of a block of csr_adaptive that has several rows. */
#define NITRO_SPMV_CUDA_STREAM 1024

/** Blocks of BSR have 2 to so many rows and columns. */
#define NITRO_SPMV_CUDA_MAX_BSR 4

/** Tiles of csr_merge, and what each leaves of the row that it does not end. */
typedef struct nitro_spmv_cuda_tiles {
    int32_t num_tiles;
    int32_t *rows;       /* shape [num_tiles + 1]: how many rows end before the tile */
    int32_t *carry_rows; /* shape [num_tiles] */
    double *carries;     /* shape [num_tiles] */
} nitro_spmv_cuda_tiles;

/** Blocks of csr_adaptive. */
typedef struct nitro_spmv_cuda_blocks {
    int32_t num_blocks;
    int32_t *rows; /* shape [num_blocks + 1]: their first rows */
} nitro_spmv_cuda_blocks;

/** Square blocks, row by row, columns ascending; only blocks with entries are stored. */
typedef struct nitro_spmv_cuda_bsr {
    int32_t block;                /* rows and columns of a block; divides those of the matrix */
    int32_t num_rows, num_blocks; /* rows of blocks, blocks */
    int32_t *row_offsets;         /* shape [num_rows + 1] */
    int32_t *columns;             /* shape [num_blocks] */
    double *values;               /* shape [num_blocks x block x block], each block by rows */
} nitro_spmv_cuda_bsr;

/** Formats that only CUDA devices have, or make otherwise than the host (plans.c). */
extern const nitro_spmv_format nitro_spmv_cuda_part_dia, nitro_spmv_cuda_part_tiles,
    nitro_spmv_cuda_part_blocks, nitro_spmv_cuda_part_bsr;

/** Launches kernels on config.stream. The grid has a thread for every row, at least one; kernels
 * may take another. `format` is the struct in device layout. */
typedef cudaError_t nitro_spmv_cuda_step(const nitro_spmv_cuda *spmv, const void *format,
                                         cudaLaunchConfig_t config);

/** y = A x, by the variants' kernels. */
nitro_spmv_cuda_step nitro_spmv_cuda_launch_csr, nitro_spmv_cuda_launch_csr_vector,
    nitro_spmv_cuda_launch_dia, nitro_spmv_cuda_launch_ell, nitro_spmv_cuda_launch_coo,
    nitro_spmv_cuda_launch_hybrid, nitro_spmv_cuda_launch_sellp, nitro_spmv_cuda_launch_csr_merge,
    nitro_spmv_cuda_launch_csr_adaptive;

/** Fill the arrays of a format that the host has not filled. */
nitro_spmv_cuda_step nitro_spmv_cuda_fill_dia, nitro_spmv_cuda_fill_ell, nitro_spmv_cuda_fill_coo,
    nitro_spmv_cuda_fill_bsr, nitro_spmv_cuda_fill_hybrid, nitro_spmv_cuda_fill_sellp;

/** y += A x */
cudaError_t nitro_spmv_cuda_coo_add(const nitro_spmv_cuda *spmv, const nitro_spmv_cuda_coo *coo,
                                    cudaLaunchConfig_t config);

/** cuSPARSE's variants. */
#define NITRO_SPMV_NUM_CUSPARSE 5
extern const nitro_variant nitro_spmv_cuda_cusparse_variants[NITRO_SPMV_NUM_CUSPARSE];

/** Make a format, and fill it (NULL: the host has). @return 0, or nonzero with cuda.problem set and
 *  nothing left. */
int nitro_spmv_cuda_prepare_format(nitro_spmv_cuda *spmv, const nitro_spmv_format *format,
                                   nitro_spmv_cuda_step *fill);

/** Which diagonals of the uploaded matrix have entries. @param[out] found  shape [num_rows +
 * num_cols], on the host: 1 or 0, at column - row + num_rows. @return 0, or cuda.failure, with
 * cuda.problem. */
int nitro_spmv_cuda_find_diagonals(nitro_spmv_cuda *spmv, unsigned char *found);
/** How many blocks have entries. @param[in] block  2 to NITRO_SPMV_CUDA_MAX_BSR, divides num_rows.
 * @param[out] counts  shape [num_rows / block], on the host: of each row of blocks. @return as
 * above. */
int nitro_spmv_cuda_count_blocks(nitro_spmv_cuda *spmv, int block, int32_t *counts);

/** Why a variant of cuSPARSE's cannot run here; NULL: it can. Loads the library. */
const char *nitro_spmv_cusparse_problem(const nitro_variant *variant);

/** Free what cuSPARSE's variants made. */
void nitro_spmv_cuda_release_cusparse(void *argument);

#ifdef __cplusplus
}
#endif

#endif
