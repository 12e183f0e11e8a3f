/* The space of a kernel's parameters: a device's limits are numbers in its constraints. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"
#include "nitro/kernels/kernel.h"

static json_t *parameter_json(const nitro_kernel_parameter *parameter)
{
    const char *type = strpbrk(parameter->values, "'\"") ? "string"
                       : strchr(parameter->values, '.')  ? "float"
                                                         : "int";
    return json_pack("{s:s, s:s, s:s}", "Name", parameter->name, "Type", type, "Values",
                     parameter->values);
}

/* Replaces a name by a number. Takes `text`; NULL: out of memory. */
static char *put_limit(nitro_context *context, char *text, const char *name, double limit)
{
    for (char *at; text && (at = strstr(text, name));) {
        char *longer = nitro_asprintf(context, "%.*s%.17g%s", (int)(at - text), text, limit,
                                      at + strlen(name));
        free(text);
        text = longer;
    }
    return text;
}

static json_t *condition_json(nitro_context *context, const char *where, const double *limits)
{
    char *text = nitro_strdup(context, where);
    for (size_t i = 0; i < KERNEL_NUM_LIMITS && text; i++)
        text = put_limit(context, text, nitro_kernel_limit_names[i], limits[i]);
    json_t *condition = text ? json_pack("{s:s}", "Expression", text) : NULL;
    free(text);
    return condition;
}

static char *print_space(nitro_context *context, const nitro_kernel *kernel, const double *limits)
{
    json_t *parameters = json_array(), *conditions = json_array();
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++)
        nitro_json_append(&parameters, parameter_json(&kernel->parameters[p]));
    for (size_t w = 0; w < NITRO_KERNEL_MAX_WHERE && kernel->where[w]; w++)
        nitro_json_append(&conditions, condition_json(context, kernel->where[w], limits));
    json_t *top = json_pack("{s:{s:o, s:o}}", "ConfigurationSpace", "TuningParameters", parameters,
                            "Conditions", conditions);
    char *text = top ? nitro_json_print(top, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(top);
    return text;
}

nitro_status nitro_kernel_space_text(nitro_context *context, const nitro_kernel *kernel,
                                     const double *limits, char **text)
{
    double known[KERNEL_NUM_LIMITS];
    for (size_t i = 0; i < KERNEL_NUM_LIMITS; i++)
        known[i] = isfinite(limits[i]) ? limits[i] : 0x1p53; /* no limit is known */
    char *made = print_space(context, kernel, known);
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory for its parameters",
                          kernel->origin);
    *text = made;
    return NITRO_OK;
}

nitro_status nitro_kernel_space(nitro_context *context, const nitro_kernel *kernel,
                                const double *limits, nitro_space **space)
{
    char *text = NULL;
    nitro_status status = nitro_kernel_space_text(context, kernel, limits, &text);
    if (status == NITRO_OK)
        status = nitro_space_parse(context, kernel->origin, text, strlen(text), space);
    free(text);
    return status;
}

nitro_status nitro_kernel_configure_numbers(nitro_context *context, const nitro_kernel *kernel,
                                            const double *numbers)
{
    static const double unlimited[KERNEL_NUM_LIMITS] = {(double)NAN, (double)NAN, (double)NAN};
    const char *values[NITRO_KERNEL_MAX_PARAMETERS];
    nitro_space *space = NULL;
    nitro_status status = nitro_kernel_space(context, kernel, unlimited, &space);
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel) && status == NITRO_OK; p++) {
        const nitro_parameter *parameter = nitro_space_parameter(space, p);
        size_t v = 0;
        while (v < parameter->num_values && parameter->values[v].number != numbers[p])
            v++;
        if (v < parameter->num_values)
            values[p] = parameter->values[v].text;
        else
            status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                                "%s: parameter %s has no value %g: its values are %.200s",
                                kernel->origin, parameter->name, numbers[p],
                                kernel->parameters[p].values);
    }
    if (status == NITRO_OK)
        status = nitro_kernel_configure(context, kernel, values);
    nitro_space_free(space);
    return status;
}
