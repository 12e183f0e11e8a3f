/* Warnings about damaged records: the first ten by name, then how many more there are. */
#include "nitro/repository/store_internal.h"

#define MOST_NAMED 10

void nitro_store_report_damage(nitro_context *context, nitro_problem_function damaged,
                               void *damaged_user)
{
    char message[2048];
    nitro_context_last_error(context, message, sizeof(message));
    nitro_text_clean(message, ""); /* it may name what a stranger wrote */
    damaged(damaged_user, message);
}

void nitro_store_log_damage(void *log, const char *problem)
{
    damage_log *self = log;
    if (++self->count <= MOST_NAMED)
        nitro_log(self->store->context, NITRO_LOG_WARNING, "skipped (%s): %s", self->store->url,
                  problem);
}

void nitro_store_end_damage_log(const damage_log *log)
{
    if (log->count > MOST_NAMED)
        nitro_log(log->store->context, NITRO_LOG_WARNING,
                  "%s: %zu more records are damaged and not used; 'nitro store verify' lists all",
                  log->store->url, log->count - MOST_NAMED);
}
