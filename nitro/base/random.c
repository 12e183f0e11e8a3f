/* Seeded randomness and hashes that are the same on every machine. */
#include "nitro/nitro_backend.h"

#include <math.h>
#define XXH_INLINE_ALL /* libnitro-runtime depends on libc and libm only */
#include <xxhash.h>

static uint64_t rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

/* splitmix64, recommended by xoshiro's authors for seeding. */
void nitro_random_seed(nitro_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t mixed = seed;
        mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
        random->state[i] = mixed ^ (mixed >> 31);
    }
}

/* xoshiro256** of Blackman and Vigna. */
uint64_t nitro_random_next(nitro_random *random)
{
    uint64_t *state = random->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

double nitro_random_uniform(nitro_random *random)
{
    return (double)(nitro_random_next(random) >> 11) * 0x1p-53;
}

double nitro_random_normal(nitro_random *random)
{
    double radius = sqrt(-2 * log(1 - nitro_random_uniform(random)));
    return radius * cos(6.283185307179586 * nitro_random_uniform(random));
}

uint64_t nitro_random_below(nitro_random *random, uint64_t bound)
{
    uint64_t biased = -bound % bound; /* rejected, to avoid modulo bias */
    uint64_t drawn;
    do
        drawn = nitro_random_next(random);
    while (drawn < biased);
    return drawn % bound;
}

uint64_t nitro_hash(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}
