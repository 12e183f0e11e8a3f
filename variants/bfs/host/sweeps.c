/* queue, level_sweep and direction_optimizing. queue is serial: first in, first out. level_sweep
 * has no list: each level looks at all vertices. direction_optimizing (Beamer, Asanovic, Patterson,
 * 2012) goes through a list while it is short; while many edges leave it, each unvisited vertex
 * looks for a neighbour in the level, which is a bitmap then, and stops at the first. */
#include <string.h>

#include "variants/bfs/host/bfs_search.h"

#define ALPHA 15 /* down to up: more edges leave the level than a share of the unexplored ones */
#define BETA  18 /* and back: fewer vertices than a share of all */

/* Threads that slept since the last long level take longer to wake than was measured, hence the
 * margin. */
nitro_bfs_team nitro_bfs_make_team(const nitro_bfs *bfs)
{
    const double margin = 4;
    for (int64_t edges = 1024; edges < 2 * bfs->num_edges; edges *= 2) {
        int parts = nitro_host_num_parts(NITRO_BFS_NS_PER_EDGE * (double)edges / margin);
        if (parts > 1)
            return (nitro_bfs_team){edges, parts};
    }
    return (nitro_bfs_team){INT64_MAX, 1};
}

int32_t *nitro_bfs_begin(const nitro_bfs *bfs, int64_t search)
{
    int32_t *depths = bfs->depths + search * bfs->num_vertices;
    memset(depths, 0xFF, (size_t)bfs->num_vertices * sizeof(*depths));
    depths[bfs->sources[search]] = 0;
    return depths;
}

/* ---- queue ---- */

static int prepare_queue(void *argument, void *user)
{
    (void)user;
    nitro_bfs *bfs = argument;
    return nitro_host_make_room(&bfs->room, (bfs->num_vertices + 1) * (int64_t)sizeof(int32_t));
}

void nitro_bfs_release_room(void *argument, void *user)
{
    (void)user;
    nitro_host_free_room(&((nitro_bfs *)argument)->room);
}

static int run_queue(void *argument, void *user)
{
    const nitro_bfs *bfs = argument;
    int failure = prepare_queue(argument, user);
    if (failure)
        return failure;
    int32_t *items = bfs->room.memory;
    for (int64_t s = 0; s < bfs->num_sources; s++) {
        int32_t *depths = nitro_bfs_begin(bfs, s);
        int64_t count = 1;
        items[0] = bfs->sources[s];
        for (int64_t i = 0; i < count; i++) {
            int32_t vertex = items[i], depth = depths[vertex] + 1;
            nitro_bfs_prefetch(bfs, depths, items, i, count, false);
            for (int64_t k = bfs->offsets[vertex]; k < bfs->offsets[vertex + 1]; k++)
                if (depths[bfs->targets[k]] < 0) {
                    depths[bfs->targets[k]] = depth;
                    items[count++] = bfs->targets[k];
                }
        }
    }
    return 0;
}

const nitro_variant nitro_bfs_variant_queue = {
    .name = "queue",
    .version = "2",
    .run = run_queue,
    .prepare = prepare_queue,
    .release = nitro_bfs_release_room,
};

/* ---- level_sweep ---- */

typedef struct sweep {
    const nitro_bfs *bfs;
    int32_t *depths;
    int32_t depth; /* of the level whose neighbours are visited */
    int64_t *num_visited;
} sweep;

/* Neighbours get the same depth from whichever vertex comes first. */
static void sweep_part(const void *state, int part, int parts)
{
    const sweep *s = state;
    const nitro_bfs *bfs = s->bfs;
    int64_t begin = nitro_host_split_evenly(bfs->num_vertices, part, parts);
    int64_t end = nitro_host_split_evenly(bfs->num_vertices, part + 1, parts), num_visited = 0;
    for (int64_t v = begin; v < end; v++) {
        if (__atomic_load_n(&s->depths[v], __ATOMIC_RELAXED) != s->depth)
            continue;
        for (int64_t k = bfs->offsets[v]; k < bfs->offsets[v + 1]; k++) {
            int32_t *depth = &s->depths[bfs->targets[k]];
            if (__atomic_load_n(depth, __ATOMIC_RELAXED) < 0) {
                __atomic_store_n(depth, s->depth + 1, __ATOMIC_RELAXED);
                num_visited++;
            }
        }
    }
    __atomic_fetch_add(s->num_visited, num_visited, __ATOMIC_RELAXED);
}

