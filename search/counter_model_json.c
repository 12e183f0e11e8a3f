/* Counter models to and from JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/base/json.h"
#include "search/counter_model.h"

#define FORMAT  "nitro-counter-model"
#define VERSION 1

static const char *const kind_names[] = {"trees", "least-squares", "exact"};

/* ---- To JSON --------------------------------------------------------------------------------- */

static json_t *parameter_to_json(const counter_parameter *parameter)
{
    json_t *object =
        json_pack("{s:s, s:b, s:f, s:f}", "name", parameter->name, "binary", parameter->binary,
                  "centre", parameter->centre, "width", parameter->width);
    if (parameter->is_text)
        nitro_json_put(&object, "texts", nitro_json_from_strings(&parameter->texts, 0));
    return object;
}

static json_t *tree_to_json(const counter_tree *tree)
{
    json_t *columns = json_array(), *values = json_array(), *right = json_array();
    for (size_t i = 0; i < tree->num_nodes; i++) {
        const counter_node *node = &tree->nodes[i];
        bool leaf = node->column == COUNTER_LEAF;
        nitro_json_append(&columns, json_integer(leaf ? -1 : (json_int_t)node->column));
        nitro_json_append(&values, json_real(node->value));
        nitro_json_append(&right, json_integer((json_int_t)node->right));
    }
    return json_pack("{s:o, s:o, s:o}", "columns", columns, "values", values, "right", right);
}

static json_t *part_to_json(const nitro_counter_model *model, const counter_part *part)
{
    return json_pack(
        "{s:o, s:o}", "levels", nitro_json_from_numbers(part->levels, model->num_binary),
        "coefficients",
        nitro_json_from_rows(part->coefficients, model->counters.count, model->num_terms));
}

nitro_status nitro_counter_model_format(nitro_context *context, const nitro_counter_model *model,
                                        char **text)
{
    json_t *parameters = json_array(), *members = json_array();
    for (size_t p = 0; p < model->num_parameters; p++)
        nitro_json_append(&parameters, parameter_to_json(&model->parameters[p]));
    for (size_t c = 0; model->trees && c < model->counters.count; c++)
        nitro_json_append(&members, tree_to_json(&model->trees[c]));
    for (size_t i = 0; i < model->num_parts; i++)
        nitro_json_append(&members, part_to_json(model, &model->parts[i]));
    json_t *top = json_pack("{s:s, s:i, s:s, s:o, s:o, s:o}", "format", FORMAT, "version", VERSION,
                            "kind", kind_names[model->kind], "parameters", parameters, "counters",
                            nitro_json_from_strings(&model->counters, 0),
                            model->trees ? "trees" : "parts", members);
    char *printed = top ? nitro_json_print(top, JSON_COMPACT) : NULL;
    json_decref(top);
    if (!printed)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a counter model");
    *text = printed;
    return NITRO_OK;
}

/* ---- From JSON ------------------------------------------------------------------------------- */

static nitro_status refuse(const nitro_json_place *place, const char *key, const char *problem)
{
    const char *dot = *place->field ? "." : "";
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: %s%s%s: %s", place->path, place->field,
                      dot, key, problem);
}

static nitro_status read_texts(const nitro_json_place *place, const json_t *array, const char *key,
                               nitro_string_list *list)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text)
            return refuse(place, key, "expected texts");
        if (nitro_string_list_find(list, text) != NITRO_NONE)
            return refuse(place, key, "a text occurs twice");
        status = nitro_string_list_add(place->context, list, text);
    }
    return status;
}

static nitro_status read_parameter(const nitro_json_place *place, const json_t *json,
                                   counter_parameter *parameter)
{
    const char *name;
    json_t *binary, *texts = json_object_get(json, "texts");
    nitro_status status = nitro_json_string(place, json, "name", &name);
    if (status == NITRO_OK)
        status = nitro_json_number(place, json, "centre", &parameter->centre);
    if (status == NITRO_OK)
        status = nitro_json_number(place, json, "width", &parameter->width);
    if (status != NITRO_OK)
        return status;
    binary = json_object_get(json, "binary");
    if (!json_is_boolean(binary))
        return refuse(place, "binary", "expected true or false");
    if (texts && !json_is_array(texts))
        return refuse(place, "texts", "expected an array");
    parameter->binary = json_is_true(binary);
    parameter->is_text = texts != NULL;
    parameter->name = nitro_strdup(place->context, name);
    if (!parameter->name)
        return NITRO_ERR_NO_MEMORY;
    return texts ? read_texts(place, texts, "texts", &parameter->texts) : NITRO_OK;
}

