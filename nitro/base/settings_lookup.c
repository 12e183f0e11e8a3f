/* The table of settings, and their lookup: program, environment, user's file, default. */
#include "nitro/base/settings_lookup.h"
#include "nitro/base/require.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/context.h"

static const char *const log_levels[] = {"off", "warning", "info", "debug", NULL};
static const char *const switches[] = {"0", "1", NULL};

static const nitro_setting table[] = {
    {.name = "model",
     .environment = "NITRO_MODEL",
     .value = "PATH",
     .help = "the model to attach: a file, or a folder that is searched (unset: the user's models, "
             "those beside the library, the system's)"},
    {.name = "force",
     .environment = "NITRO_FORCE",
     .value = "VARIANT",
     .help = "choose this variant for all inputs that it accepts"},
    {.name = "min_confidence",
     .environment = "NITRO_MIN_CONFIDENCE",
     .value = "X",
     .standard = "0",
     .is_number = true,
     .maximum = 1,
     .help = "below this confidence (0 to 1) choose the default variant"},
    {.name = "memo_size",
     .environment = "NITRO_MEMO_SIZE",
     .value = "N",
     .standard = "512",
     .is_number = true,
     .is_whole = true,
     .maximum = 16777216,
     .help = "cache the decisions of N inputs; 0: no cache"},
    {.name = "feature_budget",
     .environment = "NITRO_FEATURE_BUDGET",
     .value = "US",
     .standard = "0",
     .is_number = true,
     .maximum = 1e12,
     .help = "choose the default variant if features take longer, in microseconds; 0: no limit"},
    {.name = "monitor",
     .environment = "NITRO_MONITOR",
     .value = "N",
     .standard = "0",
     .is_number = true,
     .is_whole = true,
     .maximum = 1e9,
     .help = "time one run in N, and warn in the log of drift; 0: none"},
    {.name = "adapt",
     .environment = "NITRO_ADAPT",
     .value = "PERCENT",
     .standard = "0",
     .is_number = true,
     .maximum = 100,
     .help = "adapt to measured times within this overhead, in percent; 0: off"},
    {.name = "record",
     .environment = "NITRO_RECORD",
     .value = "N",
     .standard = "0",
     .is_number = true,
     .is_whole = true,
     .maximum = 4194304,
     .help =
         "keep the newest N timed runs for the program to store, or for record_to (unset: 4096)"},
    {.name = "record_to",
     .environment = "NITRO_RECORD_TO",
     .value = "URL",
     .help = "store timed runs here, and begin with those that are there; for 'nitro learn'"},
    {.name = "record_every",
     .environment = "NITRO_RECORD_EVERY",
     .value = "SECONDS",
     .standard = "60",
     .is_number = true,
     .minimum = 0.001,
     .maximum = 1e6,
     .help = "store timed runs every so many seconds"},
    {.name = "explain",
     .environment = "NITRO_EXPLAIN",
     .value = "0|1",
     .standard = "0",
     .choices = switches,
     .help = "print the first decision of each kind, and counts at exit, to standard error"},
    {.name = "log",
     .environment = "NITRO_LOG",
     .value = "LEVEL",
     .standard = "off",
     .choices = log_levels,
     .help = "print messages up to this level to standard error: off, warning, info, debug"},
    {.name = "generate_mb",
     .environment = "NITRO_GENERATE_MB",
     .value = "MB",
     .is_number = true,
     .minimum = 1,
     .maximum = 1e9,
     .help = "generate inputs of up to so many MB (unset: 40 times the device's last-level "
             "cache, at most a sixteenth of the memory)"},
    {.name = "machine",
     .environment = "NITRO_MACHINE",
     .value = "NAME",
     .is_name = true,
     .help =
         "store this machine's devices as ID@NAME, to distinguish equal devices of other machines"},
    {.name = "store",
     .environment = "NITRO_STORE",
     .value = "URL",
     .help = "the default store (unset: sqlite under $XDG_DATA_HOME/nitro)"},
    {.name = "https_ca",
     .environment = "NITRO_HTTPS_CA",
     .value = "FILE",
     .help = "PEM certificates of the authorities to trust for https (unset: the system's)"},
    {.name = "plugins",
     .environment = "NITRO_PLUGINS",
     .value = "FOLDER",
     .help = "where redis.so, download.so and highway.so are (unset: a folder beside the library)"},
    {.name = "kernel_cache",
     .environment = "NITRO_KERNEL_CACHE",
     .value = "FOLDER",
     .help = "where kernels compiled at run time are kept (unset: nitro/kernels in "
             "$XDG_CACHE_HOME)"},
    {.name = "kernel_cache_mb",
     .environment = "NITRO_KERNEL_CACHE_MB",
     .value = "MB",
     .standard = "256",
     .is_number = true,
     .maximum = 1e9,
     .help = "keep up to so many MB of compiled kernels: those used least recently are deleted"},
    {.name = "trusted_keys",
     .environment = "NITRO_TRUSTED_KEYS",
     .value = "FILE",
     .help = "published bundles must be signed with a minisign key in this file (unset: "
             "nitro/trusted-keys in $XDG_CONFIG_HOME, if that exists)"},
    {.name = "revoked_keys",
     .environment = "NITRO_REVOKED_KEYS",
     .value = "FILE",
     .help = "a list of 'nitro store revoke', signed with a trusted key: keys that are no longer "
             "accepted"},
    {0}};

