/* Device-feature selection "omit": none is chosen, for strategies that learn from input features
 * alone. */
#include "nitro/nitro_backend.h"

static nitro_status choose_nothing(nitro_context *context, const nitro_dataset *sources,
                                   const nitro_device *target, const nitro_string_list *candidates,
                                   uint64_t seed, nitro_string_list *chosen)
{
    (void)context;
    (void)sources;
    (void)target;
    (void)candidates;
    (void)seed;
    (void)chosen;
    return NITRO_OK;
}

const nitro_dfs_kind nitro_dfs_omit = {
    .name = "omit",
    .description = "no device features: only what input features say",
    .priority = 1,
    .select = choose_nothing,
};
