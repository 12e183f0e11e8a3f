/* cmd_models.c - nitro models: the models that programs find here, and which of them they use. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "apps/cli/load_module.h"
#include "apps/cli/model_report.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    nitro_string_list devices;
    bool all;
    /* Found: */
    nitro_string_list names; /* of computations; none: all */
    loaded_module module;    /* that a path names */
} settings;

static const option options[] = {
    OPTION(LIST, "device", devices, "ID,...",
           "what these devices would use; they need not be here (default: this machine's)"),
    OPTION(FLAG, "all", all, NULL, "also list models for other devices"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {{.name = "COMPUTATION",
                                      .help = "list only models of these (default: all), or the "
                                              "module in one shared object",
                                      .optional = true,
                                      .many = true},
                                     {0}};

/* ---- Devices --------------------------------------------------------------------------------- */

static const nitro_device_kind *kind_of(const nitro_context *context, const char *device)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ":"), device);
    const nitro_device_kind *kind = nitro_device_kind_find(context, name);
    return kind && !kind->simulate ? kind : NULL;
}

/** A device of this machine, also by a short name such as cuda:1; or the id of one elsewhere. */
static nitro_status add_device(nitro_context *context, const char *text, nitro_string_list *devices)
{
    const char *colon = strchr(text, ':');
    bool is_id = colon && colon[1 + strspn(colon + 1, "0123456789")] && kind_of(context, text);
    nitro_device *device = NULL;
    if (is_id)
        return nitro_string_list_add(context, devices, text);
    nitro_status status = nitro_device_find(context, text, false, &device, NULL);
    if (status == NITRO_OK && !kind_of(context, device->id))
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s is modelled: no program runs there, so none looks for a model",
                            device->id);
    if (status == NITRO_OK)
        status = nitro_string_list_add(context, devices, device->id);
    nitro_device_free(device);
    return status;
}

static nitro_status find_devices(const invocation *call, nitro_string_list *devices)
{
    const settings *given = call->settings;
    nitro_string_list here = {0};
    bool named = given->devices.count > 0;
    nitro_status status = named ? NITRO_OK : nitro_device_list(call->context, &here);
    const nitro_string_list *from = named ? &given->devices : &here;
    for (size_t i = 0; i < from->count && status == NITRO_OK; i++)
        if (named || kind_of(call->context, from->items[i]))
            status = add_device(call->context, from->items[i], devices);
    nitro_string_list_free(&here);
    return status;
}

/* ---- Files: one JSON object each ------------------------------------------------------------- */

/** Add the file if it is called COMPUTATION[@DEVICE].json or .bin. */
static void add_file(json_t *models, const char *folder, const char *file,
                     const nitro_string_list *wanted)
{
    const char *dot = strrchr(file, '.'), *at = strchr(file, '@');
    char path[4096], name[256], device[256], saved[32];
    struct stat about;
    struct tm utc;
    if (!dot || (strcmp(dot, ".json") != 0 && strcmp(dot, ".bin") != 0))
        return;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)((at ? at : dot) - file), file);
    snprintf(device, sizeof device, "%.*s", at ? (int)(dot - at - 1) : 0, at ? at + 1 : "");
    if (!nitro_name_is_valid(name) ||
        (wanted->count && nitro_string_list_find(wanted, name) == NITRO_NONE) ||
        stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    strftime(saved, sizeof saved, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&about.st_mtime, &utc));
    json_array_append_new(models, json_pack("{s:s, s:o, s:o, s:s, s:[]}", "computation", name,
                                            "device", json_text(at ? device : NULL), "model",
                                            json_text(path), "saved", saved, "used_by"));
}

