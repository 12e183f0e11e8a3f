/* given_features.h - an input's features, as a command line gives them: values, or a file. */
#ifndef NITRO_APPS_CLI_GIVEN_FEATURES_H
#define NITRO_APPS_CLI_GIVEN_FEATURES_H

#include "apps/cli/load_module.h"

/** Rows of a command's table; the members are called as the options. */
#define OPTION_FEATURES                                                                            \
    OPTION(LIST, "features", features, "NAME=VALUE,...",                                           \
           "a value for every input feature of the model, in any order; may be repeated")
#define OPTION_INPUT                                                                               \
    OPTION(TEXT, "input", input, "FILE",                                                           \
           "instead: an input file, whose features the computation's code evaluates")
#define ARGUMENT_EVALUATES                                                                         \
    {                                                                                              \
        .name = "COMPUTATION",                                                                     \
        .help = "with --input: a built-in computation, or the path of a shared object with one "   \
                "(default: the model's, else the built-in one that has all its features)",         \
        .optional = true                                                                           \
    }

/** Is one of --features and --input given, and not both? To be asked before a model is loaded. */
int features_check(const invocation *call, const nitro_string_list *items, const char *input);

/** Check --features and --input, load the model and ask it; the exit code. */
int features_ask_model(invocation *call, const nitro_string_list *items, const char *input,
                       const char *path, int (*ask)(const invocation *, const nitro_model *));

/**
 * The model's input features from --features or --input, after features_check. What is wrong is
 * printed.
 * @param[in]  items   "NAME=VALUE": one for every feature.
 * @param[in]  input   or the path of an input file; NULL: none.
 * @param[out] values  shape [NITRO_MAX_FEATURES], in the model's order.
 */
int features_given(const invocation *call, const nitro_model *model, const nitro_string_list *items,
                   const char *input, double *values);

/**
 * Pick a model's input features by name from those that a computation's code evaluates.
 * @param[in]  evaluated  shape [number of the computation's features].
 * @param[in]  remedy     what to do where one is missing, for the message.
 * @param[out] values     shape [NITRO_MAX_FEATURES], in the model's order.
 */
int features_pick(const invocation *call, const nitro_model *model, const loaded_module *loaded,
                  const double *evaluated, const char *remedy, double *values);

#endif
