/*
 * Bench "bfs": millions of traversed edges a second (MTEPS: undirected edges of what the searches
 * reach, over their time) on one thread, of the fastest variant over a serial queue and, where it
 * is installed, over LAGraph's push-pull search, for every family of graphs; on all threads over
 * one; and direction_optimizing on a Kronecker graph of 2^20 vertices and 16 times as many edges
 * (Graph500), where the goal is 300. Medians, in turns. NITRO_BENCH_LAGRAPH is the path of
 * liblagraph.so where the loader does not find it.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "apps/bfs/graph.h"
#include "bench/bench.h"
#include "bench/peers/bfs_lagraph.h"
#include "nitro/runtime/computation.h"

#define NUM_EDGES  1000000
#define SCALE      20
#define MIN_ROUNDS 3
#define BUDGET_MS  300

typedef struct searching {
    nitro_bfs *bfs;
    const nitro_variant *variant; /* NULL: LAGraph's */
    bfs_lagraph *lagraph;
    int num_threads;
} searching;

static void run_one(void *state)
{
    const searching *s = state;
    omp_set_num_threads(s->num_threads);
    if (s->variant)
        s->variant->run(s->bfs, s->variant->user);
    else
        bfs_lagraph_run(s->lagraph);
}

/* Of the last run's depths. */
static double reached_edges(const nitro_bfs *bfs)
{
    double edges = 0;
    for (int64_t s = 0; s < bfs->num_sources; s++)
        for (int64_t v = 0; v < bfs->num_vertices; v++)
            if (bfs->depths[s * bfs->num_vertices + v] >= 0)
                edges += (double)(bfs->offsets[v + 1] - bfs->offsets[v]) / 2;
    return edges;
}

/* On the large graph others take minutes. */
static bool is_measured(const nitro_variant *variant, bool is_large)
{
    return !is_large || strcmp(variant->name, "queue") == 0 ||
           strcmp(variant->name, "direction_optimizing") == 0;
}

/* `lagraph` is NULL where it is not installed. */
static int measure(bench_report *report, const nitro_computation *computation, nitro_bfs *bfs,
                   bfs_lagraph *lagraph, const char *graph, bool is_large)
{
    enum { MOST = 2 * NITRO_MAX_VARIANTS + 1 };
    searching all[MOST];
    bench_subject subjects[MOST];
    double features[NITRO_MAX_FEATURES];
    size_t per_turn = 0, best[2];
    int threads[2] = {1, omp_get_max_threads()};
    size_t num_turns = threads[1] > 1 ? 2 : 1;
    if (nitro_computation_evaluate(computation, bfs, features) != NITRO_OK)
        return bench_fail("bfs: features failed");
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
        const nitro_variant *variant = &computation->variants[v];
        if (!is_measured(variant, is_large) ||
            (variant->allows && !variant->allows(features, bfs, variant->user)))
            continue;
        if (variant->prepare && variant->prepare(bfs, variant->user) != 0)
            return bench_fail("out of memory");
        all[per_turn++].variant = variant;
    }
    size_t count = num_turns * per_turn;
    for (size_t i = 0; i < count; i++)
        all[i] = (searching){bfs, all[i % per_turn].variant, NULL, threads[i / per_turn]};
    if (lagraph)
        all[count++] = (searching){bfs, NULL, lagraph, 1};
    for (size_t i = 0; i < count; i++)
        subjects[i] = (bench_subject){.run = run_one, .state = &all[i]};
    int failed = bench_measure(subjects, count, MIN_ROUNDS, BUDGET_MS);
    omp_set_num_threads(threads[1]);
    if (failed)
        return 1;
    if (lagraph && !bfs_lagraph_agrees(lagraph))
        return bench_fail("bfs: LAGraph failed or found other depths on %s", graph);
    double edges = reached_edges(bfs), queue = 0, mteps[2];
    for (size_t turn = 0; turn < num_turns; turn++) {
        best[turn] = turn * per_turn;
        for (size_t i = turn * per_turn; i < (turn + 1) * per_turn; i++)
            best[turn] = subjects[i].median_ms < subjects[best[turn]].median_ms ? i : best[turn];
        mteps[turn] = edges / subjects[best[turn]].median_ms / 1e3;
    }
    for (size_t i = 0; i < per_turn; i++)
        if (strcmp(all[i].variant->name, "queue") == 0)
            queue = edges / subjects[i].median_ms / 1e3;
    char name[128];
    snprintf(name, sizeof(name), "%s/%s over a queue", graph, all[best[0]].variant->name);
    bench_add(report, name, mteps[0], queue, "MTEPS", subjects[best[0]].spread);
    if (lagraph) {
        snprintf(name, sizeof(name), "%s/%s over LAGraph", graph, all[best[0]].variant->name);
        bench_add(report, name, mteps[0], edges / subjects[count - 1].median_ms / 1e3, "MTEPS",
                  subjects[best[0]].spread);
    }
    if (num_turns > 1) {
        snprintf(name, sizeof(name), "%s/%s on all threads over one", graph,
                 all[best[1]].variant->name);
        bench_add(report, name, mteps[1], mteps[0], "MTEPS", subjects[best[1]].spread);
    }
    return 0;
}

/* Family NITRO_GRAPH_NUM_FAMILIES is the large Kronecker graph. */
static int measure_family(bench_report *report, nitro_context *context,
                          const nitro_computation *computation, size_t family)
{
    bool is_large = family == NITRO_GRAPH_NUM_FAMILIES;
    nitro_graph_edges edges = {0};
    nitro_bfs *bfs = NULL;
    nitro_random random;
    nitro_random_seed(&random, family);
    if (is_large)
        nitro_graph_add_kronecker(&random, SCALE, 16.0 * (1 << SCALE), true, &edges);
    else
        nitro_graph_families[family].build(&random, NUM_EDGES, &edges);
    const char *graph = is_large ? "kronecker 2^20" : nitro_graph_families[family].name;
    bool with_lagraph = !bfs_lagraph_problem();
    bfs_lagraph *lagraph = NULL;
    int failed = nitro_graph_create(context, &edges, &bfs) != NITRO_OK ||
                 (with_lagraph && !(lagraph = bfs_lagraph_create(bfs)));
    failed = failed ? bench_fail("out of memory")
                    : measure(report, computation, bfs, lagraph, graph, is_large);
    bfs_lagraph_free(lagraph);
    nitro_kit_free(&nitro_bfs_kit, false, bfs);
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context;
    nitro_computation *computation;
    int failed = 0;
    if (nitro_context_create(&context) != NITRO_OK ||
        nitro_module_bfs.create(context, &computation) != NITRO_OK)
        return bench_fail("out of memory");
    if (bfs_lagraph_problem())
        fprintf(stderr, "nitro-bench: SKIPPED: LAGraph: %s\n", bfs_lagraph_problem());
    for (size_t family = 0; family <= NITRO_GRAPH_NUM_FAMILIES && !failed; family++)
        failed = measure_family(report, context, computation, family);
    nitro_computation_free(computation);
    nitro_context_free(context);
    return failed;
}

const bench bench_bfs = {
    .name = "bfs",
    .description = "the fastest variant over a serial queue and LAGraph on one thread, and on all "
                   "threads over one, in millions of traversed edges a second, for every family of "
                   "graphs",
    .run = run,
};
