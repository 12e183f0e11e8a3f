/* Formats are made of the matrix on the device. The host finds what depends on row offsets only,
 * since it has them; where columns matter the device looks, and leaves only numbers of rows or of
 * diagonals to the host. Entries need not pass through it a second time. */
#include <limits.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK      NITRO_SPMV_CUDA_BLOCK
#define SLICE_ROWS NITRO_SPMV_SLICE_ROWS

/* The matrix, in CSR. */
typedef struct csr {
    int num_rows;
    const int *row_offsets, *columns;
    const double *values;
} csr;

static csr matrix_of(const nitro_spmv_cuda *spmv)
{
    return {(int)spmv->host.num_rows, spmv->row_offsets, spmv->columns, spmv->values};
}

/* One thread a place of a row, `width` slots from `at` on, `step` apart. Padding has value 0 and
 * repeats the column before, whose x is cached. */
static __device__ void fill_row(const csr &a, int row, int at, int step, int width, int *columns,
                                double *values)
{
    int begin = row < a.num_rows ? a.row_offsets[row] : 0;
    int count = row < a.num_rows ? a.row_offsets[row + 1] - begin : 0;
    int column = 0;
    for (int k = 0; k < width; k++) {
        if (k < count)
            column = a.columns[begin + k];
        columns[at + k * step] = column;
        values[at + k * step] = k < count ? a.values[begin + k] : 0;
    }
}

static __global__ void __launch_bounds__(BLOCK)
    fill_ell(csr a, int width, int stride, int *columns, double *values)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row < a.num_rows)
        fill_row(a, row, row, stride, width, columns, values);
}

cudaError_t nitro_spmv_cuda_fill_ell(const nitro_spmv_cuda *spmv, const void *format,
                                     cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_ell *ell = (const nitro_spmv_cuda_ell *)format;
    return cudaLaunchKernelEx(&config, fill_ell, matrix_of(spmv), ell->width, ell->stride,
                              ell->columns, ell->values);
}

/* Also the places past the last row: cuSPARSE reads whole slices. */
static __global__ void __launch_bounds__(BLOCK)
    fill_slices(csr a, int num_slices, const int *slice_offsets, const int *rows, int *columns,
                double *values)
{
    int place = (int)(blockIdx.x * BLOCK + threadIdx.x);
    int slice = place / SLICE_ROWS;
    if (slice >= num_slices)
        return;
    int begin = slice_offsets[slice], width = (slice_offsets[slice + 1] - begin) / SLICE_ROWS;
    fill_row(a, rows && place < a.num_rows ? rows[place] : place, begin + place % SLICE_ROWS,
             SLICE_ROWS, width, columns, values);
}

cudaError_t nitro_spmv_cuda_fill_sellp(const nitro_spmv_cuda *spmv, const void *format,
                                       cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_sellp *sellp = (const nitro_spmv_cuda_sellp *)format;
    return cudaLaunchKernelEx(&config, fill_slices, matrix_of(spmv), sellp->num_slices,
                              sellp->slice_offsets, sellp->rows, sellp->columns, sellp->values);
}

/* A warp a row, so that one long row does not keep one thread busy. */
static __global__ void __launch_bounds__(BLOCK)
    fill_coo(int num_rows, const int *row_offsets, int *rows)
{
    int row = (int)(blockIdx.x * (BLOCK / 32) + threadIdx.x / 32);
    if (row >= num_rows)
        return;
    int end = row_offsets[row + 1];
    for (int k = row_offsets[row] + (int)(threadIdx.x % 32); k < end; k += 32)
        rows[k] = row;
}

cudaError_t nitro_spmv_cuda_fill_coo(const nitro_spmv_cuda *spmv, const void *format,
                                     cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_coo *coo = (const nitro_spmv_cuda_coo *)format;
    config.gridDim = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows * 32, BLOCK).gridDim;
    return cudaLaunchKernelEx(&config, fill_coo, (int)spmv->host.num_rows, spmv->row_offsets,
                              coo->rows);
}

/* A warp a row, likewise: its entries beyond the first `width`. */
static __global__ void __launch_bounds__(BLOCK)
    fill_rest(csr a, int width, const int *rest_offsets, int *rows, int *columns, double *values)
{
    int row = (int)(blockIdx.x * (BLOCK / 32) + threadIdx.x / 32);
    if (row >= a.num_rows)
        return;
    int from = a.row_offsets[row] + width, at = rest_offsets[row], end = rest_offsets[row + 1];
    for (int k = (int)(threadIdx.x % 32); k < end - at; k += 32) {
        rows[at + k] = row;
        columns[at + k] = a.columns[from + k];
        values[at + k] = a.values[from + k];
    }
}

cudaError_t nitro_spmv_cuda_fill_hybrid(const nitro_spmv_cuda *spmv, const void *format,
                                        cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_hybrid *hybrid = (const nitro_spmv_cuda_hybrid *)format;
    const nitro_spmv_cuda_coo *coo = &hybrid->coo;
    cudaError_t error = nitro_spmv_cuda_fill_ell(spmv, &hybrid->ell, config);
    config.gridDim = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows * 32, BLOCK).gridDim;
    return error != cudaSuccess
               ? error
               : cudaLaunchKernelEx(&config, fill_rest, matrix_of(spmv), hybrid->ell.width,
                                    hybrid->rest_offsets, coo->rows, coo->columns, coo->values);
}

