/* Counter models: learnt from profiled evaluations, and asked for the counters of configurations.
 */
#include "search/counter_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Sizes of leaves that are tried. */
static const size_t leaf_sizes[] = {1, 2, 4, 8, 16};

void nitro_counter_model_free(nitro_counter_model *model)
{
    if (!model)
        return;
    for (size_t p = 0; model->parameters && p < model->num_parameters; p++) {
        free(model->parameters[p].name);
        nitro_string_list_free(&model->parameters[p].texts);
    }
    for (size_t c = 0; model->trees && c < model->counters.count; c++)
        free(model->trees[c].nodes);
    for (size_t i = 0; i < model->num_parts; i++) {
        free(model->parts[i].levels);
        free(model->parts[i].coefficients);
    }
    free(model->parameters);
    free(model->trees);
    free(model->parts);
    nitro_string_list_free(&model->counters);
    free(model);
}

size_t nitro_counter_model_num_counters(const nitro_counter_model *model)
{
    return model->counters.count;
}

const char *nitro_counter_model_counter(const nitro_counter_model *model, size_t counter)
{
    return model->counters.items[counter];
}

static nitro_status describe_parameter(nitro_context *context, const nitro_parameter *from,
                                       counter_parameter *parameter)
{
    parameter->name = nitro_strdup(context, from->name);
    parameter->is_text = from->type == NITRO_PARAMETER_STRING;
    parameter->width = 1;
    nitro_status status = parameter->name ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && parameter->is_text && i < from->num_values; i++)
        status = nitro_string_list_add(context, &parameter->texts, from->values[i].text);
    return status;
}

static nitro_status describe(nitro_context *context, const nitro_space *space,
                             const char *const *counter_names, size_t num_counters,
                             nitro_counter_model *model)
{
    nitro_status status = NITRO_OK;
    model->num_parameters = nitro_space_num_parameters(space);
    model->parameters = nitro_calloc(context, model->num_parameters, sizeof(*model->parameters));
    if (!model->parameters)
        return NITRO_ERR_NO_MEMORY;
    for (size_t p = 0; status == NITRO_OK && p < model->num_parameters; p++)
        status =
            describe_parameter(context, nitro_space_parameter(space, p), &model->parameters[p]);
    for (size_t c = 0; status == NITRO_OK && c < num_counters; c++)
        status = nitro_string_list_add(context, &model->counters, counter_names[c]);
    return status;
}

static nitro_status gather_rows(nitro_context *context, const nitro_space *space,
                                const nitro_search_answer *answers, size_t num_answers,
                                size_t num_counters, counter_rows *rows)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    size_t width = nitro_space_num_parameters(space), count = 0;
    *rows = (counter_rows){.num_parameters = width, .num_counters = num_counters};
    rows->values = nitro_calloc(context, num_answers * width + 1, sizeof(double));
    rows->counters = nitro_calloc(context, num_answers * num_counters + 1, sizeof(double));
    if (!rows->values || !rows->counters)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_answers; i++) {
        bool known = false;
        for (size_t c = 0; answers[i].counters && c < num_counters; c++)
            known |= isfinite(answers[i].counters[c]);
        if (!known)
            continue;
        nitro_space_indices(space, answers[i].configuration, indices);
        for (size_t p = 0; p < width; p++)
            rows->values[count * width + p] =
                nitro_space_parameter(space, p)->values[indices[p]].number;
        for (size_t c = 0; c < num_counters; c++) {
            double value = answers[i].counters[c];
            rows->counters[count * num_counters + c] = isfinite(value) ? value : NAN;
        }
        count++;
    }
    rows->num_rows = count;
    return count > 0 ? NITRO_OK
                     : nitro_fail(context, NITRO_ERR_NO_DATA,
                                  "no evaluation has counters: a counter model needs profiled "
                                  "evaluations");
}

/* Errors on the rows that the tree was not grown from. */
static void judge(const counter_rows *rows, size_t counter, const counter_tree *tree,
                  const size_t *held_out, size_t count, double *mean, double *root)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double error =
            search_counter_tree_predict(tree, rows->values + held_out[i] * rows->num_parameters) -
            rows->counters[held_out[i] * rows->num_counters + counter];
        sum += fabs(error);
        squares += error * error;
    }
    *mean = sum;
    *root = squares;
}

/* Of trees with leaves of different sizes, the one of least error on the other half. */
static nitro_status fit_tree(nitro_context *context, const counter_rows *rows, size_t counter,
                             size_t *members, size_t grown, size_t count, counter_tree *best)
{
    double least = INFINITY, least_root = INFINITY;
    size_t num_sizes = grown < count ? sizeof(leaf_sizes) / sizeof(leaf_sizes[0]) : 1;
    for (size_t i = 0; i < num_sizes; i++) {
        counter_tree tree;
        double mean, root;
        nitro_status status =
            search_counter_tree_grow(context, rows, counter, members, grown, leaf_sizes[i], &tree);
        if (status != NITRO_OK)
            return status;
        judge(rows, counter, &tree, members + grown, count - grown, &mean, &root);
        bool better = mean < least || (mean == least && root < least_root);
        if (better) {
            least = mean;
            least_root = root;
        }
        counter_tree worse = better ? *best : tree;
        if (better)
            *best = tree;
        free(worse.nodes);
    }
    return NITRO_OK;
}

