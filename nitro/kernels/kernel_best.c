/* The best configuration that is known of a kernel on a device: a line in the cache's folder, such
 * as "BLOCK=64 LANES=8", in a file for each source, its options, compiler and device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/kernel.h"
#include "nitro/runtime/computation.h"

#define MAX_LINE_BYTES  4096
#define TARGET_LIMIT_MS 60e3

const nitro_kernel *nitro_kernel_of(const nitro_computation *computation, size_t variant)
{
    bool is_kernel = variant < nitro_computation_num_variants(computation) &&
                     computation->variants[variant].run == nitro_kernel_run;
    return is_kernel ? computation->variants[variant].user : NULL;
}

/* ---- Which device ---- */

typedef struct target_question {
    const nitro_kernel_backend *backend;
    const char *device;
} target_question;

/* Three numbers, then the identity. */
static nitro_status answer_target(nitro_context *context, void *state, char **answer)
{
    const target_question *question = state;
    const nitro_device_kind *kind = nitro_device_kind_find(context, question->backend->device_kind);
    nitro_device_session *session = NULL;
    nitro_kernel_target target = {.identity = ""};
    nitro_status status = NITRO_OK;
    if (question->device && kind && kind->access && kind->access->open)
        status = kind->access->open(context, question->device, &session);
    if (status == NITRO_OK)
        status = question->backend->open(context, NULL, NULL, &target);
    if (status == NITRO_OK)
        *answer = nitro_asprintf(context, "%.17g %.17g %.17g %s", target.limits[0],
                                 target.limits[1], target.limits[2], target.identity);
    return status == NITRO_OK && !*answer ? NITRO_ERR_NO_MEMORY : status;
}

nitro_status nitro_kernel_ask_target(nitro_context *context, const nitro_kernel *kernel,
                                     const char *device, nitro_kernel_target *target)
{
    target_question question = {.device = device};
    char *answer = NULL, *at;
    nitro_status status = nitro_kernel_check(context, kernel, &question.backend);
    if (status == NITRO_OK)
        status = nitro_child_run(context, "asking for a compiler", TARGET_LIMIT_MS, answer_target,
                                 &question, &answer);
    if (status != NITRO_OK)
        return status;
    *target = (nitro_kernel_target){.identity = ""};
    at = answer;
    for (size_t i = 0; i < KERNEL_NUM_LIMITS; i++)
        target->limits[i] = strtod(at, &at);
    snprintf(target->identity, sizeof(target->identity), "%s", *at ? at + 1 : at);
    free(answer);
    return NITRO_OK;
}

/* ---- The file ---- */

static char *best_path(nitro_context *context, const nitro_kernel *kernel, const char *identity)
{
    char *folder = NULL, *path = NULL;
    const char *options = kernel->options ? kernel->options : "";
    if (nitro_kernel_cache_folder(context, &folder) == NITRO_OK) {
        uint64_t hash = nitro_hash(identity, strlen(identity), 3);
        hash = nitro_hash(options, strlen(options), hash);
        for (size_t s = 0; s < nitro_kernel_num_steps(kernel); s++)
            hash = nitro_hash(kernel->steps[s].entry, strlen(kernel->steps[s].entry), hash);
        hash = nitro_hash(kernel->source, strlen(kernel->source), hash);
        path = nitro_asprintf(context, "%s/best-%016llx", folder, (unsigned long long)hash);
    }
    free(folder);
    return path;
}

nitro_status nitro_kernel_keep_best(nitro_context *context, const nitro_kernel *kernel,
                                    const nitro_kernel_target *target, const char *const *values)
{
    char *path = best_path(context, kernel, target->identity);
    char *line = path ? nitro_kernel_values_text(context, kernel, values, "=", " ") : NULL;
    nitro_status status = line   ? nitro_file_write(context, path, line, strlen(line))
                          : path ? NITRO_ERR_NO_MEMORY
                                 : nitro_fail(context, NITRO_ERR_IO,
                                              "the best configuration of %s is not kept: no "
                                              "folder; name one by NITRO_KERNEL_CACHE",
                                              kernel->origin);
    free(line);
    free(path);
    return status;
}

/* Where a parameter begins in "NAME=VALUE NAME=VALUE", or NULL. */
static const char *find_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || at[-1] == ' ') && at[length] == '=')
            return at;
    return NULL;
}

/* Up to the next parameter: a value may have spaces. */
static size_t value_length(const nitro_kernel *kernel, const char *value)
{
    size_t length = strcspn(value, "\n");
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++) {
        const char *next = find_name(value, kernel->parameters[p].name);
        if (next > value && (size_t)(next - value) <= length)
            length = (size_t)(next - value) - 1;
    }
    return length;
}

bool nitro_kernel_read_best(nitro_context *context, const nitro_kernel *kernel,
                            const nitro_kernel_target *target, char **values)
{
    char *path = best_path(context, kernel, target->identity), *text = NULL;
    size_t size = 0, num_parameters = nitro_kernel_num_parameters(kernel);
    bool is_read = path && num_parameters > 0 &&
                   nitro_file_read_regular(context, path, MAX_LINE_BYTES, &text, &size) == NITRO_OK;
    for (size_t p = 0; p < num_parameters && is_read; p++) {
        const char *name = kernel->parameters[p].name, *at = find_name(text, name);
        const char *value = at ? at + strlen(name) + 1 : NULL;
        values[p] = value ? strndup(value, value_length(kernel, value)) : NULL;
        is_read = values[p] != NULL;
    }
    free(text);
    free(path);
    return is_read;
}

char *nitro_kernel_known_text(nitro_context *context, const nitro_kernel *kernel,
                              const nitro_kernel_target *target)
{
    char *kept[NITRO_KERNEL_MAX_PARAMETERS] = {NULL}, *text = NULL;
    const char *values[NITRO_KERNEL_MAX_PARAMETERS];
    size_t num_parameters = nitro_kernel_num_parameters(kernel);
    bool is_known = !target || nitro_kernel_read_best(context, kernel, target, kept);
    for (size_t p = 0; p < num_parameters; p++)
        values[p] = target ? kept[p] : kernel->parameters[p].usual;
    if (is_known)
        text = nitro_kernel_values_text(context, kernel, values, "=", " ");
    for (size_t p = 0; p < num_parameters; p++)
        free(kept[p]);
    return text;
}
