/* score.h - what scores of searchers share. Internal to nitro/. */
#ifndef NITRO_SEARCH_SCORE_H
#define NITRO_SEARCH_SCORE_H

#include "nitro/nitro_backend.h"

/** The distribution of a recorded space. */
typedef struct score_space {
    const nitro_recording *recording;
    uint64_t size, num_valid;
    double *sorted; /* shape [num_valid]: times, ascending */
    double best_ms;
    double median_cost_ms; /* of an evaluation */
    double mean_cost_ms;   /* of a valid one, plus the share of invalid ones times their mean */
} score_space;

/** NITRO_ERR_NO_DATA: no configuration has a time. */
nitro_status score_space_read(nitro_context *context, const nitro_recording *recording,
                              score_space *space);
void score_space_free(score_space *space);

/** Expected best time of `count` evaluations drawn without replacement, given that one is valid. */
double score_random_best(const score_space *space, uint64_t count);

/** Evaluations until random search gets `cutoff` of the way from the median to the optimum. */
uint64_t score_budget(const score_space *space, double cutoff);

/** What a search has spent and found after one of its answers. */
typedef struct score_point {
    uint64_t evaluations;
    double seconds, best_ms; /* NaN: no valid configuration yet */
} score_point;

/** One simulated search. */
typedef struct score_run {
    size_t count;
    score_point *points; /* shape [count], ascending */
    uint64_t num_evaluations;
    double cpu_ms; /* of choosing, all steps */
} score_run;

size_t score_repetitions(const nitro_search_trial *trial);
/** Simulate the searches of a trial. @param[out] runs  shape [score_repetitions]. */
nitro_status score_simulate(nitro_context *context, const score_space *space,
                            const nitro_search_trial *trial, score_run **runs);
void score_runs_free(score_run *runs, size_t count);

/** The community's performance score of simulated searches. */
nitro_status score_community(nitro_context *context, const score_space *space,
                             const score_run *runs, size_t num_runs, double *score);

#endif
