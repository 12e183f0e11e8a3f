/* Kernel expansions to and from JSON; all fields of a file are checked. */
#include <math.h>

#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/kernel_expansion.h"

#define MAX_MAGNITUDE 1e100

nitro_status nitro_kernel_expansion_encode(nitro_context *context,
                                           const nitro_kernel_expansion *expansion, json_t **json)
{
    /* json_pack takes ownership even if one of its objects is NULL. */
    json_t *made = json_pack(
        "{s:f, s:o, s:o, s:o}", "gamma", expansion->gamma, "bias",
        nitro_json_from_numbers(expansion->bias, expansion->num_outputs), "vectors",
        nitro_json_from_rows(expansion->vectors, expansion->num_vectors, expansion->num_columns),
        "coefficients",
        nitro_json_from_rows(expansion->coefficients, expansion->num_vectors,
                             expansion->num_outputs));
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot encode a kernel expansion of %zu vectors",
                          expansion->num_vectors);
    *json = made;
    return NITRO_OK;
}

/** Sums of such numbers stay finite. */
static nitro_status check_magnitudes(const nitro_json_place *place, const char *key,
                                     const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i]) > MAX_MAGNITUDE)
            return nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: field %s.%s contains %g; the maximum magnitude is %g",
                              place->path, place->field, key, values[i], MAX_MAGNITUDE);
    return NITRO_OK;
}

typedef struct expansion_terms {
    double gamma;
    json_t *bias, *vectors, *coefficients;
} expansion_terms;

static nitro_status find_parts(const nitro_json_place *place, const json_t *json,
                               expansion_terms *parts)
{
    nitro_status status = nitro_json_number(place, json, "gamma", &parts->gamma);
    if (status == NITRO_OK && !(parts->gamma > 0.0))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field %s.gamma is %g, but must be positive", place->path,
                            place->field, parts->gamma);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "bias", JSON_ARRAY, &parts->bias);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "vectors", JSON_ARRAY, &parts->vectors);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "coefficients", JSON_ARRAY, &parts->coefficients);
    return status;
}

nitro_status nitro_kernel_expansion_decode(const nitro_json_place *place, const json_t *json,
                                           size_t num_columns, size_t num_outputs,
                                           nitro_kernel_expansion **expansion)
{
    expansion_terms parts;
    nitro_kernel_expansion *made = NULL;
    nitro_status status = find_parts(place, json, &parts);
    if (status != NITRO_OK)
        return status;
    size_t num_vectors = json_array_size(parts.vectors);
    status = nitro_json_check_rows(place, parts.vectors, "vectors", num_vectors, num_columns);
    if (status == NITRO_OK)
        status = nitro_json_check_rows(place, parts.coefficients, "coefficients", num_vectors,
                                       num_outputs);
    if (status == NITRO_OK)
        status = nitro_kernel_expansion_create(place->context, num_columns, num_outputs,
                                               num_vectors, parts.gamma, &made);
    if (status != NITRO_OK)
        return status;
    status = nitro_json_numbers(place, parts.bias, "bias", num_outputs, made->bias);
    if (status == NITRO_OK)
        status = nitro_json_rows(place, parts.vectors, "vectors", num_columns, made->vectors);
    if (status == NITRO_OK)
        status = nitro_json_rows(place, parts.coefficients, "coefficients", num_outputs,
                                 made->coefficients);
    if (status == NITRO_OK)
        status = check_magnitudes(place, "bias", made->bias, num_outputs);
    if (status == NITRO_OK)
        status =
            check_magnitudes(place, "coefficients", made->coefficients, num_vectors * num_outputs);
    if (status == NITRO_OK)
        *expansion = made;
    else
        nitro_kernel_expansion_free(made);
    return status;
}
