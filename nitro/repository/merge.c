/* Merges a stored schema with a new declaration: names must agree; open units and scales may be
 * filled in, but declared ones do not change, since samples depend on them. */
#include <string.h>

#include "nitro/repository/store_internal.h"

static nitro_status merge_feature(nitro_context *context, const char *computation,
                                  nitro_feature_info *stored, const nitro_feature_info *declared,
                                  bool *changed)
{
    bool new_scale = stored->scale == NITRO_SCALE_AUTO && declared->scale != NITRO_SCALE_AUTO;
    if (new_scale)
        stored->scale = declared->scale;
    else if (declared->scale != NITRO_SCALE_AUTO && declared->scale != stored->scale)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: feature %s is scaled %s in the store, but declared %s; declare the "
                          "same, or leave it auto",
                          computation, stored->name, nitro_scale_name(stored->scale),
                          nitro_scale_name(declared->scale));
    bool new_unit = strcmp(stored->unit, "1") == 0 && strcmp(declared->unit, "1") != 0;
    *changed = *changed || new_scale || new_unit;
    if (new_unit)
        return nitro_text_replace(context, &stored->unit, declared->unit);
    if (strcmp(declared->unit, "1") != 0 && strcmp(declared->unit, stored->unit) != 0)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "%s: feature %s is in '%s' in the store, but declared in '%s'",
                          computation, stored->name, stored->unit, declared->unit);
    return NITRO_OK;
}

bool nitro_schema_has_same_relative(const nitro_schema *a, const nitro_schema *b)
{
    bool same = a->num_relative == b->num_relative;
    for (size_t i = 0; same && i < a->num_relative; i++)
        same = strcmp(a->relative[i].name, b->relative[i].name) == 0 &&
               strcmp(a->relative[i].unit, b->relative[i].unit) == 0 &&
               a->relative[i].scale == b->relative[i].scale &&
               strcmp(a->relative[i].formula, b->relative[i].formula) == 0 &&
               strcmp(a->relative[i].replaces, b->relative[i].replaces) == 0;
    return same;
}

/* No sample depends on relative features, so a newer declaration replaces them, unless it has none.
 */
static nitro_status merge_relative(nitro_context *context, nitro_schema *stored,
                                   const nitro_schema *declared, bool *changed)
{
    if (declared->num_relative == 0 || nitro_schema_has_same_relative(stored, declared))
        return NITRO_OK;
    *changed = true;
    return nitro_schema_copy_relative(context, declared, stored);
}

nitro_status nitro_store_merge_schema(nitro_context *context, const nitro_schema *stored,
                                      const nitro_schema *declared, nitro_schema **merged)
{
    nitro_status status =
        nitro_schema_require_same(context, stored, "the store", declared, "the new declaration");
    nitro_schema *copy = NULL;
    if (status == NITRO_OK)
        status = nitro_schema_copy(context, stored, &copy);
    bool changed = false;
    for (size_t i = 0; status == NITRO_OK && i < stored->num_features; i++)
        status = merge_feature(context, stored->computation, &copy->features[i],
                               &declared->features[i], &changed);
    if (status == NITRO_OK)
        status = merge_relative(context, copy, declared, &changed);
    if (status != NITRO_OK) {
        nitro_schema_free(copy);
        return status;
    }
    if (declared->default_variant != NITRO_NONE &&
        declared->default_variant != stored->default_variant) {
        copy->default_variant = declared->default_variant;
        changed = true;
    }
    if (!changed) {
        nitro_schema_free(copy);
        copy = NULL;
    }
    *merged = copy;
    return NITRO_OK;
}
