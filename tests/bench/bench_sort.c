/*
 * Bench "sort": on every family of keys, a million f32 and f64, the fastest variant on one thread
 * over the fastest of other sorts, and the fastest on all threads over the fastest on one. Others
 * are std::sort, pdqsort where Boost's headers are, and numpy where `python3` has it, in a process
 * of its own that measures itself alike; vqsort is the variant vector_quick, where Highway is. All
 * of them sort a copy of the keys, which they make. Medians, in turns.
 */
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/sort/keys.h"
#include "bench/bench.h"
#include "bench/peers/sort_peers.h"
#include "nitro/runtime/computation.h"

#define NUM_KEYS     1000000
#define MIN_ROUNDS   5
#define BUDGET_MS    300
#define MAX_SUBJECTS 16

typedef struct sorting {
    nitro_sort *sort;
    const char *name;
    const nitro_variant *variant; /* NULL: a peer */
    sort_peer_function *peer;
    int num_threads;
} sorting;

static void run_one(void *state)
{
    const sorting *s = state;
    nitro_sort *sort = s->sort;
    if (s->variant) {
        omp_set_num_threads(s->num_threads);
        s->variant->run(sort, s->variant->user);
        return;
    }
    memcpy(sort->sorted_keys, sort->keys, (size_t)(sort->num_keys * sort->key_bytes));
    s->peer(sort->sorted_keys, sort->num_keys, sort->type == NITRO_SORT_F64);
}

/* Variants on one thread, then on all of them, then peers. */
static size_t list_sorts(const nitro_computation *computation, nitro_sort *sort, sorting *sorts)
{
    size_t count = 0;
    int most = omp_get_max_threads();
    for (int threads = 1; threads <= most; threads += most > 1 ? most - 1 : 1)
        for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
            const nitro_variant *variant = &computation->variants[v];
            if (variant->allows != nitro_kit_allows_nothing)
                sorts[count++] = (sorting){sort, variant->name, variant, NULL, threads};
        }
    for (size_t i = 0; sort_peers[i].name; i++)
        sorts[count++] = (sorting){sort, sort_peers[i].name, NULL, sort_peers[i].sort, 1};
    return count;
}

/* Infinite where there is no numpy. */
static double numpy_ms(const nitro_sort *sort)
{
    char path[] = "/tmp/nitro-bench-sort-XXXXXX", command[512];
    size_t bytes = (size_t)(sort->num_keys * sort->key_bytes);
    double ms = INFINITY;
    int file = mkstemp(path);
    if (file < 0)
        return INFINITY;
    snprintf(command, sizeof(command),
             "python3 -c \"import numpy as n, time as t\nk = n.fromfile('%s', '<f%d'); b = []\n"
             "c = k.copy()\nfor _ in range(9):\n s = t.perf_counter(); c[:] = k; c.sort()\n"
             " b.append(t.perf_counter() - s)\nprint(1e3 * sorted(b)[4])\" 2>/dev/null",
             path, sort->key_bytes);
    FILE *output = write(file, sort->keys, bytes) == (ssize_t)bytes ? popen(command, "r") : NULL;
    if (output && fscanf(output, "%lf", &ms) != 1)
        ms = INFINITY;
    if (output)
        pclose(output);
    close(file);
    unlink(path);
    return ms;
}

static const bench_subject *fastest(const bench_subject *subjects, size_t count, bool of_variants,
                                    int num_threads)
{
    const bench_subject *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const sorting *s = subjects[i].state;
        if ((s->variant != NULL) == of_variants && s->num_threads == num_threads &&
            (!best || subjects[i].median_ms < best->median_ms))
            best = &subjects[i];
    }
    return best;
}

static int measure(bench_report *report, const nitro_computation *computation, nitro_sort *sort,
                   const char *input)
{
    sorting sorts[MAX_SUBJECTS];
    bench_subject subjects[MAX_SUBJECTS];
    char name[160];
    int most = omp_get_max_threads();
    size_t count = list_sorts(computation, sort, sorts);
    for (size_t i = 0; i < count; i++) {
        subjects[i] = (bench_subject){.run = run_one, .state = &sorts[i]};
        if (sorts[i].variant && sorts[i].variant->prepare(sort, sorts[i].variant->user) != 0)
            return bench_fail("out of memory");
        run_one(&sorts[i]);
        if (nitro_kit_keep_reference(&nitro_sort_kit, sort) != 0)
            return bench_fail("%s: %s is wrong", input, sorts[i].name);
    }
    int failed = bench_measure(subjects, count, MIN_ROUNDS, BUDGET_MS);
    omp_set_num_threads(most);
    if (failed)
        return 1;
    const bench_subject *ours = fastest(subjects, count, true, 1);
    const bench_subject *peer = fastest(subjects, count, false, 1);
    const bench_subject *threaded = fastest(subjects, count, true, most);
    double numpy = numpy_ms(sort);
    snprintf(name, sizeof(name), "%s/%s over %s", input, ((const sorting *)ours->state)->name,
             numpy < peer->median_ms ? "numpy" : ((const sorting *)peer->state)->name);
    bench_add(report, name, ours->median_ms, fmin(numpy, peer->median_ms), "ms", ours->spread);
    snprintf(name, sizeof(name), "%s/%s on all threads over one", input,
             ((const sorting *)threaded->state)->name);
    bench_add(report, name, threaded->median_ms, ours->median_ms, "ms", threaded->spread);
    return 0;
}

static int run(bench_report *report)
{
    nitro_context *context;
    nitro_computation *computation;
    int failed = 0;
    if (nitro_context_create(&context) != NITRO_OK ||
        nitro_module_sort.create(context, &computation) != NITRO_OK)
        return bench_fail("out of memory");
    for (size_t i = 0; i < 2 * NITRO_SORT_NUM_FAMILIES && !failed; i++) {
        const nitro_sort sizes = {.num_keys = NUM_KEYS,
                                  .type = i % 2 ? NITRO_SORT_F64 : NITRO_SORT_F32};
        char name[64];
        nitro_sort *sort = NULL;
        nitro_random random;
        nitro_random_seed(&random, i);
        snprintf(name, sizeof(name), "%s %s", nitro_sort_families[i / 2].name,
                 i % 2 ? "f64" : "f32");
        failed = nitro_sort_make_keys(context, i / 2, &random, &sizes, &sort) != NITRO_OK
                     ? bench_fail("out of memory")
                     : measure(report, computation, sort, name);
        nitro_kit_free(&nitro_sort_kit, false, sort);
    }
    nitro_computation_free(computation);
    nitro_context_free(context);
    return failed;
}

const bench bench_sort = {
    .name = "sort",
    .description = "the fastest variant over the fastest other sort (std::sort, pdqsort, numpy) on "
                   "one thread, and on all threads over one, for every family of a million keys",
    .run = run,
};
