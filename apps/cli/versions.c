/* versions.c - matches versions by variant name, as the store's order may differ from the code's.
 */
#include "apps/cli/versions.h"

#include <string.h>

#include "apps/cli/output.h"

static bool is_built_in(const char *name)
{
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (strcmp((*each)->name, name) == 0)
            return true;
    return false;
}

int versions_open(const invocation *call, const nitro_schema *schema, const char *path,
                  code_versions *code)
{
    *code = (code_versions){0};
    if (!path && !is_built_in(schema->computation))
        return EXIT_DONE;
    int status = module_open(call, path ? path : schema->computation, NULL, &code->loaded);
    if (status != EXIT_DONE)
        return status;
    code->known = true;
    for (size_t v = 0; v < schema->num_variants; v++) {
        const char *name;
        for (size_t i = 0;
             (name = nitro_computation_variant_name(code->loaded.computation, i)) != NULL; i++)
            if (strcmp(name, schema->variants[v]) == 0)
                code->versions[v] = nitro_computation_variant_version(code->loaded.computation, i);
    }
    return EXIT_DONE;
}

void versions_close(code_versions *code)
{
    if (code->known)
        module_close(&code->loaded);
    code->known = false;
}

const char *const *versions_given(const code_versions *code)
{
    return code->known ? code->versions : NULL;
}

typedef int (*visit_function)(const invocation *call, nitro_store *store, const char *computation,
                              const char *const *versions, void *user);

static int visit_one(const invocation *call, nitro_store *store, const char *computation,
                     const char *path, visit_function visit, void *user)
{
    nitro_schema *schema = NULL;
    code_versions code = {0};
    if (nitro_store_get_schema(store, computation, &schema) != NITRO_OK)
        return fail(call);
    int status = versions_open(call, schema, path, &code);
    if (status == EXIT_DONE)
        status = visit(call, store, computation, versions_given(&code), user);
    versions_close(&code);
    nitro_schema_free(schema);
    return status;
}

int versions_each(const invocation *call, nitro_store *store, const char *text,
                  visit_function visit, void *user)
{
    const char *name = NULL;
    if (text) {
        int status = module_name(call, text, &name);
        return status == EXIT_DONE
                   ? visit_one(call, store, name, strchr(text, '/') ? text : NULL, visit, user)
                   : status;
    }
    nitro_string_list computations = {0};
    int status = EXIT_DONE;
    if (nitro_store_list_computations(store, &computations) != NITRO_OK)
        status = fail(call);
    for (size_t i = 0; i < computations.count && status == EXIT_DONE; i++)
        status = visit_one(call, store, computations.items[i], NULL, visit, user);
    nitro_string_list_free(&computations);
    return status;
}
