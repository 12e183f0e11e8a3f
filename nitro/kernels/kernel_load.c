/* Kernels that this process has compiled and loaded, once for each place (a stream or a context);
 * they stay until it ends, as a CUDA runtime's modules do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/kernel.h"

/* Values that a kernel shall run with in this process. */
typedef struct configured_kernel {
    struct configured_kernel *next;
    const nitro_kernel *kernel;
    nitro_string_list values; /* by parameter; empty: the best known or the usual ones */
} configured_kernel;

static struct {
    nitro_lock lock;
    kernel_target *targets;
    loaded_kernel *loaded;
    configured_kernel *configured;
} here;

const nitro_kernel_backend *nitro_kernel_backend_find(const char *name)
{
    const nitro_kernel_backend *const *each = nitro_builtin_kernel_backends();
    while (*each && (!name || strcmp((*each)->name, name) != 0))
        each++;
    return *each;
}

nitro_status nitro_kernel_check(nitro_context *context, const nitro_kernel *kernel,
                                const nitro_kernel_backend **backend)
{
    const char *origin = kernel->origin ? kernel->origin : "a kernel";
    const char *missing = !kernel->kit       ? "kit"
                          : !kernel->backend ? "backend"
                          : !kernel->source  ? "source"
                                             : NULL;
    if (missing)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: nitro_kernel.%s is NULL", origin,
                          missing);
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++)
        if (!kernel->parameters[p].values || !kernel->parameters[p].usual)
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "%s: parameter %s needs `values`, and the `usual` one of them",
                              origin, kernel->parameters[p].name);
    *backend = nitro_kernel_backend_find(kernel->backend);
    return *backend ? NITRO_OK
                    : nitro_fail(context, NITRO_ERR_NOT_FOUND,
                                 "%s: unknown backend '%s' of kernels", origin, kernel->backend);
}

static const void *place_of(const nitro_kernel_backend *backend, void *stream)
{
    return backend && backend->place ? backend->place(stream) : stream;
}

static nitro_status open_target(nitro_context *context, const nitro_kernel_backend *backend,
                                void *stream, kernel_target **target)
{
    const void *place = place_of(backend, stream);
    for (kernel_target *each = here.targets; each; each = each->next)
        if (each->backend == backend && each->place == place) {
            *target = each;
            return NITRO_OK;
        }
    kernel_target *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->backend = backend;
    made->place = place;
    nitro_status status = backend->open(context, NULL, stream, &made->target);
    if (status != NITRO_OK) {
        free(made);
        return status;
    }
    made->next = here.targets;
    here.targets = made;
    *target = made;
    return NITRO_OK;
}

/* ---- Configurations ---- */

static configured_kernel *find_configured(const nitro_kernel *kernel)
{
    configured_kernel *each = here.configured;
    while (each && each->kernel != kernel)
        each = each->next;
    return each;
}

/* Frees what was loaded: it has other values. */
static void unload(const nitro_kernel *kernel)
{
    for (loaded_kernel **at = &here.loaded; *at;) {
        loaded_kernel *each = *at;
        if (each->kernel != kernel) {
            at = &each->next;
            continue;
        }
        void *functions[NITRO_KERNEL_MAX_STEPS];
        for (size_t s = 0; s < each->num_steps; s++)
            functions[s] = each->steps[s].function;
        *at = each->next;
        if (!each->error)
            each->on->backend->unload(each->program, functions, each->num_steps);
        nitro_kernel_free_parsed(each);
        free(each->error);
        free(each);
    }
}

static nitro_status configure(nitro_context *context, const nitro_kernel *kernel,
                              const char *const *values)
{
    configured_kernel *configured = find_configured(kernel);
    nitro_string_list copies = {0};
    nitro_status status = NITRO_OK;
    if (!configured) {
        configured = nitro_calloc(context, 1, sizeof(*configured));
        if (!configured)
            return NITRO_ERR_NO_MEMORY;
        configured->kernel = kernel;
        configured->next = here.configured;
        here.configured = configured;
    }
    for (size_t p = 0; values && p < nitro_kernel_num_parameters(kernel) && status == NITRO_OK; p++)
        status = nitro_string_list_add(context, &copies, values[p]);
    if (status != NITRO_OK) {
        nitro_string_list_free(&copies);
        return status;
    }
    nitro_string_list_free(&configured->values);
    configured->values = copies;
    unload(kernel);
    return NITRO_OK;
}

nitro_status nitro_kernel_configure(nitro_context *context, const nitro_kernel *kernel,
                                    const char *const *values)
{
    nitro_lock_acquire(&here.lock);
    nitro_status status = configure(context, kernel, values);
    nitro_lock_release(&here.lock);
    return status;
}

