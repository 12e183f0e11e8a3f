/* Products of small matrices, by rows: C, SIZE_B x SIZE_C, is A, SIZE_B x SIZE_A, times B. A work-group
 * makes Z products; an item goes through a column of one, Y rows apart. CACHING 1 keeps the column of
 * B in registers, 2 keeps A and B in local memory, with rows and matrices padded by PADD_AA and PADD_AB.
 * Without DIRECT, C goes through local memory. PADD_C items of a row do nothing. */
#define A_STRIDE (SIZE_A + PADD_AA)
#define A_CELLS  (A_STRIDE * (SIZE_B + PADD_AB))
#define WIDE     (SIZE_C + PADD_C)

__kernel void multiply(int count, __global const float *a, __global const float *b,
                       __global float *c)
{
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int which = get_group_id(2) * Z + z;
    bool is_here = which < count && x < SIZE_C;
    a += which * SIZE_A * SIZE_B;
    b += which * SIZE_A * SIZE_C;
    c += which * SIZE_B * SIZE_C;
#if !DIRECT
    __local float products[Z][SIZE_B * SIZE_C];
#endif
#if CACHING == 1
    float column[SIZE_A];
    for (int k = 0; k < SIZE_A && is_here; k++)
        column[k] = b[k * SIZE_C + x];
#else
    __local float a_cells[Z][A_CELLS], b_cells[Z][SIZE_C * A_STRIDE];
    for (int i = y * WIDE + x; i < SIZE_A * SIZE_B && which < count; i += Y * WIDE)
        a_cells[z][i / SIZE_A * A_STRIDE + i % SIZE_A] = a[i];
    for (int i = y * WIDE + x; i < SIZE_A * SIZE_C && which < count; i += Y * WIDE)
        b_cells[z][i % SIZE_C * A_STRIDE + i / SIZE_C] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int row = y; row < SIZE_B && is_here; row += Y) {
        float sum = 0;
#if UNROLL_K
#pragma unroll
#endif
        for (int k = 0; k < SIZE_A; k++)
#if CACHING == 1
            sum += a[row * SIZE_A + k] * column[k];
#else
            sum += a_cells[z][row * A_STRIDE + k] * b_cells[z][x * A_STRIDE + k];
#endif
#if DIRECT
        c[row * SIZE_C + x] = sum;
#else
        products[z][row * SIZE_C + x] = sum;
#endif
    }
#if !DIRECT
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y * WIDE + x; i < SIZE_B * SIZE_C && which < count; i += Y * WIDE)
        c[i] = products[z][i];
#endif
}
