/* ec, ce and two_phase (Merrill, Garland, Grimshaw: Scalable GPU graph traversal, 2012): a level is
 * a list. ec reads vertices and writes those of their neighbours that were not visited. ce reads
 * neighbours, drops visited ones, and writes the others' neighbours. two_phase does the halves of
 * this one after the other, with both lists in memory. Fused: all levels in one parallel region,
 * with barriers between; iterative: a region each. Short levels are one thread's: where it goes
 * deep, a search has hundreds of thousands of these. */
#include "variants/bfs/host/bfs_search.h"

#define AHEAD 8 /* items whose targets or depths are prefetched */

typedef enum list_step { EXPAND_CONTRACT, CONTRACT_EXPAND, EXPAND, CONTRACT } list_step;

typedef struct list_method {
    list_step phases[2];
    int num_phases;
    bool is_fused;
} list_method;

typedef struct search {
    const nitro_bfs *bfs;
    const list_method *method;
    int32_t *depths;
    nitro_bfs_list lists[2]; /* read and written in turns */
    int64_t taken;           /* items of the list that is read */
    int turn, phase;
    int32_t depth; /* of the vertices that are visited now */
    nitro_bfs_team team;
} search;

NITRO_BFS_INLINE void expand(const nitro_bfs *bfs, int32_t vertex, nitro_bfs_appender *to)
{
    for (int64_t k = bfs->offsets[vertex]; k < bfs->offsets[vertex + 1]; k++)
        nitro_bfs_append(to, bfs->targets[k], true);
}

NITRO_BFS_INLINE void do_items(search *s, const int32_t *items, int64_t count,
                               nitro_bfs_appender *to, const list_step phase, const bool is_shared)
{
    const nitro_bfs *bfs = s->bfs;
    int32_t *depths = s->depths, depth = s->depth;
    for (int64_t i = 0; i < count; i++) {
        int32_t vertex = items[i];
        if (phase == EXPAND_CONTRACT)
            nitro_bfs_prefetch(bfs, depths, items, i, count, false);
        else if (i + AHEAD < count && phase == EXPAND)
            __builtin_prefetch(&bfs->targets[bfs->offsets[items[i + AHEAD]]]);
        else if (i + AHEAD < count)
            __builtin_prefetch(&depths[items[i + AHEAD]]);
        if (phase == EXPAND_CONTRACT)
            for (int64_t k = bfs->offsets[vertex]; k < bfs->offsets[vertex + 1]; k++)
                nitro_bfs_append(to, bfs->targets[k],
                                 nitro_bfs_visit(depths, bfs->targets[k], depth, is_shared));
        else if (phase == EXPAND)
            expand(bfs, vertex, to);
        else if (phase == CONTRACT)
            nitro_bfs_append(to, vertex, nitro_bfs_visit(depths, vertex, depth, is_shared));
        else if (nitro_bfs_visit(depths, vertex, depth, is_shared))
            expand(bfs, vertex, to);
    }
}

/* Threads take blocks of the list as they come to it: vertices differ in their degrees. */
NITRO_BFS_INLINE void do_list(search *s, const list_step phase, const bool is_shared)
{
    const nitro_bfs_list *from = &s->lists[s->turn];
    nitro_bfs_appender to = {.list = &s->lists[1 - s->turn]};
    int64_t share = is_shared ? 64 : NITRO_BFS_BLOCK, at;
    while ((at = __atomic_fetch_add(&s->taken, share, __ATOMIC_RELAXED)) < from->count)
        do_items(s, from->items + at, from->count - at < share ? from->count - at : share, &to,
                 phase, is_shared);
    nitro_bfs_flush(&to);
}

static void do_phase(search *s, bool is_shared)
{
    list_step now = s->method->phases[s->phase];
    if (now == EXPAND_CONTRACT)
        is_shared ? do_list(s, EXPAND_CONTRACT, true) : do_list(s, EXPAND_CONTRACT, false);
    else if (now == CONTRACT_EXPAND)
        is_shared ? do_list(s, CONTRACT_EXPAND, true) : do_list(s, CONTRACT_EXPAND, false);
    else if (now == EXPAND)
        is_shared ? do_list(s, EXPAND, true) : do_list(s, EXPAND, false);
    else
        is_shared ? do_list(s, CONTRACT, true) : do_list(s, CONTRACT, false);
}