static nitro_status add_folder(const invocation *call, const char *folder, json_t *models)
{
    const settings *given = call->settings;
    nitro_string_list names = {0};
    nitro_status status = NITRO_OK;
    DIR *entries = opendir(folder);
    if (!entries && errno != ENOENT && errno != ENOTDIR)
        status = nitro_fail(call->context, NITRO_ERR_IO, "%s: cannot read the folder: %s", folder,
                            strerror(errno));
    for (const struct dirent *entry; entries && status == NITRO_OK && (entry = readdir(entries));)
        status = nitro_string_list_add(call->context, &names, entry->d_name);
    if (entries)
        closedir(entries);
    nitro_string_list_sort(&names);
    for (size_t i = 0; i < names.count && status == NITRO_OK; i++)
        add_file(models, folder, names.items[i], &given->names);
    nitro_string_list_free(&names);
    return status;
}

static json_t *find_file(const json_t *models, const char *path)
{
    size_t i;
    json_t *model;
    json_array_foreach(models, i, model)
    {
        if (strcmp(text_of(model, "model"), path) == 0)
            return model;
    }
    return NULL;
}

/* ---- Which one is used ----------------------------------------------------------------------- */

/** Does the model fit the module's computation, or the built-in one of its name, if there is one?
 * That has the same variants for all kinds of devices. */
static nitro_status fits(const invocation *call, const json_t *file)
{
    const settings *given = call->settings;
    nitro_context *context = call->context;
    const char *computation = text_of(file, "computation");
    char kinds[256];
    loaded_module loaded = {0};
    nitro_model *model = NULL;
    nitro_status status = nitro_model_load(context, text_of(file, "model"), &model);
    module_kinds(computation, kinds, sizeof kinds);
    if (status == NITRO_OK && given->module.computation) {
        status = nitro_computation_attach_model(given->module.computation, model);
        model = status == NITRO_OK ? NULL : model;
    } else if (status == NITRO_OK && kinds[0]) {
        status = module_open(call, computation, NULL, &loaded) == EXIT_DONE
                     ? nitro_computation_attach_model(loaded.computation, model)
                     : NITRO_ERR_NO_MEMORY; /* a built-in one fails for nothing else */
        model = status == NITRO_OK ? NULL : model;
        module_close(&loaded);
    }
    nitro_model_free(model);
    return status;
}

/** The first fitting file in the order in which programs look. */
static nitro_status mark_used(const invocation *call, const nitro_string_list *folders,
                              const char *computation, const char *device, const json_t *models)
{
    const settings *given = call->settings;
    const nitro_device_kind *kind = kind_of(call->context, device);
    const nitro_model_wanted wanted = {computation, kind->name, device};
    nitro_string_list paths = {0};
    char kinds[256], message[1024];
    bool found = false;
    if (given->module.computation)
        snprintf(kinds, sizeof kinds, "%s",
                 nitro_computation_device_kind(given->module.computation));
    else
        module_kinds(computation, kinds, sizeof kinds);
    if (kinds[0] && !strstr(kinds, kind->name))
        return NITRO_OK;
    nitro_status status = nitro_model_files(call->context, &wanted, folders, &paths);
    for (size_t i = 0; i < paths.count && status == NITRO_OK; i++) {
        json_t *file = find_file(models, paths.items[i]);
        if (!file)
            continue;
        json_object_set_new(file, "is_candidate", json_true());
        if (found)
            continue;
        nitro_status fit = fits(call, file);
        found = fit == NITRO_OK;
        if (fit == NITRO_ERR_NO_MEMORY) {
            status = fit;
        } else if (found) {
            json_array_append_new(json_object_get(file, "used_by"), json_text(device));
        } else {
            nitro_context_last_error(call->context, message, sizeof message);
            json_object_set_new(file, "refused", json_text(message));
        }
    }
    nitro_string_list_free(&paths);
    return status;
}

enum { MANY_SOURCES = 3 }; /* more are counted, not named */

/** What the file says of its sources, "cuda:a: 40 samples, ..." or how many there are; of a binary
 * one the JSON file beside it; null where there is none. */
