/* measure_target.h - a few inputs measured on the target of a tune-from-source, when the library
 * asks for them. */
#ifndef NITRO_APPS_CLI_COMMANDS_MEASURE_TARGET_H
#define NITRO_APPS_CLI_COMMANDS_MEASURE_TARGET_H

#include "apps/cli/inputs.h"
#include "apps/cli/output.h"

/** What can be measured; samples go into the store that the invocation has open. */
typedef struct target_measuring {
    invocation *call;
    loaded_module loaded;
    input_set inputs;
    const char *target;
    progress_line progress;
} target_measuring;

/** Open the target's module and name the inputs. Free with target_measuring_end, whatever is
 * returned. */
int target_measuring_begin(invocation *call, const char *target, const nitro_string_list *files,
                           generated_range generated, size_t name_parts,
                           target_measuring *measuring);
void target_measuring_end(target_measuring *measuring);

/** Tell the library what can be measured, and how. */
void target_measuring_offer(target_measuring *measuring, const char *target,
                            nitro_learn_options *options);

#endif
