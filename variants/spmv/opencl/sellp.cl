/* sellp and sell_c_sigma: one work-item a row; each slice of SLICE_ROWS rows is as wide as its
 * longest row. `places` tells which row is where; NULL: they are in order. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void sellp(int num_rows, __global const int *slice_offsets, __global const int *places,
                    __global const int *columns, __global const double *values,
                    __global const double *x, __global double *y)
{
    int place = get_global_id(0);
    if (place >= num_rows)
        return;
    int slice = place / SLICE_ROWS, end = slice_offsets[slice + 1];
    double sum = 0;
    for (int at = slice_offsets[slice] + place % SLICE_ROWS; at < end; at += SLICE_ROWS)
        sum += values[at] * x[columns[at]];
    y[places ? places[place] : place] = sum;
}
