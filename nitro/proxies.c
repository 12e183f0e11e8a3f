/*
 * Proxies and their metrics. Hides which profiler collected a profile: nvprof's names are taken as
 * they are, today's counters are put together by formulas.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/formula.h"
#include "nitro/nitro_internal.h"

#define INSTRUCTIONS "inst_issued" /* the metric that counts are divided by */

/* data/proxies/paper.json as a string, written by CMake. */
extern const char nitro_proxies_json[];

static void free_metric(nitro_proxy_metric *metric)
{
    for (size_t i = 0; i < metric->num_formulas; i++)
        nitro_formula_free(metric->formulas[i]);
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

/* ---- Values ---------------------------------------------------------------------------------- */

static bool has_counters(const nitro_formula *formula, const double *counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (nitro_formula_uses(formula, i) && isnan(counters[i]))
            return false;
    return true;
}

/** With all its counters there, only a division by zero leaves a formula undefined: none of it. */
static double metric_value(const nitro_proxies *proxies, const nitro_proxy_metric *metric,
                           const nitro_profile *profile, const double *counters)
{
    double value = nitro_profile_value(profile, metric->name);
    for (size_t i = 0; isnan(value) && i < metric->num_formulas; i++) {
        if (!has_counters(metric->formulas[i], counters, proxies->counters.count))
            continue;
        value = nitro_formula_evaluate(metric->formulas[i], counters);
        if (isnan(value))
            value = 0;
    }
    return value;
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