/* Does this constraint exclude the configuration by itself? */
static bool excludes(nitro_context *context, const nitro_kernel *kernel, const char *where,
                     const nitro_kernel_target *target, const char *const *values)
{
    nitro_kernel one = {.origin = kernel->origin, .where = {where}};
    char lists[NITRO_KERNEL_MAX_PARAMETERS][64];
    nitro_space *space = NULL;
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++) {
        const char *quote = strpbrk(kernel->parameters[p].values, "'\"") ? "'" : "";
        snprintf(lists[p], sizeof(lists[p]), "[%s%.58s%s]", quote, values[p], quote);
        one.parameters[p] =
            (nitro_kernel_parameter){kernel->parameters[p].name, lists[p], values[p]};
    }
    nitro_status status = nitro_kernel_space(context, &one, target->limits, &space);
    nitro_space_free(space);
    return status != NITRO_OK;
}

static nitro_status fail_excluded(nitro_context *context, const nitro_kernel *kernel,
                                  const nitro_kernel_target *target, const char *const *values)
{
    size_t w = 0;
    while (w < NITRO_KERNEL_MAX_WHERE && kernel->where[w] &&
           !excludes(context, kernel, kernel->where[w], target, values))
        w++;
    char *text = nitro_kernel_values_text(context, kernel, values, "=", " ");
    nitro_status status = nitro_fail(
        context, NITRO_ERR_ARGUMENT, "%s: %s violates the constraint '%s' (%s %g, %s %g, %s %g)",
        kernel->origin, text ? text : "this configuration",
        w < NITRO_KERNEL_MAX_WHERE && kernel->where[w] ? kernel->where[w] : "",
        nitro_kernel_limit_names[0], target->limits[0], nitro_kernel_limit_names[1],
        target->limits[1], nitro_kernel_limit_names[2], target->limits[2]);
    free(text);
    return status;
}

/* The numbers of these values; they must be of the kernel's space on this device. */
static nitro_status check_values(nitro_context *context, const nitro_kernel *kernel,
                                 const nitro_kernel_target *target, const char *const *values,
                                 double *numbers)
{
    uint16_t indices[NITRO_MAX_PARAMETERS] = {0};
    nitro_space *space = NULL;
    nitro_status status = nitro_kernel_space(context, kernel, target->limits, &space);
    if (status != NITRO_OK)
        return status;
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel) && status == NITRO_OK; p++) {
        const nitro_parameter *parameter = nitro_space_parameter(space, p);
        size_t v = 0;
        while (v < parameter->num_values && strcmp(parameter->values[v].text, values[p]) != 0)
            v++;
        if (v == parameter->num_values) {
            status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                                "%s: parameter %s has no value %.40s: its values are %.200s",
                                kernel->origin, parameter->name, values[p],
                                kernel->parameters[p].values);
            break;
        }
        indices[p] = (uint16_t)v;
        numbers[p] = parameter->values[v].number;
    }
    if (status == NITRO_OK && nitro_space_find(space, indices) == NITRO_NO_CONFIGURATION)
        status = fail_excluded(context, kernel, target, values);
    nitro_space_free(space);
    return status;
}

/* Those of this process, else the best known for the device, else the usual ones. A best one that
 * is no longer in the space does not count. */
static nitro_status choose_values(nitro_context *context, const nitro_kernel *kernel,
                                  const nitro_kernel_target *target, char **kept,
                                  const char **values, double *numbers, bool *is_configured)
{
    const configured_kernel *configured = find_configured(kernel);
    size_t num_parameters = nitro_kernel_num_parameters(kernel);
    *is_configured = configured && configured->values.count > 0;
    if (*is_configured) {
        memcpy(values, configured->values.items, num_parameters * sizeof(*values));
        return check_values(context, kernel, target, values, numbers);
    }
    if (nitro_kernel_read_best(context, kernel, target, kept)) {
        memcpy(values, kept, num_parameters * sizeof(*values));
        if (check_values(context, kernel, target, values, numbers) == NITRO_OK)
            return NITRO_OK;
    }
    for (size_t p = 0; p < num_parameters; p++)
        values[p] = kernel->parameters[p].usual;
    return check_values(context, kernel, target, values, numbers);
}

nitro_status nitro_kernel_choose_values(nitro_context *context, const nitro_kernel *kernel,
                                        const nitro_kernel_target *target, char **kept,
                                        const char **values, double *numbers, bool *is_configured)
{
    nitro_lock_acquire(&here.lock);
    nitro_status status =
        choose_values(context, kernel, target, kept, values, numbers, is_configured);
    nitro_lock_release(&here.lock);
    return status;
}

/* ---- Loading ---- */