static json_t *sources_of(const invocation *call, const char *path)
{
    nitro_model *model = NULL;
    char from[1024] = "", file[4096];
    json_t *summary = NULL, *sources, *source;
    size_t i;
    json_int_t total = 0;
    snprintf(file, sizeof file, "%.*s.json", (int)(strrchr(path, '.') - path), path);
    if (nitro_model_load(call->context, file, &model) == NITRO_OK)
        summary = model_summary(model);
    sources = json_object_get(json_object_get(summary, "provenance"), "sources");
    json_array_foreach(sources, i, source)
    {
        json_int_t count = json_integer_value(json_object_get(source, "samples"));
        total += count;
        if (i < MANY_SOURCES)
            nitro_message_list_add(from, sizeof from, "%s: %lld samples", text_of(source, "device"),
                                   (long long)count);
    }
    if (i > MANY_SOURCES)
        snprintf(from, sizeof from, "%zu devices: %lld samples", i, (long long)total);
    json_decref(summary);
    nitro_model_free(model);
    return from[0] ? json_text(from) : json_null();
}

/** Add where from the model is, of those that are shown; drop the others. */
static size_t describe(const invocation *call, json_t *models)
{
    const settings *given = call->settings;
    size_t num_hidden = 0;
    for (size_t m = 0; m < json_array_size(models);) {
        json_t *model = json_array_get(models, m);
        const char *path = text_of(model, "model");
        if (!json_object_get(model, "is_candidate") && !given->all) {
            json_array_remove(models, m);
            num_hidden++;
            continue;
        }
        char *shipped = nitro_model_shipped(call->context, path);
        json_object_del(model, "is_candidate");
        json_object_set_new(model, "ships", json_boolean(shipped != NULL));
        json_object_set_new(model, "learnt_from",
                            shipped ? json_text(shipped) : sources_of(call, path));
        free(shipped);
        m++;
    }
    return num_hidden;
}

static nitro_status mark_all_used(const invocation *call, const nitro_string_list *folders,
                                  const json_t *models)
{
    nitro_string_list devices = {0}, computations = {0};
    nitro_status status = find_devices(call, &devices);
    const json_t *model;
    size_t m;
    json_array_foreach(models, m, model)
    {
        const char *computation = text_of(model, "computation");
        if (nitro_string_list_find(&computations, computation) != NITRO_NONE)
            continue;
        for (size_t d = 0; d < devices.count && status == NITRO_OK; d++)
            status = mark_used(call, folders, computation, devices.items[d], models);
        if (status == NITRO_OK)
            status = nitro_string_list_add(call->context, &computations, computation);
    }
    nitro_string_list_free(&devices);
    nitro_string_list_free(&computations);
    return status;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void format_age(const char *saved, char *text, size_t size)
{
    struct tm utc = {0};
    strptime(saved, "%Y-%m-%dT%H:%M:%SZ", &utc);
    double seconds = fmax(0, difftime(time(NULL), timegm(&utc)));
    if (seconds < 2 * 3600)
        snprintf(text, size, "%.0f min", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, size, "%.0f h", seconds / 3600);
    else
        snprintf(text, size, "%.0f d", seconds / 86400);
}

static int print_plain(const invocation *call, const json_t *models, size_t num_hidden)
{
    text_table table;
    size_t m;
    const json_t *model;
    bool any_used = false;
    table_begin(&table, call->context, "computation,for,used,learnt from,>age,model");
    json_array_foreach(models, m, model)
    {
        const char *device = text_of(model, "device"), *from = text_of(model, "learnt_from");
        bool used = json_array_size(json_object_get(model, "used_by")) > 0;
        char age[32];
        format_age(text_of(model, "saved"), age, sizeof age);
        table_cell(&table, "%s", text_of(model, "computation"));
        table_cell(&table, "%s", device ? device : "any device");
        table_cell(&table, "%s", used ? "yes" : json_object_get(model, "refused") ? "unfit" : "-");
        table_cell(&table, "%s%s", from ? from : "(not recorded)",
                   json_is_true(json_object_get(model, "ships")) ? " (ships with Nitro)" : "");
        table_cell(&table, "%s", age);
        table_cell(&table, "%s", text_of(model, "model"));
        any_used = any_used || used;
        if (text_of(model, "refused"))
            warn(call, "%s", text_of(model, "refused"));
    }
    if (m == 0)
        nitro_string_list_free(&table.headers);
    else if (table_end(&table) != NITRO_OK)
        return fail(call);
    if (m == 0 && num_hidden == 0 && call->arguments.count > 0)
        note(call, "no model of %s is in any of the folders; 'nitro tune' makes models",
             call->arguments.count == 1 ? call->arguments.items[0] : "these computations");
    else if (!any_used)
        note(call, "programs find no model for these devices here: computations run their default "
                   "variants; 'nitro tune' makes models");
    if (num_hidden)
        note(call, "models for other devices that are not shown: %zu; --all lists them",
             num_hidden);
    return EXIT_DONE;
}

/** The arguments' names; a module in a shared object is opened. */
static int read_arguments(const invocation *call, settings *given)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < call->arguments.count && code == EXIT_DONE; i++) {
        const char *name = call->arguments.items[i];
        if (strchr(name, '/') && call->arguments.count > 1)
            return fail_usage(call, "%s: name the module of a shared object alone", name);
        if (strchr(name, '/')) {
            code = module_open(call, name, NULL, &given->module);
            name = code == EXIT_DONE ? given->module.module->name : name;
        }
        if (code == EXIT_DONE && nitro_string_list_add(call->context, &given->names, name))
            code = fail(call);
    }
    return code;
}

