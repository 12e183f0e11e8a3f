/* bfs_search.h - what the host's variants of bfs share: room, a search by levels, and who visits a
 * vertex. */
#ifndef NITRO_VARIANTS_BFS_HOST_BFS_SEARCH_H
#define NITRO_VARIANTS_BFS_HOST_BFS_SEARCH_H

#include "variants/bfs/bfs.h"

#define NITRO_BFS_INLINE __attribute__((always_inline)) static inline

/** Serial time of a search, for dividing it into parts. */
#define NITRO_BFS_NS_PER_EDGE 1.5

/** Levels with at least so many edges are worth waking the threads, or never with one part. */
typedef struct nitro_bfs_team {
    int64_t least_edges;
    int parts;
} nitro_bfs_team;

nitro_bfs_team nitro_bfs_make_team(const nitro_bfs *bfs);

/** In how many parts to do a level with so many edges. */
static inline int nitro_bfs_num_parts(nitro_bfs_team team, int64_t num_edges)
{
    return num_edges >= team.least_edges ? team.parts : 1;
}

/** A variant's `release`: another one's `run` makes the room again. */
void nitro_bfs_release_room(void *argument, void *user);

/** All depths of one search to -1, but the source's to 0. Returns the depths. */
int32_t *nitro_bfs_begin(const nitro_bfs *bfs, int64_t search);

/** Visit a vertex at `depth`, alone or among threads; true: it had not been visited. */
NITRO_BFS_INLINE bool nitro_bfs_visit(int32_t *depths, int32_t vertex, int32_t depth,
                                      const bool is_shared)
{
    int32_t unvisited = -1;
    if (!is_shared) {
        bool is_new = depths[vertex] < 0;
        depths[vertex] = is_new ? depth : depths[vertex]; /* no branch */
        return is_new;
    }
    return __atomic_load_n(&depths[vertex], __ATOMIC_RELAXED) < 0 &&
           __atomic_compare_exchange_n(&depths[vertex], &unvisited, depth, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/** Graphs of so many vertices have offsets and depths larger than the caches near a core. */
#define NITRO_BFS_LARGE (1 << 18)

/**
 * Prefetch what the items of a list of vertices after item i need: where their targets are, these
 * targets, and in large graphs the targets' depths (and offsets: `counts_edges`). Otherwise a
 * search waits for each of these in turn.
 */
NITRO_BFS_INLINE void nitro_bfs_prefetch(const nitro_bfs *bfs, const int32_t *depths,
                                         const int32_t *items, int64_t i, int64_t count,
                                         const bool counts_edges)
{
    enum { OFFSETS_AHEAD = 16, TARGETS_AHEAD = 8, DEPTHS_AHEAD = 2, MOST_DEPTHS = 32 };
    if (i + TARGETS_AHEAD < count)
        __builtin_prefetch(&bfs->targets[bfs->offsets[items[i + TARGETS_AHEAD]]]);
    if (bfs->num_vertices < NITRO_BFS_LARGE)
        return;
    if (i + OFFSETS_AHEAD < count)
        __builtin_prefetch(&bfs->offsets[items[i + OFFSETS_AHEAD]]);
    if (i + DEPTHS_AHEAD < count) {
        int32_t vertex = items[i + DEPTHS_AHEAD];
        int64_t k = bfs->offsets[vertex], end = bfs->offsets[vertex + 1];
        end = end < k + MOST_DEPTHS ? end : k + MOST_DEPTHS; /* long lists overlap by themselves */
        for (; k < end; k++) {
            __builtin_prefetch(&depths[bfs->targets[k]]);
            if (counts_edges)
                __builtin_prefetch(&bfs->offsets[bfs->targets[k]]);
        }
    }
}

/** A list that several threads append to, a block at a time. */
typedef struct nitro_bfs_list {
    int32_t *items;
    int64_t count;
} nitro_bfs_list;

#define NITRO_BFS_BLOCK 512

typedef struct nitro_bfs_appender {
    nitro_bfs_list *list;
    int64_t count;
    int32_t block[NITRO_BFS_BLOCK];
} nitro_bfs_appender;

NITRO_BFS_INLINE void nitro_bfs_flush(nitro_bfs_appender *to)
{
    int64_t at = __atomic_fetch_add(&to->list->count, to->count, __ATOMIC_RELAXED);
    __builtin_memcpy(to->list->items + at, to->block, (size_t)to->count * sizeof(to->block[0]));
    to->count = 0;
}

/** Append `item` if `is_wanted`, without a branch on that. */
NITRO_BFS_INLINE void nitro_bfs_append(nitro_bfs_appender *to, int32_t item, bool is_wanted)
{
    to->block[to->count] = item;
    to->count += is_wanted;
    if (to->count == NITRO_BFS_BLOCK)
        nitro_bfs_flush(to);
}

#endif
