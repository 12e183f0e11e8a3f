/* A 7 x 7 filter. The image has 3 more numbers on each side than the result, and rows of `pitch`
 * numbers, a multiple of 8 and at least width + 16. An item makes WPTX x WPTY results from rows of WPTX + 6 numbers,
 * which it reads in vectors of VECTOR. With LOCAL 1 a work-group of TBX x TBY first copies what it
 * needs to local memory; with LOCAL 2 it has the items that the halo takes besides, each of which
 * copies WPTX x WPTY. */
#define SIDE 7
#define HALO 6
#define WIDE (TBX * WPTX + HALO)
#define HIGH (TBY * WPTY + HALO)
#define VECTORS FLOATS(VECTOR)
#define READ    (CEIL_DIV(WPTX + HALO, VECTOR) * VECTOR)

__kernel void convolve(int width, int height, int pitch, __global const float *image,
                       __constant float *filter, __global float *to)
{
    int x = get_local_id(0), y = get_local_id(1);
    int x0 = get_group_id(0) * TBX * WPTX, y0 = get_group_id(1) * TBY * WPTY;
    int at_x = x0 + x * WPTX, at_y = y0 + y * WPTY;
    float sums[WPTY][WPTX], row[READ];
#if LOCAL
    __local float tile[HIGH][WIDE + PADDING];
#if LOCAL == 1
    for (int i = y; i < HIGH && y0 + i < height + HALO; i += TBY)
        for (int j = x * VECTOR; j < WIDE && x0 + j < pitch; j += TBX * VECTOR) {
#else
    for (int i = y * WPTY; i < min((y + 1) * WPTY, HIGH) && y0 + i < height + HALO; i++)
        for (int j = x * WPTX; j < min((x + 1) * WPTX, WIDE) && x0 + j < pitch; j += VECTOR) {
#endif
            VECTORS read = *(__global const VECTORS *)(image + (y0 + i) * pitch + x0 + j);
            for (int v = 0; v < VECTOR && j + v < WIDE; v++)
                tile[i][j + v] = ((float *)&read)[v];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (x >= TBX || y >= TBY || at_x >= width || at_y >= height)
        return;
    for (int j = 0; j < WPTY; j++)
        for (int i = 0; i < WPTX; i++)
            sums[j][i] = 0;
    for (int r = 0; r < WPTY + HALO && at_y + r < height + HALO; r++) {
#if LOCAL
        for (int i = 0; i < WPTX + HALO; i++)
            row[i] = tile[y * WPTY + r][x * WPTX + i];
#else
        for (int i = 0; i < READ; i += VECTOR) {
            VECTORS read = *(__global const VECTORS *)(image + (at_y + r) * pitch + at_x + i);
            for (int v = 0; v < VECTOR; v++)
                row[i + v] = ((float *)&read)[v];
        }
#endif
        for (int j = 0; j < WPTY; j++) {
            int line = r - j; /* of the filter */
            if (line < 0 || line >= SIDE)
                continue;
#pragma unroll UNROLL
            for (int f = 0; f < SIDE; f++)
                for (int i = 0; i < WPTX; i++)
                    sums[j][i] += filter[line * SIDE + f] * row[i + f];
        }
    }
    for (int j = 0; j < WPTY && at_y + j < height; j++)
        for (int i = 0; i < WPTX && at_x + i < width; i++)
            to[(at_y + j) * width + at_x + i] = sums[j][i];
}
