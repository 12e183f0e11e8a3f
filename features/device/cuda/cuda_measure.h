/* cuda_measure.h - kernels of the CUDA microbenchmarks, callable from C. Their results in memory
 * are defined, so that tests can check that all the work was done. They are launched
 * asynchronously. */
#ifndef NITRO_FEATURES_DEVICE_CUDA_CUDA_MEASURE_H
#define NITRO_FEATURES_DEVICE_CUDA_CUDA_MEASURE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block in all kernels here. */
#define NITRO_CUDA_BLOCK_SIZE 256

/** Bytes that one block of copy_tiles copies: four times 16 a thread. */
#define NITRO_CUDA_TILE_BYTES ((size_t)NITRO_CUDA_BLOCK_SIZE * 4 * 16)

/** Nothing. */
cudaError_t nitro_cuda_launch_nothing(cudaStream_t stream);

/** Before an event that begins a timing: longer than the host takes to launch the next kernel, 20
 * us at 2 GHz. An event on an idle device would be done before that, and the launch would count. */
#define NITRO_CUDA_LEAD_CYCLES 40000

/** Blocks of one warp that do nothing for so many cycles of their multiprocessor's clock. */
cudaError_t nitro_cuda_launch_spin(long long cycles, unsigned num_blocks, cudaStream_t stream);

/** Copy whole tiles, one block a tile. */
cudaError_t nitro_cuda_launch_copy_tiles(const void *from, void *to, size_t num_tiles,
                                         cudaStream_t stream);
/** Copy `num_bytes`, a multiple of 16, with a grid-stride loop. */
cudaError_t nitro_cuda_launch_copy_steps(const void *from, void *to, size_t num_bytes,
                                         unsigned num_blocks, cudaStream_t stream);

/**
 * Read `num_bytes`, 512 times a power of two, `passes` times, bypassing the L1 cache.
 * @param[out] sums  shape [num_blocks x NITRO_CUDA_BLOCK_SIZE]: exclusive or of all 32-bit words
 *                   that the thread read.
 */
cudaError_t nitro_cuda_launch_read(const void *from, size_t num_bytes, unsigned passes,
                                   unsigned num_blocks, unsigned *sums, cudaStream_t stream);

/** Most counters of the two functions below. */
#define NITRO_CUDA_MOST_COUNTERS 256

/** Every thread adds 1 to `counters` (device memory), `additions` times, each time to another of
 *  `num_counters`, a power of two, at random. */
cudaError_t nitro_cuda_launch_add_global(unsigned *counters, unsigned num_counters,
                                         unsigned additions, unsigned num_blocks,
                                         cudaStream_t stream);
/** The same in counters of its block's shared memory. @param[out] sums  shape [num_blocks]: the
 * counts of each block. */
cudaError_t nitro_cuda_launch_add_shared(unsigned *sums, unsigned num_counters, unsigned additions,
                                         unsigned num_blocks, cudaStream_t stream);

/** Independent chains of a thread, and fused multiply-adds of each of them a round. */
#define NITRO_CUDA_NUM_SUMS  8
#define NITRO_CUDA_NUM_STEPS 32

/**
 * Chains of fused multiply-adds: thread t starts chain k with t + k and computes sum = sum * factor
 * + addend in every step of every round.
 * @param[out] results  shape [num_blocks x NITRO_CUDA_BLOCK_SIZE]: the sum of its sums.
 */
cudaError_t nitro_cuda_launch_sp(float *results, float factor, float addend, unsigned rounds,
                                 unsigned num_blocks, cudaStream_t stream);
cudaError_t nitro_cuda_launch_dp(double *results, double factor, double addend, unsigned rounds,
                                 unsigned num_blocks, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