static nitro_status fit_trees(nitro_context *context, const counter_rows *rows, uint64_t seed,
                              nitro_counter_model *model)
{
    size_t *members = nitro_calloc(context, rows->num_rows, sizeof(*members));
    model->trees = nitro_calloc(context, rows->num_counters, sizeof(*model->trees));
    nitro_status status = members && model->trees ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; status == NITRO_OK && c < rows->num_counters; c++) {
        nitro_random random;
        size_t count = 0;
        nitro_random_seed(&random, seed); /* the same half for all counters */
        for (size_t row = 0; row < rows->num_rows; row++) {
            size_t other = nitro_random_below(&random, row + 1);
            if (isnan(rows->counters[row * rows->num_counters + c]))
                continue;
            other = other < count ? other : count;
            members[count++] = members[other];
            members[other] = row;
        }
        bool exact = model->kind == NITRO_COUNTERS_EXACT || count < 4;
        if (count == 0)
            status = nitro_fail(context, NITRO_ERR_NO_DATA, "counter '%s' has no value",
                                model->counters.items[c]);
        else
            status = fit_tree(context, rows, c, members, exact ? count : (count + 1) / 2, count,
                              &model->trees[c]);
    }
    free(members);
    return status;
}

static nitro_status fit_parts(nitro_context *context, const nitro_space *space,
                              const counter_rows *rows, nitro_counter_model *model)
{
    for (size_t p = 0; p < model->num_parameters; p++) {
        counter_parameter *parameter = &model->parameters[p];
        double low = INFINITY, high = -INFINITY;
        for (size_t row = 0; row < rows->num_rows; row++) {
            low = fmin(low, rows->values[row * rows->num_parameters + p]);
            high = fmax(high, rows->values[row * rows->num_parameters + p]);
        }
        parameter->binary = nitro_space_parameter(space, p)->num_values == 2;
        parameter->centre = (low + high) / 2;
        parameter->width = high > low ? (high - low) / 2 : 1;
        model->num_binary += parameter->binary;
    }
    return search_counter_parts_fit(context, rows, model);
}

nitro_status nitro_counter_model_fit(nitro_context *context, const nitro_space *space,
                                     const nitro_search_answer *answers, size_t num_answers,
                                     const char *const *counter_names, size_t num_counters,
                                     nitro_counter_model_kind kind, uint64_t seed,
                                     nitro_counter_model **model)
{
    counter_rows rows = {0};
    nitro_counter_model *made = nitro_calloc(context, 1, sizeof(*made));
    nitro_status status = made ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        made->kind = kind;
        status = describe(context, space, counter_names, num_counters, made);
    }
    if (status == NITRO_OK)
        status = gather_rows(context, space, answers, num_answers, num_counters, &rows);
    if (status == NITRO_OK)
        status = kind == NITRO_COUNTERS_LEAST_SQUARES ? fit_parts(context, space, &rows, made)
                                                      : fit_trees(context, &rows, seed, made);
    free(rows.values);
    free(rows.counters);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_counter_model_free(made);
    return status;
}

/* ---- Prediction ------------------------------------------------------------------------------ */

/* Where the model's parameters are in a space, and its values as the model has them. */
static nitro_status map_parameter(nitro_context *context, const counter_parameter *parameter,
                                  const nitro_space *space, size_t *column, double **numbers)
{
    *column = nitro_space_find_parameter(space, parameter->name);
    if (*column == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "the space has no parameter '%s' of the counter model: is the model of "
                          "another kernel?",
                          parameter->name);
    const nitro_parameter *own = nitro_space_parameter(space, *column);
    if ((own->type == NITRO_PARAMETER_STRING) != parameter->is_text)
        return nitro_fail(context, NITRO_ERR_MISMATCH,
                          "parameter '%s' has %s in the space, and not in the counter model",
                          parameter->name, parameter->is_text ? "numbers" : "texts");
    *numbers = nitro_calloc(context, own->num_values, sizeof(**numbers));
    if (!*numbers)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < own->num_values; i++) {
        size_t known =
            parameter->is_text ? nitro_string_list_find(&parameter->texts, own->values[i].text) : 0;
        if (known == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_MISMATCH,
                              "the counter model has no value '%s' of parameter '%s'",
                              own->values[i].text, parameter->name);
        (*numbers)[i] = parameter->is_text ? (double)known : own->values[i].number;
    }
    return NITRO_OK;
}

static void predict_one(const nitro_counter_model *model, const double *values, double *counters)
{
    if (!model->trees)
        search_counter_parts_predict(model, values, counters);
    for (size_t c = 0; model->trees && c < model->counters.count; c++)
        counters[c] = search_counter_tree_predict(&model->trees[c], values);
}

nitro_status nitro_counter_model_predict(nitro_context *context, const nitro_counter_model *model,
                                         const nitro_space *space, const uint64_t *configurations,
                                         size_t num_configurations, double *counters)
{
    size_t columns[NITRO_MAX_PARAMETERS];
    double *numbers[NITRO_MAX_PARAMETERS] = {NULL}, values[NITRO_MAX_PARAMETERS];
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_status status = NITRO_OK;
    for (size_t p = 0; status == NITRO_OK && p < model->num_parameters; p++)
        status = map_parameter(context, &model->parameters[p], space, &columns[p], &numbers[p]);
    for (size_t i = 0; status == NITRO_OK && i < num_configurations; i++) {
        nitro_space_indices(space, configurations[i], indices);
        for (size_t p = 0; p < model->num_parameters; p++)
            values[p] = numbers[p][indices[columns[p]]];
        predict_one(model, values, counters + i * model->counters.count);
    }
    for (size_t p = 0; p < model->num_parameters; p++)
        free(numbers[p]);
    return status;
}
