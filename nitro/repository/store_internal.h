/* store_internal.h - what the files of the store facade share. */
#ifndef NITRO_REPOSITORY_STORE_INTERNAL_H
#define NITRO_REPOSITORY_STORE_INTERNAL_H

#include "nitro/nitro_backend.h"

struct nitro_store {
    nitro_context *context;
    const nitro_store_kind *kind;
    nitro_store_mode mode;
    char *url;
    void *state;
};

/** Damaged records as warnings in the log: the first ones by name, then how many there are. */
typedef struct damage_log {
    const nitro_store *store;
    size_t count;
} damage_log;
void nitro_store_log_damage(void *log, const char *problem);
void nitro_store_end_damage_log(const damage_log *log);

/** NITRO_ERR_ARGUMENT where a name from a caller is not valid. NULL: not checked. */
nitro_status nitro_store_require_names(const nitro_store *store, const char *computation,
                                       const char *device);
/** The same where both must be named. */
nitro_status nitro_store_require_both(const nitro_store *store, const char *computation,
                                      const char *device);

/** Equal in every field, in the same order? */
bool nitro_schema_has_same_relative(const nitro_schema *a, const nitro_schema *b);

/** Put the schema of `from` into `to`, which keeps its default variant and relative features, with
 * a warning, unless `take_declaration`. NITRO_ERR_MISMATCH: it has other names. */
nitro_status nitro_store_copy_schema(const nitro_store *from, nitro_store *to, nitro_schema *schema,
                                     bool take_declaration);
/** Copy the profiles of a computation (NULL: of proxies) on a device; adds to the report. Where
 * reading fails, those before are copied; *cannot_write: the target failed instead. */
nitro_status nitro_store_copy_profiles(nitro_store *from, nitro_store *to, const char *device,
                                       const char *computation, nitro_problem_function damaged,
                                       void *damaged_user, nitro_copy_report *report,
                                       bool *cannot_write);

#endif
