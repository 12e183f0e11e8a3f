/* bfs_lagraph.h - breadth-first search by LAGraph and SuiteSparse:GraphBLAS, loaded at run time. */
#ifndef NITRO_TESTS_BENCH_BFS_LAGRAPH_H
#define NITRO_TESTS_BENCH_BFS_LAGRAPH_H

#include "variants/bfs/bfs.h"

typedef struct bfs_lagraph bfs_lagraph;

/** NULL if LAGraph can be used; otherwise why not, and what to do. */
const char *bfs_lagraph_problem(void);

/** Borrows `bfs`, a symmetric graph, until bfs_lagraph_free. NULL: out of memory, or an error of
 * the library. */
bfs_lagraph *bfs_lagraph_create(const nitro_bfs *bfs);

/** The searches from all sources, on one thread; 0 on success. */
int bfs_lagraph_run(bfs_lagraph *search);

/** Whether bfs_lagraph_run's last search, from the last source, has the depths of `bfs`. */
bool bfs_lagraph_agrees(const bfs_lagraph *search);

/** NULL is allowed. */
void bfs_lagraph_free(bfs_lagraph *search);

#endif
