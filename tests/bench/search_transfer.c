/* Transfer: the default searcher started from what was best on other devices of the same kernel. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/search_parts.h"

enum { MAX_DEVICES = 8, NUM_STARTS = 8 };

typedef struct kernel {
    size_t num_devices;
    char names[MAX_DEVICES][64];
    nitro_recording *recordings[MAX_DEVICES];
    double best_ms[MAX_DEVICES];
} kernel;

typedef struct transfer_sums {
    double started, plain, random;
    double worst; /* started over plain */
    char worst_name[128];
    size_t count;
} transfer_sums;

/* The configuration of `to` with the values of one of `from`, by names. */
static uint64_t same_configuration(const nitro_space *from, uint64_t configuration,
                                   const nitro_space *to)
{
    uint16_t at[NITRO_MAX_PARAMETERS], there[NITRO_MAX_PARAMETERS];
    nitro_space_indices(from, configuration, at);
    for (size_t p = 0; p < nitro_space_num_parameters(to); p++) {
        const nitro_parameter *wanted = nitro_space_parameter(to, p);
        size_t own = nitro_space_find_parameter(from, wanted->name), v = 0;
        if (own == NITRO_NONE)
            return NITRO_NO_CONFIGURATION;
        const char *text = nitro_space_parameter(from, own)->values[at[own]].text;
        while (v < wanted->num_values && strcmp(wanted->values[v].text, text) != 0)
            v++;
        if (v == wanted->num_values)
            return NITRO_NO_CONFIGURATION;
        there[p] = (uint16_t)v;
    }
    return nitro_space_find(to, there);
}

/* Configurations by their mean loss on the other devices, where all of them run it. */
static size_t choose_starts(const kernel *k, size_t target, uint64_t *starts)
{
    const nitro_space *space = k->recordings[target]->space;
    size_t size = (size_t)nitro_space_size(space), count = 0;
    double *losses = calloc(size, sizeof(*losses));
    size_t *runs = calloc(size, sizeof(*runs));
    for (size_t d = 0; d < k->num_devices; d++) {
        const nitro_recording *other = k->recordings[d];
        for (uint64_t c = 0; d != target && c < nitro_space_size(other->space); c++) {
            if (other->answers[c].outcome != NITRO_OUTCOME_MEASURED)
                continue;
            uint64_t here = same_configuration(other->space, c, space);
            if (here == NITRO_NO_CONFIGURATION)
                continue;
            losses[here] += other->answers[c].time_ms / k->best_ms[d];
            runs[here]++;
        }
    }
    for (; count < NUM_STARTS; count++) {
        size_t best = size;
        for (size_t c = 0; c < size; c++)
            if (runs[c] + 1 == k->num_devices && (best == size || losses[c] < losses[best]))
                best = c;
        if (best == size)
            break;
        starts[count] = best;
        runs[best] = 0;
    }
    free(losses);
    free(runs);
    return count;
}

static int transfer_to(bench_report *report, nitro_context *context, const kernel *k, size_t target,
                       transfer_sums *sums)
{
    uint64_t starts[NUM_STARTS];
    nitro_search_score started, plain, random;
    char title[512];
    const nitro_recording *recording = k->recordings[target];
    nitro_search_trial trial = {.searcher = nitro_searcher_find("auto"),
                                .repetitions = search_num_repeats(),
                                .max_evaluations = 220};
    int failed = nitro_search_score_searcher(context, recording, &trial, &plain) != NITRO_OK;
    trial.starts = starts;
    trial.num_starts = choose_starts(k, target, starts);
    if (failed || nitro_search_score_searcher(context, recording, &trial, &started) != NITRO_OK ||
        nitro_search_score_random(context, recording, &random) != NITRO_OK)
        return 1;
    snprintf(title, sizeof(title), "%s: evaluations to 10 %% with starts; without (random %.1f)",
             k->names[target], random.to_10_percent);
    bench_add(report, title, started.to_10_percent, plain.to_10_percent, "", 0);
    sums->started += started.to_10_percent;
    sums->plain += plain.to_10_percent;
    sums->random += random.to_10_percent;
    if (started.to_10_percent / plain.to_10_percent > sums->worst) {
        sums->worst = started.to_10_percent / plain.to_10_percent;
        snprintf(sums->worst_name, sizeof(sums->worst_name), "%s", k->names[target]);
    }
    sums->count++;
    return 0;
}

static double best_of(const nitro_recording *recording)
{
    double best = INFINITY;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++)
        if (recording->answers[c].outcome == NITRO_OUTCOME_MEASURED)
            best = fmin(best, recording->answers[c].time_ms);
    return best;
}

static int transfer_kernel(bench_report *report, nitro_context *context, const char *name,
                           transfer_sums *sums)
{
    char pattern[4096];
    static kernel k;
    glob_t files = {0};
    int failed = 0;
    k = (kernel){0};
    snprintf(pattern, sizeof(pattern), "%s/search/spaces/%s/*.csv.gz", search_data_folder(), name);
    glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc && i < MAX_DEVICES && !failed; i++) {
        const char *file = strrchr(files.gl_pathv[i], '/') + 1;
        snprintf(k.names[i], sizeof(k.names[i]), "%.20s/%.*s", name, (int)strcspn(file, "."), file);
        failed =
            nitro_recording_read(context, files.gl_pathv[i], NULL, &k.recordings[i]) != NITRO_OK;
        if (failed)
            break;
        k.best_ms[i] = best_of(k.recordings[i]);
        k.num_devices = i + 1;
    }
    globfree(&files);
    for (size_t d = 0; d < k.num_devices && k.num_devices > 1 && !failed; d++)
        failed = transfer_to(report, context, &k, d, sums);
    for (size_t d = 0; d < k.num_devices; d++)
        nitro_recording_free(k.recordings[d]);
    return failed;
}

int search_bench_transfer(bench_report *report, nitro_context *context)
{
    static const char *const kernels[] = {"convolution",
                                          "convolution_milo",
                                          "convolution_milo_small",
                                          "dedispersion_milo",
                                          "gemm",
                                          "ktt_coulomb3d",
                                          "pnpoly"};
    transfer_sums sums = {0};
    char title[256];
    const char *only = getenv("NITRO_BENCH_SPACES");
    int failed = 0;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && !failed; i++)
        if (!only || strstr(kernels[i], only))
            failed = transfer_kernel(report, context, kernels[i], &sums);
    if (failed || sums.count == 0)
        return failed;
    double n = (double)sums.count;
    bench_add(report, "mean evaluations to 10 % with starts; random", sums.started / n,
              sums.random / n, "", 0);
    snprintf(title, sizeof(title), "worst with starts over without: %s", sums.worst_name);
    bench_add(report, title, sums.worst, 1, "", 0);
    return 0;
}
