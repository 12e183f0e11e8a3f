/* Kernels of the OpenCL microbenchmarks. Factors, spacings and counts are arguments, so that no
 * compiler can remove or merge work. */
#define NUM_SUMS  8
#define NUM_STEPS 32

__kernel void nothing(__global uint *unused)
{
}

__kernel void copy(__global const uint4 *from, __global uint4 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

__kernel void add_global(__global uint *counters, uint spacing, uint additions)
{
    __global uint *counter = counters + get_local_id(0) * spacing;
    for (uint i = 0; i < additions; i++)
        atomic_add(counter, 1u);
}

__kernel void add_local(__global uint *counters, uint spacing, uint additions)
{
    __local uint shared[256];
    shared[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *counter = shared + get_local_id(0) * spacing;
    for (uint i = 0; i < additions; i++)
        atomic_add(counter, 1u);
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
