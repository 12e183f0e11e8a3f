/* sellp: one work-item a row; each slice of SLICE_ROWS rows is as wide as its longest row. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void sellp(int num_rows, __global const int *slice_offsets, __global const int *columns,
                    __global const double *values, __global const double *x, __global double *y)
{
    int row = get_global_id(0);
    if (row >= num_rows)
        return;
    int slice = row / SLICE_ROWS, end = slice_offsets[slice + 1];
    double sum = 0;
    for (int at = slice_offsets[slice] + row % SLICE_ROWS; at < end; at += SLICE_ROWS)
        sum += values[at] * x[columns[at]];
    y[row] = sum;
}
