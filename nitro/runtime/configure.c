/*
 * Applies the user's settings to a computation: the log first, and settings that need a model after
 * the model.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/base/require.h"
#include "nitro/runtime/computation.h"

#define NUM_RECORDED 4096.0 /* for record_to */

static void print_message(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "nitro: %s\n", message);
}

static nitro_status apply_log(nitro_computation *computation, const nitro_setting_value *value)
{
    static const char *const levels[] = {"warning", "info", "debug"};
    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++)
        if (strcmp(value->text, levels[level]) == 0)
            nitro_context_set_log(computation->context, (nitro_log_level)level, print_message,
                                  NULL);
    return NITRO_OK; /* "off" keeps the program's log */
}

static nitro_status find_files(const nitro_computation *computation,
                               const nitro_string_list *folders, nitro_string_list *paths)
{
    const nitro_model_wanted wanted = {.computation = nitro_computation_name(computation),
                                       .kind = nitro_computation_device_kind(computation)};
    return nitro_model_files(computation->context, &wanted, folders, paths);
}

/** The user named the folder: what is there must be good. */
static nitro_status look_in_folder(nitro_computation *computation, const char *folder)
{
    const char *name = nitro_computation_name(computation);
    nitro_string_list folders = {0}, paths = {0};
    nitro_status status = nitro_string_list_add(computation->context, &folders, folder);
    if (status == NITRO_OK)
        status = find_files(computation, &folders, &paths);
    if (status == NITRO_OK && paths.count > 0)
        status = nitro_computation_load_model(computation, paths.items[0]);
    else if (status == NITRO_OK)
        nitro_log(computation->context, NITRO_LOG_WARNING,
                  "%s: no model in the folder %s: looked for %s@DEVICE.json, with DEVICE the id of "
                  "this machine's %s device, %s@%s.json and %s.json, or the same in .bin",
                  name, folder, name, nitro_computation_device_kind(computation), name,
                  nitro_computation_device_kind(computation), name);
    nitro_string_list_free(&folders);
    nitro_string_list_free(&paths);
    return status;
}

/** The failure of a model that nobody named is a warning, unless there is no memory for any. */
static nitro_status attach_first(nitro_computation *computation, const nitro_string_list *paths)
{
    char message[2048];
    for (size_t i = 0; i < paths->count; i++) {
        nitro_status status = nitro_computation_load_model(computation, paths->items[i]);
        if (status == NITRO_ERR_NO_MEMORY)
            return status;
        if (status == NITRO_OK) {
            char *from = nitro_model_shipped(computation->context, paths->items[i]);
            nitro_log(computation->context, NITRO_LOG_INFO, "%s: the model is %s%s%s",
                      nitro_computation_name(computation), paths->items[i],
                      from ? ", a shipped model, learnt from " : "", from ? from : "");
            free(from);
            return NITRO_OK;
        }
        nitro_context_last_error(computation->context, message, sizeof message);
        nitro_log(computation->context, NITRO_LOG_WARNING,
                  "%s; this model is not used: tune again, or remove the file", message);
    }
    return NITRO_OK;
}

static nitro_status look_everywhere(nitro_computation *computation)
{
    nitro_string_list folders = {0}, paths = {0};
    nitro_status status =
        nitro_model_folders(computation->context, nitro_computation_code(computation), &folders);
    if (status == NITRO_OK)
        status = find_files(computation, &folders, &paths);
    if (status == NITRO_OK)
        status = attach_first(computation, &paths);
    nitro_string_list_free(&folders);
    nitro_string_list_free(&paths);
    return status;
}

/** The named model (set to "": none), or the one that is found; one that the program attached
 * before is kept. */
static nitro_status apply_model(nitro_computation *computation, const nitro_setting_value *value)
{
    struct stat about;
    if (value->text[0] == '\0')
        return value->origin != NITRO_SETTING_DEFAULT || nitro_computation_has_model(computation)
                   ? NITRO_OK
                   : look_everywhere(computation);
    if (stat(value->text, &about) != 0 || !S_ISDIR(about.st_mode))
        return nitro_computation_load_model(computation, value->text);
    return look_in_folder(computation, value->text);
}

static nitro_status apply_force(nitro_computation *computation, const nitro_setting_value *value)
{
    if (value->text[0] == '\0')
        return NITRO_OK;
    return nitro_computation_force(computation, value->text);
}

static nitro_status apply_min_confidence(nitro_computation *computation,
                                         const nitro_setting_value *value)
{
    double number = 0.0;
    if (value->origin == NITRO_SETTING_DEFAULT || !nitro_parse_number(value->text, &number))
        return NITRO_OK;
    return nitro_computation_set_min_confidence(computation, number);
}