static int run_sweep(void *argument, void *user)
{
    (void)user;
    const nitro_bfs *bfs = argument;
    int parts = nitro_bfs_num_parts(nitro_bfs_make_team(bfs), bfs->num_edges / 4); /* a guess */
    for (int64_t i = 0; i < bfs->num_sources; i++) {
        int64_t num_visited = 1;
        sweep s = {.bfs = bfs, .depths = nitro_bfs_begin(bfs, i), .num_visited = &num_visited};
        for (; num_visited > 0; s.depth++) {
            num_visited = 0;
            nitro_host_run_parts(sweep_part, &s, parts);
        }
    }
    return 0;
}

static bool allows_sweep(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_BFS_LEVELS] <= NITRO_BFS_SWEEP_LEVELS;
}

const nitro_variant nitro_bfs_variant_level_sweep = {
    .name = "level_sweep",
    .version = "2",
    .run = run_sweep,
    .allows = allows_sweep,
    .allows_reads = "levels",
};

/* ---- direction_optimizing ---- */

typedef struct directed {
    const nitro_bfs *bfs;
    const int64_t *in_offsets;
    const int32_t *in_targets;
    int32_t *depths;
    int32_t depth; /* of the vertices that are visited now */
    nitro_bfs_list level, next;
    uint64_t *bits, *next_bits; /* of the level and the next, in place of lists */
    int64_t num_bit_words;
    int64_t taken, num_visited;
    int64_t num_edges; /* that leave the vertices visited now */
    nitro_bfs_team team;
} directed;

NITRO_BFS_INLINE void step_down(directed *d, const bool is_shared)
{
    const nitro_bfs *bfs = d->bfs;
    nitro_bfs_appender to = {.list = &d->next};
    int64_t share = is_shared ? 64 : NITRO_BFS_BLOCK, at, num_edges = 0;
    while ((at = __atomic_fetch_add(&d->taken, share, __ATOMIC_RELAXED)) < d->level.count) {
        int64_t end = at + share < d->level.count ? at + share : d->level.count;
        for (int64_t i = at; i < end; i++) {
            int32_t vertex = d->level.items[i];
            nitro_bfs_prefetch(bfs, d->depths, d->level.items, i, end, true);
            for (int64_t k = bfs->offsets[vertex]; k < bfs->offsets[vertex + 1]; k++) {
                int32_t other = bfs->targets[k];
                if (nitro_bfs_visit(d->depths, other, d->depth, is_shared)) {
                    num_edges += bfs->offsets[other + 1] - bfs->offsets[other];
                    nitro_bfs_append(&to, other, true);
                }
            }
        }
    }
    nitro_bfs_flush(&to);
    __atomic_fetch_add(&d->num_edges, num_edges, __ATOMIC_RELAXED);
}

static void down_part(const void *state, int part, int parts)
{
    directed *d = *(directed *const *)state;
    (void)part;
    parts > 1 ? step_down(d, true) : step_down(d, false);
}

/* Has a neighbour of v in the level: the first ones are looked at most. */
NITRO_BFS_INLINE bool has_neighbour(const directed *d, int64_t v)
{
    for (int64_t k = d->in_offsets[v]; k < d->in_offsets[v + 1]; k++) {
        int32_t u = d->in_targets[k];
        if (d->bits[u >> 6] >> (u & 63) & 1)
            return true;
    }
    return false;
}

/* Parts are whole words of the bitmap, taken as threads come to them. */
static void up_part(const void *state, int part, int parts)
{
    enum { WORDS = 64 };
    directed *d = *(directed *const *)state;
    int64_t n = d->bfs->num_vertices, at, num_visited = 0;
    (void)part;
    (void)parts;
    while ((at = __atomic_fetch_add(&d->taken, WORDS, __ATOMIC_RELAXED)) < d->num_bit_words)
        for (int64_t w = at; w < at + WORDS && w < d->num_bit_words; w++) {
            uint64_t found = 0;
            int64_t end = 64 * (w + 1) < n ? 64 * (w + 1) : n;
            for (int64_t v = 64 * w; v < end; v++)
                if (d->depths[v] < 0 && has_neighbour(d, v)) {
                    d->depths[v] = d->depth;
                    found |= (uint64_t)1 << (v & 63);
                }
            d->next_bits[w] = found;
            num_visited += __builtin_popcountll(found);
        }
    __atomic_fetch_add(&d->num_visited, num_visited, __ATOMIC_RELAXED);
}

