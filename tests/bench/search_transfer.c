/* Transfer: the default searcher started from what was best on other devices of the same kernel, or
 * from a portfolio of theirs. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/search_parts.h"

enum { MAX_DEVICES = 8, NUM_STARTS = 4 };

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

/* What a device's times say of a space that may have other configurations. */
static nitro_search_answer *answers_in(const nitro_recording *from, nitro_space *space)
{
    size_t size = (size_t)nitro_space_size(space);
    nitro_search_answer *answers = calloc(size, sizeof(*answers));
    for (size_t c = 0; answers && c < size; c++)
        answers[c].outcome = NITRO_OUTCOME_MISSING;
    for (uint64_t c = 0; answers && c < nitro_space_size(from->space); c++) {
        uint64_t here = same_configuration(from->space, c, space);
        if (here != NITRO_NO_CONFIGURATION)
            answers[here] = from->answers[c];
    }
    return answers;
}

/* A portfolio of the other devices. */
static nitro_status choose_starts(nitro_context *context, const kernel *k, size_t target,
                                  nitro_portfolio **portfolio)
{
    nitro_recording others[MAX_DEVICES];
    const nitro_recording *cases[MAX_DEVICES] = {NULL};
    size_t count = 0;
    for (size_t d = 0; d < k->num_devices; d++) {
        if (d == target)
            continue;
        nitro_space *space = k->recordings[target]->space;
        others[count] =
            (nitro_recording){.space = space, .answers = answers_in(k->recordings[d], space)};
        cases[count] = &others[count];
        count++;
    }
    nitro_status status = nitro_portfolio_choose(context, cases, count, NUM_STARTS, portfolio);
    for (size_t i = 0; i < count; i++)
        free(others[i].answers);
    return status;
}

static int transfer_to(bench_report *report, nitro_context *context, const kernel *k, size_t target,
                       transfer_sums *sums)
{
    nitro_portfolio *portfolio = NULL;
    nitro_search_score started, plain, random;
    char title[512];
    const nitro_recording *recording = k->recordings[target];
    nitro_search_trial trial = {.searcher = nitro_searcher_find("auto"),
                                .repetitions = search_num_repeats(),
                                .max_evaluations = 220};
    int failed = nitro_search_score_searcher(context, recording, &trial, &plain) != NITRO_OK;
    if (failed || choose_starts(context, k, target, &portfolio) != NITRO_OK)
        return 1;
    trial.starts = portfolio->configurations;
    trial.num_starts = portfolio->num_configurations;
    failed = nitro_search_score_searcher(context, recording, &trial, &started) != NITRO_OK ||
             nitro_search_score_random(context, recording, &random) != NITRO_OK;
    nitro_portfolio_free(portfolio);
    if (failed)
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

/* Read the recordings of a kernel; with `same`, in the space of the first one. */
static int read_kernel(nitro_context *context, const char *name, bool same, kernel *k)
{
    char pattern[4096];
    glob_t files = {0};
    int failed = 0;
    *k = (kernel){0};
    snprintf(pattern, sizeof(pattern), "%s/search/spaces/%s/*.csv.gz", search_data_folder(), name);
    glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc && i < MAX_DEVICES && !failed; i++) {
        const char *file = strrchr(files.gl_pathv[i], '/') + 1;
        const nitro_space *space = same && i > 0 ? k->recordings[0]->space : NULL;
        snprintf(k->names[i], sizeof(k->names[i]), "%.20s/%.*s", name, (int)strcspn(file, "."),
                 file);
        failed =
            nitro_recording_read(context, files.gl_pathv[i], space, &k->recordings[i]) != NITRO_OK;
        if (failed)
            break;
        k->best_ms[i] = best_of(k->recordings[i]);
        k->num_devices = i + 1;
    }
    globfree(&files);
    return failed;
}

static void free_kernel(kernel *k)
{
    for (size_t d = 0; d < k->num_devices; d++)
        nitro_recording_free(k->recordings[d]);
}

static int transfer_kernel(bench_report *report, nitro_context *context, const char *name,
                           transfer_sums *sums)
{
    static kernel k;
    int failed = read_kernel(context, name, false, &k);
    for (size_t d = 0; d < k.num_devices && k.num_devices > 1 && !failed; d++)
        failed = transfer_to(report, context, &k, d, sums);
    free_kernel(&k);
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

/* ---- Portfolios ------------------------------------------------------------------------------ */

enum { PORTFOLIO_SIZE = 3 };

/* A search on a device that starts with a portfolio of the others: its quality in percent after 20
 * and 50 evaluations, and that of one without starts. */
static int search_from_portfolio(nitro_context *context, const kernel *k, size_t target,
                                 double *started, double *plain)
{
    nitro_portfolio *portfolio = NULL;
    nitro_search_score score;
    if (choose_starts(context, k, target, &portfolio) != NITRO_OK)
        return 1;
    nitro_search_trial trial = {.searcher = nitro_searcher_find("auto"),
                                .repetitions = search_num_repeats(),
                                .max_evaluations = 220};
    int failed = 0;
    for (int with = 0; with < 2 && !failed; with++) {
        trial.starts = with ? portfolio->configurations : NULL;
        trial.num_starts = with ? portfolio->num_configurations : 0;
        failed =
            nitro_search_score_searcher(context, k->recordings[target], &trial, &score) != NITRO_OK;
        for (size_t i = 0; i < 2 && !failed; i++)
            (with ? started : plain)[i] += 100 * k->best_ms[target] / score.best_ms[i];
    }
    nitro_portfolio_free(portfolio);
    return failed;
}

static int bench_portfolio(bench_report *report, nitro_context *context, const char *name)
{
    static kernel k;
    char title[256];
    nitro_portfolio *portfolio = NULL;
    double worst = 100, left_out = 0, started[2] = {0}, plain[2] = {0};
    int failed = read_kernel(context, name, true, &k);
    if (!failed)
        failed = nitro_portfolio_choose(context, (const nitro_recording *const *)k.recordings,
                                        k.num_devices, PORTFOLIO_SIZE, &portfolio) != NITRO_OK;
    double n = (double)k.num_devices;
    for (size_t d = 0; d < k.num_devices && !failed; d++) {
        worst = fmin(worst, 100 * portfolio->quality[d]);
        left_out += 100 * portfolio->quality_left_out[d] / n;
        failed = search_from_portfolio(context, &k, d, started, plain);
    }
    if (!failed) {
        snprintf(title, sizeof(title), "%s: portfolio of 3: worst quality %%; left out, mean",
                 name);
        bench_add(report, title, worst, left_out, "%", 0);
        for (size_t i = 0; i < 2; i++) {
            snprintf(title, sizeof(title),
                     "%s: mean %% of left-out devices after %d evaluations from it; without", name,
                     i == 0 ? 20 : 50);
            bench_add(report, title, started[i] / n, plain[i] / n, "%", 0);
        }
    }
    nitro_portfolio_free(portfolio);
    free_kernel(&k);
    return failed;
}

int search_bench_portfolio(bench_report *report, nitro_context *context)
{
    static const char *const kernels[] = {"convolution_milo", "dedispersion_milo", "gemm",
                                          "pnpoly"};
    const char *only = getenv("NITRO_BENCH_SPACES");
    int failed = 0;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && !failed; i++)
        if (!only || strstr(kernels[i], only))
            failed = bench_portfolio(report, context, kernels[i]);
    return failed;
}
