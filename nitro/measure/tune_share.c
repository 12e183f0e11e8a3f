/* Claims last as long as an input may take: ten times the longest so far, so that a tuner that is
 * alive hardly ever loses one, and one that died holds its input back for a bearable time. */
#include "nitro/measure/tune_share.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define SHORTEST_LEASE_MS 30000.0
#define LONGEST_LEASE_MS  3600000.0

/* In place of an input's name: claimed, by all tuners with such caches alike, as "warm" or "cold".
 */
#define CACHES "(caches)"

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

static nitro_status claim(const nitro_tune_share *share, const char *what, const char *owner,
                          double lease_ms, bool *claimed)
{
    const nitro_tune_plan *plan = share->plan;
    return nitro_store_claim(plan->store, plan->computation->schema->computation,
                             share->target->device->id, what, owner, (uint32_t)lease_ms, claimed);
}

static nitro_status claim_input(const nitro_tune_share *share, size_t input, double lease_ms,
                                bool *claimed)
{
    return claim(share, share->plan->inputs[input].name, share->owner, lease_ms, claimed);
}

static double lease_ms_of(const nitro_tune_share *share)
{
    return fmin(fmax(10.0 * share->longest_ms, SHORTEST_LEASE_MS), LONGEST_LEASE_MS);
}

/* Times of warm and cold caches must not stand side by side: who is first says which they are. */
static nitro_status claim_caches(nitro_tune_share *share, double lease_ms, bool *claimed)
{
    return claim(share, CACHES, nitro_tune_cache_name(share->plan->cache), lease_ms, claimed);
}

static nitro_status fail_other_caches(const nitro_tune_share *share)
{
    const nitro_tune_plan *plan = share->plan;
    bool cold = plan->cache == NITRO_CACHE_COLD;
    return nitro_fail(
        plan->context, NITRO_ERR_MISMATCH,
        "another tune of %s on %s into %s measures with %s caches, and this one with %s ones: "
        "times "
        "of both must not stand side by side; use another store. Should that tune have died, what "
        "it claimed is free again some time after (30 s, or ten times what its inputs took)",
        plan->computation->schema->computation, share->target->device->id,
        nitro_store_url(plan->store),
        nitro_tune_cache_name(cold ? NITRO_CACHE_WARM : NITRO_CACHE_COLD),
        nitro_tune_cache_name(plan->cache));
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
    *stored = status == NITRO_OK && nitro_tune_outdated_variants(plan, sample) == 0;
    nitro_sample_free(sample);
    return status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT ? NITRO_OK : status;
}

/* Claims are an offer to others: where the store refuses them, the tune goes on alone. */
static void stop_sharing(nitro_tune_share *share)
{
    char message[1024];
    nitro_context_last_error(share->plan->context, message, sizeof message);
    nitro_log(share->plan->context, NITRO_LOG_WARNING,
              "inputs are not shared out with other tuners of this device: %s", message);
    share->target = NULL;
}

/* The first time another tuner may have been there between the look at the store and the claim. */
static nitro_status check_caches(nitro_tune_share *share)
{
    if (share->checked)
        return NITRO_OK;
    share->checked = true;
    return nitro_tune_check_caches(share->plan, share->target);
}

nitro_status nitro_tune_share_claim(nitro_tune_share *share, size_t input, bool *ours, bool *stored)
{
    bool same_caches = true;
    *ours = true;
    *stored = false;
    if (!share->target)
        return NITRO_OK;
    nitro_status status = claim_caches(share, lease_ms_of(share), &same_caches);
    if (status == NITRO_OK && !same_caches)
        return fail_other_caches(share);
    if (status == NITRO_OK)
        status = claim_input(share, input, lease_ms_of(share), ours);
    if (status != NITRO_OK) {
        stop_sharing(share);
        *ours = true;
        return NITRO_OK;
    }
    status = check_caches(share);
    if (status == NITRO_OK)
        status = find_stored(share, input, stored);
    if (*ours && (*stored || status != NITRO_OK))
        nitro_tune_share_release(share, input);
    share->began_ms = nitro_clock_wall_ms(share->plan->context);
    return status;
}

/* Else it ends by itself. Where it fails, what failed before is still the error to tell of. */
static void end_claim(const nitro_tune_share *share, const char *what, const char *owner)
{
    char before[2048];
    bool claimed;
    nitro_context_last_error(share->plan->context, before, sizeof before);
    if (claim(share, what, owner, 1.0, &claimed) != NITRO_OK)
        (void)nitro_fail(share->plan->context, NITRO_ERR_IO, "%s", before);
}

void nitro_tune_share_release(nitro_tune_share *share, size_t input)
{
    if (!share->target)
        return;
    double took_ms = nitro_clock_wall_ms(share->plan->context) - share->began_ms;
    if (took_ms > share->longest_ms)
        share->longest_ms = took_ms;
    end_claim(share, share->plan->inputs[input].name, share->owner);
}

void nitro_tune_share_end(nitro_tune_share *share)
{
    if (share->target && share->checked)
        end_claim(share, CACHES, nitro_tune_cache_name(share->plan->cache));
}