static void list_to_bits(directed *d)
{
    memset(d->bits, 0, (size_t)d->num_bit_words * sizeof(*d->bits));
    for (int64_t i = 0; i < d->level.count; i++)
        d->bits[d->level.items[i] >> 6] |= (uint64_t)1 << (d->level.items[i] & 63);
}

static void bits_to_list(directed *d)
{
    d->level.count = 0;
    for (int64_t w = 0; w < d->num_bit_words; w++)
        for (uint64_t rest = d->bits[w]; rest != 0; rest &= rest - 1)
            d->level.items[d->level.count++] = (int32_t)(64 * w + __builtin_ctzll(rest));
}

/* Up until the level is small and shrinks. */
static void go_up(directed *d)
{
    int64_t before, count = d->level.count;
    int parts = nitro_bfs_num_parts(d->team, d->bfs->num_vertices);
    list_to_bits(d);
    do {
        before = count;
        d->taken = d->num_visited = 0;
        nitro_host_run_parts(up_part, &d, parts);
        uint64_t *done = d->bits;
        d->bits = d->next_bits;
        d->next_bits = done;
        count = d->num_visited;
        d->depth++;
    } while (count > 0 && (count >= before || count > d->bfs->num_vertices / BETA));
    bits_to_list(d);
}

static void go_down(directed *d)
{
    int parts = nitro_bfs_num_parts(d->team, d->num_edges);
    d->next.count = d->taken = d->num_edges = 0;
    nitro_host_run_parts(down_part, &d, parts);
    nitro_bfs_list done = d->level;
    d->level = d->next;
    d->next = done;
    d->depth++;
}

static int64_t bit_words_of(const nitro_bfs *bfs)
{
    return (bfs->num_vertices + 63) / 64;
}

static int prepare_directed(void *argument, void *user)
{
    (void)user;
    nitro_bfs *bfs = argument;
    return nitro_host_make_room(&bfs->room, 16 * bit_words_of(bfs) + 2 * (bfs->num_vertices + 1) *
                                                                         (int64_t)sizeof(int32_t));
}

static int run_directed(void *argument, void *user)
{
    const nitro_bfs *bfs = argument;
    nitro_bfs_team team = nitro_bfs_make_team(bfs);
    int failure = prepare_directed(argument, user);
    if (failure)
        return failure;
    for (int64_t i = 0; i < bfs->num_sources; i++) {
        directed d = {.bfs = bfs,
                      .team = team,
                      .in_offsets = bfs->in_offsets ? bfs->in_offsets : bfs->offsets,
                      .in_targets = bfs->in_offsets ? bfs->in_targets : bfs->targets,
                      .depth = 1,
                      .bits = bfs->room.memory,
                      .num_bit_words = bit_words_of(bfs)};
        int64_t source = bfs->sources[i], unexplored = bfs->num_edges;
        d.next_bits = d.bits + d.num_bit_words;
        d.level = (nitro_bfs_list){(int32_t *)(d.next_bits + d.num_bit_words), 1};
        d.next.items = d.level.items + bfs->num_vertices + 1;
        d.level.items[0] = bfs->sources[i];
        d.depths = nitro_bfs_begin(bfs, i);
        d.num_edges = bfs->offsets[source + 1] - bfs->offsets[source];
        while (d.level.count > 0) {
            if (d.num_edges > unexplored / ALPHA) {
                go_up(&d);
                d.num_edges = 0; /* few */
            } else {
                unexplored -= d.num_edges;
                go_down(&d);
            }
        }
    }
    return 0;
}

const nitro_variant nitro_bfs_variant_direction_optimizing = {
    .name = "direction_optimizing",
    .version = "3",
    .run = run_directed,
    .prepare = prepare_directed,
    .release = nitro_bfs_release_room,
};
