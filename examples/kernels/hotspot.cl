/* `steps` steps, at most STEPS, of the temperature on a chip: cells get warmer by their power, and
 * exchange heat with their four neighbours on the chip, and with the air. A work-group holds COLS x
 * ROWS cells in local memory; STEPS cells on each side only serve its steps, and belong to its
 * neighbours. LOCAL puts power into local memory, too. */
#define EACH (ROWS / WG_Y) /* cells of an item */

__kernel void advance(int rows, int cols, int steps, __global const float *power,
                   __global const float *from, __global float *to)
{
    __local float cells[2][ROWS][COLS]; /* after an even, and an odd number of steps */
    int x = get_local_id(0), y = get_local_id(1);
    int row0 = get_group_id(1) * (ROWS - 2 * STEPS) - STEPS;
    int col = get_group_id(0) * (COLS - 2 * STEPS) - STEPS + x;
#if LOCAL
    __local float heat[ROWS][COLS];
#define POWER(i) heat[(i)*WG_Y + y][x]
#else
    float heat[EACH];
#define POWER(i) heat[i]
#endif
    for (int i = 0; i < EACH; i++) {
        int r = i * WG_Y + y, row = row0 + r;
        bool is_chip = row >= 0 && row < rows && col >= 0 && col < cols;
        cells[0][r][x] = is_chip ? from[row * cols + col] : 0;
        POWER(i) = is_chip ? power[row * cols + col] : 0;
    }
    for (int s = 1; s <= steps; s++) {
        int before = (s - 1) % 2;
        barrier(CLK_LOCAL_MEM_FENCE);
#if UNROLL
#pragma unroll
#endif
        for (int i = 0; i < EACH; i++) {
            int r = i * WG_Y + y, row = row0 + r;
            if (row < 0 || row >= rows || col < 0 || col >= cols || r < s || r >= ROWS - s ||
                x < s || x >= COLS - s)
                continue;
            float here = cells[before][r][x];
            float up = row > 0 ? cells[before][r - 1][x] : here, left = col > 0 ? cells[before][r][x - 1] : here;
            float down = row < rows - 1 ? cells[before][r + 1][x] : here;
            float right = col < cols - 1 ? cells[before][r][x + 1] : here;
            cells[s % 2][r][x] = here + CAPACITY * (POWER(i) + (up + down - 2 * here) * CONDUCTANCE +
                                            (left + right - 2 * here) * CONDUCTANCE +
                                            (AIR - here) * LOSS);
        }
    }
    for (int i = 0; i < EACH; i++) {
        int r = i * WG_Y + y, row = row0 + r;
        if (r >= STEPS && r < ROWS - STEPS && x >= STEPS && x < COLS - STEPS && row < rows &&
            col < cols)
            to[row * cols + col] = cells[steps % 2][r][x];
    }
}