/* Entries ascend within a row, as diagonals do: each is looked for from the last one's on. */
static __global__ void __launch_bounds__(BLOCK)
    fill_dia(csr a, int stride, const int *offsets, double *values)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= a.num_rows)
        return;
    int diagonal = 0, end = a.row_offsets[row + 1];
    for (int k = a.row_offsets[row]; k < end; k++) {
        while (offsets[diagonal] != a.columns[k] - row)
            diagonal++;
        values[(size_t)diagonal * stride + row] = a.values[k];
    }
}

cudaError_t nitro_spmv_cuda_fill_dia(const nitro_spmv_cuda *spmv, const void *format,
                                     cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_dia *dia = (const nitro_spmv_cuda_dia *)format;
    size_t num_slots = (size_t)dia->num_diagonals * (size_t)dia->stride;
    if (num_slots == 0)
        return cudaSuccess;
    cudaError_t error =
        cudaMemsetAsync(dia->values, 0, num_slots * sizeof(*dia->values), config.stream);
    return error == cudaSuccess ? cudaLaunchKernelEx(&config, fill_dia, matrix_of(spmv),
                                                     dia->stride, dia->offsets, dia->values)
                                : error;
}

/* Goes through a row of blocks. Entries ascend within a row, so the first ones left of its rows
 * show the next block. Blocks get columns and values, if there are arrays for them.
 * @return how many there are */
static __device__ int walk_blocks(const csr &a, int block, int block_row, int *columns,
                                  double *values)
{
    const int *ends = a.row_offsets + block_row * block + 1;
    int next[NITRO_SPMV_CUDA_MAX_BSR];
    for (int r = 0; r < block; r++)
        next[r] = ends[r - 1];
    for (int count = 0;; count++) {
        int column = INT_MAX;
        for (int r = 0; r < block; r++)
            if (next[r] < ends[r])
                column = min(column, a.columns[next[r]] / block);
        if (column == INT_MAX)
            return count;
        if (columns)
            columns[count] = column;
        for (int r = 0; r < block; r++)
            for (; next[r] < ends[r] && a.columns[next[r]] / block == column; next[r]++)
                if (values)
                    values[((size_t)count * block + r) * block + a.columns[next[r]] % block] =
                        a.values[next[r]];
    }
}

static __global__ void __launch_bounds__(BLOCK)
    count_blocks(csr a, int block, int num_block_rows, int *counts)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row < num_block_rows)
        counts[row] = walk_blocks(a, block, row, nullptr, nullptr);
}

static __global__ void __launch_bounds__(BLOCK)
    fill_bsr(csr a, int block, int num_block_rows, const int *row_offsets, int *columns,
             double *values)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= num_block_rows)
        return;
    int first = row_offsets[row];
    walk_blocks(a, block, row, columns + first, values + (size_t)first * block * block);
}

cudaError_t nitro_spmv_cuda_fill_bsr(const nitro_spmv_cuda *spmv, const void *format,
                                     cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_bsr *bsr = (const nitro_spmv_cuda_bsr *)format;
    size_t count = (size_t)bsr->num_blocks * bsr->block * bsr->block;
    if (count == 0)
        return cudaSuccess;
    cudaError_t error =
        cudaMemsetAsync(bsr->values, 0, count * sizeof(*bsr->values), config.stream);
    return error == cudaSuccess
               ? cudaLaunchKernelEx(&config, fill_bsr, matrix_of(spmv), bsr->block, bsr->num_rows,
                                    bsr->row_offsets, bsr->columns, bsr->values)
               : error;
}

/* ---- What the host does not see ---- */

/* A warp a row. */
static __global__ void __launch_bounds__(BLOCK) mark_diagonals(csr a, unsigned char *found)
{
    int row = (int)(blockIdx.x * (BLOCK / 32) + threadIdx.x / 32);
    if (row >= a.num_rows)
        return;
    int end = a.row_offsets[row + 1];
    for (int k = a.row_offsets[row] + (int)(threadIdx.x % 32); k < end; k += 32)
        found[(size_t)(a.columns[k] - row) + a.num_rows] = 1;
}

int nitro_spmv_cuda_find_diagonals(nitro_spmv_cuda *spmv, unsigned char *found)
{
    nitro_cuda *cuda = &spmv->cuda;
    int64_t count = spmv->host.num_rows + spmv->host.num_cols;
    void *there = NULL;
    if (nitro_cuda_allocate(cuda, count, 1, &there) != 0)
        return cuda->failure;
    int failure =
        nitro_cuda_check(cuda, cudaMemsetAsync(there, 0, (size_t)count, (cudaStream_t)cuda->stream),
                         "clearing memory") ||
        nitro_cuda_launch(cuda, "looking for diagonals", spmv->host.num_rows * 32, BLOCK,
                          mark_diagonals, matrix_of(spmv), (unsigned char *)there) ||
        nitro_cuda_download(cuda, there, count, 1, found);
    nitro_cuda_free(there);
    return failure ? cuda->failure : 0;
}

int nitro_spmv_cuda_count_blocks(nitro_spmv_cuda *spmv, int block, int32_t *counts)
{
    nitro_cuda *cuda = &spmv->cuda;
    int64_t count = spmv->host.num_rows / block;
    void *there = NULL;
    if (nitro_cuda_allocate(cuda, count, sizeof(*counts), &there) != 0)
        return cuda->failure;
    int failure = nitro_cuda_launch(cuda, "looking for blocks", count, BLOCK, count_blocks,
                                    matrix_of(spmv), block, (int)count, (int *)there) ||
                  nitro_cuda_download(cuda, there, count, sizeof(*counts), counts);
    nitro_cuda_free(there);
    return failure ? cuda->failure : 0;
}
