/* evaluate_searchers.h - how well searchers find the best configuration of recorded spaces. */
#ifndef NITRO_APPS_CLI_SEARCH_EVALUATE_SEARCHERS_H
#define NITRO_APPS_CLI_SEARCH_EVALUATE_SEARCHERS_H

#include "apps/cli/options.h"

/** What `nitro evaluate` is given. */
typedef struct evaluate_settings {
    common_settings common;
    const char *store, *train, *test, *group_by, *format, *curve, *picture;
    nitro_string_list targets, sources, exclude, methods, measure;
    nitro_string_list searchers; /* "NAME:OPTION=VALUE:..."; empty: all */
    nitro_string_list recorded;  /* files */
    double train_fraction, uses;
    uint64_t seed, threads, repeats, max_evaluations;
    uint64_t portfolio; /* configurations at most; 0: searchers are evaluated, or methods */
    const char *cases; /* of a portfolio, instead of recorded files: a CSV with the columns file and
                          device, optionally input, and the inputs' features; or NULL */
    const char *space; /* its description; NULL: the first file's configurations */
    const char *name;  /* of the computation to store it as; NULL: it is only printed */
    const char *size_feature;
    bool extrapolate, without_generation;
} evaluate_settings;

/** Simulate searches of the recorded files, and print. */
int evaluate_searchers(invocation *call);

#endif