static nitro_status read_parameters(const nitro_json_place *place, const json_t *top,
                                    nitro_counter_model *model)
{
    json_t *array;
    nitro_status status = nitro_json_member(place, top, "parameters", JSON_ARRAY, &array);
    if (status != NITRO_OK)
        return status;
    size_t count = json_array_size(array);
    if (count == 0 || count > NITRO_MAX_PARAMETERS)
        return refuse(place, "parameters", "expected 1 to 64 of them");
    model->parameters = nitro_calloc(place->context, count, sizeof(*model->parameters));
    if (!model->parameters)
        return NITRO_ERR_NO_MEMORY;
    model->num_parameters = count;
    for (size_t p = 0; status == NITRO_OK && p < count; p++) {
        char field[64];
        snprintf(field, sizeof(field), "parameters[%zu]", p);
        nitro_json_place inside = {place->context, place->path, field};
        status = read_parameter(&inside, json_array_get(array, p), &model->parameters[p]);
        model->num_binary += model->parameters[p].binary;
        if (status == NITRO_OK && !(model->parameters[p].width > 0))
            status = refuse(&inside, "width", "expected a positive number");
    }
    return status;
}

static nitro_status read_nodes(const nitro_json_place *place, const json_t *columns,
                               const json_t *values, const json_t *right, size_t num_parameters,
                               counter_tree *tree)
{
    for (size_t i = 0; i < tree->num_nodes; i++) {
        json_int_t column = json_integer_value(json_array_get(columns, i));
        json_int_t to = json_integer_value(json_array_get(right, i));
        double value = json_number_value(json_array_get(values, i));
        if (!json_is_integer(json_array_get(columns, i)) || column < -1 ||
            column >= (json_int_t)num_parameters)
            return refuse(place, "columns", "expected positions of parameters, or -1");
        if (!json_is_number(json_array_get(values, i)) || !isfinite(value))
            return refuse(place, "values", "expected numbers");
        bool leaf = column == -1;
        if (!leaf && (!json_is_integer(json_array_get(right, i)) || to < (json_int_t)i + 2 ||
                      to >= (json_int_t)tree->num_nodes))
            return refuse(place, "right", "expected a later node");
        if (!leaf && i + 1 == tree->num_nodes)
            return refuse(place, "columns", "the last node is no leaf");
        tree->nodes[i] =
            (counter_node){leaf ? COUNTER_LEAF : (uint32_t)column, value, leaf ? 0 : (uint32_t)to};
    }
    return NITRO_OK;
}

static nitro_status read_tree(const nitro_json_place *place, const json_t *json,
                              size_t num_parameters, counter_tree *tree)
{
    json_t *columns, *values, *right;
    nitro_status status = nitro_json_member(place, json, "columns", JSON_ARRAY, &columns);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "values", JSON_ARRAY, &values);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "right", JSON_ARRAY, &right);
    if (status != NITRO_OK)
        return status;
    size_t count = json_array_size(columns);
    if (count == 0 || count >= COUNTER_LEAF || json_array_size(values) != count ||
        json_array_size(right) != count)
        return refuse(place, "columns", "expected as many columns, values and right, at least one");
    tree->nodes = nitro_calloc(place->context, count, sizeof(*tree->nodes));
    if (!tree->nodes)
        return NITRO_ERR_NO_MEMORY;
    tree->num_nodes = count;
    return read_nodes(place, columns, values, right, num_parameters, tree);
}

static nitro_status read_trees(const nitro_json_place *place, const json_t *top,
                               nitro_counter_model *model)
{
    json_t *array;
    nitro_status status = nitro_json_member(place, top, "trees", JSON_ARRAY, &array);
    if (status == NITRO_OK && json_array_size(array) != model->counters.count)
        status = refuse(place, "trees", "expected one a counter");
    if (status != NITRO_OK)
        return status;
    model->trees = nitro_calloc(place->context, model->counters.count, sizeof(*model->trees));
    if (!model->trees)
        return NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; status == NITRO_OK && c < model->counters.count; c++) {
        char field[64];
        snprintf(field, sizeof(field), "trees[%zu]", c);
        nitro_json_place inside = {place->context, place->path, field};
        status =
            read_tree(&inside, json_array_get(array, c), model->num_parameters, &model->trees[c]);
    }
    return status;
}

