/* Makes a computation from a declaration: features first, since constraints name them. */
#include "nitro/base/require.h"
#include "nitro/nitro.h"

#include <stddef.h>

/** Entries of an array that ends at the first one without a name, or at its limit. */
static size_t count_features(const nitro_feature *features)
{
    size_t count = 0;
    while (count < NITRO_MAX_FEATURES && features[count].name)
        count++;
    return count;
}

static nitro_status add_features(nitro_computation *computation,
                                 const nitro_declaration *declaration)
{
    size_t count = count_features(declaration->features);
    nitro_status status = NITRO_OK;
    if (count > 0 || declaration->evaluate)
        status = nitro_computation_add_features(computation, declaration->features, count,
                                                declaration->evaluate, declaration->user);
    for (size_t i = 0; i < NITRO_MAX_FEATURES && status == NITRO_OK; i++) {
        const nitro_relative_feature *feature = &declaration->relative_features[i];
        if (!feature->name && !feature->formula)
            break;
        status = nitro_computation_add_relative_feature(computation, feature);
    }
    return status;
}

static nitro_status add_variants(nitro_computation *computation,
                                 const nitro_declaration *declaration)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < NITRO_MAX_VARIANTS && status == NITRO_OK; i++) {
        const nitro_variant *variant = &declaration->variants[i];
        if (!variant->name && !variant->run)
            break;
        status = nitro_computation_add_variant(computation, variant);
    }
    return status;
}

static nitro_status set_options(nitro_computation *computation,
                                const nitro_declaration *declaration)
{
    nitro_status status = NITRO_OK;
    if (declaration->device_kind)
        status = nitro_computation_set_device_kind(computation, declaration->device_kind);
    if (status == NITRO_OK && declaration->uses != 0)
        status = nitro_computation_set_uses(computation, declaration->uses);
    if (status == NITRO_OK && declaration->problem)
        status =
            nitro_computation_set_problem(computation, declaration->problem, declaration->user);
    if (status == NITRO_OK && declaration->hooks)
        status = nitro_computation_set_hooks(computation, declaration->hooks);
    return status;
}

nitro_status nitro_computation_declare(nitro_context *context, const nitro_declaration *declaration,
                                       nitro_computation **computation)
{
    NITRO_REQUIRE(context, context && declaration && computation);
    nitro_computation *made = NULL;
    nitro_status status = nitro_computation_create(context, declaration->name, &made);
    if (status == NITRO_OK)
        status = add_features(made, declaration);
    if (status == NITRO_OK)
        status = add_variants(made, declaration);
    if (status == NITRO_OK)
        status = set_options(made, declaration);
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}
