/* auto.h - the state of the searcher "auto". Internal to search/. */
#ifndef NITRO_SEARCH_AUTO_H
#define NITRO_SEARCH_AUTO_H

#include "search/evaluated.h"
#include "search/lengths.h"

/** Observations that a process holds. */
#define AUTO_MAX_ROWS 512

typedef struct auto_observation {
    uint64_t configuration;
    double value; /* logarithm of the time; of an awaited one, what the process expects */
    bool valid;   /* or awaited */
    bool awaited; /* asked for, and not told yet */
} auto_observation;

typedef struct auto_search {
    nitro_context *context;
    const nitro_search_task *task;
    const nitro_space *space;
    nitro_random random;
    size_t num_parameters;
    double near_share; /* of the proposals: neighbours of the fastest, whatever the process says */
    double squash;     /* values above the median approach it plus this */
    uint64_t *initial; /* shape [num_initial]: starts, then a Latin hypercube sample */
    size_t num_initial, num_first; /* all; those before the first proposal */
    search_candidates candidates;
    bool *done; /* shape [capacity of the candidates]: asked for, or told */
    search_evaluated evaluated;
    auto_observation *observations; /* shape [capacity] */
    size_t num_observations, capacity;
    size_t num_valid, num_invalid, num_awaited; /* of the observations */

    search_lengths lengths;
    search_gp times;
    size_t rows[AUTO_MAX_ROWS];   /* the observation of each row of `times` */
    double values[AUTO_MAX_ROWS]; /* of the rows, squashed */
    size_t num_seen;              /* observations that are rows, or were left out */
    size_t next_fit;              /* valid observations at which the weights are fitted again */
    bool stale;                   /* a row turned out to be invalid */

    search_gp validity;
    size_t num_judged; /* observations that `validity` has, or were left out */
} auto_search;

/** Bring both processes up to date with the observations. */
nitro_status auto_update(auto_search *self);
/** Position of the candidate not done with the greatest expected improvement, or NITRO_NONE.
 *  @param[out] expected  the value that the process expects there. */
size_t auto_propose(const auto_search *self, double *expected);
/** A random one of the candidates that differ in one parameter from one of the fastest, or
 * NITRO_NONE. */
size_t auto_propose_near(auto_search *self);
/** A random configuration that was not asked for, of those likely to be valid. */
uint64_t auto_draw(auto_search *self);

#endif