static nitro_status read_part(const nitro_json_place *place, const json_t *json,
                              const nitro_counter_model *model, counter_part *part)
{
    json_t *levels, *rows;
    nitro_status status = nitro_json_member(place, json, "levels", JSON_ARRAY, &levels);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "coefficients", JSON_ARRAY, &rows);
    if (status == NITRO_OK)
        status = nitro_json_check_rows(place, rows, "coefficients", model->counters.count,
                                       model->num_terms);
    if (status == NITRO_OK && json_array_size(levels) != model->num_binary)
        status = refuse(place, "levels", "expected one a parameter that is binary");
    if (status != NITRO_OK)
        return status;
    part->levels = nitro_calloc(place->context, model->num_binary + 1, sizeof(double));
    part->coefficients =
        nitro_calloc(place->context, model->counters.count * model->num_terms, sizeof(double));
    if (!part->levels || !part->coefficients)
        return NITRO_ERR_NO_MEMORY;
    status = nitro_json_numbers(place, levels, "levels", model->num_binary, part->levels);
    return status == NITRO_OK
               ? nitro_json_rows(place, rows, "coefficients", model->num_terms, part->coefficients)
               : status;
}

static nitro_status read_parts(const nitro_json_place *place, const json_t *top,
                               nitro_counter_model *model)
{
    json_t *array;
    nitro_status status = nitro_json_member(place, top, "parts", JSON_ARRAY, &array);
    if (status == NITRO_OK && json_array_size(array) == 0)
        status = refuse(place, "parts", "expected at least one");
    if (status != NITRO_OK)
        return status;
    model->num_terms = search_counter_num_terms(model);
    model->parts = nitro_calloc(place->context, json_array_size(array), sizeof(*model->parts));
    if (!model->parts)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        char field[64];
        snprintf(field, sizeof(field), "parts[%zu]", i);
        nitro_json_place inside = {place->context, place->path, field};
        model->num_parts++;
        status = read_part(&inside, json_array_get(array, i), model, &model->parts[i]);
    }
    return status;
}

static nitro_status read_model(const nitro_json_place *place, const json_t *top,
                               nitro_counter_model *model)
{
    const char *kind;
    json_t *counters;
    nitro_status status = nitro_json_check_format(place, top, FORMAT, VERSION, "a counter model");
    if (status == NITRO_OK)
        status = nitro_json_string(place, top, "kind", &kind);
    if (status != NITRO_OK)
        return status;
    size_t found = 0;
    while (found < 3 && strcmp(kind_names[found], kind) != 0)
        found++;
    if (found == 3)
        return refuse(place, "kind", "expected trees, least-squares or exact");
    model->kind = (nitro_counter_model_kind)found;
    status = read_parameters(place, top, model);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "counters", JSON_ARRAY, &counters);
    if (status == NITRO_OK)
        status = read_texts(place, counters, "counters", &model->counters);
    if (status == NITRO_OK && model->counters.count == 0)
        status = refuse(place, "counters", "expected at least one");
    if (status != NITRO_OK)
        return status;
    return model->kind == NITRO_COUNTERS_LEAST_SQUARES ? read_parts(place, top, model)
                                                       : read_trees(place, top, model);
}

nitro_status nitro_counter_model_parse(nitro_context *context, const char *origin, const char *text,
                                       size_t size, nitro_counter_model **model)
{
    json_t *top = NULL;
    nitro_status status = nitro_json_read(context, origin, text, size, &top);
    if (status != NITRO_OK)
        return status;
    nitro_json_place place = {context, origin, ""};
    nitro_counter_model *made = nitro_calloc(context, 1, sizeof(*made));
    status = made ? read_model(&place, top, made) : NITRO_ERR_NO_MEMORY;
    json_decref(top);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_counter_model_free(made);
    return status;
}
