/* evaluate_searchers.h - how well searchers find the best configuration of recorded spaces. */
#ifndef NITRO_APPS_CLI_SEARCH_EVALUATE_SEARCHERS_H
#define NITRO_APPS_CLI_SEARCH_EVALUATE_SEARCHERS_H

#include "apps/cli/options.h"

typedef struct searcher_evaluation {
    const nitro_string_list *searchers; /* "NAME:OPTION=VALUE:..."; empty: all */
    const nitro_string_list *recorded;  /* files */
    uint64_t seed, repeats, max_evaluations, threads;
    bool json;
} searcher_evaluation;

/** Simulate, and print. */
int evaluate_searchers(invocation *call, const searcher_evaluation *given);

#endif
