/* search_target.c - opens a space from a description, a shared object or recorded evaluations. */
#include "apps/cli/search/search_target.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

/* The file's name without folder and extensions, as far as it is a valid name. */
static void name_after(const char *path, char *name, size_t size)
{
    snprintf(name, size, "%s", basename(path));
    name[strcspn(name, ".")] = '\0';
    if (!nitro_name_is_valid(name))
        snprintf(name, size, "space");
}

static int open_recorded(const invocation *call, const char *recorded, search_target *target)
{
    if (nitro_recording_read(call->context, recorded, target->owned_space, &target->recording) !=
        NITRO_OK)
        return fail(call);
    target->space = target->recording->space;
    target->evaluator = nitro_evaluator_recorded(target->recording);
    target->device = target->recording->device ? target->recording->device : "recorded";
    return EXIT_DONE;
}

static void set_version(search_target *target, uint64_t hash)
{
    snprintf(target->code_version, sizeof(target->code_version), "1+%016llx",
             (unsigned long long)hash);
    target->version = target->code_version;
}

static int open_source(const invocation *call, const char *path,
                       const nitro_measure_options *options, search_target *target)
{
    nitro_tunable_description *description = NULL;
    nitro_status status = nitro_tunable_description_read(call->context, path, &description);
    if (status == NITRO_OK) {
        const nitro_tunable_source source = {
            .language = description->language,
            .name = description->name,
            .path = description->path,
            .compiler_options = (const char *const *)description->compiler_options};
        status = nitro_evaluator_source(call->context, target->space, &source, options,
                                        &target->evaluator);
        set_version(target, target->evaluator.digest); /* times of other code do not count */
    }
    nitro_tunable_description_free(description);
    return exit_code(call, status);
}

/* The object stays open until the program ends. */
static int open_module(const invocation *call, const char *path, bool measures,
                       const nitro_measure_options *options, search_target *target)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail_text(call, "cannot load the tunable: %s", dlerror());
    nitro_tunable_get_function get = NULL;
    *(void **)&get = dlsym(handle, "nitro_tunable_get");
    const nitro_tunable *tunable = get ? get() : NULL;
    if (!tunable || !tunable->run || !tunable->space || !nitro_name_is_valid(tunable->name))
        return fail_text(call,
                         "%s exports no nitro_tunable_get, or a tunable without name, space or "
                         "run; see nitro_tunable in nitro/tune.h",
                         path);
    snprintf(target->name, sizeof(target->name), "%s", tunable->name);
    target->version = tunable->version;
    nitro_status status = nitro_space_parse(call->context, path, tunable->space,
                                            strlen(tunable->space), &target->owned_space);
    target->space = target->owned_space;
    if (status == NITRO_OK && measures)
        status = nitro_evaluator_tunable(call->context, target->space, tunable, NULL, options,
                                         &target->evaluator);
    return exit_code(call, status);
}

static int fail_variant(const invocation *call, const char *name, const char *device,
                        const nitro_computation *computation)
{
    const char *known[NITRO_MAX_VARIANTS + 1] = {NULL};
    char all[512];
    size_t count = 0;
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++)
        if (nitro_kernel_of(computation, v))
            known[count++] = nitro_computation_variant_name(computation, v);
    join_names(known, all, sizeof(all));
    if (count == 0)
        return fail_text(call,
                         "%s has no variants that are compiled at run time on device '%s': name "
                         "another one by --device, such as opencl",
                         nitro_computation_name(computation), device);
    return fail_text(call,
                     "'%s' is not a variant of %s that is compiled at run time on device "
                     "'%s': these are %s",
                     name, nitro_computation_name(computation), device, all);
}

static int find_variant(const invocation *call, const char *name, const char *device,
                        search_target *target, size_t *variant)
{
    nitro_computation *computation = target->loaded.computation;
    size_t count = nitro_computation_num_variants(computation), v = 0;
    while (v < count && strcmp(nitro_computation_variant_name(computation, v), name) != 0)
        v++;
    target->kernel = nitro_kernel_of(computation, v);
    *variant = v;
    return target->kernel ? EXIT_DONE : fail_variant(call, name, device, computation);
}

/* A kernel that is compiled at run time, on an input of its computation. */
static int open_variant(const invocation *call, const char *path, const search_place *place,
                        const nitro_measure_options *options, search_target *target)
{
    const char *colon = strrchr(path, ':');
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    size_t variant = 0;
    if (nitro_device_find(call->context, place->device, false, &device, &kind) != NITRO_OK)
        return fail(call);
    char *computation = strndup(path, (size_t)(colon - path));
    int code = computation ? module_open(call, computation, kind->name, &target->loaded)
                           : fail_text(call, "out of memory");
    free(computation);
    if (code == EXIT_DONE)
        code = inputs_follow(call, target->loaded.module, &device, 1);
    nitro_device_free(device);
    if (code == EXIT_DONE)
        snprintf(target->name, sizeof(target->name), "%.30s.%.30s",
                 nitro_computation_name(target->loaded.computation), colon + 1);
    if (code == EXIT_DONE)
        code = find_variant(call, colon + 1, place->device, target, &variant);
    if (code == EXIT_DONE)
        code = inputs_make_one(call, target->loaded.module, place->input, place->seed,
                               place->generated, &target->inputs);
    if (code != EXIT_DONE)
        return code;
    /* Times on another input do not count. */
    const char *input = target->inputs.inputs[0].name;
    set_version(target,
                nitro_hash(input, strlen(input), nitro_kernel_digest(target->kernel, NULL)));
    nitro_status status =
        nitro_kernel_ask_target(call->context, target->kernel, place->device, &target->compiler);
    if (status == NITRO_OK)
        status = nitro_kernel_space(call->context, target->kernel, target->compiler.limits,
                                    &target->owned_space);
    target->space = target->owned_space;
    if (status == NITRO_OK)
        status = nitro_evaluator_kernel(call->context, target->space, target->loaded.computation,
                                        variant, &target->inputs.inputs[0], place->device, options,
                                        &target->evaluator);
    return exit_code(call, status);
}

