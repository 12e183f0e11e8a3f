/* dia: one work-item a row; neighbouring items read neighbouring values of a diagonal. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void dia(int num_rows, int num_cols, int num_diagonals, int stride,
                  int group_stride, __global const int *offsets, __global const double *values,
                  __global const double *x, __global double *y)
{
    int row = get_global_id(0);
    if (row >= num_rows)
        return;
    double sum = 0;
    values += row / GROUP_ROWS * group_stride + row % GROUP_ROWS;
    for (int d = 0; d < num_diagonals; d++) {
        int column = row + offsets[d];
        if (column >= 0 && column < num_cols)
            sum += values[d * stride] * x[column];
    }
    y[row] = sum;
}
