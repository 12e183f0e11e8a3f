/* Runs kernels as variants: launch geometry and arguments from the values of this call. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/base/context.h"
#include "nitro/kernels/kernel.h"

static nitro_on_device *on_device_of(const nitro_kernel *kernel, void *argument)
{
    return kernel->kit->device ? nitro_kit_on_device(kernel->kit, argument) : NULL;
}

static int fail(const nitro_kernel *kernel, void *argument, const char *text, int failure)
{
    nitro_on_device *on_device = on_device_of(kernel, argument);
    if (on_device) {
        snprintf(on_device->problem, sizeof(on_device->problem), "%s", text);
        on_device->failure = failure;
    } else {
        nitro_kit_keep_problem(argument, text);
    }
    return failure;
}

static int load(const nitro_kernel *kernel, void *argument, void *stream)
{
    const nitro_context *calling = nitro_calling_context();
    nitro_context *context = NULL;
    loaded_kernel *loaded;
    nitro_status status = nitro_context_create(&context);
    if (status != NITRO_OK)
        return fail(kernel, argument, "out of memory", status);
    if (calling)
        nitro_context_set_log(context, calling->log_level, calling->log, calling->log_user);
    status = nitro_kernel_load(context, kernel, stream, &loaded);
    if (status != NITRO_OK) {
        char error[NITRO_KIT_PROBLEM_BYTES];
        nitro_context_last_error(context, error, sizeof(error));
        fail(kernel, argument, error, status);
    }
    nitro_context_free(context);
    return status;
}

int nitro_kernel_prepare(void *argument, void *user)
{
    const nitro_kernel *kernel = user;
    nitro_on_device *on_device = on_device_of(kernel, argument);
    void *stream = on_device ? on_device->stream : NULL;
    int failure = 0;
    if (!nitro_kernel_find_loaded(kernel, stream))
        failure = load(kernel, argument, stream);
    if (!failure && on_device)
        failure = nitro_kit_upload(kernel->kit, argument);
    return failure || !kernel->part ? failure
                                    : nitro_kit_prepare_part(kernel->kit, kernel->part, argument);
}

void nitro_kernel_release(void *argument, void *user)
{
    const nitro_kernel *kernel = user;
    if (kernel->part)
        nitro_kit_release_part(kernel->kit, kernel->part, argument);
}

/* ---- One call ---- */

static int fill_part(nitro_kernel_call *call)
{
    const nitro_kernel *kernel = call->loaded->kernel;
    const struct nitro_made_part *made =
        nitro_kit_find_part(kernel->kit, call->argument, kernel->part);
    if (!made)
        return 1;
    for (size_t i = 0; i < kernel->part->num_fields; i++) {
        call->values[call->loaded->names.first_part + i] = (double)made->scalars[i];
        call->arrays[i] = made->arrays[i];
    }
    return 0;
}

static int begin_call(const nitro_kernel *kernel, void *argument, nitro_kernel_call *call)
{
    nitro_on_device *on_device = on_device_of(kernel, argument);
    const nitro_kit *kit = kernel->kit;
    call->loaded = nitro_kernel_find_loaded(kernel, on_device ? on_device->stream : NULL);
    call->argument = argument;
    if (!call->loaded || (on_device && !on_device->is_uploaded) ||
        (kernel->part && fill_part(call) != 0))
        return fail(kernel, argument, "run before prepare", 1);
    const kernel_names *names = &call->loaded->names;
    memcpy(call->values, call->loaded->parameters, names->num_parameters * sizeof(double));
    for (size_t i = 0; i < kit->num_fields; i++)
        if (!nitro_field_is_array(&kit->fields[i]))
            call->values[names->first_kit + i] =
                (double)nitro_field_scalar(&kit->fields[i], argument);
        else if (on_device)
            call->arrays[NITRO_KIT_MAX_FIELDS + i] = on_device->made[i];
        else if (kit->fields[i].offset != NITRO_NOWHERE)
            call->arrays[NITRO_KIT_MAX_FIELDS + i] = *nitro_field_array(&kit->fields[i], argument);
    memcpy(call->values + names->first_limit, call->loaded->on->target.limits,
           sizeof(call->loaded->on->target.limits));
    return 0;
}

int nitro_kernel_run(void *argument, void *user)
{
    const nitro_kernel *kernel = user;
    nitro_kernel_call call = {0};
    if (begin_call(kernel, argument, &call) != 0)
        return 1;
    if (kernel->launcher)
        return kernel->launcher(&call);
    int failure = 0;
    for (size_t s = 0; s < call.loaded->num_steps && !failure; s++)
        failure = nitro_kernel_launch_step(&call, s);
    return failure;
}

