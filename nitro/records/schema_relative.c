/* Relative features of a schema: declared, checked, removed. */
#include <stdlib.h>
#include <string.h>

#include "nitro/records/relative.h"
#include "nitro/records/schema.h"

static void free_info(nitro_relative_info *info)
{
    free(info->name);
    free(info->unit);
    free(info->formula);
    free(info->replaces);
    *info = (nitro_relative_info){0};
}

size_t nitro_schema_relative(const nitro_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->num_relative; i++)
        if (strcmp(schema->relative[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

bool nitro_relative_info_replaces(const nitro_relative_info *relative, const char *feature)
{
    size_t length = strlen(feature);
    for (const char *item = relative->replaces; *item; item += *item == ',') {
        size_t item_length = strcspn(item, ",");
        if (item_length == length && memcmp(item, feature, length) == 0)
            return true;
        item += item_length;
    }
    return false;
}

static nitro_status check_name(nitro_context *context, const nitro_schema *schema, size_t index)
{
    const char *name = schema->relative[index].name;
    if (!nitro_name_is_valid(name))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: '%.80s' is not a valid relative feature name: use 1 to 63 of "
                          "[A-Za-z0-9_.+-]",
                          schema->computation, name ? name : "(null)");
    if (nitro_schema_feature(schema, name) != NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_EXISTS,
                          "%s: relative feature %s has the name of an input feature",
                          schema->computation, name);
    if (nitro_schema_relative(schema, name) != index)
        return nitro_fail(context, NITRO_ERR_EXISTS, "%s: relative feature %s is declared twice",
                          schema->computation, name);
    return NITRO_OK;
}

static nitro_status check_replaced(nitro_context *context, const nitro_schema *schema,
                                   const nitro_relative_info *info)
{
    nitro_string_list names = {0};
    nitro_status status =
        info->replaces[0] ? nitro_string_list_split(context, &names, info->replaces) : NITRO_OK;
    for (size_t i = 0; i < names.count && status == NITRO_OK; i++)
        if (nitro_schema_feature(schema, names.items[i]) == NITRO_NONE)
            status = nitro_fail(context, NITRO_ERR_FORMAT,
                                "%s: relative feature %s replaces '%.80s', which is not an input "
                                "feature",
                                schema->computation, info->name, names.items[i]);
    nitro_string_list_free(&names);
    return status;
}

nitro_status nitro_schema_check_relative(nitro_context *context, const nitro_schema *schema,
                                         size_t index)
{
    nitro_status status = check_name(context, schema, index);
    if (status != NITRO_OK)
        return status;
    const nitro_relative_info *info = &schema->relative[index];
    nitro_scale scale;
    if (!info->unit || !info->formula || !info->replaces ||
        !nitro_scale_from_name(nitro_scale_name(info->scale), &scale))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: relative feature %s has no unit, no formula, or no known scale",
                          schema->computation, info->name);
    status = check_replaced(context, schema, info);
    if (status != NITRO_OK)
        return status;
    /* Checks all up to this one, since they share the limit on device features. */
    nitro_schema part = *schema;
    nitro_relative *compiled = NULL;
    part.num_relative = index + 1;
    status = nitro_relative_compile(context, &part, &compiled);
    nitro_relative_free(compiled);
    return status;
}

nitro_status nitro_schema_add_relative(nitro_context *context, nitro_schema *schema,
                                       const nitro_relative_feature *feature)
{
    const char *name = feature->name ? feature->name : "(null)";
    if (!feature->formula)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: relative feature '%.80s' has no formula", schema->computation, name);
    if (schema->num_relative == NITRO_MAX_FEATURES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: cannot add relative feature '%.80s': %d is the limit",
                          schema->computation, name, NITRO_MAX_FEATURES);
    nitro_relative_info *info = &schema->relative[schema->num_relative];
    *info = (nitro_relative_info){
        .name = nitro_strdup(context, name),
        .unit = nitro_strdup(context, feature->unit ? feature->unit : "1"),
        .scale = feature->scale,
        .formula = nitro_strdup(context, feature->formula),
        .replaces = nitro_strdup(context, feature->replaces ? feature->replaces : "")};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (info->name && info->unit && info->formula && info->replaces) {
        schema->num_relative++;
        status = nitro_schema_check_relative(context, schema, schema->num_relative - 1);
        schema->num_relative -= status != NITRO_OK;
    }
    if (status != NITRO_OK)
        free_info(info);
    return status;
}

void nitro_schema_keep_relative(nitro_schema *schema, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < schema->num_relative; i++) {
        nitro_relative_info info = schema->relative[i];
        schema->relative[i] = (nitro_relative_info){0};
        if (keep && keep[i])
            schema->relative[kept++] = info;
        else
            free_info(&info);
    }
    schema->num_relative = kept;
}

nitro_status nitro_schema_copy_relative(nitro_context *context, const nitro_schema *from,
                                        nitro_schema *to)
{
    nitro_status status = NITRO_OK;
    nitro_schema_keep_relative(to, NULL);
    for (size_t i = 0; i < from->num_relative && status == NITRO_OK; i++) {
        const nitro_relative_info *info = &from->relative[i];
        const nitro_relative_feature feature = {.name = info->name,
                                                .unit = info->unit,
                                                .scale = info->scale,
                                                .formula = info->formula,
                                                .replaces = info->replaces};
        status = nitro_schema_add_relative(context, to, &feature);
    }
    return status;
}
