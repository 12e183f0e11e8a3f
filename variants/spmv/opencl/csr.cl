/* csr: one work-item a row. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void csr(int num_rows, __global const int *row_offsets, __global const int *columns,
                  __global const double *values, __global const double *x, __global double *y)
{
    int row = get_global_id(0);
    if (row >= num_rows)
        return;
    double sum = 0;
    for (int k = row_offsets[row]; k < row_offsets[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
