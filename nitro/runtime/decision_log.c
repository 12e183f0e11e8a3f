/* Prints the first decision of each kind, and at the end how many there were of each. The list of
 * logs is global, for exit handlers have no argument: many programs free nothing. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nitro/base/lock.h"
#include "nitro/runtime/decision_log.h"

enum { NUM_REASONS = NITRO_REASON_RUN_FAILED + 1 };

struct nitro_decision_log {
    const nitro_schema *schema;
    pid_t process; /* a forked child does not print what its parent counts */
    nitro_decision_log *next;
    _Atomic uint64_t counts[NITRO_MAX_VARIANTS][NUM_REASONS];
};

static nitro_lock list_lock;
static nitro_decision_log *logs;

static void print_counts(nitro_decision_log *self)
{
    if (self->process != getpid())
        return;
    for (size_t v = 0; v < self->schema->num_variants; v++)
        for (size_t reason = 0; reason < NUM_REASONS; reason++) {
            uint64_t count = atomic_exchange(&self->counts[v][reason], 0);
            if (count > 0)
                fprintf(stderr, "nitro: %s: in total %s %llu time%s, %s\n",
                        self->schema->computation, self->schema->variants[v],
                        (unsigned long long)count, count == 1 ? "" : "s",
                        nitro_reason_text((nitro_reason)reason));
        }
}

static void print_all(void)
{
    nitro_lock_acquire(&list_lock);
    for (nitro_decision_log *each = logs; each; each = each->next)
        print_counts(each);
    nitro_lock_release(&list_lock);
}

nitro_status nitro_decision_log_create(nitro_context *context, const nitro_schema *schema,
                                       nitro_decision_log **decision_log)
{
    static bool has_exit_handler;
    nitro_decision_log *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->schema = schema;
    made->process = getpid();
    nitro_lock_acquire(&list_lock);
    if (!has_exit_handler)
        has_exit_handler = atexit(print_all) == 0;
    made->next = logs;
    logs = made;
    nitro_lock_release(&list_lock);
    *decision_log = made;
    return NITRO_OK;
}

void nitro_decision_log_free(nitro_decision_log *decision_log)
{
    if (!decision_log)
        return;
    nitro_lock_acquire(&list_lock);
    nitro_decision_log **link = &logs;
    while (*link != decision_log)
        link = &(*link)->next;
    *link = decision_log->next;
    nitro_lock_release(&list_lock);
    print_counts(decision_log);
    free(decision_log);
}

static bool has_confidence(nitro_reason reason)
{
    return reason == NITRO_REASON_MODEL || reason == NITRO_REASON_LOW_CONFIDENCE ||
           reason == NITRO_REASON_EXTRAPOLATED || reason == NITRO_REASON_NEAREST;
}

static void print_line(const nitro_schema *schema, const double *features, uint64_t outside,
                       const nitro_decision *decision)
{
    char line[8192];
    const char *before = " in ";
    size_t used = (size_t)snprintf(line, sizeof line, "nitro: %s: %s, %s", schema->computation,
                                   decision->variant_name, nitro_reason_text(decision->reason));
    for (size_t f = 0; f < schema->num_features && used < sizeof line; f++)
        if (outside >> f & 1) {
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", before,
                                     schema->features[f].name);
            before = ", ";
        }
    if (has_confidence(decision->reason) && used < sizeof line)
        used += (size_t)snprintf(line + used, sizeof line - used, " (confidence %.2f)",
                                 decision->confidence);
    for (size_t f = 0; f < schema->num_features && used < sizeof line; f++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s=%g", f ? " " : "; ",
                                 schema->features[f].name, features[f]);
    fprintf(stderr, "%s\n", line);
}

void nitro_decision_log_print(nitro_decision_log *decision_log, const double *features,
                              uint64_t outside, const nitro_decision *decision)
{
    if (atomic_fetch_add(&decision_log->counts[decision->variant][decision->reason], 1) == 0)
        print_line(decision_log->schema, features, outside, decision);
}
