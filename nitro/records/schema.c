/* Schemas: the variants and features of a computation. Samples and models are comparable if names
 * and order agree; units and scales may differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"
#include "nitro/records/schema.h"

nitro_status nitro_schema_create(nitro_context *context, const char *computation,
                                 nitro_schema **schema)
{
    if (!nitro_name_is_valid(computation))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is not a valid computation name: use 1 to 63 of [A-Za-z0-9_.+-]",
                          computation ? computation : "(null)");
    nitro_schema *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->default_variant = NITRO_NONE;
    created->computation = nitro_strdup(context, computation);
    created->features = nitro_calloc(context, NITRO_MAX_FEATURES, sizeof(*created->features));
    created->variants = nitro_calloc(context, NITRO_MAX_VARIANTS, sizeof(*created->variants));
    created->relative = nitro_calloc(context, NITRO_MAX_FEATURES, sizeof(*created->relative));
    if (!created->computation || !created->features || !created->variants || !created->relative) {
        nitro_schema_free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    *schema = created;
    return NITRO_OK;
}

void nitro_schema_free(nitro_schema *schema)
{
    if (!schema)
        return;
    for (size_t i = 0; i < schema->num_features; i++) {
        free(schema->features[i].name);
        free(schema->features[i].unit);
    }
    for (size_t i = 0; i < schema->num_variants; i++)
        free(schema->variants[i]);
    nitro_schema_keep_relative(schema, NULL);
    free(schema->relative);
    free(schema->features);
    free(schema->variants);
    free(schema->computation);
    free(schema);
}

size_t nitro_schema_feature(const nitro_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->num_features; i++)
        if (strcmp(schema->features[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

size_t nitro_schema_variant(const nitro_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->num_variants; i++)
        if (strcmp(schema->variants[i], name) == 0)
            return i;
    return NITRO_NONE;
}

static nitro_status check_new_name(nitro_context *context, const nitro_schema *schema,
                                   const char *what, const char *name, size_t taken, size_t count,
                                   size_t limit)
{
    if (!nitro_name_is_valid(name))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: '%.80s' is not a valid %s name: use 1 to 63 of [A-Za-z0-9_.+-]",
                          schema->computation, name ? name : "(null)", what);
    if (taken != NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_EXISTS, "%s: %s '%s' is declared twice",
                          schema->computation, what, name);
    if (count == limit)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: cannot add %s '%s': %zu is the limit; %s", schema->computation, what,
                          name, limit,
                          strcmp(what, "variant") == 0
                              ? "join variants that rarely win, or split the computation by a "
                                "property that its callers know"
                              : "leave out features that say little about the fastest variant");
    return NITRO_OK;
}

nitro_status nitro_schema_add_feature(nitro_context *context, nitro_schema *schema,
                                      const char *name, const char *unit, nitro_scale scale)
{
    size_t taken = nitro_name_is_valid(name) ? nitro_schema_feature(schema, name) : NITRO_NONE;
    nitro_status status = check_new_name(context, schema, "feature", name, taken,
                                         schema->num_features, NITRO_MAX_FEATURES);
    if (status == NITRO_OK && nitro_schema_relative(schema, name) != NITRO_NONE)
        status = nitro_fail(context, NITRO_ERR_EXISTS,
                            "%s: feature '%s' has the name of a relative feature",
                            schema->computation, name);
    if (status != NITRO_OK)
        return status;
    nitro_feature_info feature = {.name = nitro_strdup(context, name),
                                  .unit = nitro_strdup(context, unit ? unit : "1"),
                                  .scale = scale};
    if (!feature.name || !feature.unit) {
        free(feature.name);
        free(feature.unit);
        return NITRO_ERR_NO_MEMORY;
    }
    schema->features[schema->num_features++] = feature;
    return NITRO_OK;
}

nitro_status nitro_schema_add_variant(nitro_context *context, nitro_schema *schema,
                                      const char *name)
{
    size_t taken = nitro_name_is_valid(name) ? nitro_schema_variant(schema, name) : NITRO_NONE;
    nitro_status status = check_new_name(context, schema, "variant", name, taken,
                                         schema->num_variants, NITRO_MAX_VARIANTS);
    if (status != NITRO_OK)
        return status;
    char *copy = nitro_strdup(context, name);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    schema->variants[schema->num_variants++] = copy;
    return NITRO_OK;
}

nitro_status nitro_schema_copy(nitro_context *context, const nitro_schema *from,
                               nitro_schema **schema)
{
    nitro_schema *copy = NULL;
    nitro_status status = nitro_schema_create(context, from->computation, &copy);
    for (size_t i = 0; i < from->num_features && status == NITRO_OK; i++)
        status = nitro_schema_add_feature(context, copy, from->features[i].name,
                                          from->features[i].unit, from->features[i].scale);
    for (size_t i = 0; i < from->num_variants && status == NITRO_OK; i++)
        status = nitro_schema_add_variant(context, copy, from->variants[i]);
    if (status == NITRO_OK)
        status = nitro_schema_copy_relative(context, from, copy);
    if (status != NITRO_OK) {
        nitro_schema_free(copy);
        return status;
    }
    copy->default_variant = from->default_variant;
    *schema = copy;
    return NITRO_OK;
}

bool nitro_schema_is_same(const nitro_schema *a, const nitro_schema *b)
{
    if (strcmp(a->computation, b->computation) != 0 || a->num_features != b->num_features ||
        a->num_variants != b->num_variants)
        return false;
    for (size_t i = 0; i < a->num_features; i++)
        if (strcmp(a->features[i].name, b->features[i].name) != 0)
            return false;
    for (size_t i = 0; i < a->num_variants; i++)
        if (strcmp(a->variants[i], b->variants[i]) != 0)
            return false;
    return true;
}

char *nitro_schema_print_variants(const nitro_schema *schema)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = nitro_memory_stream(&text, &size);
    for (size_t i = 0; stream && i < schema->num_variants; i++)
        fprintf(stream, "%s%s", i ? ", " : "", schema->variants[i]);
    return nitro_memory_stream_end(stream, &text);
}

static char *print_names(const nitro_schema *schema)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = nitro_memory_stream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%s with features (", schema->computation);
    for (size_t i = 0; i < schema->num_features; i++)
        fprintf(stream, "%s%s", i ? "," : "", schema->features[i].name);
    fprintf(stream, ") and variants (");
    for (size_t i = 0; i < schema->num_variants; i++)
        fprintf(stream, "%s%s", i ? "," : "", schema->variants[i]);
    fprintf(stream, ")");
    return nitro_memory_stream_end(stream, &text);
}

nitro_status nitro_schema_require_same(nitro_context *context, const nitro_schema *a,
                                       const char *have, const nitro_schema *b, const char *want)
{
    if (nitro_schema_is_same(a, b))
        return NITRO_OK;
    char *names_a = print_names(a);
    char *names_b = print_names(b);
    nitro_status status =
        nitro_fail(context, NITRO_ERR_MISMATCH,
                   "features or variants differ: %s has %s; %s has %s. Their order matters.", have,
                   names_a ? names_a : a->computation, want, names_b ? names_b : b->computation);
    free(names_a);
    free(names_b);
    return status;
}
