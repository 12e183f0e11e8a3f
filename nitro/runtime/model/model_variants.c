/* Matches a model's variants with those of a program, which may have gained or lost some since
 * the model was made. */
#include <stdlib.h>
#include <string.h>

#include "nitro/records/schema.h"
#include "nitro/runtime/model/model.h"

static bool has_same_features(const nitro_schema *a, const nitro_schema *b)
{
    bool same = strcmp(a->computation, b->computation) == 0 && a->num_features == b->num_features;
    for (size_t f = 0; f < a->num_features && same; f++)
        same = strcmp(a->features[f].name, b->features[f].name) == 0;
    return same;
}

static size_t count_known(const size_t *indices, size_t count)
{
    size_t known = 0;
    for (size_t v = 0; v < count; v++)
        known += indices[v] != NITRO_NONE;
    return known;
}

static nitro_status fail_few(nitro_context *context, const nitro_model *model, size_t num_common)
{
    char *names = nitro_schema_print_variants(model->schema);
    nitro_status status =
        nitro_fail(context, NITRO_ERR_MISMATCH,
                   "%s: this program declares %zu of the model's variants (%s), and at least two "
                   "are needed to choose among: tune again",
                   model->schema->computation, num_common, names ? names : "");
    free(names);
    return status;
}

/** Those of a schema's variants that the other side lacks. */
static void log_lacking(nitro_context *context, nitro_log_level level, const nitro_schema *of,
                        const size_t *indices, const char *text)
{
    char names[1024] = "";
    for (size_t v = 0; v < of->num_variants; v++)
        if (indices[v] == NITRO_NONE)
            nitro_message_list_add(names, sizeof names, "%s", of->variants[v]);
    if (names[0])
        nitro_log(context, level, "%s: %s: %s", of->computation, text, names);
}

nitro_status nitro_model_match_variants(nitro_context *context, nitro_model *model,
                                        const nitro_schema *declared)
{
    const nitro_schema *own = model->schema;
    if (nitro_schema_is_same(own, declared)) {
        free(model->map);
        model->map = NULL;
        return NITRO_OK;
    }
    if (!has_same_features(own, declared))
        return nitro_schema_require_same(context, declared, "this program", own, "the model");
    nitro_variant_map map;
    for (size_t v = 0; v < own->num_variants; v++)
        map.declared[v] = nitro_schema_variant(declared, own->variants[v]);
    for (size_t v = 0; v < declared->num_variants; v++)
        map.own[v] = nitro_schema_variant(own, declared->variants[v]);
    size_t num_common = count_known(map.own, declared->num_variants);
    if (num_common < 2)
        return fail_few(context, model, num_common);
    if (!model->map)
        model->map = nitro_calloc(context, 1, sizeof *model->map);
    if (!model->map)
        return NITRO_ERR_NO_MEMORY;
    *model->map = map;
    log_lacking(context, NITRO_LOG_WARNING, declared, map.own,
                "variants that are new to the model, which never chooses them; tune again");
    log_lacking(context, NITRO_LOG_INFO, own, map.declared,
                "the model's variants that this program does not declare are left out");
    return NITRO_OK;
}

uint64_t nitro_model_own_variants(const nitro_model *model, uint64_t declared)
{
    uint64_t own = 0;
    if (!model->map)
        return declared;
    for (size_t v = 0; v < model->schema->num_variants; v++)
        if (model->map->declared[v] != NITRO_NONE && declared >> model->map->declared[v] & 1)
            own |= UINT64_C(1) << v;
    return own;
}

size_t nitro_model_own_variant(const nitro_model *model, size_t declared)
{
    return model->map ? model->map->own[declared] : declared;
}

size_t nitro_model_declared_variant(const nitro_model *model, size_t own)
{
    return model->map ? model->map->declared[own] : own;
}
