/* Claims of inputs among tuners of one device. A claim lasts ten times the longest input so far: a
 * live tuner hardly ever loses one, and a dead tuner's inputs are soon free again. */
#include "nitro/measure/tune_claims.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define SHORTEST_LEASE_MS 30000.0
#define LONGEST_LEASE_MS  3600000.0

/* Claimed instead of an input's name by all tuners of one cache mode, as "warm" or "cold".
 */
#define CACHES "(caches)"

void nitro_tune_claims_begin(nitro_tune_claims *claims, const nitro_tune_plan *plan)
{
    char host[64] = "";
    *claims = (nitro_tune_claims){.plan = plan};
    gethostname(host, sizeof host - 1);
    snprintf(claims->owner, sizeof claims->owner, "%.63s:%ld:%.0f", host, (long)getpid(),
             nitro_clock_wall_ms(plan->context));
    for (size_t i = 0; i < plan->num_targets && nitro_store_has_claims(plan->store); i++)
        if (!plan->targets[i].kind->simulate)
            claims->target = &plan->targets[i];
}

/* How often the claims of kept inputs are renewed. */
#define RENEWAL_MS (SHORTEST_LEASE_MS / 3)

static nitro_status claim(const nitro_tune_claims *claims, const char *what, const char *owner,
                          double lease_ms, bool *claimed)
{
    const nitro_tune_plan *plan = claims->plan;
    return nitro_store_claim(plan->store, plan->computation->schema->computation,
                             claims->target->device->id, what, owner, (uint32_t)lease_ms, claimed);
}

static double lease_ms_of(const nitro_tune_claims *claims)
{
    return fmin(fmax(10.0 * claims->longest_ms, SHORTEST_LEASE_MS), LONGEST_LEASE_MS);
}

static nitro_status claim_input(const nitro_tune_claims *claims, size_t input, bool *claimed)
{
    return claim(claims, claims->plan->inputs[input].name, claims->owner, lease_ms_of(claims),
                 claimed);
}

static nitro_status fail_other_caches(const nitro_tune_claims *claims)
{
    const nitro_tune_plan *plan = claims->plan;
    bool cold = plan->cache == NITRO_CACHE_COLD;
    return nitro_fail(
        plan->context, NITRO_ERR_MISMATCH,
        "another tune of %s on %s into %s measures with %s caches, and this one with %s ones: "
        "times of both must not mix; use another store. If that tune is dead, its claims expire "
        "after 30 s, or ten times the time of its longest input",
        plan->computation->schema->computation, claims->target->device->id,
        nitro_store_url(plan->store),
        nitro_tune_cache_name(cold ? NITRO_CACHE_WARM : NITRO_CACHE_COLD),
        nitro_tune_cache_name(plan->cache));
}

/* Has another tuner stored this input since the plan was made? If it did not finish all blocks,
 * this tuner adds to its sample. */
static nitro_status find_stored(const nitro_tune_claims *claims, size_t input, bool *stored)
{
    const nitro_tune_plan *plan = claims->plan;
    nitro_sample **partial = &claims->target->partial[input];
    nitro_sample *sample = NULL;
    *stored = false;
    if (plan->again || *partial)
        return NITRO_OK;
    nitro_status status =
        nitro_store_get_sample(plan->store, plan->computation->schema->computation,
                               claims->target->device->id, plan->inputs[input].name, &sample);
    bool absent = status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT ||
                  status == NITRO_ERR_NEWER; /* or cannot be read: measured again */
    if (status != NITRO_OK)
        return absent ? NITRO_OK : status;
    *stored = nitro_tune_missing_variants(plan, sample) == 0;
    if (!*stored && nitro_tune_outdated_variants(plan, sample) == 0)
        *partial = sample;
    else
        nitro_sample_free(sample);
    return NITRO_OK;
}

/* Claims are optional: if the store refuses them, the tune continues alone. */
static void stop_sharing(nitro_tune_claims *claims)
{
    char message[1024];
    nitro_context_last_error(claims->plan->context, message, sizeof message);
    nitro_log(claims->plan->context, NITRO_LOG_WARNING,
              "inputs are not shared with other tuners of this device: %s", message);
    claims->target = NULL;
}

/* Checked after the first claim: another tuner may have stored samples before it. */
static nitro_status check_caches(nitro_tune_claims *claims)
{
    if (claims->checked)
        return NITRO_OK;
    claims->checked = true;
    return nitro_tune_check_caches(claims->plan, claims->target);
}

nitro_status nitro_tune_claims_claim(nitro_tune_claims *claims, size_t input, bool *ours,
                                     bool *stored)
{
    bool same_caches = true;
    *ours = true;
    *stored = false;
    if (!claims->target)
        return NITRO_OK;
    /* Times of warm and cold caches must not mix: the first tuner determines the mode. */
    nitro_status status = claim(claims, CACHES, nitro_tune_cache_name(claims->plan->cache),
                                lease_ms_of(claims), &same_caches);
    if (status == NITRO_OK && !same_caches)
        return fail_other_caches(claims);
    if (status == NITRO_OK)
        status = claim_input(claims, input, ours);
    if (status != NITRO_OK) {
        stop_sharing(claims);
        *ours = true;
        return NITRO_OK;
    }
    status = check_caches(claims);
    if (status == NITRO_OK)
        status = find_stored(claims, input, stored);
    if (*ours && (*stored || status != NITRO_OK))
        nitro_tune_claims_release(claims, input);
    return status;
}

void nitro_tune_claims_renew(nitro_tune_claims *claims, const size_t *inputs, size_t count)
{
    double now_ms = nitro_clock_wall_ms(claims->plan->context);
    if (!claims->target || now_ms - claims->renewed_ms < RENEWAL_MS)
        return;
    claims->renewed_ms = now_ms;
    for (size_t i = 0; i < count; i++) {
        bool claimed;
        if (claim_input(claims, inputs[i], &claimed) != NITRO_OK) {
            stop_sharing(claims);
            return;
        }
    }
}

/* Otherwise it expires. Keeps an earlier error. */
static void end_claim(const nitro_tune_claims *claims, const char *what, const char *owner)
{
    char before[2048];
    bool claimed;
    nitro_context_last_error(claims->plan->context, before, sizeof before);
    if (claim(claims, what, owner, 1.0, &claimed) != NITRO_OK)
        (void)nitro_fail(claims->plan->context, NITRO_ERR_IO, "%s", before);
}

void nitro_tune_claims_release(nitro_tune_claims *claims, size_t input)
{
    if (!claims->target)
        return;
    end_claim(claims, claims->plan->inputs[input].name, claims->owner);
}

void nitro_tune_claims_end(nitro_tune_claims *claims)
{
    if (claims->target && claims->checked)
        end_claim(claims, CACHES, nitro_tune_cache_name(claims->plan->cache));
}
