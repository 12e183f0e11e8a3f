/* Division of work among threads, memory for formats, and how a matrix reads x. Parts have equal
 * numbers of entries plus rows, since empty rows cost time too. */
#include "variants/spmv/host/spmv_kernels.h"

#include <stdlib.h>

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

/* ---- Access ---- */

/* An x of more than 512 KiB shares a core's own caches with the matrix that streams through them.
 * One of more than 8 MiB is prefetched: where the last cache holds x, prefetching may cost more
 * than it saves. */
#define SPREAD_COLS (1 << 16)
#define FAR_COLS    (1 << 20)
#define NUM_LOOKS   8   /* places in the matrix */
#define LOOK        16  /* entries looked at in each */
#define BEFORE      256 /* entries before them, of some rows */
#define NEAR_COLS   16  /* two cache lines */
#define MOST_NEAR   8   /* one in so many is far, at most, where x is not prefetched */

static bool is_far(const int32_t *columns, int64_t k, int64_t first)
{
    int num_near = 0; /* counted to the end, so that it is compiled to vectors */
    for (int64_t i = first; i < k; i++)
        num_near += abs(columns[k] - columns[i]) < NEAR_COLS;
    return num_near == 0;
}

/* Do entries use parts of x that none of those shortly before used? */
static bool is_scattered(const nitro_spmv *spmv)
{
    int64_t count = spmv->num_nonzeros - BEFORE;
    int num_far = 0;
    if (spmv->num_cols <= SPREAD_COLS || count < NUM_LOOKS * LOOK)
        return false;
    for (int look = 0; look < NUM_LOOKS; look++) {
        int64_t first = nitro_host_split_evenly(count, look, NUM_LOOKS);
        for (int64_t k = first + BEFORE; k < first + BEFORE + LOOK; k++)
            num_far += is_far(spmv->columns, k, first);
    }
    return num_far * MOST_NEAR > NUM_LOOKS * LOOK;
}

nitro_spmv_access nitro_spmv_find_access(const nitro_spmv *spmv, int64_t num_slots)
{
    if (is_scattered(spmv))
        return spmv->num_cols > FAR_COLS ? NITRO_SPMV_SCATTERED : NITRO_SPMV_SPREAD;
    return nitro_spmv_prefetches(num_slots) ? NITRO_SPMV_STREAMED : NITRO_SPMV_CACHED;
}

void nitro_spmv_release_formats(void *argument)
{
    static const nitro_spmv_format *const formats[] = {
        &nitro_spmv_part_dia,          &nitro_spmv_part_ell,   &nitro_spmv_part_coo,
        &nitro_spmv_part_hybrid,       &nitro_spmv_part_sellp, &nitro_spmv_part_sell_c_sigma,
        &nitro_spmv_part_cache_blocked};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        nitro_kit_free_format(argument, (void *)formats[i]);
}