/* The kept configuration of a device, or the usual one; NITRO_NO_CONFIGURATION: the space has none.
 */
static uint64_t find_known(nitro_context *context, const search_target *target,
                           const nitro_kernel_target *device)
{
    uint64_t found = NITRO_NO_CONFIGURATION;
    char *text = nitro_kernel_known_text(context, target->kernel, device);
    if (!text || nitro_configuration_parse(context, target->space, text, &found) != NITRO_OK) {
        nitro_context_clear_error(context);
        found = NITRO_NO_CONFIGURATION;
    }
    free(text);
    return found;
}

void search_target_starts(const invocation *call, const search_target *target, uint64_t *kept,
                          uint64_t *usual)
{
    *kept = find_known(call->context, target, &target->compiler);
    *usual = find_known(call->context, target, NULL);
}

int search_target_keep_best(const invocation *call, const search_target *target, uint64_t best)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    const char *values[NITRO_MAX_PARAMETERS];
    nitro_space_indices(target->space, best, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(target->space); p++)
        values[p] = nitro_space_parameter(target->space, p)->values[indices[p]].text;
    return exit_code(
        call, nitro_kernel_keep_best(call->context, target->kernel, &target->compiler, values));
}

static bool is_variant(const char *path)
{
    const char *colon = path ? strrchr(path, ':') : NULL;
    return colon && !strchr(colon, '/');
}

static bool is_shared_object(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".so") == 0;
}

int search_target_open(const invocation *call, const char *path, const char *recorded,
                       const search_place *place, const nitro_measure_options *options,
                       search_target *target)
{
    int code = EXIT_DONE;
    if (is_variant(path) && !recorded)
        return open_variant(call, path, place, options, target);
    bool is_module = path && is_shared_object(path);
    name_after(path ? path : recorded, target->name, sizeof(target->name));
    if (is_module)
        code = open_module(call, path, !recorded, options, target);
    else if (path && nitro_space_read(call->context, path, &target->owned_space) != NITRO_OK)
        code = fail(call);
    target->space = target->owned_space;
    if (code == EXIT_DONE && recorded)
        code = open_recorded(call, recorded, target);
    else if (code == EXIT_DONE && !is_module)
        code = open_source(call, path, options, target);
    return code;
}

void search_target_close(search_target *target)
{
    nitro_evaluator_close(&target->evaluator);
    nitro_recording_free(target->recording);
    nitro_space_free(target->owned_space);
    inputs_free(&target->inputs);
    module_close(&target->loaded);
    *target = (search_target){0};
}

json_t *configuration_json(const nitro_space *space, uint64_t configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    json_t *object = json_object();
    nitro_space_indices(space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(space, p);
        const nitro_parameter_value *value = &parameter->values[indices[p]];
        bool is_whole = parameter->type == NITRO_PARAMETER_INTEGER;
        json_object_set_new(object, parameter->name,
                            parameter->type == NITRO_PARAMETER_STRING ? json_text(value->text)
                            : parameter->type == NITRO_PARAMETER_BOOLEAN
                                ? json_boolean(value->number != 0)
                            : is_whole ? json_integer((json_int_t)value->number)
                                       : json_value(value->number));
    }
    return object;
}

nitro_status search_error_in(nitro_context *context, const char *path, nitro_status status)
{
    char message[1024];
    if (status == NITRO_OK)
        return NITRO_OK;
    nitro_context_last_error(context, message, sizeof(message));
    return nitro_fail(context, status, "%s: %s", path, message);
}

static int fail_unknown(const invocation *call, const char *name)
{
    const char *known[64];
    size_t count = 0;
    for (const nitro_searcher *const *each = nitro_builtin_searchers(); *each && count < 63; each++)
        known[count++] = (*each)->name;
    known[count] = NULL;
    return check_choice(call, strcmp(call->command->name, "search") == 0 ? "searcher" : "searchers",
                        name, known);
}

int searcher_find(const invocation *call, const char *text, named_searcher *found)
{
    char name[128];
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *found = (named_searcher){.text = text, .searcher = nitro_searcher_find(name)};
    if (!found->searcher)
        return fail_unknown(call, name);
    if (text[length] == '\0')
        return EXIT_DONE;
    found->options = nitro_strdup(call->context, text + length + 1);
    for (char *at = found->options; at && (at = strchr(at, ':'));)
        *at = ',';
    return found->options ? EXIT_DONE : fail(call);
}

size_t searchers_list(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_searcher *const *each = nitro_builtin_searchers(); *each && count < most;
         each++)
        items[count++] = (help_item){.name = (*each)->name, .description = (*each)->description};
    return count;
}
