/* Finds a tuning run's stored samples. A stored input is not measured again; if variants have
 * other versions now, only those are, as long as everything else (compiler, driver, the device's
 * features) is unchanged. */
#include <math.h>
#include <string.h>

#include "nitro/measure/blocks.h"
#include "nitro/measure/tune_plan.h"

/* Variants of other versions are outdated, and so are withdrawn times. Entries recorded elsewhere
 * have no version and are kept. */
static bool is_measured(const nitro_sample *sample)
{
    const char *origin = sample->provenance.origin;
    return origin && strcmp(origin, "measured") == 0;
}

bool nitro_tune_lacks_features(const nitro_sample *sample)
{
    for (size_t f = 0; is_measured(sample) && f < sample->num_features; f++)
        if (isnan(sample->features[f]))
            return true;
    return false;
}

uint64_t nitro_tune_missing_variants(const nitro_tune_plan *plan, const nitro_sample *sample)
{
    uint64_t outdated = nitro_tune_outdated_variants(plan, sample);
    return is_measured(sample) ? outdated | nitro_blocks_missing(sample, plan->max_blocks)
                               : outdated;
}

static bool is_of_other_version(const nitro_tune_plan *plan, const nitro_sample *sample, size_t v)
{
    const char *version = sample->entries[v].version;
    return version && nitro_version_is_other(version, plan->computation->variants[v].version);
}

uint64_t nitro_tune_outdated_variants(const nitro_tune_plan *plan, const nitro_sample *sample)
{
    uint64_t outdated = 0;
    for (size_t v = 0; v < sample->num_entries; v++) {
        bool is_missing =
            is_measured(sample) && sample->entries[v].outcome == NITRO_OUTCOME_MISSING;
        if (is_missing || is_of_other_version(plan, sample, v))
            outdated |= UINT64_C(1) << v;
    }
    return outdated;
}

typedef struct stored_samples {
    const nitro_tune_plan *plan;
    const nitro_tune_target *target;
    size_t num_partial, num_outdated;
    size_t num_unconfirmed; /* up to date, but in need of another block */
    size_t num_other_cache; /* samples of the other cache mode */
    uint64_t outdated;      /* outdated variants of any sample */
    bool any_version;       /* of other versions; else they are missing */
    nitro_provenance today;
} stored_samples;

/* May old and new times be combined in one sample? Nitro's compiler counts for variants whose
 * versions have no digest of their code. */
static bool is_made_alike(const stored_samples *stored, const nitro_provenance *made)
{
    const nitro_provenance *today = &stored->today;
    const nitro_computation *computation = stored->plan->computation;
    return nitro_same_text(made->origin, today->origin) &&
           (nitro_version_has_digest(computation->variants[0].version) ||
            nitro_same_text(made->compiler, today->compiler)) &&
           nitro_same_text(made->driver, today->driver) &&
           nitro_same_text(made->toolkit, today->toolkit) &&
           nitro_same_text(made->device_digest, today->device_digest) &&
           nitro_same_text(made->cache, today->cache);
}

/* Warm and cold times must not mix. Samples that are replaced do not matter. */
static bool has_other_cache(const stored_samples *stored, const nitro_sample *sample, size_t input)
{
    const nitro_provenance *made = &sample->provenance;
    bool stays = !stored->plan->again || input == NITRO_NONE;
    return stays && !stored->target->kind->simulate && is_measured(sample) &&
           !nitro_same_text(made->cache, stored->today.cache);
}

const char *nitro_tune_cache_name(nitro_cache cache)
{
    return cache == NITRO_CACHE_COLD ? "cold" : "warm";
}

static nitro_status fail_other_cache(const stored_samples *stored)
{
    bool cold = stored->plan->cache == NITRO_CACHE_COLD;
    const char *computation = stored->plan->computation->schema->computation;
    const char *device = stored->target->device->id;
    return nitro_fail(
        stored->plan->context, NITRO_ERR_MISMATCH,
        "%s holds %zu sample%s of %s on %s with %s caches, and this tune uses %s ones: times of "
        "both must not mix; use another store, or remove those ('nitro store remove')",
        nitro_store_url(stored->plan->store), stored->num_other_cache,
        stored->num_other_cache == 1 ? "" : "s", computation, device,
        nitro_tune_cache_name(cold ? NITRO_CACHE_WARM : NITRO_CACHE_COLD),
        nitro_tune_cache_name(stored->plan->cache));
}

