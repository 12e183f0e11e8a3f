/* Removing from Redis: one script removes all keys of a computation, or of one of its devices.
 */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

/* ARGV[1]: number of leading keys whose members are counted. */
static const char remove_script[] = "local removed = 0\n"
                                    "for i = 1, tonumber(ARGV[1]) do\n"
                                    "  removed = removed + redis.call('ZCARD', KEYS[i])\n"
                                    "end\n"
                                    "for i = 1, #KEYS do redis.call('UNLINK', KEYS[i]) end\n"
                                    "return removed\n";

static nitro_status list_keys(redis_store *store, const char *tag, const nitro_string_list *devices,
                              const char *const *sorts, const char *also, nitro_string_list *keys)
{
    nitro_status status = NITRO_OK;
    for (; *sorts && status == NITRO_OK; sorts++) {
        for (size_t i = 0; i < devices->count && status == NITRO_OK; i++) {
            char *key = nitro_redis_key(store, tag, *sorts, devices->items[i]);
            status = key ? nitro_string_list_add(store->context, keys, key) : NITRO_ERR_NO_MEMORY;
            free(key);
        }
    }
    if (also && status == NITRO_OK) {
        char *key = nitro_redis_key(store, tag, also, NULL);
        status = key ? nitro_string_list_add(store->context, keys, key) : NITRO_ERR_NO_MEMORY;
        free(key);
    }
    return status;
}

static nitro_status run_remove(redis_store *store, const nitro_string_list *keys,
                               size_t num_counted, size_t *removed)
{
    char num_keys[24], counted[24];
    redis_words words = {0};
    snprintf(num_keys, sizeof(num_keys), "%zu", keys->count);
    snprintf(counted, sizeof(counted), "%zu", num_counted);
    nitro_status status = nitro_redis_words_add_texts(store->context, &words, "EVAL", remove_script,
                                                      num_keys, (char *)NULL);
    for (size_t i = 0; i < keys->count && status == NITRO_OK; i++)
        status = nitro_redis_words_add_text(store->context, &words, keys->items[i]);
    if (status == NITRO_OK)
        status = nitro_redis_words_add_text(store->context, &words, counted);
    return nitro_redis_run_number(store, keys->items[0], &words, status, removed);
}

nitro_status nitro_redis_unlink(redis_store *store, const char *tag,
                                const nitro_string_list *devices, const char *const *sorts,
                                const char *also, size_t *removed)
{
    nitro_string_list keys = {0};
    size_t count = 0;
    nitro_status status = list_keys(store, tag, devices, sorts, also, &keys);
    if (status == NITRO_OK && keys.count > 0)
        status = run_remove(store, &keys, devices->count, &count);
    nitro_string_list_free(&keys);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}

nitro_status nitro_redis_remove(void *state, const char *computation, const char *device,
                                size_t *removed)
{
    redis_store *store = state;
    nitro_schema *schema = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_redis_get_schema(store, computation, &schema);
    nitro_schema_free(schema);
    if (status == NITRO_ERR_FORMAT) /* a damaged schema can be removed as well */
        status = NITRO_OK;
    if (status == NITRO_OK)
        status = device ? nitro_string_list_add(store->context, &devices, device)
                        : nitro_redis_list_announced(store, computation, &devices);
    if (status == NITRO_OK)
        status =
            nitro_redis_unlink(store, computation, &devices,
                               (const char *const[]){"inputs", "samples", "runs", "profiles", NULL},
                               device ? NULL : "schema", removed);
    nitro_string_list_free(&devices);
    return status;
}
