/* Description files: JSON with the features, units and relative features of a recorded computation.
 * Features that the schema lacks are ignored.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"

#define FORMAT_NAME    "nitro-computation"
#define FORMAT_VERSION 1
#define MAX_FILE_BYTES ((size_t)1 << 20)

void nitro_description_free(nitro_description *description)
{
    if (!description)
        return;
    nitro_schema_free(description->names);
    free(description->default_variant);
    for (size_t i = 0; i < description->num_work; i++) {
        free(description->work[i].variant);
        free(description->work[i].flops);
        free(description->work[i].bytes);
    }
    free(description->work);
    free(description);
}

static nitro_status read_unit_and_scale(const nitro_json_place *place, const json_t *object,
                                        const char **unit, nitro_scale *scale)
{
    const char *scale_name = "auto";
    *unit = "1";
    nitro_status status = nitro_json_optional_string(place, object, "unit", unit);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "scale", &scale_name);
    if (status == NITRO_OK && !nitro_text_is_valid(*unit, 63))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field %s.unit is longer than 63 bytes, or has control characters",
                            place->path, place->field);
    if (status == NITRO_OK && !nitro_scale_from_name(scale_name, scale))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field %s.scale is '%.80s': use linear, log, signed-log or auto",
                            place->path, place->field, scale_name);
    return status;
}

static nitro_status read_feature(const nitro_json_place *place, const json_t *object, void *names)
{
    static const char *const known[] = {"name", "unit", "scale", "about"};
    const char *name = NULL, *unit = NULL, *about = NULL;
    nitro_scale scale;
    nitro_status status =
        nitro_json_check_keys(place, object, known, sizeof known / sizeof known[0]);
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "name", &name);
    if (status == NITRO_OK)
        status = read_unit_and_scale(place, object, &unit, &scale);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "about", &about);
    if (status != NITRO_OK)
        return status;
    return nitro_json_blame(place,
                            nitro_schema_add_feature(place->context, names, name, unit, scale));
}

/** The array of names as "a,b". */
static nitro_status read_replaced(const nitro_json_place *place, const json_t *object, char **text)
{
    json_t *array = NULL;
    if (!json_object_get(object, "replaces"))
        return NITRO_OK;
    nitro_status status = nitro_json_member(place, object, "replaces", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!nitro_name_is_valid(name))
            return nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: field %s.replaces[%zu] must be the name of a feature",
                              place->path, place->field, i);
        char *longer =
            nitro_asprintf(place->context, "%s%s%s", *text ? *text : "", *text ? "," : "", name);
        if (!longer)
            return NITRO_ERR_NO_MEMORY;
        free(*text);
        *text = longer;
    }
    return status;
}

static nitro_status read_relative_feature(const nitro_json_place *place, const json_t *object,
                                          void *names)
{
    static const char *const known[] = {"name", "unit", "scale", "formula", "replaces", "about"};
    nitro_relative_feature feature = {0};
    const char *about = NULL;
    char *replaced = NULL;
    nitro_status status =
        nitro_json_check_keys(place, object, known, sizeof known / sizeof known[0]);
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "name", &feature.name);
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "formula", &feature.formula);
    if (status == NITRO_OK)
        status = read_unit_and_scale(place, object, &feature.unit, &feature.scale);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "about", &about);
    if (status == NITRO_OK)
        status = read_replaced(place, object, &replaced);
    if (status == NITRO_OK) {
        feature.replaces = replaced;
        status =
            nitro_json_blame(place, nitro_schema_add_relative(place->context, names, &feature));
    }
    free(replaced);
    return status;
}

/** One entry, for each of its variants. */
static nitro_status add_work(const nitro_json_place *place, const json_t *variants,
                             const char *flops, const char *bytes, bool single,
                             nitro_description *description)
{
    nitro_context *context = place->context;
    size_t count = description->num_work + json_array_size(variants);
    nitro_variant_work *work = realloc(description->work, (count + 1) * sizeof *work);
    if (!work)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for %s", place->path);
    description->work = work;
    for (size_t i = 0; i < json_array_size(variants); i++) {
        const char *name = json_string_value(json_array_get(variants, i));
        if (!nitro_name_is_valid(name))
            return nitro_fail(context, NITRO_ERR_FORMAT,
                              "%s: field %s.variants[%zu] must be the name of a variant",
                              place->path, place->field, i);
        nitro_variant_work *added = &work[description->num_work++];
        *added = (nitro_variant_work){.variant = nitro_strdup(context, name),
                                      .bytes = nitro_strdup(context, bytes),
                                      .flops = nitro_strdup(context, flops),
                                      .single = single};
        if (!added->variant || !added->bytes || (flops && !added->flops))
            return NITRO_ERR_NO_MEMORY;
    }
    return NITRO_OK;
}

static nitro_status read_work(const nitro_json_place *place, const json_t *object,
                              void *description)
{
    static const char *const known[] = {"variants", "flops", "bytes", "single", "about"};
    const char *flops = NULL, *bytes = NULL, *about = NULL;
    json_t *variants = NULL;
    nitro_status status =
        nitro_json_check_keys(place, object, known, sizeof known / sizeof known[0]);
    if (status == NITRO_OK)
        status = nitro_json_member(place, object, "variants", JSON_ARRAY, &variants);
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "bytes", &bytes);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "flops", &flops);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "about", &about);
    return status == NITRO_OK
               ? add_work(place, variants, flops, bytes,
                          json_is_true(json_object_get(object, "single")), description)
               : status;
}

