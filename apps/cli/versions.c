/* versions.c - matches versions by variant name, as the store's order may differ from the code's.
 */
#include "apps/cli/versions.h"

#include <string.h>

#include "apps/cli/load_module.h"
#include "apps/cli/output.h"

/** @param[out] versions  shape [schema->num_variants]; NULL: not in the code. */
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

static int visit_one(const invocation *call, const char *computation, const char *path,
                     version_function visit, void *user)
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
        code = visit(call, computation, has_code ? versions : NULL, user);
    module_close(&loaded);
    nitro_schema_free(schema);
    return code;
}

int versions_each(const invocation *call, const char *text, version_function visit, void *user)
{
    const char *name = NULL;
    if (text) {
        int status = module_name(call, text, &name);
        return status == EXIT_DONE
                   ? visit_one(call, name, strchr(text, '/') ? text : NULL, visit, user)
                   : status;
    }
    nitro_string_list computations = {0};
    int status = EXIT_DONE;
    if (nitro_store_list_computations(call->store, &computations) != NITRO_OK)
        status = fail(call);
    for (size_t i = 0; i < computations.count && status == EXIT_DONE; i++)
        status = visit_one(call, computations.items[i], NULL, visit, user);
    nitro_string_list_free(&computations);
    return status;
}