/* The provenance of samples measured now. */
static nitro_status describe_today(stored_samples *stored)
{
    const nitro_tune_plan *plan = stored->plan;
    bool simulated = stored->target->kind->simulate != NULL;
    nitro_status status = nitro_provenance_of_device(
        plan->context, stored->target->device, simulated ? "modelled" : "measured", &stored->today);
    if (status == NITRO_OK && plan->cache == NITRO_CACHE_COLD && !simulated) {
        stored->today.cache = nitro_strdup(plan->context, "cold");
        status = stored->today.cache ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    return status;
}

static nitro_status count_other_cache(void *user, const nitro_sample *sample)
{
    stored_samples *stored = user;
    size_t input = nitro_tune_plan_find_input(stored->plan, sample->input);
    stored->num_other_cache += has_other_cache(stored, sample, input);
    return NITRO_OK;
}

nitro_status nitro_tune_check_caches(const nitro_tune_plan *plan, const nitro_tune_target *target)
{
    stored_samples stored = {.plan = plan, .target = target};
    nitro_status status = describe_today(&stored);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(plan->store, plan->computation->schema->computation,
                                         target->device->id, count_other_cache, &stored);
    if (status == NITRO_OK && stored.num_other_cache)
        status = fail_other_cache(&stored);
    nitro_provenance_clear(&stored.today);
    return status;
}

static nitro_status note_stored(void *user, const nitro_sample *sample)
{
    stored_samples *stored = user;
    size_t input = nitro_tune_plan_find_input(stored->plan, sample->input);
    stored->num_other_cache += has_other_cache(stored, sample, input);
    if (input == NITRO_NONE || stored->plan->again)
        return NITRO_OK;
    uint64_t outdated = nitro_tune_outdated_variants(stored->plan, sample);
    bool is_alike = is_made_alike(stored, &sample->provenance);
    bool lacks_features = nitro_tune_lacks_features(sample);
    if (outdated == 0 && !lacks_features &&
        (!is_alike || !nitro_tune_missing_variants(stored->plan, sample))) {
        stored->target->stored[input] = true;
        return NITRO_OK;
    }
    stored->outdated |= outdated;
    for (size_t v = 0; v < sample->num_entries; v++)
        stored->any_version = stored->any_version || is_of_other_version(stored->plan, sample, v);
    stored->num_outdated += outdated != 0;
    if (!is_alike)
        return NITRO_OK;
    stored->num_unconfirmed += outdated == 0 && !lacks_features;
    stored->num_partial += outdated != 0;
    return nitro_sample_copy(stored->plan->context, sample, &stored->target->partial[input]);
}

static void log_outdated(const stored_samples *stored)
{
    const nitro_tune_plan *plan = stored->plan;
    char names[NITRO_MAX_VARIANTS * 66] = ""; /* of 63 bytes at most */
    for (size_t v = 0; v < plan->computation->schema->num_variants; v++)
        if (stored->outdated >> v & 1)
            nitro_message_list_add(names, sizeof(names), "%s", plan->computation->variants[v].name);
    size_t num_whole = stored->num_outdated - stored->num_partial;
    nitro_log(
        plan->context, NITRO_LOG_WARNING, "%s on %s: %zu samples %s %s: measuring %s%s",
        plan->computation->schema->computation, stored->target->device->id, stored->num_outdated,
        stored->any_version ? "are of other versions of" : "have no times of", names,
        num_whole ? "them" : "these variants", num_whole || stored->any_version ? " again" : "");
    if (num_whole && stored->num_partial)
        nitro_log(plan->context, NITRO_LOG_INFO,
                  "%zu of them keep the times of other variants; the rest was made by another "
                  "compiler, driver or toolkit, or before the device changed: measured whole",
                  stored->num_partial);
}

nitro_status nitro_tune_find_stored(const nitro_tune_plan *plan, nitro_tune_target *target)
{
    if (plan->again && target->kind->simulate)
        return NITRO_OK;
    stored_samples stored = {.plan = plan, .target = target};
    nitro_status status = describe_today(&stored);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(plan->store, plan->computation->schema->computation,
                                         target->device->id, note_stored, &stored);
    if (status == NITRO_OK && stored.num_other_cache)
        status = fail_other_cache(&stored);
    if (status == NITRO_OK && stored.num_outdated)
        log_outdated(&stored);
    if (status == NITRO_OK && stored.num_unconfirmed)
        nitro_log(plan->context, NITRO_LOG_INFO,
                  "%s on %s: %zu samples have times that no second block confirms: measuring "
                  "these again",
                  plan->computation->schema->computation, target->device->id,
                  stored.num_unconfirmed);
    nitro_provenance_clear(&stored.today);
    return status;
}

bool nitro_tune_plan_is_stored(const nitro_tune_plan *plan, size_t input)
{
    for (size_t i = 0; i < plan->num_targets; i++)
        if (!plan->targets[i].stored[input])
            return false;
    return true;
}