static int list_models(const invocation *call)
{
    const settings *given = call->settings;
    nitro_string_list folders = {0};
    json_t *models = json_array();
    /* Built-in variants lie where this table lies. */
    const void *code = given->module.computation ? nitro_computation_code(given->module.computation)
                                                 : (const void *)nitro_builtin_modules();
    nitro_status status = nitro_model_folders(call->context, code, &folders);
    for (size_t i = 0; i < folders.count && status == NITRO_OK; i++)
        status = add_folder(call, folders.items[i], models);
    if (status == NITRO_OK)
        status = mark_all_used(call, &folders, models);
    nitro_string_list_free(&folders);
    if (status != NITRO_OK) {
        json_decref(models);
        return fail(call);
    }
    size_t num_hidden = describe(call, models);
    if (wants_json(call))
        return print_json(call, models);
    int code_of_table = print_plain(call, models, num_hidden);
    json_decref(models);
    return code_of_table;
}

static int run(invocation *call)
{
    settings *given = call->settings;
    int code = read_arguments(call, given);
    if (code == EXIT_DONE)
        code = list_models(call);
    module_close(&given->module);
    nitro_string_list_free(&given->names);
    return code;
}

const command command_models = {
    .name = "models",
    .summary = "List the models that programs find, and which they use",
    .synopsis = "[COMPUTATION...] [--device ID,...] [--all] [--json]",
    .description =
        "Programs without a model of their own look for one in the user's folder, beside the "
        "library that has the variants, and in the system's folders: in each for one of the "
        "device, then of its kind (such as host), then of any device. This lists what they find "
        "for this machine's devices: what each model was learnt from, how long ago its file was "
        "written, and whether it is the one in use. A model that does not fit the computation is "
        "not used, and the next one is.\n\n"
        "Models that ship with Nitro are a start where nothing was measured: those for GPUs were "
        "learnt from a cost model's times. 'nitro tune' replaces them by models of the device. "
        "For a library's own computation, name its module (./libmine.so): models beside the "
        "library are then listed too. Models that the setting 'model' names ('nitro config') are "
        "not listed.",
    .examples = "  nitro models\n"
                "  nitro models ./libmine.so\n"
                "  nitro models spmv --device cuda:nvidia-geforce-rtx-3060\n",
    .arguments = arguments,
    COMMAND_USUAL};