static nitro_status apply_memo_size(nitro_computation *computation,
                                    const nitro_setting_value *value)
{
    double number = 0.0;
    if (value->origin == NITRO_SETTING_DEFAULT || !nitro_parse_number(value->text, &number))
        return NITRO_OK;
    return nitro_computation_set_memo_size(computation, (size_t)number);
}

static nitro_status apply_explain(nitro_computation *computation, const nitro_setting_value *value)
{
    if (strcmp(value->text, "1") != 0 || computation->decision_log)
        return NITRO_OK;
    return nitro_decision_log_create(computation->context, computation->schema,
                                     &computation->decision_log);
}

static nitro_status apply_feature_budget(nitro_computation *computation,
                                         const nitro_setting_value *value)
{
    nitro_feature_options options = computation->feature_options;
    if (value->origin == NITRO_SETTING_DEFAULT ||
        !nitro_parse_number(value->text, &options.budget_us))
        return NITRO_OK;
    return nitro_computation_set_feature_options(computation, &options);
}

/** The settings monitor, adapt and record make one nitro_monitor_options. */
static nitro_status look_up_number(nitro_computation *computation, const char *name, double *number)
{
    nitro_setting_value value;
    nitro_status status =
        nitro_setting_get(computation->context, nitro_computation_name(computation), name, &value);
    if (status == NITRO_OK && !nitro_parse_number(value.text, number))
        *number = 0.0;
    return status;
}

/** Without the setting "record", what is to be stored is recorded. */
static nitro_status look_up_recorded(nitro_computation *computation, double *recorded)
{
    nitro_setting_value url;
    nitro_status status = look_up_number(computation, "record", recorded);
    if (status == NITRO_OK && *recorded < 1) {
        status = nitro_setting_get(computation->context, nitro_computation_name(computation),
                                   "record_to", &url);
        *recorded = status == NITRO_OK && url.text[0] ? NUM_RECORDED : 0.0;
    }
    return status;
}

static nitro_status apply_monitor(nitro_computation *computation, const nitro_setting_value *value)
{
    double every = 0.0, percent = 0.0, recorded = 0.0;
    nitro_monitor_options options;
    nitro_monitor_options_init(&options);
    nitro_status status = look_up_number(computation, "adapt", &percent);
    if (status == NITRO_OK)
        status = look_up_recorded(computation, &recorded);
    if (status != NITRO_OK ||
        (nitro_parse_number(value->text, &every) && every < 1 && !(percent > 0) && recorded < 1))
        return status;
    if (every >= 1 || percent > 0) /* recording alone keeps the default rate */
        options.every = (unsigned)every;
    options.adapt_percent = percent;
    options.num_recorded = (size_t)recorded;
    return nitro_computation_monitor(computation, &options);
}

static nitro_status apply_record_to(nitro_computation *computation,
                                    const nitro_setting_value *value)
{
    double interval_s = 0.0;
    if (value->text[0] == '\0')
        return NITRO_OK;
    nitro_status status = look_up_number(computation, "record_every", &interval_s);
    return status == NITRO_OK ? nitro_configure_recorder(computation, value->text, interval_s)
                              : status;
}

/** In this order, so that the log level applies to the others' messages. */
static const struct {
    const char *name;
    nitro_status (*apply)(nitro_computation *computation, const nitro_setting_value *value);
} appliers[] = {
    {"log", apply_log},
    {"explain", apply_explain},
    {"min_confidence", apply_min_confidence},
    {"memo_size", apply_memo_size},
    {"force", apply_force},
    {"model", apply_model},
    {"monitor", apply_monitor},
    {"record_to", apply_record_to},
    {"feature_budget", apply_feature_budget},
};

/* Add the setting's origin to the error. */
static nitro_status apply(nitro_computation *computation, size_t applier,
                          const nitro_setting_value *value)
{
    char message[2048];
    nitro_status status = appliers[applier].apply(computation, value);
    if (status == NITRO_OK || value->where[0] == '\0')
        return status;
    nitro_context_last_error(computation->context, message, sizeof message);
    return nitro_fail(computation->context, status, "%s: %s", value->where, message);
}

nitro_status nitro_computation_configure(nitro_computation *computation)
{
    NITRO_REQUIRE(NULL, computation);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof appliers / sizeof appliers[0] && status == NITRO_OK; i++) {
        nitro_setting_value value;
        status = nitro_setting_get(computation->context, nitro_computation_name(computation),
                                   appliers[i].name, &value);
        if (status == NITRO_OK)
            status = apply(computation, i, &value);
    }
    return status;
}
