/* outdated.c - outdated measurements of a store: found by the versions of the code that is here,
 * and printed with the reasons. */
#include "apps/cli/store/outdated.h"

#include <string.h>

#include "apps/cli/load_module.h"

/* ---- Finding --------------------------------------------------------------------------------- */

/** Variants are matched by name, as the store's order may differ from the code's.
 *  @param[out] versions  shape [schema->num_variants]; NULL: not in the code. */
static void list_versions(const nitro_computation *computation, const nitro_schema *schema,
                          const char **versions)
{
    for (size_t i = 0; i < nitro_computation_num_variants(computation); i++) {
        const char *name = nitro_computation_variant_name(computation, i);
        size_t variant = nitro_schema_variant(schema, name);
        if (variant != NITRO_NONE)
            versions[variant] = nitro_computation_variant_version(computation, i);
    }
}

static void add_row(void *array, const nitro_outdated *outdated)
{
    json_array_append_new(
        array, json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "computation",
                         json_text(outdated->computation), "device", json_text(outdated->device),
                         "variant", json_text(outdated->variant), "samples",
                         (json_int_t)outdated->samples, "what", json_text(outdated->what), "was",
                         json_text(outdated->was), "now", json_text(outdated->now)));
}

/** `path`: of a shared object; NULL: the code is built in, or there is none. */
static int find_in(const invocation *call, const char *computation, const char *path, bool apply,
                   json_t *array)
{
    nitro_schema *schema = NULL;
    loaded_module loaded = {0};
    const char *versions[NITRO_MAX_VARIANTS] = {NULL};
    bool has_code = path || module_built_in(computation);
    if (nitro_store_get_schema(call->store, computation, &schema) != NITRO_OK)
        return fail(call);
    int code = EXIT_DONE;
    if (has_code)
        code = module_open(call, path ? path : computation, NULL, &loaded);
    if (code == EXIT_DONE && has_code)
        list_versions(loaded.computation, schema, versions);
    if (code == EXIT_DONE)
        code = exit_code(call, nitro_store_remove_outdated(call->store, computation,
                                                           has_code ? versions : NULL, !apply,
                                                           add_row, array));
    module_close(&loaded);
    nitro_schema_free(schema);
    return code;
}

int outdated_find(const invocation *call, const char *text, bool apply, json_t *array)
{
    const char *name = NULL;
    if (text) {
        int code = module_name(call, text, &name);
        return code == EXIT_DONE
                   ? find_in(call, name, strchr(text, '/') ? text : NULL, apply, array)
                   : code;
    }
    nitro_string_list computations = {0};
    int code = exit_code(call, nitro_store_list_computations(call->store, &computations));
    for (size_t i = 0; i < computations.count && code == EXIT_DONE; i++)
        code = find_in(call, computations.items[i], NULL, apply, array);
    nitro_string_list_free(&computations);
    return code;
}

/* ---- Printing -------------------------------------------------------------------------------- */

nitro_status outdated_print(nitro_context *context, const json_t *array)
{
    text_table table;
    size_t i;
    const json_t *row;
    table_begin(&table, context, "computation,device,variant,>samples,reason");
    json_array_foreach(array, i, row)
    {
        const char *variant = text_of(row, "variant"), *what = text_of(row, "what");
        table_cell(&table, "%s", text_of(row, "computation"));
        table_cell(&table, "%s", text_of(row, "device"));
        table_cell(&table, "%s", variant ? variant : "(all)");
        table_cell(&table, "%lld", json_integer_value(json_object_get(row, "samples")));
        if (strcmp(what, "device") == 0)
            table_cell(&table, "the device's features have changed");
        else
            table_cell(&table, "%s was %s, is %s", what, text_of(row, "was"), text_of(row, "now"));
    }
    return table_end(&table);
}