const nitro_setting *nitro_setting_table(void)
{
    return table;
}

static const nitro_setting *find_setting(const char *name)
{
    for (const nitro_setting *each = table; each->name; each++)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

const char *nitro_setting_origin_name(nitro_setting_origin origin)
{
    static const char *const names[] = {
        [NITRO_SETTING_DEFAULT] = "default",
        [NITRO_SETTING_FILE] = "file",
        [NITRO_SETTING_ENVIRONMENT] = "environment",
        [NITRO_SETTING_PROGRAM] = "program",
    };
    return names[origin];
}

/* ---- Checking ---------------------------------------------------------------------------------
 */

static nitro_status fail_unknown(nitro_context *context, const char *where, const char *name)
{
    const char *names[sizeof table / sizeof table[0]];
    size_t count = 0;
    for (const nitro_setting *each = table; each->name; each++)
        names[count++] = each->name;
    const char *closest = nitro_closest_name(names, count, name);
    return nitro_fail(context, NITRO_ERR_FORMAT, "%s: unknown setting%s%s%s", where,
                      closest ? "; did you mean '" : "", closest ? closest : "",
                      closest ? "'?" : "; 'nitro config' lists them");
}

static bool is_choice(const nitro_setting *setting, const char *value)
{
    for (const char *const *each = setting->choices; *each; each++)
        if (strcmp(*each, value) == 0)
            return true;
    return false;
}

nitro_status nitro_setting_check(nitro_context *context, const char *where, const char *name,
                                 const char *value)
{
    const nitro_setting *setting = find_setting(name);
    double number = 0.0;
    if (!setting)
        return fail_unknown(context, where, name);
    if (strlen(value) >= NITRO_SETTING_MAX_BYTES || !nitro_text_is_valid(value, strlen(value)))
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: %s: the value is not UTF-8 text of under %d bytes", where, name,
                          NITRO_SETTING_MAX_BYTES);
    if (setting->choices && !is_choice(setting, value))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: %s: the value is not %s", where, name,
                          setting->choices == switches ? "0 or 1" : "off, warning, info or debug");
    if (setting->is_name && value[0] && !nitro_name_is_valid(value))
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: %s: the value is not a valid name: use 1 to 63 of [A-Za-z0-9_.+-]",
                          where, name);
    if (setting->is_number &&
        (!nitro_parse_number(value, &number) || number < setting->minimum ||
         number > setting->maximum || (setting->is_whole && number != floor(number)))) {
        char minimum[40], maximum[40];
        nitro_format_number(setting->minimum, minimum, sizeof minimum);
        nitro_format_number(setting->maximum, maximum, sizeof maximum);
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: %s: the value is not a %snumber in [%s, %s]", where, name,
                          setting->is_whole ? "whole " : "", minimum, maximum);
    }
    return NITRO_OK;
}

nitro_status nitro_context_set(nitro_context *context, const char *computation, const char *setting,
                               const char *value)
{
    NITRO_REQUIRE(context, context && setting && value);
    if (computation && !nitro_name_is_valid(computation))
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "'%.80s' is not a valid computation name",
                          computation);
    char where[128] = "the program";
    if (!find_setting(setting)) /* named here: a file's text may be a secret */
        snprintf(where, sizeof where, "the program sets '%.80s'", setting);
    nitro_status status = nitro_setting_check(context, where, setting, value);
    if (status != NITRO_OK)
        return NITRO_ERR_ARGUMENT;
    return nitro_setting_entries_put(context, &context->settings, computation, setting, value, 0);
}

/* ---- The environment --------------------------------------------------------------------------
 */

