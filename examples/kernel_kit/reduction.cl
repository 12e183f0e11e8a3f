/* The sum of a vector. A work-item adds VECTOR consecutive numbers, with UNBOUNDED once, else until the
 * vector ends; a work-group adds its items' sums in local memory; ATOMICS adds the groups' sums too. */
__kernel void clear(__global float *to)
{
    to[0] = 0;
}

void add(volatile __global float *to, float value)
{
    union {
        uint bits;
        float number;
    } old, sum;
    do {
        old.number = *to;
        sum.number = old.number + value;
    } while (atomic_cmpxchg((volatile __global uint *)to, old.bits, sum.bits) != old.bits);
}

__kernel void reduce(int count, __global const float *from, __global float *to)
{
    __local float sums[GROUP];
    int item = get_local_id(0);
    float sum = 0;
    for (int begin = get_global_id(0) * VECTOR; begin < count;
         begin += get_global_size(0) * VECTOR) {
        for (int k = 0; k < VECTOR; k++)
            sum += begin + k < count ? from[begin + k] : 0;
        if (UNBOUNDED)
            break;
    }
    sums[item] = sum;
    for (int width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width)
            sums[item] += sums[item + width];
    }
    if (item == 0 && ATOMICS)
        add(to, sums[0]);
    else if (item == 0)
        to[get_group_id(0)] = sums[0];
}
