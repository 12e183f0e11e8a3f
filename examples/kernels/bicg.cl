/* q = A p and s = A' r; A is rows x cols. FUSED 0: each by itself; 1: a work-group of SIMPLE items
 * reads SIMPLE_ROWS rows once for both; 2: a work-group reads ROWS rows of TILE columns once, in tiles
 * of TILE x TILE, an item BATCH rows of each; RED1 and RED2 add an item's parts of q and s by trees,
 * else one item a sum adds them; ATOMICS adds the groups' sums, else they lie in arrays of their own,
 * which add_groups adds. MATRIX, VEC1 and VEC2 put the tile, p and r into local memory. */
#define SIMPLE      64
#define SIMPLE_ROWS 16
#define HIGH        (TILE / BATCH) /* items of a column */

__kernel void clear(int count, __global float *to)
{
    if (get_global_id(0) < count)
        to[get_global_id(0)] = 0;
}

__kernel void multiply(int rows, int cols, __global const float *a, __global const float *p,
                       __global float *q)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int col = 0; row < rows && col < cols; col++)
        sum += a[row * cols + col] * p[col];
    if (row < rows)
        q[row] = sum;
}

__kernel void multiply_transposed(int rows, int cols, __global const float *a,
                                  __global const float *r, __global float *s)
{
    int col = get_global_id(0);
    float sum = 0;
    for (int row = 0; col < cols && row < rows; row++)
        sum += a[row * cols + col] * r[row];
    if (col < cols)
        s[col] = sum;
}

__kernel void fuse_simply(int cols, __global const float *a, __global const float *p,
                          __global const float *r, __global float *q, __global float *s)
{
    __local float parts[SIMPLE_ROWS][SIMPLE];
    int item = get_local_id(0), row0 = get_group_id(0) * SIMPLE_ROWS;
    for (int i = 0; i < SIMPLE_ROWS; i++)
        parts[i][item] = 0;
    for (int col = item; col < cols; col += SIMPLE) {
        float sum = 0;
        for (int i = 0; i < SIMPLE_ROWS; i++) {
            float element = a[(row0 + i) * cols + col];
            parts[i][item] += element * p[col];
            sum += element * r[row0 + i];
        }
        add_atomically(&s[col], sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < SIMPLE_ROWS) {
        float sum = 0;
        for (int i = 0; i < SIMPLE; i++)
            sum += parts[item][i];
        q[row0 + item] = sum;
    }
}

__kernel void fuse(int strips, int tiles, __global const float *a, __global const float *p,
                   __global const float *r, __global float *q, __global float *s)
{
    __local float q_parts[TILE][TILE + 1], s_parts[HIGH][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1), item = y * TILE + x;
    int rows = strips * ROWS, cols = tiles * TILE, col = get_group_id(0) * TILE + x;
    float sum = 0;
#if MATRIX
    __local float tile[TILE][TILE + 1];
#endif
#if VEC1
    __local float p_tile[TILE];
    if (y == 0)
        p_tile[x] = p[col];
#endif
#if VEC2
    __local float r_tile[TILE];
#endif
    for (int row0 = get_group_id(1) * ROWS; row0 < (get_group_id(1) + 1) * ROWS; row0 += TILE) {
#if VEC2
        if (y == 0)
            r_tile[x] = r[row0 + x];
#endif
#if MATRIX
        for (int i = y; i < TILE; i += HIGH)
            tile[i][x] = a[(row0 + i) * cols + col];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if UNROLL
#pragma unroll BATCH
#endif
        for (int b = 0; b < BATCH; b++) {
            int i = y * BATCH + b;
#if MATRIX
            float element = tile[i][x];
#else
            float element = a[(row0 + i) * cols + col];
#endif
#if VEC1
            q_parts[i][x] = element * p_tile[x];
#else
            q_parts[i][x] = element * p[col];
#endif
#if VEC2
            sum += element * r_tile[i];
#else
            sum += element * r[row0 + i];
#endif
        }
        for (int width = TILE / 2; RED1 && width > 0; width /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = y * BATCH; i < (y + 1) * BATCH && x < width; i++)
                q_parts[i][x] += q_parts[i][x + width];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < TILE; i += TILE * HIGH) {
            float row_sum = q_parts[i][0];
            for (int k = 1; !RED1 && k < TILE; k++)
                row_sum += q_parts[i][k];
            if (ATOMICS)
                add_atomically(&q[row0 + i], row_sum);
            else
                q[get_group_id(0) * rows + row0 + i] = row_sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE); /* the tiles are used again */
    }
    s_parts[y][x] = sum;
    for (int width = HIGH / 2; RED2 && width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y < width)
            s_parts[y][x] += s_parts[y + width][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y == 0) {
        float col_sum = s_parts[0][x];
        for (int k = 1; !RED2 && k < HIGH; k++)
            col_sum += s_parts[k][x];
        if (ATOMICS)
            add_atomically(&s[col], col_sum);
        else
            s[get_group_id(1) * cols + col] = col_sum;
    }
}

__kernel void add_groups(int count, int groups, __global const float *from, __global float *to)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int g = 0; i < count && g < groups; g++)
        sum += from[g * count + i];
    if (i < count)
        to[i] = sum;
}
