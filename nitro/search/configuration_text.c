/* Configurations as texts: "block=16 unroll=4". */
#include <stdio.h>
#include <string.h>

#include "nitro/search/search.h"

char *search_configuration_text(nitro_context *context, const nitro_space *space,
                                uint64_t configuration, bool with_constants)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    size_t size = 1;
    nitro_space_indices(space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(space, p);
        size += strlen(parameter->name) + strlen(parameter->values[indices[p]].text) + 2;
    }
    char *text = nitro_calloc(context, size, 1), *at = text;
    for (size_t p = 0; text && p < nitro_space_num_parameters(space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(space, p);
        if (parameter->num_values > 1 || with_constants)
            at += sprintf(at, "%s%s=%s", at == text ? "" : " ", parameter->name,
                          parameter->values[indices[p]].text);
    }
    return text;
}

char *nitro_configuration_text(nitro_context *context, const nitro_space *space,
                               uint64_t configuration)
{
    return search_configuration_text(context, space, configuration, false);
}

/* The value that the text begins with, up to a space or the end; the longest one, for values may
 * have spaces. */
static size_t match_value(const nitro_parameter *parameter, const char *text, size_t *length)
{
    size_t found = parameter->num_values;
    *length = 0;
    for (size_t v = 0; v < parameter->num_values; v++) {
        size_t size = strlen(parameter->values[v].text);
        if (size >= *length && strncmp(text, parameter->values[v].text, size) == 0 &&
            (text[size] == ' ' || text[size] == '\0')) {
            found = v;
            *length = size;
        }
    }
    return found;
}

static nitro_status fail_text(nitro_context *context, const char *text, const char *at,
                              const char *why)
{
    return nitro_fail(context, NITRO_ERR_MISMATCH, "configuration '%s': '%.60s' %s", text, at, why);
}

nitro_status nitro_configuration_parse(nitro_context *context, const nitro_space *space,
                                       const char *text, uint64_t *configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS] = {0};
    bool is_given[NITRO_MAX_PARAMETERS] = {false};
    for (const char *at = text; *at;) {
        char name[256];
        size_t length = strcspn(at, "=");
        snprintf(name, sizeof(name), "%.*s", (int)(length < 255 ? length : 255), at);
        size_t p = at[length] ? nitro_space_find_parameter(space, name) : NITRO_NONE;
        if (p == NITRO_NONE)
            return fail_text(context, text, at, "names no parameter of the space");
        size_t value = match_value(nitro_space_parameter(space, p), at + length + 1, &length);
        if (value == nitro_space_parameter(space, p)->num_values)
            return fail_text(context, text, at, "is no value of the parameter");
        indices[p] = (uint16_t)value;
        is_given[p] = true;
        at = strchr(at, '=') + 1 + length;
        at += *at == ' ';
    }
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++)
        if (!is_given[p] && nitro_space_parameter(space, p)->num_values > 1)
            return fail_text(context, text, nitro_space_parameter(space, p)->name, "is missing");
    uint64_t found = nitro_space_find(space, indices);
    if (found == NITRO_NO_CONFIGURATION)
        return fail_text(context, text, text, "is not in the space");
    *configuration = found;
    return NITRO_OK;
}