static nitro_status check_format(const nitro_json_place *place, const json_t *top)
{
    static const char *const known[] = {"format",   "version",           "computation", "about",
                                        "features", "relative_features", "default",     "work"};
    const char *about = NULL;
    nitro_status status = nitro_json_check_format(place, top, FORMAT_NAME, FORMAT_VERSION,
                                                  "description of a computation");
    if (status == NITRO_OK)
        status = nitro_json_check_keys(place, top, known, sizeof known / sizeof known[0]);
    return status == NITRO_OK ? nitro_json_optional_string(place, top, "about", &about) : status;
}

static nitro_status read_names(const nitro_json_place *place, const json_t *top,
                               nitro_description *description)
{
    const char *computation = NULL, *variant = NULL;
    nitro_json_place at = {place->context, place->path, "computation"};
    nitro_status status = nitro_json_string(place, top, "computation", &computation);
    if (status == NITRO_OK)
        status = nitro_json_blame(
            &at, nitro_schema_create(place->context, computation, &description->names));
    if (status == NITRO_OK)
        status = nitro_json_each(place, top, "features", read_feature, description->names);
    if (status == NITRO_OK && json_object_get(top, "relative_features"))
        status = nitro_json_each(place, top, "relative_features", read_relative_feature,
                                 description->names);
    if (status == NITRO_OK && json_object_get(top, "work"))
        status = nitro_json_each(place, top, "work", read_work, description);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, top, "default", &variant);
    if (status != NITRO_OK || !variant)
        return status;
    if (!nitro_name_is_valid(variant))
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field default is '%.80s', which is not a valid variant name",
                          place->path, variant);
    description->default_variant = nitro_strdup(place->context, variant);
    return description->default_variant ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_description_parse(nitro_context *context, const char *origin, const char *text,
                                     size_t size, nitro_description **description)
{
    nitro_json_place place = {context, origin, ""};
    json_t *top = NULL;
    nitro_status status = nitro_json_read(context, origin, text, size, &top);
    if (status != NITRO_OK)
        return status;
    nitro_description *made = nitro_calloc(context, 1, sizeof *made);
    status = made ? check_format(&place, top) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = read_names(&place, top, made);
    json_decref(top);
    if (status == NITRO_OK)
        *description = made;
    else
        nitro_description_free(made);
    return status;
}

nitro_status nitro_description_read(nitro_context *context, const char *path,
                                    nitro_description **description)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_description_parse(context, path, text, size, description);
    free(text);
    return status;
}

static nitro_status describe_feature(nitro_context *context, const nitro_feature_info *said,
                                     nitro_feature_info *feature)
{
    if (said->scale != NITRO_SCALE_AUTO)
        feature->scale = said->scale;
    return strcmp(said->unit, "1") != 0 ? nitro_text_replace(context, &feature->unit, said->unit)
                                        : NITRO_OK;
}

static nitro_status describe_default(nitro_context *context, const nitro_description *description,
                                     nitro_schema *schema)
{
    const char *name = description->default_variant;
    size_t variant = name ? nitro_schema_variant(schema, name) : NITRO_NONE;
    if (name && variant == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "the description's default variant %s is not a variant of %s", name,
                          schema->computation);
    if (name)
        schema->default_variant = variant;
    return NITRO_OK;
}

/** The replaced features that the schema has. */
static nitro_status list_replaced(nitro_context *context, const nitro_relative_info *relative,
                                  const nitro_schema *schema, char **text)
{
    char *list = nitro_strdup(context, "");
    for (size_t f = 0; list && f < schema->num_features; f++) {
        const char *name = schema->features[f].name;
        if (!nitro_relative_info_replaces(relative, name))
            continue;
        char *longer = nitro_asprintf(context, "%s%s%s", list, list[0] ? "," : "", name);
        free(list);
        list = longer;
    }
    *text = list;
    return list ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status add_relative(nitro_context *context, const nitro_relative_info *relative,
                                 nitro_schema *schema)
{
    char *replaces = NULL;
    nitro_status status = list_replaced(context, relative, schema, &replaces);
    if (status != NITRO_OK)
        return status;
    const nitro_relative_feature feature = {.name = relative->name,
                                            .unit = relative->unit,
                                            .scale = relative->scale,
                                            .formula = relative->formula,
                                            .replaces = replaces};
    status = nitro_schema_add_relative(context, schema, &feature);
    free(replaces);
    if (status != NITRO_ERR_FORMAT)
        return status;
    /* The formula is valid, so it can only fail because the schema lacks a feature. */
    char message[1024];
    nitro_context_last_error(context, message, sizeof message);
    nitro_log(context, NITRO_LOG_WARNING, "relative feature %s is omitted: %s", relative->name,
              message);
    return NITRO_OK;
}

nitro_status nitro_description_apply(nitro_context *context, const nitro_description *description,
                                     nitro_schema *schema)
{
    const nitro_schema *names = description->names;
    nitro_status status = describe_default(context, description, schema);
    for (size_t f = 0; f < names->num_features && status == NITRO_OK; f++) {
        size_t feature = nitro_schema_feature(schema, names->features[f].name);
        if (feature != NITRO_NONE)
            status = describe_feature(context, &names->features[f], &schema->features[feature]);
    }
    if (status == NITRO_OK)
        nitro_schema_keep_relative(schema, NULL);
    for (size_t i = 0; i < names->num_relative && status == NITRO_OK; i++)
        status = add_relative(context, &names->relative[i], schema);
    return status;
}
