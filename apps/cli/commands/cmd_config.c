/* cmd_config.c - nitro config: every setting, its value here, and where that comes from. */
#include <string.h>

#include "apps/cli/load_module.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
} settings;

static const option options[] = {OPTION_JSON, {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "only what holds for this computation", .optional = true}, {0}};

static size_t list_settings(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_setting *each = nitro_setting_table(); each->name && count < most; each++)
        items[count++] = (help_item){.name = each->environment, .description = each->help};
    return count;
}

/** `computation`: the one that the value is for; NULL: all. */
static json_t *as_json(const nitro_setting *setting, const nitro_setting_value *value,
                       const char *computation)
{
    return json_pack("{s:s, s:s?, s:o, s:s, s:o, s:s, s:s}", "setting", setting->name,
                     "computation", computation, "value",
                     value->text[0] ? json_text(value->text) : json_null(), "origin",
                     nitro_setting_origin_name(value->origin), "where",
                     value->where[0] ? json_text(value->where) : json_null(), "environment",
                     setting->environment, "help", setting->help);
}

/** Values for single built-in computations. */
static nitro_status add_special(const invocation *call, const nitro_setting *setting,
                                const nitro_setting_value *usual, json_t *array)
{
    nitro_status status = NITRO_OK;
    for (const nitro_module *const *each = nitro_builtin_modules(); *each && status == NITRO_OK;
         each++) {
        nitro_setting_value value;
        if (module_built_in((*each)->name) != *each)
            continue;
        status = nitro_setting_get(call->context, (*each)->name, setting->name, &value);
        if (status == NITRO_OK &&
            (strcmp(value.text, usual->text) != 0 || strcmp(value.where, usual->where) != 0))
            json_array_append_new(array, as_json(setting, &value, (*each)->name));
    }
    return status;
}

static nitro_status look_up(const invocation *call, json_t *array)
{
    const char *computation = call->arguments.count ? call->arguments.items[0] : NULL;
    nitro_status status = NITRO_OK;
    for (const nitro_setting *each = nitro_setting_table(); each->name && status == NITRO_OK;
         each++) {
        nitro_setting_value value;
        status = nitro_setting_get(call->context, computation, each->name, &value);
        if (status == NITRO_OK)
            json_array_append_new(array, as_json(each, &value, computation));
        if (status == NITRO_OK && !computation)
            status = add_special(call, each, &value, array);
    }
    return status;
}

static int print_plain(const invocation *call, const json_t *array)
{
    text_table table;
    size_t i;
    const json_t *row;
    table_begin(&table, call->context, "setting,value,from,environment");
    json_array_foreach(array, i, row)
    {
        const char *value = text_of(row, "value"), *where = text_of(row, "where");
        const char *computation = call->arguments.count ? NULL : text_of(row, "computation");
        table_cell(&table, computation ? "%s of %s" : "%s", text_of(row, "setting"), computation);
        table_cell(&table, "%s", value ? value : "-");
        table_cell(&table, "%s", where ? where : text_of(row, "origin"));
        table_cell(&table, "%s", text_of(row, "environment"));
    }
    return exit_code(call, table_end(&table));
}

static int run(invocation *call)
{
    json_t *array = json_array();
    if (look_up(call, array) != NITRO_OK) {
        json_decref(array);
        return fail(call);
    }
    if (wants_json(call))
        return print_json(call, array);
    int code = print_plain(call, array);
    json_decref(array);
    return code;
}

const command command_config = {
    .name = "config",
    .summary = "Print all settings, their values and origins",
    .synopsis = "[COMPUTATION] [--json]",
    .description =
        "Settings configure programs that call nitro_computation_configure, and the default store "
        "of the commands. Each is looked up in the program, then in an "
        "environment variable, then in the user's file: $NITRO_CONFIG, else nitro/nitro.conf under "
        "$XDG_CONFIG_HOME or ~/.config. The file's lines are SETTING = VALUE, [COMPUTATION] before "
        "those that are for one computation only, and comments from #. An environment variable "
        "holds a value for all computations, or COMPUTATION=VALUE,... Values for one computation "
        "are listed for those that are built in; name another to see its own.",
    .examples = "  NITRO_EXPLAIN=1 ./program\n"
                "  NITRO_FORCE=spmv=csr ./program\n"
                "  nitro config spmv\n",
    .items_title = "Environment variables",
    .list_items = list_settings,
    .arguments = arguments,
    COMMAND_USUAL};
