/* The profile-based searcher: evaluations until within 10 % of the best, against exact random. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/search_parts.h"
#include "bench/search_simulation.h"

static bool read_space(nitro_context *context, const char *name, simulated_space *space)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/search/spaces/%s.csv.gz", search_data_folder(), name);
    return simulated_space_read(context, path, space);
}

/* A model from a share of the configurations, drawn by a fixed seed. */
static nitro_counter_model *fit(nitro_context *context, const simulated_space *space, double share,
                                nitro_counter_model_kind kind)
{
    const nitro_recording *recording = space->recording;
    size_t size = (size_t)nitro_space_size(recording->space), count = 0;
    nitro_search_answer *answers = malloc(size * sizeof(*answers));
    nitro_counter_model *model = NULL;
    nitro_random random;
    nitro_random_seed(&random, 7);
    for (size_t c = 0; c < size; c++)
        if (nitro_random_uniform(&random) < share)
            answers[count++] = recording->answers[c];
    if (nitro_counter_model_fit(context, recording->space, answers, count,
                                (const char *const *)recording->counter_names,
                                recording->num_counters, kind, 1, &model) != NITRO_OK)
        model = NULL;
    free(answers);
    return model;
}

typedef struct profile_case {
    const char *space, *model; /* NULL: the space itself */
    double share;
    nitro_counter_model_kind kind;
    const char *method, *what;
    double published; /* evaluations by the prototype of the reference document */
} profile_case;

static const profile_case cases[] = {
    {"ktt_convolution/rtx_2080_ti", NULL, 1, NITRO_COUNTERS_EXACT, "profile", "exact counters",
     24.2},
    {"ktt_convolution/rtx_2080_ti", NULL, 1, NITRO_COUNTERS_TREES, "profile", "trees, a half",
     19.1},
    {"ktt_convolution/rtx_2080_ti", NULL, 1, NITRO_COUNTERS_TREES, "profile:reaction=0.5",
     "trees, a half, R 0.5", 13.1},
    {"ktt_convolution/rtx_2080_ti", NULL, 1, NITRO_COUNTERS_LEAST_SQUARES, "profile",
     "least squares", 19.1},
    {"ktt_coulomb3d/rtx_2080_ti", "ktt_coulomb3d/gtx_1070", 1, NITRO_COUNTERS_TREES, "profile",
     "trees of the 1070", 2.3},
    {"ktt_coulomb3d/gtx_1070", "ktt_coulomb3d/rtx_2080_ti", 1, NITRO_COUNTERS_TREES, "profile",
     "trees of the 2080 Ti", 5.9},
    {"ktt_coulomb3d/rtx_2080_ti", "ktt_coulomb3d/gtx_1070", 1, NITRO_COUNTERS_EXACT, "profile",
     "counters of the 1070", 2.3},
    {"ktt_coulomb3d/gtx_1070", "ktt_coulomb3d/rtx_2080_ti", 1, NITRO_COUNTERS_EXACT, "profile",
     "counters of the 2080 Ti", 5.9},
};

static int run_case(bench_report *report, nitro_context *context, const profile_case *wanted)
{
    simulated_space space, other = {0};
    simulated_method method;
    simulated_result result;
    char title[512];
    if (!read_space(context, wanted->space, &space) ||
        (wanted->model && !read_space(context, wanted->model, &other)) ||
        !simulated_method_parse(wanted->method, &method))
        return bench_fail("search: %s cannot be read", wanted->space);
    nitro_counter_model *model =
        fit(context, wanted->model ? &other : &space, wanted->share, wanted->kind);
    const simulated_task task = {.space = &space,
                                 .method = &method,
                                 .num_repeats = 8 * search_num_repeats(),
                                 .budget = 2000,
                                 .model = model,
                                 .until_close = true};
    bool done = model && simulate(&task, &result);
    if (done) {
        snprintf(title, sizeof(title), "%s, %s: evaluations to 10 %% (random %.1f)", wanted->space,
                 wanted->what, simulate_random(&space).to_close);
        bench_add(report, title, result.to_close, wanted->published, "", 0);
    }
    nitro_counter_model_free(model);
    simulated_space_free(&space);
    if (wanted->model)
        simulated_space_free(&other);
    return done ? 0 : bench_fail("search: no model of %s", wanted->space);
}

int search_bench_profile(bench_report *report, nitro_context *context)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && !failed; i++)
        failed = run_case(report, context, &cases[i]);
    return failed;
}