/* An image in the cache that the device refuses is compiled again: drivers change. */
static nitro_status load_image(nitro_context *context, loaded_kernel *loaded,
                               const char *const *values)
{
    const nitro_kernel_backend *backend = loaded->on->backend;
    const nitro_kernel_target *target = &loaded->on->target;
    const char *entries[NITRO_KERNEL_MAX_STEPS];
    void *functions[NITRO_KERNEL_MAX_STEPS];
    nitro_status status = NITRO_ERR_FORMAT;
    double compile_ms = 0;
    for (size_t s = 0; s < loaded->num_steps; s++)
        entries[s] = loaded->kernel->steps[s].entry;
    for (int i = 0; i < 2 && status == NITRO_ERR_FORMAT && compile_ms == 0; i++) {
        void *image = NULL;
        size_t bytes = 0;
        status = nitro_kernel_make_image(context, backend, target, loaded->kernel, values, i == 0,
                                         &image, &bytes, &compile_ms);
        if (status != NITRO_OK)
            return status;
        status = backend->load(context, target, image, bytes, entries, loaded->num_steps,
                               &loaded->program, functions);
        free(image);
    }
    for (size_t s = 0; s < loaded->num_steps && status == NITRO_OK; s++)
        loaded->steps[s].function = functions[s];
    return status;
}

/* Source, launches or configuration are wrong, or there is no compiler: the next call would compile
 * in vain again. Memory and disks may be there then. */
static bool is_lasting(nitro_status status)
{
    return status == NITRO_ERR_FORMAT || status == NITRO_ERR_NOT_FOUND ||
           status == NITRO_ERR_ARGUMENT;
}

static nitro_status load(nitro_context *context, loaded_kernel *made)
{
    const nitro_kernel_target *target = &made->on->target;
    const char *values[NITRO_KERNEL_MAX_PARAMETERS];
    char *kept[NITRO_KERNEL_MAX_PARAMETERS] = {NULL};
    char error[NITRO_KIT_PROBLEM_BYTES];
    bool is_configured;
    nitro_status status = choose_values(context, made->kernel, target, kept, values,
                                        made->parameters, &is_configured);
    if (status == NITRO_OK)
        status = nitro_kernel_parse(context, made);
    if (status == NITRO_OK)
        status = load_image(context, made, values);
    for (size_t p = 0; p < NITRO_KERNEL_MAX_PARAMETERS; p++)
        free(kept[p]);
    if (is_lasting(status)) {
        nitro_context_last_error(context, error, sizeof(error));
        made->error = nitro_strdup(context, error);
    }
    made->status = status;
    return status;
}

static loaded_kernel *find(const nitro_kernel *kernel, void *stream)
{
    const void *place = place_of(nitro_kernel_backend_find(kernel->backend), stream);
    loaded_kernel *each = here.loaded;
    while (each && (each->kernel != kernel || each->on->place != place))
        each = each->next;
    return each;
}

loaded_kernel *nitro_kernel_find_loaded(const nitro_kernel *kernel, void *stream)
{
    nitro_lock_acquire(&here.lock);
    loaded_kernel *found = find(kernel, stream);
    nitro_lock_release(&here.lock);
    return found && !found->error ? found : NULL;
}

static nitro_status load_once(nitro_context *context, const nitro_kernel *kernel, void *stream,
                              loaded_kernel **loaded)
{
    const nitro_kernel_backend *backend;
    kernel_target *target = NULL;
    loaded_kernel *made = find(kernel, stream);
    if (made && made->error)
        return nitro_fail(context, made->status, "%s", made->error);
    if (made) {
        *loaded = made;
        return NITRO_OK;
    }
    nitro_status status = nitro_kernel_check(context, kernel, &backend);
    if (status == NITRO_OK)
        status = open_target(context, backend, stream, &target);
    if (status == NITRO_OK && !backend->load)
        status = nitro_fail(context, NITRO_ERR_UNSUPPORTED, "%s: the backend '%s' only compiles",
                            kernel->origin, kernel->backend);
    if (status != NITRO_OK)
        return status;
    made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->kernel = kernel;
    made->on = target;
    status = load(context, made);
    if (status != NITRO_OK && !made->error) {
        nitro_kernel_free_parsed(made);
        free(made);
        return status;
    }
    made->next = here.loaded;
    here.loaded = made;
    if (status == NITRO_OK)
        *loaded = made;
    return status;
}

nitro_status nitro_kernel_load(nitro_context *context, const nitro_kernel *kernel, void *stream,
                               loaded_kernel **loaded)
{
    nitro_lock_acquire(&here.lock);
    nitro_status status = load_once(context, kernel, stream, loaded);
    nitro_lock_release(&here.lock);
    return status;
}
