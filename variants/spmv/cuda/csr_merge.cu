/* csr_merge: merge-path CSR (Merrill and Garland, SC16). The row ends and the entries are two
 * sorted lists, and a tile is 896 steps along their merge, whatever the lengths of the rows: blocks
 * and threads have equal work on a matrix with a row of a million entries and on one with a million
 * empty rows. `prepare` finds where tiles begin; it converts nothing.
 *
 * A tile's products go to shared memory with coalesced loads; a thread then takes seven steps. A
 * row that spans threads is summed by a scan of the block; the part of a row that a later tile ends
 * is carried, and a second kernel adds the carries to y. Sums of rows longer than 32 tiles may
 * differ in the last bits between runs. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/add_rows.cuh"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define TILE  NITRO_SPMV_CUDA_TILE
#define STEPS 7 /* of a thread; odd, so that threads read different banks */
#define BLOCK (TILE / STEPS)
#define WARP  NITRO_SPMV_CUDA_WARP
#define WARPS (BLOCK / WARP)

/* What a thread has summed of the row that it does not end, and which row that is. */
typedef struct carry {
    int row;
    double sum;
} carry;

/* How many of `row_ends`, ascending, come before step `step` of the merge with 0, 1, 2... */
static __device__ __forceinline__ int find_row(const int *row_ends, int num_rows, int step)
{
    int low = 0, high = min(step, num_rows);
    while (low < high) {
        int middle = (low + high) / 2;
        if (row_ends[middle] <= step - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sum of what earlier threads carry of `row`, in the order of the entries. `mine` is this
 * thread's carry; `total` becomes what the block leaves of its last row. */
static __device__ __forceinline__ double scan_carries(int row, carry mine, carry *total)
{
    __shared__ carry of_warps[WARPS];
    int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
#pragma unroll
    for (int delta = 1; delta < WARP; delta *= 2) {
        int other_row = __shfl_up_sync(NITRO_CUDA_FULL_MASK, mine.row, delta);
        double other_sum = __shfl_up_sync(NITRO_CUDA_FULL_MASK, mine.sum, delta);
        if (lane >= delta && other_row == mine.row)
            mine.sum += other_sum;
    }
    int row_before = __shfl_up_sync(NITRO_CUDA_FULL_MASK, mine.row, 1);
    double before = __shfl_up_sync(NITRO_CUDA_FULL_MASK, mine.sum, 1);
    if (lane == WARP - 1)
        of_warps[warp] = mine;
    __syncthreads();
    double sum = lane > 0 && row_before == row ? before : 0;
    *total = of_warps[WARPS - 1];
    for (int w = WARPS - 2; w >= 0; w--) {
        if (w < warp && of_warps[w].row == row)
            sum += of_warps[w].sum;
        if (of_warps[w].row == total->row)
            total->sum += of_warps[w].sum;
    }
    return sum;
}

static __global__ void __launch_bounds__(BLOCK, 8)
    multiply(int num_rows, int num_nonzeros, const int *__restrict__ row_offsets,
             const int *__restrict__ columns, const double *__restrict__ values,
             const double *__restrict__ x, double *__restrict__ y,
             const int *__restrict__ tile_rows, int *__restrict__ carry_rows,
             double *__restrict__ carries)
{
    __shared__ double products[TILE];
    __shared__ int row_ends[TILE];
    int64_t begin = (int64_t)blockIdx.x * TILE, steps = (int64_t)num_rows + num_nonzeros;
    int num_steps = (int)min((int64_t)TILE, steps - begin);
    int first_row = tile_rows[blockIdx.x], rows = tile_rows[blockIdx.x + 1] - first_row;
    int first = (int)(begin - first_row), count = num_steps - rows;
    for (int i = (int)threadIdx.x; i < count; i += BLOCK)
        products[i] = __ldcs(values + first + i) * x[__ldcs(columns + first + i)];
    for (int i = (int)threadIdx.x; i < rows; i += BLOCK)
        row_ends[i] = row_offsets[first_row + i + 1] - first;
    __syncthreads();

    int step = min((int)threadIdx.x * STEPS, num_steps), end = min(step + STEPS, num_steps);
    int row = find_row(row_ends, rows, step), k = step - row;
    int row_at_first = row, row_ended = -1; /* the first row that ends here */
    double sum = 0, sum_ended = 0;
    for (; step < end; step++) {
        if (row == rows || k < row_ends[row]) {
            sum += products[k++];
            continue;
        }
        if (row_ended < 0) {
            row_ended = row;
            sum_ended = sum;
        } else {
            y[first_row + row] = sum;
        }
        row++;
        sum = 0;
    }
    carry total;
    double before = scan_carries(row_at_first, {row, sum}, &total);
    if (row_ended >= 0)
        y[first_row + row_ended] = before + sum_ended;
    if (threadIdx.x == 0) {
        carry_rows[blockIdx.x] = min(first_row + total.row, num_rows - 1);
        carries[blockIdx.x] = first_row + total.row < num_rows ? total.sum : 0;
    }
}

static __global__ void __launch_bounds__(BLOCK)
    add_carries(int num_tiles, const int *__restrict__ rows, const double *__restrict__ sums,
                double *y)
{
    int tile = (int)(blockIdx.x * BLOCK + threadIdx.x), last = num_tiles - 1;
    nitro_spmv_cuda_add_rows(rows[min(tile, last)], tile <= last ? sums[tile] : 0, y);
}

cudaError_t nitro_spmv_cuda_launch_csr_merge(const nitro_spmv_cuda *spmv, const void *format,
                                             cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_tiles *tiles = (const nitro_spmv_cuda_tiles *)format;
    config.gridDim = dim3((unsigned)tiles->num_tiles);
    config.blockDim = dim3(BLOCK);
    cudaError_t error = cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows,
                                           (int)spmv->host.num_nonzeros, spmv->row_offsets,
                                           spmv->columns, spmv->values, spmv->x, spmv->y,
                                           tiles->rows, tiles->carry_rows, tiles->carries);
    if (error != cudaSuccess)
        return error;
    config.gridDim = nitro_cuda_grid(&spmv->cuda, tiles->num_tiles, BLOCK).gridDim;
    return cudaLaunchKernelEx(&config, add_carries, tiles->num_tiles, tiles->carry_rows,
                              tiles->carries, spmv->y);
}
