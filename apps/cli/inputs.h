/* inputs.h - the inputs that a command line names: files and generated ones. */
#ifndef NITRO_APPS_CLI_INPUTS_H
#define NITRO_APPS_CLI_INPUTS_H

#include "apps/cli/load_module.h"

/** How an input is made, when it is its turn. */
typedef struct input_source {
    const nitro_module *module;
    const char *path; /* NULL: generated */
    uint64_t seed;
    size_t index;
} input_source;

/** Inputs `first` to `first + count - 1` of those that a module generates from a seed. */
typedef struct generated_range {
    uint64_t seed;
    size_t first, count;
} generated_range;

/**
 * Generated inputs shall reach beyond the caches of these devices, unless the user set how far.
 * Modelled devices and hosts keep to this machine's.
 */
int inputs_follow(const invocation *call, const nitro_module *module, nitro_device *const *devices,
                  size_t num_devices);

/** Inputs in the order in which they were named, files first. */
typedef struct input_set {
    size_t count;
    nitro_input *inputs;   /* shape [count] */
    input_source *sources; /* shape [count] */
    nitro_string_list names;
} input_set;

/**
 * Name all inputs; none is read or generated yet. A file's name in the store is the last
 * `name_parts` parts of its path without the extension, so that it does not depend on the machine;
 * two files of one name are refused.
 */
int inputs_make(const invocation *call, const nitro_module *module, const nitro_string_list *files,
                generated_range generated, size_t name_parts, input_set *set);
/** The same of one input: a file, or with `path` NULL input `index` of the generated ones. */
int inputs_make_one(const invocation *call, const nitro_module *module, const char *path,
                    uint64_t seed, uint64_t index, input_set *set);
/**
 * Keep every Nth input from the Ith, as "I/N" says; NULL: all. The N shards of one set have each
 * input once, and differ in size by one at most.
 */
int inputs_keep_shard(const invocation *call, const char *shard, input_set *set);
void inputs_free(input_set *set);

/** Read or generate one input now, in this process. */
nitro_status input_load(const invocation *call, const input_source *source, void **input);
/** Evaluate its features, in this process too. */
nitro_status input_evaluate(const invocation *call, const input_source *source,
                            nitro_computation *computation, const void *input, double *features);

#endif
