/* Kernels of all OpenCL variants of the histogram. A work-group takes its samples in tiles of TILE:
 * an even share of consecutive ones, or with IS_DYNAMIC the next ones of a queue. */
#define SHARE(count, parts) (((count) + (parts)-1) / (parts))

__kernel void clear(int num_bins, __global uint *counts, __global uint *queues)
{
    for (int bin = get_global_id(0); bin < num_bins; bin += get_global_size(0))
        counts[bin] = 0;
    if (get_global_id(0) < 16)
        queues[get_global_id(0)] = 0;
}

typedef struct tiles {
    int next, end;
} tiles;

tiles first_tiles(int num_samples)
{
    int num_tiles = SHARE(num_samples, TILE), share = SHARE(num_tiles, (int)get_num_groups(0));
    tiles t;
    t.next = IS_DYNAMIC ? 0 : (int)get_group_id(0) * share;
    t.end = IS_DYNAMIC ? num_tiles : min(t.next + share, num_tiles);
    return t;
}

/* The next tile of the work-group, or `end`. All work-items call it. */
int next_tile(tiles *t, __global uint *queue, __local int *taken)
{
#if IS_DYNAMIC
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *taken = min((int)atomic_inc(queue), t->end);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *taken;
#else
    return min(t->next++, t->end);
#endif
}

/* global_atomic: every work-item adds to the result in global memory. */
__kernel void count_globally(int num_samples, __global const uint *samples, __global uint *counts,
                             __global uint *queues)
{
    __local int taken;
    tiles t = first_tiles(num_samples);
    for (int tile = next_tile(&t, queues, &taken); tile < t.end;
         tile = next_tile(&t, queues, &taken)) {
        int end = min(num_samples, (tile + 1) * TILE);
        for (int i = tile * TILE + get_local_id(0); i < end; i += BLOCK)
            atomic_inc(counts + samples[i]);
    }
}

/* shared_atomic: every work-group counts in local memory, and adds its table to the result at the
 * end. A table larger than local memory is counted in ranges, each of which reads all samples. */
__kernel void count_locally(int num_samples, int num_bins, int range_bins,
                            __global const uint *samples, __global uint *counts,
                            __global uint *queues, __local uint *table)
{
    __local int taken;
    tiles t = first_tiles(num_samples);
    uint first = get_group_id(1) * range_bins, size = min(range_bins, num_bins - (int)first);
    for (uint bin = get_local_id(0); bin < size; bin += BLOCK)
        table[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int tile = next_tile(&t, queues + get_group_id(1), &taken); tile < t.end;
         tile = next_tile(&t, queues + get_group_id(1), &taken)) {
        int end = min(num_samples, (tile + 1) * TILE);
        for (int i = tile * TILE + get_local_id(0); i < end; i += BLOCK)
            if (samples[i] - first < size)
                atomic_inc(table + (samples[i] - first));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = get_local_id(0); bin < size; bin += BLOCK)
        if (table[bin] > 0)
            atomic_add(counts + first + bin, table[bin]);
}
