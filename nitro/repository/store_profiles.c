/* The facade's functions for profiles, which are checked on their way in. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

char *nitro_store_profile_key(nitro_context *context, const nitro_profile *profile)
{
    /* Non-negative numbers have the order of their bits. */
    double intensity = profile->intensity == 0 ? 0 : profile->intensity;
    uint64_t word;
    memcpy(&word, &intensity, sizeof(word));
    if (isnan(intensity))
        return nitro_asprintf(context, "%s\x1f%s\x1f\x1f%s", profile->name, profile->input,
                              profile->kernel);
    return nitro_asprintf(context, "%s\x1f\x1f%016" PRIx64 "\x1f%s", profile->name, word,
                          profile->kernel);
}

nitro_status nitro_store_describe_profile(nitro_context *context, const nitro_profile *profile,
                                          nitro_string_list *list)
{
    char intensity[32];
    nitro_format_number(profile->intensity, intensity, sizeof(intensity));
    char *text = nitro_asprintf(context, "%s on %s: %.80s", profile->name,
                                profile->input ? profile->input : intensity, profile->kernel);
    nitro_status status = text ? nitro_string_list_add(context, list, text) : NITRO_ERR_NO_MEMORY;
    free(text);
    return status;
}

nitro_status nitro_store_fail_profiles_exist(nitro_context *context, const char *where,
                                             const char *device, const nitro_string_list *there,
                                             size_t count)
{
    char *names = nitro_store_print_some(context, there);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(context, NITRO_ERR_EXISTS,
                            "%s: %zu of the %zu profiles on %s exist already (%s); nothing was "
                            "written. Replace them, or leave them out",
                            where, there->count, count, device, names);
    free(names);
    return status;
}

/* Checks a batch, whose profiles are mostly of one computation. */
typedef struct batch_check {
    nitro_store *store;
    const char *device;
    nitro_schema *schema; /* of the previous profile */
} batch_check;

static nitro_status check_one(batch_check *check, const nitro_profile *profile)
{
    nitro_store *store = check->store;
    nitro_status status = NITRO_OK;
    const char *computation = profile->computation;
    bool same =
        check->schema && computation && strcmp(check->schema->computation, computation) == 0;
    if (!same) {
        nitro_schema_free(check->schema);
        check->schema = NULL;
        if (computation)
            status = nitro_store_get_schema(store, computation, &check->schema);
    }
    if (status != NITRO_OK)
        return status;
    return nitro_store_check_profile(store->context, store->url, check->schema, check->device,
                                     profile, NITRO_ERR_ARGUMENT);
}

/* Sorts computations and keys, so that duplicates are neighbours. */
static nitro_status require_distinct(nitro_store *store, const nitro_profile *const *profiles,
                                     size_t count)
{
    nitro_string_list keys = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const nitro_profile *profile = profiles[i];
        char *key = nitro_store_profile_key(store->context, profile);
        char *text = key ? nitro_asprintf(store->context, "%s\x1f%s",
                                          profile->computation ? profile->computation : "", key)
                         : NULL;
        status = text ? nitro_string_list_add(store->context, &keys, text) : NITRO_ERR_NO_MEMORY;
        free(text);
        free(key);
    }
    nitro_string_list_sort(&keys);
    for (size_t i = 1; i < keys.count && status == NITRO_OK; i++)
        if (strcmp(keys.items[i - 1], keys.items[i]) == 0)
            status = nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                                "%s: kernel '%s' of one run is given twice", store->url,
                                strrchr(keys.items[i], '\x1f') + 1);
    nitro_string_list_free(&keys);
    return status;
}

nitro_status nitro_store_put_profiles(nitro_store *store, const char *device,
                                      const nitro_profile *const *profiles, size_t count,
                                      bool replace)
{
    batch_check check = {.store = store, .device = device};
    nitro_device *known = NULL;
    nitro_status status = nitro_store_require_writable(store);
    if (status != NITRO_OK || count == 0)
        return status;
    status = nitro_store_get_device(store, device, &known);
    nitro_device_free(known);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = check_one(&check, profiles[i]);
    nitro_schema_free(check.schema);
    if (status == NITRO_OK)
        status = require_distinct(store, profiles, count);
    if (status != NITRO_OK)
        return status;
    return store->kind->put_profiles(store->state, device, profiles, count, replace);
}

nitro_status nitro_store_read_profiles(nitro_store *store, const char *device,
                                       const char *computation, nitro_profile_function function,
                                       void *user, nitro_problem_function damaged,
                                       void *damaged_user)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_require_names(store, computation, device);
    if (status == NITRO_OK && computation)
        status = nitro_store_get_schema(store, computation, &schema);
    if (status != NITRO_OK)
        return status;
    nitro_schema_free(schema);
    return store->kind->each_profile(store->state, device, computation, function, user, damaged,
                                     damaged_user);
}

nitro_status nitro_store_each_profile(nitro_store *store, const char *device,
                                      const char *computation, nitro_profile_function function,
                                      void *user)
{
    damage_log log = {.store = store};
    nitro_status status = nitro_store_read_profiles(store, device, computation, function, user,
                                                    nitro_store_log_damage, &log);
    nitro_store_end_damage_log(&log);
    return status;
}

nitro_status nitro_store_count_profiles(nitro_store *store, const char *device,
                                        const char *computation, size_t *count)
{
    nitro_status status = nitro_store_require_names(store, computation, device);
    if (status != NITRO_OK)
        return status;
    return store->kind->count_profiles(store->state, device, computation, count);
}

nitro_status nitro_store_remove_profiles(nitro_store *store, const char *device,
                                         const char *computation, size_t *removed)
{
    size_t count = 0;
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_require_names(store, computation, device);
    if (status == NITRO_OK)
        status = store->kind->remove_profiles(store->state, device, computation, &count);
    if (status == NITRO_OK && count == 0)
        return nitro_fail(
            store->context, NITRO_ERR_NOT_FOUND, "%s: no profiles of %s%s%s to remove", store->url,
            computation ? computation : "proxies", device ? " on " : "", device ? device : "");
    if (status == NITRO_OK && removed)
        *removed = count;
    return status;
}
