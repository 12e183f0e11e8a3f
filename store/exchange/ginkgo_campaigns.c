/* ginkgo_campaigns.c - names the campaigns of a checkout as devices, and finds their common
 * variants. Files do not name their campaign: in one folder, files with another executor, spelling
 * or unit are another campaign and so another device. */
#include <stdlib.h>
#include <string.h>

#include "store/exchange/ginkgo_internal.h"

/* Is it the largest campaign of its folder, the first of equals? */
static bool is_main(const ginkgo_checkout *checkout, const ginkgo_campaign *campaign)
{
    for (size_t i = 0; i < checkout->num_campaigns; i++) {
        const ginkgo_campaign *other = &checkout->campaigns[i];
        if (strcmp(other->folder, campaign->folder) != 0 || other == campaign)
            continue;
        if (other->num_records > campaign->num_records ||
            (other->num_records == campaign->num_records && other < campaign))
            return false;
    }
    return true;
}

static char *make_id(nitro_context *context, const ginkgo_campaign *campaign, const char *suffix)
{
    const char *joint = suffix ? "_" : "";
    if (campaign->main)
        return nitro_asprintf(context, "%s%s%s", campaign->folder, joint, suffix ? suffix : "");
    return nitro_asprintf(context, "%s.%s-%s-%s%s%s", campaign->folder, campaign->executor,
                          campaign->capital ? "capital" : "lower", campaign->seconds ? "s" : "ns",
                          joint, suffix ? suffix : "");
}

nitro_status nitro_ginkgo_name_devices(ginkgo_checkout *checkout, const char *suffix)
{
    for (size_t i = 0; i < checkout->num_campaigns; i++) {
        ginkgo_campaign *campaign = &checkout->campaigns[i];
        campaign->main = is_main(checkout, campaign);
        campaign->device = make_id(checkout->context, campaign, suffix);
        if (!campaign->device)
            return NITRO_ERR_NO_MEMORY;
        if (!nitro_device_id_is_valid(campaign->device))
            return nitro_fail(
                checkout->context, NITRO_ERR_ARGUMENT,
                "invalid device id '%.120s': use 1 to 63 of [A-Za-z0-9_.:@+-]; choose "
                "another --campaign, or other folders than %s with --device",
                campaign->device, campaign->folder);
    }
    return NITRO_OK;
}

bool nitro_ginkgo_measures(const ginkgo_checkout *checkout, const ginkgo_campaign *campaign,
                           const char *variant)
{
    size_t index = nitro_string_list_find(&checkout->names, variant);
    return index != NITRO_NONE && 2 * campaign->attempted[index] >= campaign->num_records &&
           10 * campaign->timed[index] >= campaign->num_records;
}

static bool all_main_measure(const ginkgo_checkout *checkout, const char *variant)
{
    for (size_t i = 0; i < checkout->num_campaigns; i++) {
        const ginkgo_campaign *campaign = &checkout->campaigns[i];
        if (campaign->main && !nitro_ginkgo_measures(checkout, campaign, variant))
            return false;
    }
    return true;
}

nitro_status nitro_ginkgo_common_variants(const ginkgo_checkout *checkout,
                                          nitro_string_list *variants)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < checkout->names.count && status == NITRO_OK; i++)
        if (all_main_measure(checkout, checkout->names.items[i]))
            status = nitro_string_list_add(checkout->context, variants, checkout->names.items[i]);
    nitro_string_list_sort(variants);
    return status;
}
