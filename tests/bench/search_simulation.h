/* search_simulation.h - searches over recorded spaces, and their figures, for bench_search.c. */
#ifndef NITRO_BENCH_SEARCH_SIMULATION_H
#define NITRO_BENCH_SEARCH_SIMULATION_H

#include "nitro/nitro_backend.h"

/** Evaluations of a search, unless it ends by itself. */
#define SIMULATED_BUDGET 220

/** A method as "NAME" or "NAME:option=value,...". */
typedef struct simulated_method {
    const nitro_searcher *searcher;
    const char *options[16]; /* values, in the order of its table */
    char text[256];
} simulated_method;

/** False, with a message, where the searcher or an option is unknown. */
bool simulated_method_parse(const char *text, simulated_method *method);

typedef struct simulated_space {
    nitro_recording *recording;
    size_t num_valid;
    double *sorted_ms; /* shape [num_valid], ascending */
    double *costs_ms;  /* shape [size]: of an evaluation, the median where unknown */
    double mean_cost_ms, median_cost_ms;
} simulated_space;

bool simulated_space_read(nitro_context *context, const char *path, simulated_space *space);
void simulated_space_free(simulated_space *space);

typedef struct simulated_task {
    const simulated_space *space;
    const simulated_method *method;
    size_t num_repeats, budget;
    const uint64_t *starts;
    size_t num_starts;
    const nitro_counter_model *model;
    bool until_close; /* stop within 10 % of the best */
} simulated_task;

/** What the repeats found. */
typedef struct simulated_result {
    double at[4]; /* mean best after 20, 50, 100 and 220 evaluations */
    double at_error[4];
    double mae, mae_error; /* over 40, 60 .. 220 */
    double to_close;       /* mean evaluations until within 10 % */
    double step_ms;        /* processor time a question */
    double score;          /* the community's P, of searches of this budget */
} simulated_result;

/** Repeats run on all cores; the figures do not depend on how many. */
bool simulate(const simulated_task *task, simulated_result *result);

/** The same for exact random search: at, mae and to_close. */
simulated_result simulate_random(const simulated_space *space);

#endif
