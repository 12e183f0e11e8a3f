/*
 * Evaluates relative features. Variables of their formulas are the input features, then the device
 * features in the order of their first use.
 */
#include "nitro/records/relative.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nitro_status add_input_features(nitro_context *context, const nitro_schema *schema,
                                       nitro_relative *relative)
{
    nitro_status status = NITRO_OK;
    relative->num_features = schema->num_features;
    for (size_t f = 0; f < schema->num_features && status == NITRO_OK; f++)
        status = nitro_string_list_add(context, &relative->variables, schema->features[f].name);
    return status;
}

static nitro_status add_formula(nitro_context *context, const nitro_schema *schema,
                                nitro_relative *relative)
{
    const nitro_relative_info *info = &schema->relative[relative->count];
    char origin[192];
    snprintf(origin, sizeof origin, "%s: relative feature %s", schema->computation, info->name);
    nitro_status status =
        nitro_formula_parse_open(context, origin, info->formula, NITRO_RELATIVE_PREFIX,
                                 &relative->variables, &relative->formulas[relative->count]);
    if (status != NITRO_OK)
        return status;
    relative->count++;
    if (nitro_relative_num_device_values(relative) > NITRO_RELATIVE_MAX_DEVICE_VALUES)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: the relative features name more than %d device features", origin,
                          NITRO_RELATIVE_MAX_DEVICE_VALUES);
    return NITRO_OK;
}

nitro_status nitro_relative_compile(nitro_context *context, const nitro_schema *schema,
                                    nitro_relative **relative)
{
    nitro_relative *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = add_input_features(context, schema, made);
    while (status == NITRO_OK && made->count < schema->num_relative)
        status = add_formula(context, schema, made);
    if (status == NITRO_OK)
        *relative = made;
    else
        nitro_relative_free(made);
    return status;
}

void nitro_relative_free(nitro_relative *relative)
{
    if (!relative)
        return;
    for (size_t i = 0; i < relative->count; i++)
        nitro_expression_free(relative->formulas[i]);
    nitro_string_list_free(&relative->variables);
    free(relative);
}

size_t nitro_relative_num_device_values(const nitro_relative *relative)
{
    return relative->variables.count - relative->num_features;
}

const char *nitro_relative_device_feature(const nitro_relative *relative, size_t index)
{
    return relative->variables.items[relative->num_features + index] +
           strlen(NITRO_RELATIVE_PREFIX);
}

bool nitro_relative_needs(const nitro_relative *relative, size_t index, size_t device_index)
{
    return nitro_expression_uses(relative->formulas[index], relative->num_features + device_index);
}

bool nitro_relative_needs_input(const nitro_relative *relative, size_t index)
{
    for (size_t f = 0; f < relative->num_features; f++)
        if (nitro_expression_uses(relative->formulas[index], f))
            return true;
    return false;
}

void nitro_relative_evaluate(const nitro_relative *relative, const double *features,
                             const double *device_values, double *values)
{
    double variables[NITRO_MAX_FEATURES + NITRO_RELATIVE_MAX_DEVICE_VALUES];
    if (relative->count == 0)
        return;
    memcpy(variables, features, relative->num_features * sizeof *variables);
    memcpy(variables + relative->num_features, device_values,
           nitro_relative_num_device_values(relative) * sizeof *variables);
    for (size_t i = 0; i < relative->count; i++)
        values[i] = nitro_expression_evaluate(relative->formulas[i], variables);
}
