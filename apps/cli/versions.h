/* versions.h - the current versions of a computation's variants, from its code. */
#ifndef NITRO_APPS_CLI_VERSIONS_H
#define NITRO_APPS_CLI_VERSIONS_H

#include "apps/cli/load_module.h"

typedef struct code_versions {
    loaded_module loaded;                     /* whose texts they are */
    bool known;                               /* code was found */
    const char *versions[NITRO_MAX_VARIANTS]; /* in the schema's order; NULL: not in the code */
} code_versions;

/**
 * Of a computation of a store: built-in code of this name, or that of a shared object (`path`,
 * NULL: none). Without code `known` is false. Failures are printed. To be closed also then.
 */
int versions_open(const invocation *call, const nitro_schema *schema, const char *path,
                  code_versions *code);
void versions_close(code_versions *code);
/** For nitro_store_find_outdated: NULL where there is no code. */
const char *const *versions_given(const code_versions *code);

/**
 * Call `visit` for each computation of the store, or the one that `text` names (a name, or the path
 * of a shared object; NULL: all), with the versions of its code. Failures are printed.
 */
int versions_each(const invocation *call, nitro_store *store, const char *text,
                  int (*visit)(const invocation *call, nitro_store *store, const char *computation,
                               const char *const *versions, void *user),
                  void *user);

#endif
