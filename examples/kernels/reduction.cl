/* The sum of a vector. A work-item adds vectors of VECTOR numbers, with UNBOUNDED one, else until the
 * input ends; a work-group adds its items' sums in local memory; ATOMICS adds the groups' sums too. */
__kernel void clear(__global float *to)
{
    to[0] = 0;
}

__kernel void reduce(int count, __global const float *from, __global float *to)
{
    __local float sums[GROUP];
    int item = get_local_id(0);
    float sum = 0;
    for (int begin = get_global_id(0) * VECTOR; begin < count;
         begin += get_global_size(0) * VECTOR) {
        if (begin + VECTOR <= count) {
            FLOATS(VECTOR) numbers = ((__global const FLOATS(VECTOR) *)from)[begin / VECTOR];
            for (int k = 0; k < VECTOR; k++)
                sum += ((float *)&numbers)[k];
        } else {
            for (int k = begin; k < count; k++)
                sum += from[k];
        }
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
        add_atomically(to, sums[0]);
    else if (item == 0)
        to[get_group_id(0)] = sums[0];
}
