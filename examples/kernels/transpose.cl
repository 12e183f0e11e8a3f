/* The transpose of a rows x cols matrix. With LOCAL, a work-group reads a tile into local memory and
 * writes it from there, so that it reads and writes rows; the tile lies there by the input's rows
 * with CR, else by the output's. Without LOCAL, an item moves VECTOR neighbours of an input's row
 * with CR, else of an output's. DIAGONAL numbers tiles along diagonals. */
#define BY_INPUT (LOCAL || CR) /* rows of tiles are those of the input */

__kernel void transpose(int rows, int cols, __global const float *from, __global float *to)
{
    int x = get_local_id(0), y = get_local_id(1), across = get_num_groups(0);
    int length = BY_INPUT ? cols : rows, count = BY_INPUT ? rows : cols;
    int first = (DIAGONAL ? (get_group_id(0) + get_group_id(1)) % across : get_group_id(0)) *
                WGX * VECTOR;
    int begin = get_group_id(1) * TY, at = first + x * VECTOR;
#if LOCAL
    __local float tile[CR ? TY : WGX][(CR ? WGX : TY) + PAD];
    for (int i = y; i < TY && at < cols; i += WGY) {
        if (PREFETCH && begin + i + PREFETCH * WGY < rows)
            prefetch(&from[(begin + i + PREFETCH * WGY) * cols + at], 1);
        if (begin + i < rows)
            tile[CR ? i : x][CR ? x : i] = from[(begin + i) * cols + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item = y * WGX + x, row = item % TY;
    for (int col = item / TY; col < WGX && begin + row < count; col += WGX * WGY / TY)
        if (first + col < length)
            to[(first + col) * rows + begin + row] = tile[CR ? row : col][CR ? col : row];
#else
    __global const float *in = CR ? from + at : from + at * cols;
    __global float *out = CR ? to + at * rows : to + at;
    for (int i = begin + y; i < begin + TY && i < count && at < length; i += WGY) {
        FLOATS(VECTOR) moved;
        int line = i * length; /* of what CR goes by */
        if (PREFETCH && CR && i + PREFETCH * WGY < count)
            prefetch(&in[line + PREFETCH * WGY * cols], 1);
        if (at + VECTOR > length || length % VECTOR != 0) { /* not aligned */
            for (int k = 0; k < VECTOR && at + k < length; k++)
                out[CR ? k * rows + i : line + k] = in[CR ? line + k : k * cols + i];
        } else if (CR) {
            moved = *(__global const FLOATS(VECTOR) *)(in + line);
            for (int k = 0; k < VECTOR; k++)
                out[k * rows + i] = ((float *)&moved)[k];
        } else {
            for (int k = 0; k < VECTOR; k++)
                ((float *)&moved)[k] = in[k * cols + i];
            *(__global FLOATS(VECTOR) *)(out + line) = moved;
        }
    }
#endif
}