/** Length of the name in "NAME=VALUE"; 0 if the item has another form. */
static size_t name_length(const char *item, size_t length)
{
    char name[64];
    const char *equals = memchr(item, '=', length);
    size_t named = equals ? (size_t)(equals - item) : 0;
    if (named == 0 || named >= sizeof name)
        return 0;
    memcpy(name, item, named);
    name[named] = '\0';
    return nitro_name_is_valid(name) ? named : 0;
}

static bool is_list(const char *text, size_t *num_unnamed)
{
    size_t num_named = 0;
    *num_unnamed = 0;
    for (const char *item = text; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL)
        ++*(name_length(item, strcspn(item, ",")) > 0 ? &num_named : num_unnamed);
    return num_named > 0;
}

/** "VALUE" for all, or "COMPUTATION=VALUE,...": the computation's item, else one without a name. */
static const char *find_in_text(const char *text, const char *computation, size_t *found_length)
{
    size_t num_unnamed;
    const char *found = is_list(text, &num_unnamed) ? NULL : text;
    *found_length = found ? strlen(found) : 0;
    bool own = false;
    for (const char *item = found ? NULL : text; item && !own;) {
        size_t length = strcspn(item, ","), named = name_length(item, length);
        own = named > 0 && computation && strlen(computation) == named &&
              memcmp(item, computation, named) == 0;
        if (own || named == 0) {
            found = own ? item + named + 1 : item;
            *found_length = own ? length - named - 1 : length;
        }
        item = item[length] ? item + length + 1 : NULL;
    }
    return found;
}

/* ---- Looking up -------------------------------------------------------------------------------
 */

static nitro_status look_in_environment(nitro_context *context, const nitro_setting *setting,
                                        const char *computation, nitro_setting_value *found)
{
    const char *text = secure_getenv(setting->environment);
    size_t num_unnamed = 0, length = 0;
    if (text && is_list(text, &num_unnamed) && num_unnamed > 1)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: %zu items of the list name no computation: write "
                          "COMPUTATION=VALUE,..., and at most one VALUE for all others",
                          setting->environment, num_unnamed);
    const char *at = text ? find_in_text(text, computation, &length) : NULL;
    if (!at)
        return NITRO_OK;
    char *value = nitro_asprintf(context, "%.*s", (int)length, at);
    if (!value)
        return NITRO_ERR_NO_MEMORY;
    found->origin = NITRO_SETTING_ENVIRONMENT;
    snprintf(found->text, sizeof found->text, "%s", value);
    snprintf(found->where, sizeof found->where, "%s", setting->environment);
    nitro_status status = nitro_setting_check(context, setting->environment, setting->name, value);
    free(value);
    return status;
}

static nitro_status look_in_file(nitro_context *context, const nitro_setting *setting,
                                 const char *computation, nitro_setting_value *found)
{
    nitro_setting_entries entries = {0};
    char *path = NULL;
    nitro_status status = nitro_settings_read(context, &path, &entries);
    const nitro_setting_entry *entry =
        status == NITRO_OK ? nitro_setting_entries_find(&entries, computation, setting->name)
                           : NULL;
    if (entry) {
        found->origin = NITRO_SETTING_FILE;
        snprintf(found->text, sizeof found->text, "%s", entry->value);
        snprintf(found->where, sizeof found->where, "%s:%zu", path, entry->line);
    }
    nitro_setting_entries_free(&entries);
    free(path);
    return status;
}

nitro_status nitro_setting_get(nitro_context *context, const char *computation, const char *name,
                               nitro_setting_value *value)
{
    const nitro_setting *setting = find_setting(name);
    nitro_setting_value found = {0};
    nitro_status status = NITRO_OK;
    if (!setting)
        return fail_unknown(context, "looking it up", name);
    const nitro_setting_entry *own =
        nitro_setting_entries_find(&context->settings, computation, name);
    if (own) {
        found.origin = NITRO_SETTING_PROGRAM;
        snprintf(found.text, sizeof found.text, "%s", own->value);
    } else {
        status = look_in_environment(context, setting, computation, &found);
    }
    if (status == NITRO_OK && found.origin == NITRO_SETTING_DEFAULT)
        status = look_in_file(context, setting, computation, &found);
    if (status != NITRO_OK)
        return status;
    if (found.origin == NITRO_SETTING_DEFAULT)
        snprintf(found.text, sizeof found.text, "%s", setting->standard ? setting->standard : "");
    *value = found;
    return NITRO_OK;
}
