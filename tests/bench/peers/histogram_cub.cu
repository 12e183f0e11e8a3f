/* CUB's DeviceHistogram with levels one apart: a sample is the number of its bin, as ours are. */
#include <cub/device/device_histogram.cuh>

#include "bench/peers/histogram_cub.h"

int histogram_cub_count(void *room, size_t *room_bytes, const uint32_t *samples, int num_samples,
                        uint32_t *counts, int num_bins)
{
    return (int)cub::DeviceHistogram::HistogramEven(
        room, *room_bytes, samples, counts, num_bins + 1, 0u, (uint32_t)num_bins, num_samples);
}