static int fail_value(const nitro_kernel_call *call, size_t step, const char *what, double value)
{
    const nitro_kernel *kernel = call->loaded->kernel;
    char text[256];
    snprintf(text, sizeof(text), "%s: step %s: %s is %g, but must be a whole number from 0 to 2^31",
             kernel->origin, kernel->steps[step].entry, what, value);
    return fail(kernel, call->argument, text, 1);
}

static bool is_count(double value, double least)
{
    return value >= least && value <= INT32_MAX && value == nearbyint(value);
}

/* @param[out] sizes  shape [3]. */
static int fill_sizes(const nitro_kernel_call *call, size_t step,
                      nitro_expression *const *expressions, const char *what, size_t *sizes)
{
    for (size_t d = 0; d < 3; d++) {
        double value = expressions[d] ? nitro_expression_evaluate(expressions[d], call->values) : 1;
        if (!is_count(value, 0))
            return fail_value(call, step, what, value);
        sizes[d] = (size_t)value;
    }
    return 0;
}

/* @param[out] integers  shape [num_arguments]: what the launch points to. */
static int fill_arguments(nitro_kernel_call *call, size_t step, nitro_kernel_launch *launch,
                          int32_t *integers)
{
    const kernel_step *parsed = &call->loaded->steps[step];
    launch->num_arguments = parsed->num_arguments;
    for (size_t a = 0; a < parsed->num_arguments; a++) {
        const kernel_argument *argument = &parsed->arguments[a];
        nitro_kernel_value_bytes *to = &launch->arguments[a];
        double value = 0;
        if (argument->kind == KERNEL_INTEGER) {
            value = nitro_expression_evaluate(argument->expression, call->values);
            if (!is_count(value, INT32_MIN))
                return fail_value(call, step, call->loaded->kernel->steps[step].arguments[a],
                                  value);
            integers[a] = (int32_t)value;
            *to = (nitro_kernel_value_bytes){&integers[a], sizeof(integers[a])};
        } else if (argument->kind == KERNEL_ARRAY) {
            *to = (nitro_kernel_value_bytes){&call->arrays[argument->array], sizeof(void *)};
        } else {
            if (parsed->local_bytes)
                value = nitro_expression_evaluate(parsed->local_bytes, call->values);
            if (!is_count(value, 1))
                return fail_value(call, step, "local_bytes", value);
            *to = (nitro_kernel_value_bytes){NULL, (size_t)value};
        }
    }
    return 0;
}

int nitro_kernel_launch_step(nitro_kernel_call *call, size_t step)
{
    const nitro_kernel *kernel = call->loaded->kernel;
    nitro_on_device *on_device = on_device_of(kernel, call->argument);
    nitro_kernel_launch launch = {.stream = on_device ? on_device->stream : NULL};
    int32_t integers[NITRO_KERNEL_MAX_ARGUMENTS];
    char problem[256] = "";
    if (step >= call->loaded->num_steps)
        return fail(kernel, call->argument, "a launcher launches a step that is not declared", 1);
    const kernel_step *parsed = &call->loaded->steps[step];
    if (fill_sizes(call, step, parsed->local, "local", launch.local) != 0 ||
        fill_sizes(call, step, parsed->global, "global", launch.global) != 0 ||
        fill_arguments(call, step, &launch, integers) != 0)
        return 1;
    if (launch.global[0] == 0 || launch.global[1] == 0 || launch.global[2] == 0)
        return 0;
    nitro_lock_acquire(&call->loaded->lock);
    int failure =
        call->loaded->on->backend->launch(parsed->function, &launch, problem, sizeof(problem));
    nitro_lock_release(&call->loaded->lock);
    return failure ? fail(kernel, call->argument, problem, failure) : 0;
}

/* ---- For launchers ---- */

static size_t find_value(const nitro_kernel_call *call, const char *name)
{
    return nitro_string_list_find(&call->loaded->names.names, name);
}

double nitro_kernel_value(const nitro_kernel_call *call, const char *name)
{
    size_t i = find_value(call, name);
    return i == NITRO_NONE ? (double)NAN : call->values[i];
}

int nitro_kernel_set(nitro_kernel_call *call, const char *name, double value)
{
    size_t i = find_value(call, name);
    if (i == NITRO_NONE)
        return 1;
    call->values[i] = value;
    return 0;
}

int nitro_kernel_swap(nitro_kernel_call *call, const char *first, const char *second)
{
    size_t a = nitro_kernel_find_array(call->loaded->kernel, first);
    size_t b = nitro_kernel_find_array(call->loaded->kernel, second);
    if (a == NITRO_NONE || b == NITRO_NONE)
        return 1;
    void *kept = call->arrays[a];
    call->arrays[a] = call->arrays[b];
    call->arrays[b] = kept;
    return 0;
}
