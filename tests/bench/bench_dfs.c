/*
 * Bench "dfs": CV-DFS against a plain loop of LIBSVM trainings: 120 inputs of 3 features on 5
 * synthetic devices, 6 variants (the histogram's cost model), all subsets of up to 3 of 8 device
 * features and a grid of C and gamma: 93 subsets on 5 validation devices, 465 models of 25
 * trainings each. All devices differ in all features, so that no two subsets give the same model:
 * the hard case.
 *
 * The plain loop would take most of an hour: a seeded sample of its models is timed, with LIBSVM's
 * default (-h 1, shrinking) and without (-h 0), and scaled up. The qualities are compared with
 * ours; a difference with -h 0 is a failure. Processor time is that of all threads. Growth and the
 * sharing of work among subsets are measured on fewer inputs.
 *
 * Beyond 600 samples of many sources, inputs are drawn: on eight devices with 150 inputs the draw
 * is compared with all 1200 samples, for eight of the subsets: processor time, and the largest
 * difference of a subset's quality, in points of its mean over the validation devices, against the
 * 2 points that count as equal in a search.
 */
#include <stdio.h>
#include <time.h>

#include "bench/bench.h"
#include "unit/dfs_work.h"
#include "unit/plain_dfs.h"

enum { DEVICES = 5, INPUTS = 120, SHARING_INPUTS = 60, MAX_SUBSETS = 93, PLAIN_MODELS = 12 };

typedef struct work {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_string_list candidates;
    nitro_dfs_task task;
    uint64_t subsets[MAX_SUBSETS];
    size_t num_subsets;
    double qualities[DEVICES * MAX_SUBSETS];
    uint64_t varying[8]; /* of MANY_DEVICES at most */
    nitro_dfs_effort effort;
} work;

typedef struct stopwatch {
    double wall_s, processor_s;
} stopwatch;

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static stopwatch start_watch(void)
{
    return (stopwatch){clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID)};
}

static void stop_watch(stopwatch begin, stopwatch *sum)
{
    sum->wall_s += clock_s(CLOCK_MONOTONIC) - begin.wall_s;
    sum->processor_s += clock_s(CLOCK_PROCESS_CPUTIME_ID) - begin.processor_s;
}

/* 0 on success; frees what it made. */
static int with_work(nitro_context *context, size_t num_devices, size_t num_inputs,
                     size_t num_candidates, int (*run)(work *w, void *state), void *state)
{
    work *w = calloc(1, sizeof(*w));
    if (!w)
        return bench_fail("out of memory");
    nitro_random random;
    nitro_random_seed(&random, 1);
    w->context = context;
    nitro_device *target = dfs_work_device(context, &random, num_devices);
    w->sources = target ? dfs_work_dataset(context, 1, num_devices, num_inputs, 6) : NULL;
    if (!w->sources) {
        nitro_device_free(target);
        free(w);
        return bench_fail("cannot make the data set");
    }
    /* The last ones, so that those that matter are always among them. */
    for (size_t c = DFS_WORK_FEATURES - num_candidates; c < DFS_WORK_FEATURES; c++)
        nitro_string_list_add(context, &w->candidates, dfs_work_features[c].name);
    w->num_subsets = dfs_work_subsets(num_candidates, 3, w->subsets);
    w->task = (nitro_dfs_task){.sources = w->sources,
                               .target = target,
                               .candidates = &w->candidates,
                               .seed = 1,
                               .num_threads = 2};
    int failed = run(w, state);
    nitro_string_list_free(&w->candidates);
    nitro_dataset_free(w->sources);
    nitro_device_free(target);
    free(w);
    return failed;
}

/* 0 on success. */
static int judge(work *w, stopwatch *took)
{
    stopwatch begin = start_watch();
    *took = (stopwatch){0};
    if (nitro_dfs_judge(w->context, &w->task, w->subsets, w->num_subsets, w->qualities, w->varying,
                        &w->effort) != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(w->context, message, sizeof(message));
        return bench_fail("%s", message);
    }
    stop_watch(begin, took);
    return 0;
}

typedef struct plain_sum {
    /* By whether with shrinking. */
    stopwatch took[2];
    size_t num_models, num_different;
} plain_sum;

static int time_plain_model(work *w, size_t validation, size_t subset, int shrinking,
                            plain_sum *sum)
{
    double ours = w->qualities[validation * w->num_subsets + subset];
    stopwatch begin = start_watch();
    double quality = plain_judge(w->context, &w->task, validation, w->subsets[subset], shrinking);
    stop_watch(begin, &sum->took[shrinking]);
    sum->num_different += shrinking && quality != ours;
    if (!shrinking && quality != ours)
        return bench_fail("quality %.17g instead of the plain loop's %.17g", ours, quality);
    return 0;
}

