/* csr_vector: LANES work-items a row, whose sums are added in local memory. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void csr_vector(int num_rows, __global const int *row_offsets,
                         __global const int *columns, __global const double *values,
                         __global const double *x, __global double *y)
{
    __local double sums[BLOCK];
    int item = get_local_id(0), lane = item % LANES;
    int row = get_global_id(0) / LANES;
    double sum = 0;
    if (row < num_rows) /* all items stay for the barriers */
        for (int k = row_offsets[row] + lane; k < row_offsets[row + 1]; k += LANES)
            sum += values[k] * x[columns[k]];
    sums[item] = sum;
    for (int delta = LANES / 2; delta > 0; delta /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < delta)
            sums[item] += sums[item + delta];
    }
    if (lane == 0 && row < num_rows)
        y[row] = sums[item];
}
