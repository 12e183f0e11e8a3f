/* Claims last as long as an input may take: ten times the longest so far, so that a tuner that is
 * alive hardly ever loses one, and one that died holds its input back for a bearable time. */
#include "nitro/tune_share.h"

#include <stdio.h>
#include <unistd.h>

#define SHORTEST_LEASE_MS 30000.0
#define LONGEST_LEASE_MS  3600000.0

void nitro_tune_share_begin(nitro_tune_share *share, const nitro_tune_plan *plan)
{
    char host[64] = "";
    *share = (nitro_tune_share){.plan = plan};
    gethostname(host, sizeof host - 1);
    snprintf(share->owner, sizeof share->owner, "%.63s:%ld:%.0f", host, (long)getpid(),
             nitro_clock_wall_ms(plan->context));
    for (size_t i = 0; i < plan->num_targets && nitro_store_has_claims(plan->store); i++)
        if (!plan->targets[i].kind->simulate)
            share->target = &plan->targets[i];
}

static nitro_status claim(nitro_tune_share *share, size_t input, double lease_ms, bool *claimed)
{
    const nitro_tune_plan *plan = share->plan;
    return nitro_store_claim(plan->store, plan->computation->schema->computation,
                             share->target->device->id, plan->inputs[input].name, share->owner,
                             (uint32_t)lease_ms, claimed);
}

/* Measured by another tuner since this one looked? Its times are of today's variants, for which it
 * looked too. */
static nitro_status find_stored(const nitro_tune_share *share, size_t input, bool *stored)
{
    const nitro_tune_plan *plan = share->plan;
    nitro_sample *sample = NULL;
    *stored = false;
    if (plan->again || share->target->partial[input])
        return NITRO_OK;
    nitro_status status =
        nitro_store_get_sample(plan->store, plan->computation->schema->computation,
                               share->target->device->id, plan->inputs[input].name, &sample);
    *stored = status == NITRO_OK && nitro_tune_stale_variants(plan, sample) == 0;
    nitro_sample_free(sample);
    return status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT ? NITRO_OK : status;
}

nitro_status nitro_tune_share_claim(nitro_tune_share *share, size_t input, bool *ours, bool *stored)
{
    double lease_ms = 10.0 * share->longest_ms;
    *ours = true;
    *stored = false;
    if (!share->target)
        return NITRO_OK;
    if (lease_ms < SHORTEST_LEASE_MS)
        lease_ms = SHORTEST_LEASE_MS;
    if (lease_ms > LONGEST_LEASE_MS)
        lease_ms = LONGEST_LEASE_MS;
    nitro_status status = claim(share, input, lease_ms, ours);
    if (status != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(share->plan->context, message, sizeof message);
        nitro_log(share->plan->context, NITRO_LOG_WARNING,
                  "inputs are not shared out with other tuners of this device: %s", message);
        share->target = NULL;
        *ours = true;
        return NITRO_OK;
    }
    status = find_stored(share, input, stored);
    if (*ours && *stored)
        nitro_tune_share_release(share, input);
    share->began_ms = nitro_clock_wall_ms(share->plan->context);
    return status;
}

void nitro_tune_share_release(nitro_tune_share *share, size_t input)
{
    bool claimed;
    if (!share->target)
        return;
    double took_ms = nitro_clock_wall_ms(share->plan->context) - share->began_ms;
    if (took_ms > share->longest_ms)
        share->longest_ms = took_ms;
    (void)claim(share, input, 1.0, &claimed); /* else it ends by itself */
}
