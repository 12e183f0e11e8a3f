/* Reads which code a description of a space is for: T1's KernelSpecification. */
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"

void nitro_tunable_description_free(nitro_tunable_description *description)
{
    if (!description)
        return;
    for (size_t i = 0; description->compiler_options && description->compiler_options[i]; i++)
        free(description->compiler_options[i]);
    free(description->compiler_options);
    free(description->language);
    free(description->name);
    free(description->path);
    free(description);
}

static nitro_status read_options(const nitro_json_place *place, const json_t *specification,
                                 nitro_tunable_description *description)
{
    const json_t *options = json_object_get(specification, "CompilerOptions"), *option;
    size_t position;
    description->compiler_options =
        nitro_calloc(place->context, json_array_size(options) + 1, sizeof(char *));
    if (!description->compiler_options)
        return NITRO_ERR_NO_MEMORY;
    json_array_foreach(options, position, option)
    {
        if (!json_is_string(option))
            return nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: CompilerOptions[%zu] is no string", place->path, position);
        description->compiler_options[position] =
            nitro_strdup(place->context, json_string_value(option));
        if (!description->compiler_options[position])
            return NITRO_ERR_NO_MEMORY;
    }
    return NITRO_OK;
}

/* A relative path is relative to the description. */
static char *resolve(nitro_context *context, const char *origin, const char *file)
{
    if (file[0] == '/')
        return nitro_strdup(context, file);
    char *copy = nitro_strdup(context, origin);
    char *path = copy ? nitro_asprintf(context, "%s/%s", dirname(copy), file) : NULL;
    free(copy);
    return path;
}

static nitro_status read_specification(const nitro_json_place *place, const json_t *specification,
                                       nitro_tunable_description *description)
{
    const char *language, *name, *file;
    nitro_status status = nitro_json_string(place, specification, "Language", &language);
    if (status == NITRO_OK)
        status = nitro_json_string(place, specification, "KernelName", &name);
    if (status == NITRO_OK)
        status = nitro_json_string(place, specification, "KernelFile", &file);
    if (status != NITRO_OK)
        return status;
    description->language = nitro_strdup(place->context, language);
    description->name = nitro_strdup(place->context, name);
    description->path = resolve(place->context, place->path, file);
    if (!description->language || !description->name || !description->path)
        return NITRO_ERR_NO_MEMORY;
    return read_options(place, specification, description);
}

nitro_status nitro_tunable_description_read(nitro_context *context, const char *path,
                                            nitro_tunable_description **description)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read_gzip(context, path, (size_t)64 << 20, &text, &size);
    if (status != NITRO_OK)
        return status;
    json_t *top = NULL;
    status = nitro_json_read(context, path, text, size, &top);
    free(text);
    if (status != NITRO_OK)
        return status;
    const json_t *specification = json_object_get(top, "KernelSpecification");
    nitro_tunable_description *made = nitro_calloc(context, 1, sizeof(*made));
    const nitro_json_place place = {
        .context = context, .path = path, .field = "KernelSpecification"};
    if (!made)
        status = NITRO_ERR_NO_MEMORY;
    else if (!json_is_object(specification))
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "%s: has no KernelSpecification, so there is no code to evaluate: name "
                            "recorded evaluations with --recorded",
                            path);
    else
        status = read_specification(&place, specification, made);
    json_decref(top);
    if (status == NITRO_OK)
        *description = made;
    else
        nitro_tunable_description_free(made);
    return status;
}

nitro_status nitro_evaluator_source(nitro_context *context, const nitro_space *space,
                                    const nitro_tunable_source *source,
                                    const nitro_measure_options *options,
                                    nitro_evaluator *evaluator)
{
    for (const nitro_evaluator_kind *const *kind = nitro_builtin_evaluators(); *kind; kind++)
        if (strcasecmp((*kind)->language, source->language) == 0)
            return (*kind)->open(context, space, source, options, evaluator);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "%s: no evaluator for code in '%s': this build has one for C", source->path,
                      source->language);
}
