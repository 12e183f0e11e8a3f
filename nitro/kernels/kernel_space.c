/* The space of a kernel's parameters: a device's limits are parameters of one value in it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/kernel.h"

static json_t *parameter_json(const nitro_kernel_parameter *parameter)
{
    const char *type = strpbrk(parameter->values, "'\"") ? "string"
                       : strchr(parameter->values, '.')  ? "float"
                                                         : "int";
    return json_pack("{s:s, s:s, s:s}", "Name", parameter->name, "Type", type, "Values",
                     parameter->values);
}

static char *space_text(const nitro_kernel *kernel, const double *limits)
{
    json_t *parameters = json_array(), *conditions = json_array();
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel); p++)
        json_array_append_new(parameters, parameter_json(&kernel->parameters[p]));
    for (size_t i = 0; i < KERNEL_NUM_LIMITS; i++)
        json_array_append_new(parameters,
                              json_pack("{s:s, s:s, s:[f]}", "Name", nitro_kernel_limit_names[i],
                                        "Type", "float", "Values", limits[i]));
    for (size_t w = 0; w < NITRO_KERNEL_MAX_WHERE && kernel->where[w]; w++)
        json_array_append_new(conditions, json_pack("{s:s}", "Expression", kernel->where[w]));
    json_t *top = json_pack("{s:{s:o, s:o}}", "ConfigurationSpace", "TuningParameters", parameters,
                            "Conditions", conditions);
    char *text = top ? json_dumps(top, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(top);
    return text;
}

nitro_status nitro_kernel_space(nitro_context *context, const nitro_kernel *kernel,
                                const double *limits, nitro_space **space)
{
    double known[KERNEL_NUM_LIMITS];
    for (size_t i = 0; i < KERNEL_NUM_LIMITS; i++)
        known[i] = isfinite(limits[i]) ? limits[i] : 0x1p53; /* no limit is known */
    char *text = space_text(kernel, known);
    if (!text)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory for its parameters",
                          kernel->origin);
    nitro_status status = nitro_space_parse(context, kernel->origin, text, strlen(text), space);
    free(text);
    return status;
}
