/* histogram_cub.h - CUB's DeviceHistogram, the peer of bench_histogram_cuda.c. */
#ifndef NITRO_TESTS_BENCH_HISTOGRAM_CUB_H
#define NITRO_TESTS_BENCH_HISTOGRAM_CUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Count `num_samples` numbers below num_bins, all in device memory, on the default stream; `room`
 *  NULL: only how much of it is needed. Returns a cudaError_t. */
int histogram_cub_count(void *room, size_t *room_bytes, const uint32_t *samples, int num_samples,
                        uint32_t *counts, int num_bins);

#ifdef __cplusplus
}
#endif

#endif
