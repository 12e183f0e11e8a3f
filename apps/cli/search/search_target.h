/* search_target.h - the space that a command line names, and what evaluates it. */
#ifndef NITRO_APPS_CLI_SEARCH_SEARCH_TARGET_H
#define NITRO_APPS_CLI_SEARCH_SEARCH_TARGET_H

#include <jansson.h>

#include "apps/cli/inputs.h"
#include "nitro/kernels.h"

typedef struct search_target {
    const nitro_space *space;
    nitro_space *owned_space;
    nitro_recording *recording; /* NULL: the evaluator measures */
    nitro_evaluator evaluator;
    char name[64];       /* of the computation: the file's name without its extensions */
    const char *version; /* of the code; NULL: unknown */
    char code_version[24];
    const char *device; /* that was recorded */
    /* Of a variant, COMPUTATION:VARIANT. */
    loaded_module loaded;
    input_set inputs;
    const nitro_kernel *kernel;
    nitro_kernel_target compiler;
} search_target;

/** What evaluates a variant. */
typedef struct search_place {
    const char *device, *input; /* an id; a file, or NULL: a generated input */
    uint64_t generated, seed;   /* its number, and the seed of all */
} search_place;

/**
 * Open a space with its evaluator.
 * @param[in] path      a description, a shared object, COMPUTATION:VARIANT, or NULL: the
 * recording's configurations.
 * @param[in] recorded  a file of evaluations, or NULL.
 */
int search_target_open(const invocation *call, const char *path, const char *recorded,
                       const search_place *place, const nitro_measure_options *options,
                       search_target *target);
/** Of a variant: the configuration that processes run on the device now, and the usual one.
 *  NITRO_NO_CONFIGURATION: none is kept, or the space has it not. */
void search_target_starts(const invocation *call, const search_target *target, uint64_t *kept,
                          uint64_t *usual);
/** Of a variant: later processes run it in this configuration on the device. */
int search_target_keep_best(const invocation *call, const search_target *target, uint64_t best);
void search_target_close(search_target *target);

/** Names and values of the parameters. */
json_t *configuration_json(const nitro_space *space, uint64_t configuration);

/** Put the name of the file in front of the error, if `status` is one. @return status */
nitro_status search_error_in(nitro_context *context, const char *path, nitro_status status);
/** A searcher as it is named: "NAME:OPTION=VALUE:...". */
typedef struct named_searcher {
    const char *text; /* borrowed */
    const nitro_searcher *searcher;
    char *options; /* as the searcher takes them; NULL: defaults. Owned */
} named_searcher;
/** Look it up. What is wrong is printed. */
int searcher_find(const invocation *call, const char *text, named_searcher *found);
/** Searchers with their options, for help. */
size_t searchers_list(help_item *items, size_t most);

#endif
