/* Chooses the vector unit that kernels run on: of those this processor has, the one that gathers
 * fastest. Measured once a process on data that fit in the L1 cache, in 0.1 ms, and where x comes
 * from the last cache, in the first such products. */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "variants/spmv/host/spmv_kernels.h"

#define NUM_GATHERED 1024 /* of each timing: 1 us */
#define NUM_X        512
#define ROUNDS       12

/* Others replace the first that is supported where they are faster by this factor: choices near
 * each other do not alternate between processes. */
#define CLEARLY_FASTER 1.15

typedef struct gathering {
    const double *x;
    const int32_t *columns; /* shape [NUM_GATHERED] */
    double *sums;           /* shape [2 * NITRO_SPMV_LANES] */
} gathering;

NITRO_SPMV_INLINE void add_products(const void *state, int part, int parts, const int unit)
{
    (void)part;
    (void)parts;
    const gathering *g = state;
    nitro_spmv_lanes even = {{0}}, odd = {{0}};
    for (int64_t at = 0; at < NUM_GATHERED; at += 2 * NITRO_SPMV_LANES) {
        nitro_spmv_add(&even, g->x, g->x, g->columns + at, unit);
        nitro_spmv_add(&odd, g->x, g->x, g->columns + at + NITRO_SPMV_LANES, unit);
    }
    nitro_spmv_store(g->sums, &even, unit);
    nitro_spmv_store(g->sums + NITRO_SPMV_LANES, &odd, unit);
}
NITRO_SPMV_COMPILE(add_products)

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_supported(int unit)
{
#if NITRO_SPMV_HAS_UNITS
    if (unit == NITRO_SPMV_AVX512 || unit == NITRO_SPMV_AVX512_GATHER)
        return nitro_host_simd_bits() >= 512;
    if (unit == NITRO_SPMV_AVX2 || unit == NITRO_SPMV_AVX2_GATHER)
        return nitro_host_simd_bits() >= 256;
#endif
    return unit == NITRO_SPMV_BASELINE;
}

/* The shortest time: interruptions only ever add to it. Units take turns. */
static int choose_unit(void)
{
    double x[NUM_X], sums[2 * NITRO_SPMV_LANES];
    int32_t columns[NUM_GATHERED];
    int64_t best_ns[NITRO_SPMV_NUM_UNITS];
    const gathering g = {.x = x, .columns = columns, .sums = sums};
    for (int i = 0; i < NUM_X; i++)
        x[i] = i;
    for (int i = 0; i < NUM_GATHERED; i++)
        columns[i] = i * 181 % NUM_X;
    for (int round = 0; round < ROUNDS; round++)
        for (int unit = 0; unit < NITRO_SPMV_NUM_UNITS; unit++) {
            int64_t begin = now_ns();
            if (is_supported(unit))
                add_products_units[unit](&g, 0, 1);
            int64_t elapsed_ns = now_ns() - begin;
            if (round == 0 || elapsed_ns < best_ns[unit])
                best_ns[unit] = elapsed_ns;
        }
    int chosen = NITRO_SPMV_BASELINE;
    for (int unit = NITRO_SPMV_NUM_UNITS - 1; unit > NITRO_SPMV_BASELINE; unit--)
        if (is_supported(unit) &&
            (chosen == NITRO_SPMV_BASELINE ||
             (double)best_ns[unit] * CLEARLY_FASTER < (double)best_ns[chosen]))
            chosen = unit;
    return chosen;
}

static atomic_int chosen; /* 1 + the unit; 0: not measured */
static atomic_bool is_assumed, always_takes_turns;

int nitro_spmv_unit(void)
{
    int unit = atomic_load_explicit(&chosen, memory_order_relaxed) - 1;
    if (unit < 0) {
        unit = choose_unit();
        atomic_store_explicit(&chosen, unit + 1, memory_order_relaxed);
    }
    return unit;
}

bool nitro_spmv_assume_unit(int unit)
{
    if (unit >= 0 && !is_supported(unit))
        return false;
    atomic_store_explicit(&chosen, unit + 1, memory_order_relaxed);
    atomic_store_explicit(&is_assumed, unit >= 0, memory_order_relaxed);
    return true;
}

void nitro_spmv_assume_turns(bool always)
{
    atomic_store_explicit(&always_takes_turns, always, memory_order_relaxed);
}

/* ---- Where x comes from the last cache ---- */

#define TURNS                                                                                      \
    8 /* of a part: a b b a a b b a, so that neither way gets longer rows where they grow */
#define AGREED 3 /* votes in a row */

/* The same vectors by the other of eight loads and the gather instruction. */
static int other_way(int unit)
{
    static const int others[NITRO_SPMV_NUM_UNITS] = {
        [NITRO_SPMV_BASELINE] = NITRO_SPMV_BASELINE,
        [NITRO_SPMV_AVX2_GATHER] = NITRO_SPMV_AVX2,
        [NITRO_SPMV_AVX2] = NITRO_SPMV_AVX2_GATHER,
        [NITRO_SPMV_AVX512_GATHER] = NITRO_SPMV_AVX512,
        [NITRO_SPMV_AVX512] = NITRO_SPMV_AVX512_GATHER,
    };
    return others[unit];
}

typedef struct trial {
    nitro_host_body *ways[2];
    const void *product;
    atomic_llong *ns; /* shape [2]: of all threads */
} trial;

static void try_part(const void *state, int part, int parts)
{
    const trial *t = state;
    for (int turn = 0; turn < TURNS; turn++) {
        int way = (turn + 1) / 2 % 2;
        int64_t begin = now_ns();
        t->ways[way](t->product, part * TURNS + turn, parts * TURNS);
        atomic_fetch_add_explicit(&t->ns[way], now_ns() - begin, memory_order_relaxed);
    }
}

int nitro_spmv_run_parts(nitro_host_body *const *units, int *votes, const void *product,
                         nitro_spmv_access access, int parts)
{
    int unit = nitro_spmv_unit(), other = other_way(unit);
    /* Atomic: copies of an argument, each with vectors of its own, may share a format. */
    int for_other = __atomic_load_n(votes, __ATOMIC_RELAXED);
    bool is_choice = access == NITRO_SPMV_SPREAD && other != unit &&
                     !atomic_load_explicit(&is_assumed, memory_order_relaxed);
    bool takes_turns = (is_choice && abs(for_other) < AGREED) ||
                       atomic_load_explicit(&always_takes_turns, memory_order_relaxed);
    if (!takes_turns || parts > NITRO_HOST_MAX_PARTS / TURNS) {
        nitro_host_run_parts(units[is_choice && for_other >= AGREED ? other : unit], product,
                             parts);
        return parts;
    }
    atomic_llong ns[2] = {0};
    const trial t = {{units[unit], units[other]}, product, ns};
    nitro_host_run_parts(try_part, &t, parts);
    if (ns[1] < ns[0])
        for_other = for_other > 0 ? for_other + 1 : 1;
    else
        for_other = for_other < 0 ? for_other - 1 : -1;
    __atomic_store_n(votes, for_other, __ATOMIC_RELAXED);
    return parts * TURNS;
}
