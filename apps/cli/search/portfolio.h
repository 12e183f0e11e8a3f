/* portfolio.h - a few configurations that serve several recorded inputs and devices. */
#ifndef NITRO_APPS_CLI_SEARCH_PORTFOLIO_H
#define NITRO_APPS_CLI_SEARCH_PORTFOLIO_H

#include "apps/cli/options.h"

/** What `nitro evaluate --portfolio` is given. */
typedef struct portfolio_request {
    const nitro_string_list *recorded; /* files: each one a case, on the device that it names */
    const char *cases; /* instead: a CSV with the columns file and device, optionally input, and the
                          inputs' features; or NULL */
    const char *space; /* its description; NULL: the first file's configurations */
    size_t most;       /* configurations */
    const char *name;  /* of the computation to store them as; NULL: they are only printed */
    const char *store; /* URL; NULL: the default one */
    bool json;
} portfolio_request;

/** Inputs on devices, and the times of configurations there. */
typedef struct portfolio_cases {
    size_t count, num_features;
    nitro_recording **recordings; /* shape [count] */
    nitro_string_list files, devices, inputs;
    nitro_string_list feature_names; /* num_features of them */
    double *features;                /* shape [count x num_features] */
} portfolio_cases;

/** Choose configurations, print them, and store them if a name is given. */
int portfolio_choose(invocation *call, const portfolio_request *request);

/** Store a portfolio as the variants NAME.1, NAME.2, ... of the computation NAME, whose versions
 * are the configurations, and a sample of each case. */
int portfolio_store(invocation *call, const portfolio_request *request,
                    const portfolio_cases *cases, const nitro_portfolio *portfolio);

/**
 * The configurations of a portfolio in the order in which a model ranks them.
 * @param[in]  features  "NAME=VALUE": the model's input features, if it has any.
 * @param[out] starts    shape [NITRO_MAX_PORTFOLIO]
 */
int portfolio_starts(invocation *call, const char *store, const char *model_path,
                     const nitro_string_list *features, const nitro_space *space, uint64_t *starts,
                     size_t *count);

#endif
