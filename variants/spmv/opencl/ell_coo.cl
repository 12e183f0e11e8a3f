/* ell and coo, and hybrid, which is both. ell: one work-item a row; neighbouring items read
 * neighbouring slots. coo: EACH consecutive entries a work-item. Its first and last row may go on
 * in its neighbours, which all add to them atomically, in any order; the others are its own. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

__kernel void ell(int num_rows, int width, int stride, int group_stride,
                  __global const int *columns, __global const double *values,
                  __global const double *x, __global double *y)
{
    int row = get_global_id(0);
    if (row >= num_rows)
        return;
    int first = row / GROUP_ROWS * group_stride + row % GROUP_ROWS;
    double sum = 0;
    for (int k = 0; k < width; k++)
        sum += values[first + k * stride] * x[columns[first + k * stride]];
    y[row] = sum;
}

#ifdef EACH
void add_atomically(__global double *to, double sum)
{
    __global ulong *bits = (__global ulong *)to;
    ulong expected = 0, found; /* as it is before the first addition */
    while ((found = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + sum))) != expected)
        expected = found;
}

__kernel void coo(int num_entries, __global const int *rows, __global const int *columns,
                  __global const double *values, __global const double *x, __global double *y)
{
    int k = get_global_id(0) * EACH, end = min(k + EACH, num_entries);
    if (k >= end)
        return;
    int first = rows[k], last = rows[end - 1];
    while (k < end) {
        int row = rows[k];
        double sum = 0;
        for (; k < end && rows[k] == row; k++)
            sum += values[k] * x[columns[k]];
        if (row == first || row == last)
            add_atomically(y + row, sum);
        else
            y[row] += sum;
    }
}
#endif
