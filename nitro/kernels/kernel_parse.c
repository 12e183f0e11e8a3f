/* Reads the expressions of a kernel's launches, and looks up the names of its arguments. */
#include <stdio.h>
#include <string.h>

#include "nitro/kernels/kernel.h"

const char *const nitro_kernel_limit_names[KERNEL_NUM_LIMITS] = {"device.units", "device.max_local",
                                                                 "device.local_bytes"};

size_t nitro_kernel_num_steps(const nitro_kernel *kernel)
{
    size_t count = 0;
    while (count < NITRO_KERNEL_MAX_STEPS && kernel->steps[count].entry)
        count++;
    return count;
}

static nitro_status add_fields(nitro_context *context, const nitro_field *fields, size_t num_fields,
                               nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_fields && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, names,
                                       nitro_field_is_array(&fields[i]) ? "" : fields[i].name);
    return status;
}

static nitro_status add_names(nitro_context *context, const nitro_kernel *kernel,
                              kernel_names *names)
{
    nitro_status status = NITRO_OK;
    names->num_parameters = nitro_kernel_num_parameters(kernel);
    for (size_t p = 0; p < names->num_parameters && status == NITRO_OK; p++)
        status = nitro_string_list_add(context, &names->names, kernel->parameters[p].name);
    names->first_part = names->names.count;
    if (status == NITRO_OK && kernel->part)
        status = add_fields(context, kernel->part->fields, kernel->part->num_fields, &names->names);
    names->first_kit = names->names.count;
    if (status == NITRO_OK)
        status = add_fields(context, kernel->kit->fields, kernel->kit->num_fields, &names->names);
    names->first_limit = names->names.count;
    for (size_t i = 0; i < KERNEL_NUM_LIMITS && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, &names->names, nitro_kernel_limit_names[i]);
    names->count = names->names.count;
    return status;
}

size_t nitro_kernel_find_array(const nitro_kernel *kernel, const char *name)
{
    for (size_t i = 0; kernel->part && i < kernel->part->num_fields; i++)
        if (nitro_field_is_array(&kernel->part->fields[i]) &&
            strcmp(kernel->part->fields[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < kernel->kit->num_fields; i++)
        if (nitro_field_is_array(&kernel->kit->fields[i]) &&
            strcmp(kernel->kit->fields[i].name, name) == 0)
            return NITRO_KIT_MAX_FIELDS + i;
    return NITRO_NONE;
}

typedef struct step_reader {
    nitro_context *context;
    const loaded_kernel *loaded;
    const bool *is_string; /* shape [number of names] */
    nitro_string_list strings;
} step_reader;

static nitro_status read_expression(step_reader *reader, size_t step, const char *text,
                                    nitro_expression **expression)
{
    const nitro_kernel *kernel = reader->loaded->kernel;
    const nitro_expression_names names = {.names = &reader->loaded->names.names,
                                          .is_string = reader->is_string,
                                          .strings = &reader->strings};
    char origin[160];
    snprintf(origin, sizeof(origin), "%s: step %s: '%.80s'", kernel->origin,
             kernel->steps[step].entry, text);
    return nitro_expression_parse(reader->context, origin, text, &names, expression);
}

static nitro_status read_arguments(step_reader *reader, size_t step, kernel_step *read)
{
    const nitro_kernel *kernel = reader->loaded->kernel;
    const char *const *texts = kernel->steps[step].arguments;
    nitro_status status = NITRO_OK;
    for (size_t a = 0; a < NITRO_KERNEL_MAX_ARGUMENTS && texts[a] && status == NITRO_OK; a++) {
        kernel_argument *argument = &read->arguments[read->num_arguments++];
        argument->array = nitro_kernel_find_array(kernel, texts[a]);
        if (argument->array != NITRO_NONE) {
            argument->kind = KERNEL_ARRAY;
        } else if (strcmp(texts[a], "local") == 0) {
            argument->kind = KERNEL_LOCAL;
        } else {
            argument->kind = KERNEL_INTEGER;
            status = read_expression(reader, step, texts[a], &argument->expression);
        }
    }
    return status;
}

static nitro_status read_step(step_reader *reader, size_t step, kernel_step *read)
{
    const nitro_kernel_step *declared = &reader->loaded->kernel->steps[step];
    nitro_status status = read_arguments(reader, step, read);
    for (size_t d = 0; d < 3 && status == NITRO_OK; d++) {
        if (declared->local[d])
            status = read_expression(reader, step, declared->local[d], &read->local[d]);
        if (declared->global[d] && status == NITRO_OK)
            status = read_expression(reader, step, declared->global[d], &read->global[d]);
    }
    if (declared->local_bytes && status == NITRO_OK)
        status = read_expression(reader, step, declared->local_bytes, &read->local_bytes);
    return status;
}

nitro_status nitro_kernel_parse(nitro_context *context, loaded_kernel *loaded)
{
    static const bool no_string[KERNEL_MAX_VALUES] = {false};
    step_reader reader = {.context = context, .loaded = loaded, .is_string = no_string};
    nitro_status status = add_names(context, loaded->kernel, &loaded->names);
    loaded->num_steps = nitro_kernel_num_steps(loaded->kernel);
    for (size_t s = 0; s < loaded->num_steps && status == NITRO_OK; s++)
        status = read_step(&reader, s, &loaded->steps[s]);
    nitro_string_list_free(&reader.strings);
    return status;
}

void nitro_kernel_free_parsed(loaded_kernel *loaded)
{
    for (size_t s = 0; s < loaded->num_steps; s++) {
        kernel_step *step = &loaded->steps[s];
        for (size_t a = 0; a < step->num_arguments; a++)
            nitro_expression_free(step->arguments[a].expression);
        for (size_t d = 0; d < 3; d++) {
            nitro_expression_free(step->local[d]);
            nitro_expression_free(step->global[d]);
        }
        nitro_expression_free(step->local_bytes);
    }
    nitro_string_list_free(&loaded->names.names);
}
