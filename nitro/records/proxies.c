/* Proxies and their metrics. nvprof's metrics are found by name; newer profilers' counters are
 * converted by formulas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/context.h"
#include "nitro/records/formula.h"

#define INSTRUCTIONS "inst_issued" /* the metric that counts are divided by */

/* data/proxies/paper.json as a string, written by CMake. */
extern const char nitro_proxies_json[];

static void free_metric(nitro_proxy_metric *metric)
{
    for (size_t i = 0; i < metric->num_formulas; i++)
        nitro_expression_free(metric->formulas[i]);
    free(metric->formulas);
    free(metric->name);
}

static void free_proxy(nitro_proxy *proxy)
{
    nitro_string_list_free(&proxy->device_features);
    free(proxy->metrics);
    free(proxy->about);
    free(proxy->name);
}

void nitro_proxies_free(nitro_proxies *proxies)
{
    if (!proxies)
        return;
    for (size_t i = 0; i < proxies->num_metrics; i++)
        free_metric(&proxies->metrics[i]);
    for (size_t i = 0; i < proxies->num_proxies; i++)
        free_proxy(&proxies->proxies[i]);
    nitro_string_list_free(&proxies->counters);
    free(proxies->metrics);
    free(proxies->proxies);
    free(proxies);
}

static nitro_status add_file(nitro_context *context, nitro_proxies *proxies, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, (size_t)1 << 20, &text, &size);
    if (status == NITRO_OK)
        status = nitro_proxies_add(context, proxies, path, text, size);
    free(text);
    return status;
}

nitro_status nitro_proxies_create(nitro_context *context, const char *path, nitro_proxies **proxies)
{
    nitro_proxies *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_proxies_add(context, made, "paper.json (built in)",
                                            nitro_proxies_json, strlen(nitro_proxies_json));
    if (status == NITRO_OK && path)
        status = add_file(context, made, path);
    if (status == NITRO_OK)
        *proxies = made;
    else
        nitro_proxies_free(made);
    return status;
}

static bool has_counters(const nitro_expression *formula, const double *counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (nitro_expression_uses(formula, i) && isnan(counters[i]))
            return false;
    return true;
}

/* The first formula whose counters are all available; NULL: none. */
static const nitro_expression *usable_formula(const nitro_proxies *proxies,
                                              const nitro_proxy_metric *metric,
                                              const double *counters)
{
    for (size_t i = 0; i < metric->num_formulas; i++)
        if (has_counters(metric->formulas[i], counters, proxies->counters.count))
            return metric->formulas[i];
    return NULL;
}

/** With all counters available, only a division by zero is undefined: then 0. */
static double metric_value(const nitro_proxies *proxies, const nitro_proxy_metric *metric,
                           const nitro_profile *profile, const double *counters)
{
    double value = nitro_profile_value(profile, metric->name);
    const nitro_expression *formula =
        isnan(value) ? usable_formula(proxies, metric, counters) : NULL;
    if (!formula)
        return value;
    value = nitro_expression_evaluate(formula, counters);
    return isnan(value) ? 0 : value;
}

nitro_status nitro_proxies_values(nitro_context *context, const nitro_proxies *proxies,
                                  const nitro_profile *profile, double *values)
{
    double instructions = NAN;
    double *counters = nitro_calloc(context, proxies->counters.count + 1, sizeof *counters);
    if (!counters)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < proxies->counters.count; i++)
        counters[i] = nitro_profile_value(profile, proxies->counters.items[i]);
    for (size_t i = 0; i < proxies->num_metrics; i++) {
        values[i] = metric_value(proxies, &proxies->metrics[i], profile, counters);
        if (strcmp(proxies->metrics[i].name, INSTRUCTIONS) == 0)
            instructions = values[i];
    }
    for (size_t i = 0; i < proxies->num_metrics; i++) {
        if (!(instructions > 0))
            values[i] = NAN;
        else if (!proxies->metrics[i].is_ratio)
            values[i] /= instructions;
        if (isinf(values[i]))
            values[i] = NAN;
    }
    free(counters);
    return NITRO_OK;
}

/* Does any of the set's metrics use it? */
static bool is_used(const nitro_proxies *proxies, size_t counter)
{
    for (size_t m = 0; m < proxies->num_metrics; m++)
        for (size_t i = 0; i < proxies->metrics[m].num_formulas; i++)
            if (nitro_expression_uses(proxies->metrics[m].formulas[i], counter))
                return true;
    return false;
}

nitro_status nitro_proxies_choose_counters(nitro_context *context, const nitro_proxies *proxies,
                                           bool (*has)(void *user, const char *counter), void *user,
                                           nitro_string_list *counters)
{
    size_t count = proxies->counters.count;
    nitro_status status = NITRO_OK;
    double *known = nitro_calloc(context, count + 1, sizeof *known);
    bool *chosen = nitro_calloc(context, count + 1, sizeof *chosen);
    if (!known || !chosen)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        known[i] = is_used(proxies, i) && has(user, proxies->counters.items[i]) ? 1 : NAN;
    for (size_t m = 0; m < proxies->num_metrics && status == NITRO_OK; m++) {
        const nitro_expression *formula = usable_formula(proxies, &proxies->metrics[m], known);
        for (size_t i = 0; formula && i < count; i++)
            chosen[i] = chosen[i] || nitro_expression_uses(formula, i);
    }
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        if (chosen[i])
            status = nitro_string_list_add(context, counters, proxies->counters.items[i]);
    free(known);
    free(chosen);
    return status;
}
