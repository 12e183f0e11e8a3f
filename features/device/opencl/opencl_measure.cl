/* Kernels of the OpenCL microbenchmarks. Factors, masks and counts are arguments, so that no
 * compiler can remove or merge work. */
#define NUM_SUMS     8
#define NUM_STEPS    32
#define NUM_COUNTERS 256

/* The next pseudo-random number. */
uint advance(uint state)
{
    return state * 1664525u + 1013904223u;
}

__kernel void nothing(__global uint *unused)
{
}

__kernel void copy(__global const uint4 *from, __global uint4 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

/* Every item reads `share` words each pass, another item's part in the next one. Neighbouring items
 * read neighbouring words; on processors, where a core runs a group's items one after another, the
 * words of a part are neighbours. */
__kernel void read_cache(__global uint *results, uint share, uint passes,
                         __global const uint4 *words)
{
    uint items = get_global_size(0), item = get_global_id(0);
    uint4 sum = 0;
    for (uint pass = 0; pass < passes; pass++) {
        uint part = (item + pass) % items;
        __global const uint4 *from = words + (IS_PROCESSOR ? part * share : part);
        for (uint k = 0; k < share; k++)
            sum += from[IS_PROCESSOR ? k : k * items];
    }
    results[item] = sum.x + sum.y + sum.z + sum.w;
}

/* An item's first random number. Far from linear in the item: the generator would keep the states of
 * neighbouring items in equal distances. */
uint seed(void)
{
    uint mixed = get_global_id(0) + 1;
    mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
    mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
    return mixed ^ mixed >> 16;
}

/* `mask` is 0 for one counter, or NUM_COUNTERS - 1. */
__kernel void add_global(__global uint *counters, uint mask, uint additions)
{
    uint state = seed();
    for (uint i = 0; i < additions; i++, state = advance(state))
        atomic_add(counters + (state >> 24 & mask), 1u);
}

__kernel void add_local(__global uint *counters, uint mask, uint additions)
{
    __local uint shared[NUM_COUNTERS];
    uint state = seed();
    shared[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < additions; i++, state = advance(state))
        atomic_add(shared + (state >> 24 & mask), 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counters[get_group_id(0)] = shared[0];
}

#define MULTIPLY_ADD(name, type)                                                                   \
    __kernel void name(__global type *results, uint ratio, uint rounds)                            \
    {                                                                                              \
        type sums[NUM_SUMS], total = 0;                                                            \
        type factor = 1 - (type)1 / (type)ratio, addend = (type)1 / (type)ratio;                   \
        for (int k = 0; k < NUM_SUMS; k++)                                                         \
            sums[k] = (type)(get_global_id(0) + k);                                                \
        for (uint round = 0; round < rounds; round++)                                              \
            for (int step = 0; step < NUM_STEPS; step++)                                           \
                for (int k = 0; k < NUM_SUMS; k++)                                                 \
                    sums[k] = fma(sums[k], factor, addend);                                        \
        for (int k = 0; k < NUM_SUMS; k++)                                                         \
            total += sums[k];                                                                      \
        results[get_global_id(0)] = total;                                                         \
    }

MULTIPLY_ADD(multiply_sp, float)
#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
MULTIPLY_ADD(multiply_dp, double)
#endif
