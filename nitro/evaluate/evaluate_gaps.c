/* Missing results by reason. A store with one device, or without profiles, would otherwise give the
 * same warning for every method on every target. */
#include "nitro/evaluate/evaluate.h"

#include <stdlib.h>
#include <string.h>

/* The gap of this reason, made if there is none; NULL: out of memory. */
static nitro_evaluate_gap *find_gap(nitro_context *context, nitro_evaluate_gaps *gaps,
                                    const char *reason)
{
    for (size_t i = 0; i < gaps->count; i++)
        if (strcmp(gaps->items[i].reason, reason) == 0)
            return &gaps->items[i];
    nitro_evaluate_gap *grown = realloc(gaps->items, (gaps->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    gaps->items = grown;
    grown[gaps->count] = (nitro_evaluate_gap){.reason = nitro_strdup(context, reason)};
    return grown[gaps->count].reason ? &grown[gaps->count++] : NULL;
}

static nitro_status add_once(nitro_context *context, nitro_string_list *list, const char *name)
{
    if (nitro_string_list_find(list, name) != NITRO_NONE)
        return NITRO_OK;
    return nitro_string_list_add(context, list, name);
}

nitro_status nitro_evaluate_gaps_add(nitro_context *context, nitro_evaluate_gaps *gaps,
                                     const char *method, const char *target)
{
    char reason[1024];
    nitro_context_last_error(context, reason, sizeof reason);
    nitro_evaluate_gap *gap = find_gap(context, gaps, reason);
    if (!gap)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a method without result");
    nitro_status status = add_once(context, &gap->methods, method);
    return status == NITRO_OK ? add_once(context, &gap->targets, target) : status;
}

static void print_list(const nitro_string_list *list, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        nitro_message_list_add(text, size, "%s", list->items[i]);
}

void nitro_evaluate_gaps_log(nitro_context *context, const nitro_evaluate_gaps *gaps)
{
    char methods[512], targets[1024];
    for (size_t i = 0; i < gaps->count; i++) {
        print_list(&gaps->items[i].methods, methods, sizeof methods);
        print_list(&gaps->items[i].targets, targets, sizeof targets);
        nitro_log(context, NITRO_LOG_WARNING, "no result of %s on %s: %s", methods, targets,
                  gaps->items[i].reason);
    }
}

void nitro_evaluate_gaps_free(nitro_evaluate_gaps *gaps)
{
    for (size_t i = 0; i < gaps->count; i++) {
        free(gaps->items[i].reason);
        nitro_string_list_free(&gaps->items[i].methods);
        nitro_string_list_free(&gaps->items[i].targets);
    }
    free(gaps->items);
    *gaps = (nitro_evaluate_gaps){0};
}
