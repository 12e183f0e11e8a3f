/* Facts that drivers report and microbenchmarks that were run, as JSON: numbers by name. */
#include "features/device/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FACT 9e15 /* integers are exact below it */

json_t *nitro_facts_number(double value)
{
    bool whole = floor(value) == value && fabs(value) <= MAX_FACT;
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

json_t *nitro_facts_values(const char *const *names, const double *values, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            json_object_set_new(object, names[i], nitro_facts_number(values[i]));
    return object;
}

json_t *nitro_facts_measured(const char *const *names, const double *measured, const double *spread,
                             size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        if (isfinite(measured[i]))
            json_object_set_new(object, names[i],
                                json_pack("{s:o, s:o}", "value", nitro_facts_number(measured[i]),
                                          "spread", nitro_facts_number(spread[i])));
    return object;
}

json_t *nitro_facts_text(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : json_string("");
}

nitro_status nitro_facts_print(nitro_context *context, json_t *json, size_t flags, char **text)
{
    char *dumped = json ? nitro_json_print(json, flags) : NULL;
    json_decref(json);
    if (!dumped)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "a device's query: out of memory");
    char *printed = nitro_asprintf(context, "%s\n", dumped);
    free(dumped);
    if (!printed)
        return NITRO_ERR_NO_MEMORY;
    *text = printed;
    return NITRO_OK;
}

nitro_status nitro_facts_copy_text(const nitro_json_place *place, const json_t *object,
                                   const char *key, char *text, size_t size)
{
    const char *found;
    nitro_status status = nitro_json_string(place, object, key, &found);
    if (status != NITRO_OK)
        return status;
    if (!nitro_text_is_valid(found, size - 1) || strpbrk(found, "\n\t"))
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s must be at most %zu bytes of text in one line", place->path,
                          key, size - 1);
    strcpy(text, found);
    return NITRO_OK;
}

static nitro_status in_range(const nitro_json_place *place, const char *key, double value,
                             double low, double high)
{
    if (value >= low && value <= high)
        return NITRO_OK;
    return nitro_fail(place->context, NITRO_ERR_FORMAT,
                      "%s: field %s.%s is %g, but must be from %g to %g", place->path, place->field,
                      key, value, low, high);
}

nitro_status nitro_facts_parse_values(const nitro_json_place *place, const json_t *object,
                                      const char *const *names, size_t count, double *values)
{
    nitro_status status = nitro_json_check_keys(place, object, names, count);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        if (!json_object_get(object, names[i]))
            continue;
        status = nitro_json_number(place, object, names[i], &values[i]);
        if (status == NITRO_OK)
            status = in_range(place, names[i], values[i], 0, MAX_FACT);
    }
    return status;
}

nitro_status nitro_facts_parse_measured(const nitro_json_place *place, const json_t *object,
                                        const char *const *names, size_t count, double *measured,
                                        double *spread)
{
    static const char *const keys[] = {"value", "spread"};
    nitro_status status = nitro_json_check_keys(place, object, names, count);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        json_t *member;
        if (!json_object_get(object, names[i]))
            continue;
        status = nitro_json_member(place, object, names[i], JSON_OBJECT, &member);
        const nitro_json_place inside = {place->context, place->path, names[i]};
        if (status == NITRO_OK)
            status = nitro_json_check_keys(&inside, member, keys, 2);
        if (status == NITRO_OK)
            status = nitro_json_number(&inside, member, "value", &measured[i]);
        if (status == NITRO_OK)
            status = in_range(&inside, "value", measured[i], 1e-12, MAX_FACT);
        if (status == NITRO_OK)
            status = nitro_json_number(&inside, member, "spread", &spread[i]);
        if (status == NITRO_OK)
            status = in_range(&inside, "spread", spread[i], 0, MAX_FACT);
    }
    return status;
}
