/*
 * Bench "dfs": CV-DFS against the plain loop, one LIBSVM training after the other, on the same
 * work: 200 inputs of 3 features on 5 made-up devices, 6 variants (the histogram's cost model), all
 * subsets of up to 3 of 8 device features, C and gamma searched: 92 subsets and the empty one on 5
 * pretend targets, 465 searches of 171 trainings each (Nitro drops 5 that are asked twice).
 *
 * All devices differ in all features, so that no two subsets make the same model: the hard case.
 * The plain loop would take most of an hour: of its searches a seeded sample is timed, with
 * LIBSVM's default (shrinking) and without, and their time is scaled up to all of them; the
 * qualities that it finds are compared with ours, and a difference without shrinking is a failure.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/bench.h"
#include "unit/dfs_work.h"
#include "unit/plain_dfs.h"

enum { DEVICES = 5, INPUTS = 200, MAX_SUBSETS = 93, PLAIN_SEARCHES = 8 };

typedef struct work {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_string_list candidates;
    nitro_dfs_task task;
    uint64_t subsets[MAX_SUBSETS];
    size_t num_subsets;
    double qualities[DEVICES * MAX_SUBSETS];
    nitro_dfs_effort effort;
} work;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

/* 0 on success; frees what it made. */
static int with_work(nitro_context *context, size_t num_inputs, size_t num_candidates,
                     int (*run)(work *w, void *state), void *state)
{
    work *w = calloc(1, sizeof(*w));
    if (!w)
        return bench_fail("out of memory");
    w->context = context;
    w->sources = dfs_work_dataset(context, 1, DEVICES, num_inputs);
    if (!w->sources) {
        free(w);
        return bench_fail("cannot make up the work");
    }
    /* The last ones, so that those that matter are always among them. */
    for (size_t c = DFS_WORK_FEATURES - num_candidates; c < DFS_WORK_FEATURES; c++)
        nitro_string_list_add(context, &w->candidates, dfs_work_features[c].name);
    w->num_subsets = dfs_work_subsets(num_candidates, 3, w->subsets);
    w->task = (nitro_dfs_task){
        .sources = w->sources, .candidates = &w->candidates, .seed = 1, .num_threads = 2};
    int failed = run(w, state);
    nitro_string_list_free(&w->candidates);
    nitro_dataset_free(w->sources);
    free(w);
    return failed;
}

/* Seconds that our judgement takes, or below 0. */
static double judge(work *w)
{
    double begin = now_s();
    if (nitro_dfs_judge(w->context, &w->task, w->subsets, w->num_subsets, w->qualities,
                        &w->effort) != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(w->context, message, sizeof(message));
        bench_fail("%s", message);
        return -1;
    }
    return now_s() - begin;
}

/* ---- Against the plain loop ---------------------------------------------------------------- */

typedef struct plain_sum {
    double seconds[2]; /* without and with shrinking */
    size_t num_searches, num_different;
} plain_sum;

static int time_plain(work *w, plain_sum *sum)
{
    nitro_random random;
    nitro_random_seed(&random, 7);
    for (; sum->num_searches < PLAIN_SEARCHES; sum->num_searches++) {
        size_t pretend = nitro_random_below(&random, DEVICES), num_trainings = 0;
        size_t subset = nitro_random_below(&random, w->num_subsets);
        double ours = w->qualities[pretend * w->num_subsets + subset];
        for (int shrinking = 0; shrinking < 2; shrinking++) {
            double begin = now_s();
            double quality = plain_judge(w->context, &w->task, pretend, w->subsets[subset],
                                         shrinking, &num_trainings);
            sum->seconds[shrinking] += now_s() - begin;
            sum->num_different += shrinking && quality != ours;
            if (!shrinking && quality != ours)
                return bench_fail("quality %.17g instead of the plain loop's %.17g", ours, quality);
        }
        fprintf(stderr, "dfs: %zu of %d plain searches timed\n", sum->num_searches + 1,
                PLAIN_SEARCHES);
    }
    return 0;
}

static int compare(work *w, void *state)
{
    bench_report *report = state;
    plain_sum sum = {{0}, 0, 0};
    double ours = judge(w);
    if (ours < 0 || time_plain(w, &sum) != 0)
        return 1;
    double scale = (double)w->effort.num_models / (double)sum.num_searches;
    char name[128];
    snprintf(name, sizeof(name), "all (plain -h 1: %zu of %zu timed)", sum.num_searches,
             w->effort.num_models);
    bench_add(report, name, ours, sum.seconds[1] * scale, "s", 0);
    snprintf(name, sizeof(name), "all (plain -h 0: %zu of %zu timed)", sum.num_searches,
             w->effort.num_models);
    bench_add(report, name, ours, sum.seconds[0] * scale, "s", 0);
    snprintf(name, sizeof(name), "qualities other than with -h 1");
    bench_add(report, name, (double)sum.num_different, (double)sum.num_searches, "", 0);
    return 0;
}

/* ---- Growth -------------------------------------------------------------------------------- */

typedef struct growth {
    bench_report *report;
    double first_ms; /* a subset, of the smallest set */
} growth;

static int measure_growth(work *w, void *state)
{
    growth *g = state;
    double ms = 1e3 * judge(w) / (double)w->num_subsets;
    char name[128];
    if (ms < 0)
        return 1;
    g->first_ms = g->first_ms > 0 ? g->first_ms : ms;
    snprintf(name, sizeof(name), "a subset, of %zu (%zu features)", w->num_subsets,
             w->candidates.count);
    bench_add(g->report, name, ms, g->first_ms, "ms", 0);
    return 0;
}

/* Ten times the inputs: the cap on samples holds memory and time. */
static int measure_cap(work *w, void *state)
{
    growth *g = state;
    double before = peak_mb();
    double ms = 1e3 * judge(w) / (double)w->num_subsets;
    char name[128];
    if (ms < 0)
        return 1;
    snprintf(name, sizeof(name), "a subset, of %zu, %d inputs (%zu used)", w->num_subsets,
             10 * INPUTS, w->effort.num_inputs);
    bench_add(g->report, name, ms, g->first_ms, "ms", 0);
    bench_add(g->report, "peak memory, with those, over without", peak_mb(), before, "MB", 0);
    return 0;
}

static int run(bench_report *report)
{
    nitro_context *context = NULL;
    growth g = {report, 0};
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("no context");
    int failed = 0;
    for (size_t candidates = 2; candidates <= 6 && !failed; candidates += 2)
        failed = with_work(context, INPUTS, candidates, measure_growth, &g);
    if (!failed)
        failed = with_work(context, 10 * INPUTS, 2, measure_cap, &g);
    if (!failed)
        failed = with_work(context, INPUTS, DFS_WORK_FEATURES, compare, report);
    nitro_context_free(context);
    return failed;
}

const bench bench_dfs = {"dfs", "CV-DFS on 2 threads over a plain LIBSVM loop on one: seconds",
                         run};
