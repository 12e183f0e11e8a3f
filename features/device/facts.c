/* Facts of devices as JSON: the result of a query's child process, and of a recorded query.
 *
 *      {"format": "nitro-cuda-query", "version": 1, "name": "NVIDIA H200", "driver": "580.82.07",
 *       "pci": "0000:17:00.0", "index": 0, "facts": {"sm_count": 132, ...},
 *       "measured": {"copy_gbps": {"value": 4100.5, "spread": 0.002}}}
 *
 * Facts that are absent are unknown. An unknown key is an error: it would be a mistyped one. */
#include "features/device/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"

#define VERSION     1
#define MAX_FACT    9e15 /* integers are exact below it */
#define MAX_DEVICES 1024
#define NUM_KEYS    5 /* besides the texts */

void nitro_facts_init(nitro_facts *facts)
{
    *facts = (nitro_facts){0};
    for (size_t i = 0; i < NITRO_FACTS_MAX_VALUES; i++)
        facts->values[i] = NAN;
    for (size_t i = 0; i < NITRO_FACTS_MAX_BENCHMARKS; i++)
        facts->measured[i] = NAN;
}

static void print_format(const nitro_queried_kind *kind, char *text, size_t size)
{
    snprintf(text, size, "nitro-%s-query", kind->name);
}

/* ---- Writing ---- */

/* An integer where the value is one. */
static json_t *number_json(double value)
{
    bool whole = floor(value) == value && fabs(value) <= MAX_FACT;
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

/* A driver's text may have any encoding: other than UTF-8 is dropped. */
static json_t *text_json(const char *text)
{
    return json_string(nitro_text_is_valid(text, NITRO_FACTS_TEXT_SIZE - 1) ? text : "");
}

static json_t *values_json(const nitro_queried_kind *kind, const nitro_facts *facts)
{
    json_t *object = json_object();
    for (size_t i = 0; i < kind->num_values; i++)
        if (isfinite(facts->values[i]))
            nitro_json_put(&object, kind->values[i], number_json(facts->values[i]));
    return object;
}

static json_t *measured_json(const nitro_queried_kind *kind, const nitro_facts *facts)
{
    json_t *object = json_object();
    for (size_t i = 0; i < kind->num_benchmarks; i++)
        if (isfinite(facts->measured[i]))
            nitro_json_put(&object, kind->benchmarks[i],
                           json_pack("{s:o, s:o}", "value", number_json(facts->measured[i]),
                                     "spread", number_json(facts->spread[i])));
    return object;
}

static json_t *facts_json(const nitro_queried_kind *kind, const nitro_facts *facts)
{
    char format[48];
    print_format(kind, format, sizeof(format));
    json_t *object = json_pack("{s:s, s:i}", "format", format, "version", VERSION);
    for (size_t i = 0; i < kind->num_texts; i++)
        nitro_json_put(&object, kind->texts[i], text_json(facts->texts[i]));
    nitro_json_put(&object, "index", number_json(facts->index));
    nitro_json_put(&object, "facts", values_json(kind, facts));
    nitro_json_put(&object, "measured", measured_json(kind, facts));
    return object;
}

/* Takes ownership of `json`. */
static nitro_status print(nitro_context *context, json_t *json, size_t flags, char **text)
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

nitro_status nitro_facts_print_all(nitro_context *context, const nitro_queried_kind *kind,
                                   const nitro_facts *facts, size_t count, char **text)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        nitro_json_append(&array, facts_json(kind, &facts[i]));
    return print(context, array, JSON_COMPACT, text);
}

nitro_status nitro_facts_print(nitro_context *context, const nitro_queried_kind *kind,
                               const nitro_facts *facts, char **text)
{
    return print(context, facts_json(kind, facts), JSON_INDENT(2), text);
}

/* ---- Reading ---- */

static nitro_status copy_text(const nitro_json_place *place, const json_t *object, const char *key,
                              char text[NITRO_FACTS_TEXT_SIZE])
{
    const char *found;
    nitro_status status = nitro_json_string(place, object, key, &found);
    if (status != NITRO_OK)
        return status;
    if (!nitro_text_is_valid(found, NITRO_FACTS_TEXT_SIZE - 1) || strpbrk(found, "\n\t"))
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s must be at most %d bytes of text in one line", place->path,
                          key, NITRO_FACTS_TEXT_SIZE - 1);
    strcpy(text, found);
    return NITRO_OK;
}

static nitro_status number_in_range(const nitro_json_place *place, const json_t *object,
                                    const char *key, double low, double *value)
{
    nitro_status status = nitro_json_number(place, object, key, value);
    if (status != NITRO_OK || (*value >= low && *value <= MAX_FACT))
        return status;
    return nitro_fail(place->context, NITRO_ERR_FORMAT,
                      "%s: field %s.%s is %g, but must be from %g to %g", place->path, place->field,
                      key, *value, low, MAX_FACT);
}

