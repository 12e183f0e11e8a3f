/* The profile-based searcher: evaluations until within 10 % of the best, against exact random. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/search_parts.h"

static bool read_space(nitro_context *context, const char *name, nitro_recording **recording)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/search/spaces/%s.csv.gz", search_data_folder(), name);
    return nitro_recording_read(context, path, NULL, recording) == NITRO_OK;
}

static nitro_counter_model *fit(nitro_context *context, const nitro_recording *recording,
                                nitro_counter_model_kind kind)
{
    nitro_counter_model *model = NULL;
    (void)nitro_counter_model_fit(
        context, recording->space, recording->answers, (size_t)nitro_space_size(recording->space),
        (const char *const *)recording->counter_names, recording->num_counters, kind, 1, &model);
    return model;
}

typedef struct profile_case {
    const char *space, *model; /* NULL: the space itself */
    nitro_counter_model_kind kind;
    const char *options, *what;
    double published; /* evaluations by the prototype of the reference document */
} profile_case;

static const profile_case cases[] = {
    {"ktt_convolution/rtx_2080_ti", NULL, NITRO_COUNTERS_EXACT, NULL, "exact counters", 24.2},
    {"ktt_convolution/rtx_2080_ti", NULL, NITRO_COUNTERS_TREES, NULL, "trees, a half", 19.1},
    {"ktt_convolution/rtx_2080_ti", NULL, NITRO_COUNTERS_TREES, "reaction=0.5",
     "trees, a half, R 0.5", 13.1},
    {"ktt_convolution/rtx_2080_ti", NULL, NITRO_COUNTERS_LEAST_SQUARES, NULL, "least squares",
     19.1},
    {"ktt_coulomb3d/rtx_2080_ti", "ktt_coulomb3d/gtx_1070", NITRO_COUNTERS_TREES, NULL,
     "trees of the 1070", 2.3},
    {"ktt_coulomb3d/gtx_1070", "ktt_coulomb3d/rtx_2080_ti", NITRO_COUNTERS_TREES, NULL,
     "trees of the 2080 Ti", 5.9},
    {"ktt_coulomb3d/rtx_2080_ti", "ktt_coulomb3d/gtx_1070", NITRO_COUNTERS_EXACT, NULL,
     "counters of the 1070", 2.3},
    {"ktt_coulomb3d/gtx_1070", "ktt_coulomb3d/rtx_2080_ti", NITRO_COUNTERS_EXACT, NULL,
     "counters of the 2080 Ti", 5.9},
};

static int run_case(bench_report *report, nitro_context *context, const profile_case *wanted)
{
    nitro_recording *recording = NULL, *other = NULL;
    nitro_counter_model *model = NULL;
    nitro_search_score score, random;
    char title[512];
    bool done = read_space(context, wanted->space, &recording) &&
                (!wanted->model || read_space(context, wanted->model, &other));
    if (done)
        model = fit(context, other ? other : recording, wanted->kind);
    const nitro_search_trial trial = {.searcher = nitro_searcher_find("profile"),
                                      .searcher_options = wanted->options,
                                      .counter_model = model,
                                      .repetitions = 4 * search_num_repeats(),
                                      .max_evaluations = 1000};
    done = done && model &&
           nitro_search_score_searcher(context, recording, &trial, &score) == NITRO_OK &&
           nitro_search_score_random(context, recording, &random) == NITRO_OK;
    if (done) {
        snprintf(title, sizeof(title), "%s, %s: evaluations to 10 %% (random %.1f)", wanted->space,
                 wanted->what, random.to_10_percent);
        bench_add(report, title, score.to_10_percent, wanted->published, "", 0);
    }
    nitro_counter_model_free(model);
    nitro_recording_free(recording);
    nitro_recording_free(other);
    return done ? 0 : bench_fail("search: the profile-based search of %s failed", wanted->space);
}

int search_bench_profile(bench_report *report, nitro_context *context)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && !failed; i++)
        failed = run_case(report, context, &cases[i]);
    return failed;
}
