/* The samples of a store by input: a checksum and a time instead of a whole sample, so that a
 * hundred thousand of them take a few megabytes. */
#include "nitro/repository/known_samples.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    nitro_context *context;
    const char *computation, *named;
    nitro_known_samples *list;
} reading;

static nitro_status note_sample(void *user, const nitro_sample *sample)
{
    const reading *r = user;
    nitro_known_samples *list = r->list;
    nitro_known_sample *grown = nitro_grow(r->context, list->items, list->count, &list->capacity,
                                           sizeof(*grown), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    list->items = grown;
    nitro_known_sample known = {.input = nitro_strdup(r->context, sample->input),
                                .time_s = sample->provenance.time_s};
    if (!known.input)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status =
        nitro_record_sample_checksum(r->context, r->computation, r->named, sample, &known.checksum);
    list->items[list->count++] = known;
    return status;
}

static void forget(nitro_known_samples *list)
{
    while (list->count > 0)
        free(list->items[--list->count].input);
}

nitro_status nitro_known_samples_read(nitro_store *store, const char *computation,
                                      const char *device, const char *named,
                                      nitro_known_samples *list)
{
    reading r = {nitro_store_context(store), computation, named, list};
    forget(list);
    return nitro_store_each_sample(store, computation, device, note_sample, &r);
}

static int compare_input(const void *key, const void *element)
{
    return strcmp(key, ((const nitro_known_sample *)element)->input);
}

const nitro_known_sample *nitro_known_samples_find(const nitro_known_samples *list,
                                                   const char *input)
{
    return list->count
               ? bsearch(input, list->items, list->count, sizeof(*list->items), compare_input)
               : NULL;
}

void nitro_known_samples_free(nitro_known_samples *list)
{
    forget(list);
    free(list->items);
    *list = (nitro_known_samples){0};
}
