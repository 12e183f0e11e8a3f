/* cmd_version.c - nitro version: which library this is, and what is built into it. */
#include <string.h>

#include "apps/cli/load_module.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
} settings;

static const option options[] = {OPTION_JSON, {0}};

/** {"spmv": "host, cuda"} */
static json_t *kinds_of_computations(void)
{
    json_t *all = json_object();
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++) {
        char kinds[256];
        module_kinds((*each)->name, kinds, sizeof kinds);
        json_object_set_new(all, (*each)->name, json_text(kinds));
    }
    return all;
}

/** One name of every built-in plug-in, family by family. */
static json_t *plugins(void)
{
    json_t *all = json_pack("{s:[], s:[], s:[], s:[], s:[]}", "stores", "devices", "strategies",
                            "dfs", "computations");
    for (const nitro_store_kind *const *each = nitro_builtin_stores(); *each; each++)
        json_array_append_new(json_object_get(all, "stores"), json_text((*each)->scheme));
    for (const nitro_device_kind *const *each = nitro_builtin_device_kinds(); *each; each++)
        json_array_append_new(json_object_get(all, "devices"), json_text((*each)->name));
    for (const nitro_strategy *const *each = nitro_builtin_strategies(); *each; each++)
        json_array_append_new(json_object_get(all, "strategies"), json_text((*each)->name));
    for (const nitro_dfs_kind *const *each = nitro_builtin_dfs_kinds(); *each; each++)
        json_array_append_new(json_object_get(all, "dfs"), json_text((*each)->name));
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (module_built_in((*each)->name) == *each)
            json_array_append_new(json_object_get(all, "computations"), json_text((*each)->name));
    return all;
}

static void print_plain(json_t *families)
{
    const char *family;
    json_t *names, *name;
    size_t i;
    printf("nitro %s\n", nitro_version());
    json_object_foreach(families, family, names)
    {
        printf("%s:", family);
        json_array_foreach(names, i, name)
        {
            char kinds[256];
            module_kinds(json_string_value(name), kinds, sizeof kinds);
            bool runs = strcmp(family, "computations") == 0;
            printf("%s %s%s%s%s", i ? "," : "", json_string_value(name), runs ? " (" : "",
                   runs ? kinds : "", runs ? ")" : "");
        }
        printf("\n");
    }
}

static int run(invocation *call)
{
    json_t *families = plugins();
    if (wants_json(call))
        return print_json(call, json_pack("{s:s, s:o, s:o}", "version", nitro_version(), "built_in",
                                          families, "runs_on", kinds_of_computations()));
    print_plain(families);
    json_decref(families);
    return EXIT_DONE;
}

const command command_version = {
    .name = "version",
    .summary = "Print the version and what is built in",
    .synopsis = "[--json]",
    .description = "Prints the library's version and the names of its built-in stores, device "
                   "kinds, selection strategies, device-feature selections, and computations with "
                   "the kinds of devices that they run on.",
    .examples = "  nitro version\n"
                "  nitro version --json\n",
    COMMAND_USUAL};