/* Between phases, by one thread: what was written is read next. */
static void turn_lists(search *s)
{
    s->lists[s->turn].count = 0;
    s->turn = 1 - s->turn;
    s->taken = 0;
    s->phase++;
    if (s->phase == s->method->num_phases) {
        s->phase = 0;
        s->depth++;
    }
}

static void do_phase_part(const void *state, int part, int parts)
{
    search *s = *(search *const *)state;
    (void)part;
    do_phase(s, parts > 1);
}

static int phase_parts(const search *s)
{
    list_step now = s->method->phases[s->phase];
    int64_t count = s->lists[s->turn].count;
    bool has_vertices = now == EXPAND_CONTRACT || now == EXPAND;
    int64_t degree = has_vertices ? s->bfs->num_edges / s->bfs->num_vertices + 1 : 1;
    return nitro_bfs_num_parts(s->team, count * degree);
}

static void do_short_phases(search *s)
{
    for (; s->lists[s->turn].count > 0 && phase_parts(s) == 1; turn_lists(s))
        do_phase(s, false);
}

static void do_fused(search *s)
{
    do_short_phases(s);
    if (s->lists[s->turn].count == 0)
        return;
#pragma omp parallel num_threads(s->team.parts)
    while (s->lists[s->turn].count > 0) {
        do_phase(s, true);
#pragma omp barrier
#pragma omp single
        {
            turn_lists(s);
            do_short_phases(s);
        }
    }
}

static void do_iterative(search *s)
{
    for (; s->lists[s->turn].count > 0; turn_lists(s))
        nitro_host_run_parts(do_phase_part, &s, phase_parts(s));
}

/* A list holds every vertex once, or every edge. */
static int64_t capacity_of(const nitro_bfs *bfs, const list_method *method, int list)
{
    bool holds_edges =
        method->phases[0] == CONTRACT_EXPAND || (list == 1 && method->num_phases > 1);
    return (holds_edges ? bfs->num_edges : bfs->num_vertices) + 1;
}

static int prepare(void *argument, void *user)
{
    nitro_bfs *bfs = argument;
    int64_t items = capacity_of(bfs, user, 0) + capacity_of(bfs, user, 1);
    return nitro_host_make_room(&bfs->room, items * (int64_t)sizeof(int32_t));
}

static int run(void *argument, void *user)
{
    const nitro_bfs *bfs = argument;
    const list_method *method = user;
    nitro_bfs_team team = nitro_bfs_make_team(bfs);
    int failure = prepare(argument, user);
    if (failure)
        return failure;
    for (int64_t i = 0; i < bfs->num_sources; i++) {
        search now = {.bfs = bfs, .method = method, .depth = 1, .team = team};
        now.lists[0] = (nitro_bfs_list){bfs->room.memory, 1};
        now.lists[1].items = now.lists[0].items + capacity_of(bfs, method, 0);
        now.lists[0].items[0] = bfs->sources[i];
        now.depths = nitro_bfs_begin(bfs, i);
        if (method->phases[0] == CONTRACT_EXPAND) { /* the source is visited as others are */
            now.depths[bfs->sources[i]] = -1;
            now.depth = 0;
        }
        method->is_fused ? do_fused(&now) : do_iterative(&now);
    }
    return 0;
}

#define VARIANT(symbol, fused, count, ...)                                                         \
    static const list_method symbol##_method = {                                                   \
        .phases = {__VA_ARGS__}, .num_phases = count, .is_fused = fused};                          \
    const nitro_variant nitro_bfs_variant_##symbol = {                                             \
        .name = #symbol,                                                                           \
        .version = "3",                                                                            \
        .run = run,                                                                                \
        .prepare = prepare,                                                                        \
        .release = nitro_bfs_release_room,                                                         \
        .user = (void *)&symbol##_method,                                                          \
    };
VARIANT(ec_fused, true, 1, EXPAND_CONTRACT)
VARIANT(ec_iterative, false, 1, EXPAND_CONTRACT)
VARIANT(ce_fused, true, 1, CONTRACT_EXPAND)
VARIANT(ce_iterative, false, 1, CONTRACT_EXPAND)
VARIANT(two_phase_fused, true, 2, EXPAND, CONTRACT)
VARIANT(two_phase_iterative, false, 2, EXPAND, CONTRACT)
