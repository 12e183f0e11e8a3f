/* Prints each distinct decision once; stops after 4,096. */
#include "nitro/runtime/decision_log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_PLACES = 4096, MAX_PROBES = 32 };

struct nitro_decision_log {
    _Atomic(uint64_t) keys[NUM_PLACES]; /* 0: free */
    atomic_flag said_full;
};

nitro_status nitro_decision_log_create(nitro_context *context, nitro_decision_log **decision_log)
{
    nitro_decision_log *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    atomic_flag_clear(&made->said_full);
    *decision_log = made;
    return NITRO_OK;
}

void nitro_decision_log_free(nitro_decision_log *decision_log)
{
    free(decision_log);
}

typedef enum remembered { WAS_NEW, WAS_THERE, NO_ROOM } remembered;

static remembered remember(nitro_decision_log *decision_log, uint64_t key)
{
    key += key == 0;
    for (size_t probe = 0; probe < MAX_PROBES; probe++) {
        _Atomic(uint64_t) *place = &decision_log->keys[(key + probe) % NUM_PLACES];
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(place, &there, key))
            return WAS_NEW;
        if (there == key)
            return WAS_THERE;
    }
    return NO_ROOM;
}

static void print_line(const nitro_schema *schema, const double *features,
                       const nitro_decision *decision)
{
    char line[8192];
    size_t used = (size_t)snprintf(line, sizeof line, "nitro: %s: %s, %s", schema->computation,
                                   decision->variant_name, nitro_reason_text(decision->reason));
    if (decision->reason == NITRO_REASON_MODEL || decision->reason == NITRO_REASON_LOW_CONFIDENCE ||
        decision->reason == NITRO_REASON_EXTRAPOLATED || decision->reason == NITRO_REASON_NEAREST)
        used += (size_t)snprintf(line + used, sizeof line - used, " (confidence %.2f)",
                                 decision->confidence);
    for (size_t f = 0; f < schema->num_features && used < sizeof line; f++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s=%g", f ? " " : "; ",
                                 schema->features[f].name, features[f]);
    fprintf(stderr, "%s\n", line);
}

void nitro_decision_log_print(nitro_decision_log *decision_log, const nitro_schema *schema,
                              const double *features, const nitro_decision *decision)
{
    uint64_t key = nitro_hash(features, schema->num_features * sizeof *features, decision->variant);
    remembered before = remember(decision_log, key);
    if (before == WAS_NEW)
        print_line(schema, features, decision);
    else if (before == NO_ROOM && !atomic_flag_test_and_set(&decision_log->said_full))
        fprintf(stderr, "nitro: %s: further decisions are not printed\n", schema->computation);
}
