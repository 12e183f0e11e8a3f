/* A step of bodies that attract each other: an item moves OUTER bodies, a work-group apart. With SOA
 * it reads the others from arrays of coordinates, VECTOR at a time; with LOCAL a work-group reads WG
 * of them into local memory first; CONST puts them into constant memory. INNER1 unrolls the loop
 * over the others, INNER2 that over an item's own; 0 leaves it to the compiler. */
#if CONST
#define BODIES __constant
#else
#define BODIES __global const
#endif
#define WIDTH FLOATS(VECTOR)
#define TILE  (WG / VECTOR) /* WG bodies */

__kernel void move(int tiles, BODIES float4 *bodies, BODIES WIDTH *xs, BODIES WIDTH *ys,
                   BODIES WIDTH *zs, BODIES WIDTH *masses, __global const float4 *velocities,
                   __global float4 *moved, __global float4 *faster)
{
    int count = tiles * WG, item = get_local_id(0);
    int first = get_group_id(0) * WG * OUTER + item;
    float4 own[OUTER];
    WIDTH sum_x[OUTER], sum_y[OUTER], sum_z[OUTER];
#if LOCAL
    __local WIDTH tile_x[TILE], tile_y[TILE], tile_z[TILE], tile_mass[TILE];
#endif
    for (int o = 0; o < OUTER; o++) {
        own[o] = bodies[min(first + o * WG, count - 1)];
        sum_x[o] = sum_y[o] = sum_z[o] = xs[0] * 0;
    }
    for (int begin = 0; begin < count / VECTOR; begin += TILE) {
#if LOCAL
        if (item < TILE) {
#if SOA
            tile_x[item] = xs[begin + item];
            tile_y[item] = ys[begin + item];
            tile_z[item] = zs[begin + item];
            tile_mass[item] = masses[begin + item];
#else
            float4 body = bodies[begin + item];
            tile_x[item] = body.x;
            tile_y[item] = body.y;
            tile_z[item] = body.z;
            tile_mass[item] = body.w;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if INNER1
#pragma unroll INNER1
#endif
        for (int i = 0; i < TILE; i++) {
#if LOCAL
            WIDTH x = tile_x[i], y = tile_y[i], z = tile_z[i], mass = tile_mass[i];
#elif SOA
            WIDTH x = xs[begin + i], y = ys[begin + i], z = zs[begin + i], mass = masses[begin + i];
#else
            float4 body = bodies[begin + i];
            float x = body.x, y = body.y, z = body.z, mass = body.w;
#endif
#if INNER2
#pragma unroll INNER2
#endif
            for (int o = 0; o < OUTER; o++) {
                WIDTH dx = x - own[o].x, dy = y - own[o].y, dz = z - own[o].z;
                WIDTH closeness = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
                WIDTH pull = mass * closeness * closeness * closeness;
                sum_x[o] += dx * pull;
                sum_y[o] += dy * pull;
                sum_z[o] += dz * pull;
            }
        }
#if LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int o = 0; o < OUTER && first + o * WG < count; o++) {
        float4 velocity = velocities[first + o * WG];
        for (int v = 0; v < VECTOR; v++) {
            velocity.x += STEP * ((float *)&sum_x[o])[v];
            velocity.y += STEP * ((float *)&sum_y[o])[v];
            velocity.z += STEP * ((float *)&sum_z[o])[v];
        }
        own[o].x += STEP * velocity.x;
        own[o].y += STEP * velocity.y;
        own[o].z += STEP * velocity.z;
        moved[first + o * WG] = own[o];
        faster[first + o * WG] = velocity;
    }
}
