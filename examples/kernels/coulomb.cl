/* The potential of `count` charges on the points of a grid: an item sums up Z points above each
 * other. With SOA the charges' coordinates are arrays of their own, of which VECTOR charges are
 * taken at a time; CONST puts them into constant memory. UNROLL 0 leaves the loop to the compiler. */
#if CONST
#define CHARGES __constant
#else
#define CHARGES __global const
#endif
#define WIDTH FLOATS(VECTOR)

__kernel void coulomb(int count, int size, CHARGES float4 *charges, CHARGES WIDTH *xs,
                      CHARGES WIDTH *ys, CHARGES WIDTH *zs, CHARGES WIDTH *strengths,
                      __global float *to)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) * Z;
    float sums[Z];
    for (int i = 0; i < Z; i++)
        sums[i] = 0;
    for (int c = 0; c < count; c++) {
#if SOA
        WIDTH dx = xs[c] - SPACING * x, dy = ys[c] - SPACING * y, height = zs[c];
        WIDTH strength = strengths[c];
#else
        float4 charge = charges[c];
        float dx = charge.x - SPACING * x, dy = charge.y - SPACING * y, height = charge.z;
        float strength = charge.w;
#endif
        WIDTH flat = dx * dx + dy * dy;
#if UNROLL
#pragma unroll UNROLL
#endif
        for (int i = 0; i < Z; i++) {
            WIDTH dz = height - SPACING * (z + i);
            WIDTH part = strength * rsqrt(flat + dz * dz);
            for (int v = 0; v < VECTOR; v++)
                sums[i] += ((float *)&part)[v];
        }
    }
    for (int i = 0; i < Z && z + i < size; i++)
        if (x < size && y < size)
            to[(z + i) * size * size + y * size + x] = sums[i];
}
