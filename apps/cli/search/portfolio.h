/* portfolio.h - a few configurations that serve several recorded inputs and devices. */
#ifndef NITRO_APPS_CLI_SEARCH_PORTFOLIO_H
#define NITRO_APPS_CLI_SEARCH_PORTFOLIO_H

#include "apps/cli/search/evaluate_searchers.h"

/** Inputs on devices, and the times of configurations there. */
typedef struct portfolio_cases {
    size_t count, num_features;
    nitro_recording **recordings; /* shape [count] */
    nitro_string_list files, devices, inputs;
    nitro_string_list feature_names; /* num_features of them */
    double *features;                /* shape [count x num_features] */
} portfolio_cases;

/** Choose the configurations that `nitro evaluate --portfolio` asks for, print them, and store them
 *  if a name is given. */
int portfolio_choose(invocation *call);

/** Store a portfolio as the variants NAME.1, NAME.2, ... of the computation NAME, whose versions
 * are the configurations, and a sample of each case. */
int portfolio_store(invocation *call, const portfolio_cases *cases,
                    const nitro_portfolio *portfolio);

/**
 * The configurations of a portfolio in the order in which a model ranks them.
 * @param[in]  features  "NAME=VALUE": the model's input features, if it has any.
 * @param[out] starts    shape [NITRO_MAX_PORTFOLIO]
 */
int portfolio_starts(invocation *call, const char *store, const char *model_path,
                     const nitro_string_list *features, const nitro_space *space, uint64_t *starts,
                     size_t *count);

#endif