static nitro_status parse_values(const nitro_json_place *place, const json_t *object,
                                 const nitro_queried_kind *kind, nitro_facts *facts)
{
    nitro_status status = nitro_json_check_keys(place, object, kind->values, kind->num_values);
    for (size_t i = 0; i < kind->num_values && status == NITRO_OK; i++)
        if (json_object_get(object, kind->values[i]))
            status = number_in_range(place, object, kind->values[i], 0, &facts->values[i]);
    return status;
}

static nitro_status parse_measured(const nitro_json_place *place, const json_t *object,
                                   const nitro_queried_kind *kind, nitro_facts *facts)
{
    static const char *const keys[] = {"value", "spread"};
    nitro_status status =
        nitro_json_check_keys(place, object, kind->benchmarks, kind->num_benchmarks);
    for (size_t i = 0; i < kind->num_benchmarks && status == NITRO_OK; i++) {
        json_t *member;
        if (!json_object_get(object, kind->benchmarks[i]))
            continue;
        status = nitro_json_member(place, object, kind->benchmarks[i], JSON_OBJECT, &member);
        const nitro_json_place inside = {place->context, place->path, kind->benchmarks[i]};
        if (status == NITRO_OK)
            status = nitro_json_check_keys(&inside, member, keys, 2);
        if (status == NITRO_OK)
            status = number_in_range(&inside, member, "value", 1e-12, &facts->measured[i]);
        if (status == NITRO_OK)
            status = number_in_range(&inside, member, "spread", 0, &facts->spread[i]);
    }
    return status;
}

static nitro_status check_head(const nitro_json_place *place, const json_t *top,
                               const nitro_queried_kind *kind)
{
    const char *keys[NUM_KEYS + NITRO_FACTS_MAX_TEXTS] = {"format", "version", "index", "facts",
                                                          "measured"};
    char format[48], noun[80];
    print_format(kind, format, sizeof(format));
    snprintf(noun, sizeof(noun), "recorded query of %s %s", kind->article, kind->title);
    for (size_t i = 0; i < kind->num_texts; i++)
        keys[NUM_KEYS + i] = kind->texts[i];
    nitro_status status = nitro_json_check_format(place, top, format, VERSION, noun);
    return status == NITRO_OK ? nitro_json_check_keys(place, top, keys, NUM_KEYS + kind->num_texts)
                              : status;
}

static nitro_status parse_object(const nitro_json_place *place, const json_t *top,
                                 const nitro_queried_kind *kind, nitro_facts *facts)
{
    json_t *values, *measured;
    size_t index = 0;
    nitro_facts_init(facts);
    nitro_status status = check_head(place, top, kind);
    for (size_t i = 0; i < kind->num_texts && status == NITRO_OK; i++)
        status = copy_text(place, top, kind->texts[i], facts->texts[i]);
    if (status == NITRO_OK)
        status = nitro_json_count(place, top, "index", MAX_DEVICES, &index);
    facts->index = (double)index;
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "facts", JSON_OBJECT, &values);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "measured", JSON_OBJECT, &measured);
    const nitro_json_place in_facts = {place->context, place->path, "facts"};
    const nitro_json_place in_measured = {place->context, place->path, "measured"};
    if (status == NITRO_OK)
        status = parse_values(&in_facts, values, kind, facts);
    return status == NITRO_OK ? parse_measured(&in_measured, measured, kind, facts) : status;
}

static nitro_status parse_all(const nitro_json_place *place, const json_t *top,
                              const nitro_queried_kind *kind, nitro_facts **facts, size_t *count)
{
    size_t num_devices = json_is_array(top) ? json_array_size(top) : 1;
    if (num_devices > MAX_DEVICES)
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: %zu devices are too many",
                          place->path, num_devices);
    nitro_facts *parsed =
        nitro_calloc(place->context, num_devices ? num_devices : 1, sizeof(*parsed));
    nitro_status status = parsed ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_devices && status == NITRO_OK; i++)
        status = parse_object(place, json_is_array(top) ? json_array_get(top, i) : top, kind,
                              &parsed[i]);
    if (status != NITRO_OK) {
        free(parsed);
        return status;
    }
    *facts = parsed;
    *count = num_devices;
    return NITRO_OK;
}

nitro_status nitro_facts_parse(nitro_context *context, const nitro_queried_kind *kind,
                               const char *origin, const char *text, size_t size,
                               nitro_facts **facts, size_t *count)
{
    json_t *top = NULL;
    const nitro_json_place place = {context, origin, ""};
    nitro_status status = nitro_json_read(context, origin, text, size, &top);
    if (status == NITRO_OK)
        status = parse_all(&place, top, kind, facts, count);
    json_decref(top);
    return status;
}
