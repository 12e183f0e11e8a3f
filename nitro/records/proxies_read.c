/* Reads files of proxies:
 *
 *      {"format": "nitro-proxies", "version": 1,
 *       "metrics": [{"name": "flop_count_sp", "sort": "count",
 *                    "from": ["a.sum + 2 * b.sum", "another way"]}],
 *       "proxies": [{"name": "SP-GFLOP", "about": "...", "metrics": ["flop_count_sp"],
 *                    "device_features": ["peak_gflops_sp"]}]}
 *
 * A metric's sort is "count" (divided by issued instructions) or "ratio" (used as it is); "from"
 * is an optional list of formulas over counters. Both arrays are optional. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"
#include "nitro/records/formula.h"

#define FORMAT_NAME    "nitro-proxies"
#define FORMAT_VERSION 1
#define MAX_ITEMS      1024 /* metrics, and proxies */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Index of the metric of this name, or NITRO_NONE. */
static size_t find_metric(const nitro_proxies *proxies, const char *name)
{
    for (size_t i = 0; i < proxies->num_metrics; i++)
        if (strcmp(proxies->metrics[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

size_t nitro_proxies_find(const nitro_proxies *proxies, const char *name)
{
    for (size_t i = 0; i < proxies->num_proxies; i++)
        if (strcmp(proxies->proxies[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

static nitro_status refuse(const nitro_json_place *place, const char *problem)
{
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s %s", place->path,
                      place->field, problem);
}

/* Room for one more at the end, zeroed. */
static void *grow(const nitro_json_place *place, void *items, size_t count, size_t size)
{
    char *grown = realloc(items, (count + 1) * size);
    if (!grown) {
        nitro_fail(place->context, NITRO_ERR_NO_MEMORY, "%s: out of memory", place->path);
        return NULL;
    }
    memset(grown + count * size, 0, size);
    return grown;
}

static nitro_status read_formula(const nitro_json_place *place, const json_t *text, size_t index,
                                 nitro_proxies *proxies, nitro_proxy_metric *metric)
{
    char origin[512];
    if (!json_is_string(text))
        return refuse(place, "must be an array of formulas");
    struct nitro_expression **grown =
        grow(place, metric->formulas, metric->num_formulas, sizeof(struct nitro_expression *));
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    metric->formulas = grown;
    snprintf(origin, sizeof origin, "%s: field %s.from[%zu]", place->path, place->field, index);
    nitro_status status =
        nitro_formula_parse_open(place->context, origin, json_string_value(text), "",
                                 &proxies->counters, &grown[metric->num_formulas]);
    if (status == NITRO_OK)
        metric->num_formulas++;
    return status;
}

/** A new metric, or the cleared one of this name. */
static nitro_status place_metric(const nitro_json_place *place, nitro_proxies *proxies,
                                 const char *name, nitro_proxy_metric **metric)
{
    size_t index = find_metric(proxies, name);
    if (index != NITRO_NONE) {
        *metric = &proxies->metrics[index];
        while ((*metric)->num_formulas > 0)
            nitro_expression_free((*metric)->formulas[--(*metric)->num_formulas]);
        return NITRO_OK;
    }
    if (proxies->num_metrics == MAX_ITEMS)
        return refuse(place, "is one metric too many");
    nitro_proxy_metric *grown =
        grow(place, proxies->metrics, proxies->num_metrics, sizeof *proxies->metrics);
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    proxies->metrics = grown;
    grown[proxies->num_metrics].name = nitro_strdup(place->context, name);
    if (!grown[proxies->num_metrics].name)
        return NITRO_ERR_NO_MEMORY;
    *metric = &grown[proxies->num_metrics++];
    return NITRO_OK;
}

static nitro_status read_metric(const nitro_json_place *place, const json_t *object, void *user)
{
    nitro_proxies *proxies = user;
    static const char *const known[] = {"name", "sort", "from", "about"};
    const char *name = NULL, *sort = NULL, *about = NULL;
    nitro_proxy_metric *metric = NULL;
    json_t *formulas = NULL;
    nitro_status status = nitro_json_check_keys(place, object, known, COUNT(known));
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "name", &name);
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "sort", &sort);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "about", &about);
    if (status == NITRO_OK && json_object_get(object, "from"))
        status = nitro_json_member(place, object, "from", JSON_ARRAY, &formulas);
    if (status != NITRO_OK)
        return status;
    if (!nitro_metric_name_is_valid(name))
        return refuse(place, "has an invalid metric name");
    if (strcmp(sort, "count") != 0 && strcmp(sort, "ratio") != 0)
        return refuse(place, "has a sort other than count or ratio");
    status = place_metric(place, proxies, name, &metric);
    if (status == NITRO_OK)
        metric->is_ratio = strcmp(sort, "ratio") == 0;
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(formulas); i++)
        status = read_formula(place, json_array_get(formulas, i), i, proxies, metric);
    return status;
}

static int compare_indices(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

static nitro_status fail_unknown_metric(const nitro_json_place *place, const nitro_proxies *proxies,
                                        const char *name)
{
    const char *names[MAX_ITEMS];
    for (size_t i = 0; i < proxies->num_metrics; i++)
        names[i] = proxies->metrics[i].name;
    const char *closest = nitro_closest_name(names, proxies->num_metrics, name);
    return nitro_fail(
        place->context, NITRO_ERR_FORMAT,
        "%s: field %s.metrics: metric '%.130s' is not declared under \"metrics\"%s%s%s",
        place->path, place->field, name, closest ? "; did you mean " : "", closest ? closest : "",
        closest ? "?" : "");
}

static nitro_status read_metric_names(const nitro_json_place *place, const json_t *object,
                                      const nitro_proxies *proxies, nitro_proxy *proxy)
{
    json_t *array = NULL;
    nitro_status status = nitro_json_member(place, object, "metrics", JSON_ARRAY, &array);
    size_t count = status == NITRO_OK ? json_array_size(array) : 0;
    if (status == NITRO_OK && (count == 0 || count > MAX_ITEMS))
        return refuse(place, "must have metrics");
    if (status != NITRO_OK)
        return status;
    proxy->metrics = nitro_calloc(place->context, count, sizeof *proxy->metrics);
    if (!proxy->metrics)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        size_t index = name ? find_metric(proxies, name) : NITRO_NONE;
        if (index == NITRO_NONE)
            return fail_unknown_metric(place, proxies, name ? name : "(no string)");
        proxy->metrics[proxy->num_metrics++] = index;
    }
    qsort(proxy->metrics, count, sizeof *proxy->metrics, compare_indices);
    for (size_t i = 1; i < count; i++)
        if (proxy->metrics[i - 1] == proxy->metrics[i])
            return refuse(place, "names a metric twice");
    return NITRO_OK;
}

static nitro_status read_device_features(const nitro_json_place *place, const json_t *object,
                                         nitro_string_list *names)
{
    json_t *array = NULL;
    nitro_status status = nitro_json_member(place, object, "device_features", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!nitro_name_is_valid(name) || nitro_string_list_find(names, name) != NITRO_NONE)
            return refuse(place, "has invalid or duplicate device_features");
        status = nitro_string_list_add(place->context, names, name);
    }
    return status;
}

/** A new proxy, or the cleared one of this name. */
static nitro_status place_proxy(const nitro_json_place *place, nitro_proxies *proxies,
                                const char *name, nitro_proxy **proxy)
{
    size_t index = nitro_proxies_find(proxies, name);
    if (index != NITRO_NONE) {
        *proxy = &proxies->proxies[index];
        free((*proxy)->metrics);
        free((*proxy)->about);
        nitro_string_list_free(&(*proxy)->device_features);
        **proxy = (nitro_proxy){.name = (*proxy)->name};
        return NITRO_OK;
    }
    if (proxies->num_proxies == MAX_ITEMS)
        return refuse(place, "is one proxy too many");
    nitro_proxy *grown =
        grow(place, proxies->proxies, proxies->num_proxies, sizeof *proxies->proxies);
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    proxies->proxies = grown;
    grown[proxies->num_proxies].name = nitro_strdup(place->context, name);
    if (!grown[proxies->num_proxies].name)
        return NITRO_ERR_NO_MEMORY;
    *proxy = &grown[proxies->num_proxies++];
    return NITRO_OK;
}

static nitro_status read_proxy(const nitro_json_place *place, const json_t *object, void *user)
{
    nitro_proxies *proxies = user;
    static const char *const known[] = {"name", "about", "metrics", "device_features"};
    const char *name = NULL, *about = "";
    nitro_proxy *proxy = NULL;
    nitro_status status = nitro_json_check_keys(place, object, known, COUNT(known));
    if (status == NITRO_OK)
        status = nitro_json_string(place, object, "name", &name);
    if (status == NITRO_OK)
        status = nitro_json_optional_string(place, object, "about", &about);
    if (status != NITRO_OK)
        return status;
    if (!nitro_name_is_valid(name) || !nitro_text_is_valid(about, 1024))
        return refuse(place, "has an invalid name or description");
    status = place_proxy(place, proxies, name, &proxy);
    if (status != NITRO_OK)
        return status;
    proxy->about = nitro_strdup(place->context, about);
    if (!proxy->about)
        return NITRO_ERR_NO_MEMORY;
    status = read_metric_names(place, object, proxies, proxy);
    return status == NITRO_OK ? read_device_features(place, object, &proxy->device_features)
                              : status;
}

nitro_status nitro_proxies_add(nitro_context *context, nitro_proxies *proxies, const char *origin,
                               const char *text, size_t size)
{
    static const char *const known[] = {"format", "version", "about", "metrics", "proxies"};
    nitro_json_place place = {context, origin, ""};
    json_t *top = NULL;
    nitro_status status = nitro_json_read(context, origin, text, size, &top);
    if (status == NITRO_OK)
        status =
            nitro_json_check_format(&place, top, FORMAT_NAME, FORMAT_VERSION, "file of proxies");
    if (status == NITRO_OK)
        status = nitro_json_check_keys(&place, top, known, COUNT(known));
    if (status == NITRO_OK && json_object_get(top, "metrics"))
        status = nitro_json_each(&place, top, "metrics", read_metric, proxies);
    if (status == NITRO_OK && json_object_get(top, "proxies"))
        status = nitro_json_each(&place, top, "proxies", read_proxy, proxies);
    json_decref(top);
    return status;
}
