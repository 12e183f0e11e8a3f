/* Makes a computation from a declaration: features first, since constraints name them. */
#include "nitro/base/require.h"
#include "nitro/runtime/computation.h"

#include <string.h>

/* The argument's member, a number of the type, as the feature. */
#define READ(type)                                                                                 \
    do {                                                                                           \
        type number;                                                                               \
        memcpy(&number, at, sizeof(number));                                                       \
        values[0] = (double)number;                                                                \
        return 0;                                                                                  \
    } while (0)

static int read_member(const void *argument, double *values, void *user)
{
    const nitro_member *member = user;
    const char *at = (const char *)argument + member->offset;
    switch (member->type) {
    case NITRO_MEMBER_SIGNED + 1:
        READ(int8_t);
    case NITRO_MEMBER_SIGNED + 2:
        READ(int16_t);
    case NITRO_MEMBER_SIGNED + 4:
        READ(int32_t);
    case NITRO_MEMBER_SIGNED + 8:
        READ(int64_t);
    case NITRO_MEMBER_UNSIGNED + 1:
        READ(uint8_t);
    case NITRO_MEMBER_UNSIGNED + 2:
        READ(uint16_t);
    case NITRO_MEMBER_UNSIGNED + 4:
        READ(uint32_t);
    case NITRO_MEMBER_UNSIGNED + 8:
        READ(uint64_t);
    case NITRO_MEMBER_REAL + 4:
        READ(float);
    case NITRO_MEMBER_REAL + 8:
        READ(double);
    default:
        return -1; /* not of NITRO_MEMBER */
    }
}

/** Copy the features that one function gives: one with a member, or those up to the next such one.
 */
static size_t copy_group(const nitro_declared_feature *from, size_t limit, nitro_feature *group)
{
    size_t count = 0;
    do {
        group[count] = (nitro_feature){from[count].name, from[count].unit, from[count].scale,
                                       from[count].cost_ns};
        count++;
    } while (count < limit && from[count].name && from[0].member.type == 0 &&
             from[count].member.type == 0);
    return count;
}

static nitro_status add_input_features(nitro_computation *computation,
                                       const nitro_declaration *declaration)
{
    const nitro_declared_feature *features = declaration->features;
    nitro_feature group[NITRO_MAX_FEATURES];
    bool evaluates = false; /* declaration->evaluate has its features */
    size_t count;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < NITRO_MAX_FEATURES && features[i].name && status == NITRO_OK;
         i += count) {
        count = copy_group(&features[i], NITRO_MAX_FEATURES - i, group);
        computation->members[i] = features[i].member;
        if (features[i].member.type != 0)
            status = nitro_computation_add_features(computation, group, count, read_member,
                                                    &computation->members[i]);
        else if (evaluates)
            return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                              "%s: feature '%s' follows one that is a member of the argument: "
                              "declare those that `evaluate` computes next to each other",
                              declaration->name, features[i].name);
        else if (!declaration->evaluate)
            return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                              "%s: feature '%s' needs a function: declare its `member` of the "
                              "argument, or the `evaluate` that computes it",
                              declaration->name, features[i].name);
        else
            status = nitro_computation_add_features(computation, group, count,
                                                    declaration->evaluate, declaration->user);
        evaluates |= features[i].member.type == 0;
    }
    if (status == NITRO_OK && declaration->evaluate && !evaluates)
        status =
            nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                       "%s: `evaluate` needs at least one feature to compute, and none is declared "
                       "without a `member`: leave it out, or declare the feature",
                       declaration->name);
    return status;
}

static nitro_status add_features(nitro_computation *computation,
                                 const nitro_declaration *declaration)
{
    nitro_status status = add_input_features(computation, declaration);
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
