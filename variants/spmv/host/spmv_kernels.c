/* Division of work among threads, and memory for formats. Parts have equal numbers of entries plus
 * rows, since empty rows cost time too. */
#include "variants/spmv/host/spmv_kernels.h"

int64_t nitro_spmv_stride(int64_t num_rows)
{
    int64_t lines = (num_rows + NITRO_SPMV_LANES - 1) / NITRO_SPMV_LANES;
    return (lines | 1) * NITRO_SPMV_LANES;
}

int64_t nitro_spmv_split(const int64_t *offsets, int64_t count, int part, int parts)
{
    if (part == 0)
        return 0;
    if (part == parts)
        return count;
    int64_t target = nitro_host_split_evenly(offsets[count] + count, part, parts);
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] + middle < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void nitro_spmv_release_formats(void *argument)
{
    static const nitro_kit_part *const parts[] = {
        &nitro_spmv_part_dia,    &nitro_spmv_part_ell,   &nitro_spmv_part_coo,
        &nitro_spmv_part_hybrid, &nitro_spmv_part_sellp, &nitro_spmv_part_sell_c_sigma};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        nitro_kit_free_format(argument, (void *)parts[i]);
}
