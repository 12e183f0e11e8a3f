/* ell: one work-item a row; neighbouring items read neighbouring slots. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void ell(int num_rows, int width, int stride, __global const int *columns,
                  __global const double *values, __global const double *x, __global double *y)
{
    int row = get_global_id(0);
    if (row >= num_rows)
        return;
    double sum = 0;
    for (int k = 0; k < width; k++)
        sum += values[k * stride + row] * x[columns[k * stride + row]];
    y[row] = sum;
}