static int time_plain(work *w, plain_sum *sum)
{
    nitro_random random;
    nitro_random_seed(&random, 7);
    for (; sum->num_models < PLAIN_MODELS; sum->num_models++) {
        size_t validation = nitro_random_below(&random, DEVICES);
        size_t subset = nitro_random_below(&random, w->num_subsets);
        for (int shrinking = 0; shrinking < 2; shrinking++)
            if (time_plain_model(w, validation, subset, shrinking, sum) != 0)
                return 1;
        fprintf(stderr, "dfs: %zu of %d plain models timed\n", sum->num_models + 1, PLAIN_MODELS);
    }
    return 0;
}

static void add_plain(bench_report *report, const stopwatch *ours, const stopwatch *plain,
                      double scale)
{
    char name[128];
    for (int shrinking = 0; shrinking < 2; shrinking++) {
        snprintf(name, sizeof(name), "wall (plain -h %d)", shrinking);
        bench_add(report, name, ours->wall_s, plain[shrinking].wall_s * scale, "s", 0);
        snprintf(name, sizeof(name), "processor time (plain -h %d)", shrinking);
        bench_add(report, name, ours->processor_s, plain[shrinking].processor_s * scale, "s", 0);
    }
}

/* Ours before and after the plain loop: clock rates drift over a minute. */
static int compare(work *w, void *state)
{
    bench_report *report = state;
    plain_sum sum = {.num_models = 0};
    stopwatch ours, after;
    if (judge(w, &ours) != 0 || time_plain(w, &sum) != 0 || judge(w, &after) != 0)
        return 1;
    ours.wall_s = (ours.wall_s + after.wall_s) / 2;
    ours.processor_s = (ours.processor_s + after.processor_s) / 2;
    double scale = (double)w->effort.num_models / (double)sum.num_models;
    add_plain(report, &ours, sum.took, scale);
    bench_add(report, "qualities other than with -h 1", (double)sum.num_different,
              (double)sum.num_models, "", 0);
    return 0;
}

/* All subsets at once, against one call per subset, which shares neither models nor kernels. */
static int compare_sharing(work *w, void *state)
{
    char name[128];
    stopwatch together, apart = {0};
    size_t num_trained, num_subsets = w->num_subsets;
    uint64_t subsets[MAX_SUBSETS];
    memcpy(subsets, w->subsets, sizeof subsets);
    if (judge(w, &together) != 0)
        return 1;
    num_trained = w->effort.num_trained;
    w->num_subsets = 1;
    for (size_t i = 0; i < num_subsets; i++) {
        stopwatch took;
        w->subsets[0] = subsets[i];
        if (judge(w, &took) != 0)
            return 1;
        apart.processor_s += took.processor_s;
    }
    snprintf(name, sizeof(name), "%zu devices, %zu trained: together; one by one",
             w->sources->num_devices, num_trained);
    bench_add(state, name, 1e3 * together.processor_s, 1e3 * apart.processor_s, "ms", 0);
    return 0;
}

enum { MANY_DEVICES = 8, MANY_INPUTS = 150, DRAWN_SUBSETS = 8 };

static double mean_quality(const double *qualities, size_t num_subsets, size_t subset)
{
    double sum = 0;
    for (size_t d = 0; d < MANY_DEVICES; d++)
        sum += qualities[d * num_subsets + subset];
    return sum / MANY_DEVICES;
}

static int compare_draw(work *w, void *state)
{
    double all_qualities[MANY_DEVICES * DRAWN_SUBSETS], difference = 0;
    stopwatch all, drawn;
    size_t step = w->num_subsets / DRAWN_SUBSETS;
    for (size_t i = 0; i < DRAWN_SUBSETS; i++) /* of one, two and three features */
        w->subsets[i] = w->subsets[i * step];
    w->num_subsets = DRAWN_SUBSETS;
    w->task.max_rows = MANY_DEVICES * MANY_INPUTS;
    if (judge(w, &all) != 0)
        return 1;
    memcpy(all_qualities, w->qualities, sizeof(all_qualities));
    w->task.max_rows = 0;
    if (judge(w, &drawn) != 0)
        return 1;
    for (size_t i = 0; i < DRAWN_SUBSETS; i++)
        difference = fmax(difference, fabs(mean_quality(w->qualities, DRAWN_SUBSETS, i) -
                                           mean_quality(all_qualities, DRAWN_SUBSETS, i)));
    bench_add(state, "8 devices: inputs drawn; all inputs", drawn.processor_s, all.processor_s, "s",
              0);
    bench_add(state, "8 devices: most that a draw changes", difference, 2, "points", 0);
    return 0;
}

static int run(bench_report *report)
{
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("no context");
    int failed = 0;
    for (size_t devices = 3; devices <= DEVICES && !failed; devices++)
        failed =
            with_work(context, devices, SHARING_INPUTS, DFS_WORK_FEATURES, compare_sharing, report);
    if (!failed)
        failed =
            with_work(context, MANY_DEVICES, MANY_INPUTS, DFS_WORK_FEATURES, compare_draw, report);
    if (!failed)
        failed = with_work(context, DEVICES, INPUTS, DFS_WORK_FEATURES, compare, report);
    nitro_context_free(context);
    return failed;
}

const bench bench_dfs = {"dfs", "CV-DFS on 2 threads over a plain LIBSVM loop on one", run};
