/* Hardware metrics of one kernel. Metrics are sorted by name, so that a record does not depend on
 * the order of collection. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

static nitro_status require_valid(nitro_context *context, bool valid, const char *what,
                                  const char *value)
{
    if (valid)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT, "profile: '%.80s' is not a valid name of %s",
                      value ? value : "(null)", what);
}

static nitro_status create(nitro_context *context, const nitro_profile *names,
                           nitro_profile **profile)
{
    nitro_profile *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->computation = nitro_strdup(context, names->computation);
    created->name = nitro_strdup(context, names->name);
    created->input = nitro_strdup(context, names->input);
    created->kernel = nitro_strdup(context, names->kernel);
    created->intensity = names->intensity;
    if (!created->name || !created->kernel || (names->computation && !created->computation) ||
        (names->input && !created->input)) {
        nitro_profile_free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    *profile = created;
    return NITRO_OK;
}

nitro_status nitro_profile_create_of_variant(nitro_context *context, const char *computation,
                                             const char *variant, const char *input,
                                             const char *kernel, nitro_profile **profile)
{
    const nitro_profile names = {.computation = (char *)computation,
                                 .name = (char *)variant,
                                 .input = (char *)input,
                                 .intensity = NAN,
                                 .kernel = (char *)kernel};
    nitro_status status =
        require_valid(context, nitro_name_is_valid(computation), "a computation", computation);
    if (status == NITRO_OK)
        status = require_valid(context, nitro_name_is_valid(variant), "a variant", variant);
    if (status == NITRO_OK)
        status = require_valid(context, nitro_input_name_is_valid(input), "an input", input);
    if (status == NITRO_OK)
        status = require_valid(context, nitro_input_name_is_valid(kernel), "a kernel", kernel);
    return status == NITRO_OK ? create(context, &names, profile) : status;
}

nitro_status nitro_profile_create_of_proxy(nitro_context *context, const char *proxy,
                                           double intensity, const char *kernel,
                                           nitro_profile **profile)
{
    const nitro_profile names = {.name = (char *)proxy,
                                 .intensity = intensity == 0 ? 0 : intensity, /* one zero */
                                 .kernel = (char *)kernel};
    nitro_status status = require_valid(context, nitro_name_is_valid(proxy), "a proxy", proxy);
    if (status == NITRO_OK)
        status = require_valid(context, nitro_input_name_is_valid(kernel), "a kernel", kernel);
    if (status == NITRO_OK && !(intensity >= 0 && intensity <= NITRO_MAX_INTENSITY))
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "profile of proxy %s: intensity must be in 0 to %d, not %g", proxy,
                            NITRO_MAX_INTENSITY, intensity);
    return status == NITRO_OK ? create(context, &names, profile) : status;
}

void nitro_profile_free(nitro_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->num_metrics; i++)
        free(profile->metrics[i].name);
    free(profile->metrics);
    nitro_provenance_clear(&profile->provenance);
    free(profile->computation);
    free(profile->name);
    free(profile->input);
    free(profile->kernel);
    free(profile);
}

/* Index of the metric, or its insertion point. */
static size_t find(const nitro_profile *profile, const char *metric, bool *found)
{
    size_t low = 0, high = profile->num_metrics;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(profile->metrics[middle].name, metric);
        *found = *found || order == 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double nitro_profile_value(const nitro_profile *profile, const char *metric)
{
    bool found;
    size_t place = find(profile, metric, &found);
    return found ? profile->metrics[place].value : NAN;
}

static nitro_status insert(nitro_context *context, nitro_profile *profile, size_t place,
                           const char *metric, double value)
{
    size_t count = profile->num_metrics;
    nitro_metric *grown = realloc(profile->metrics, (count + 1) * sizeof(*grown));
    if (grown)
        profile->metrics = grown;
    char *name = grown ? nitro_strdup(context, metric) : NULL;
    if (!name)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for metric %s", metric);
    memmove(&grown[place + 1], &grown[place], (count - place) * sizeof(*grown));
    grown[place] = (nitro_metric){.name = name, .value = value};
    profile->num_metrics = count + 1;
    return NITRO_OK;
}

nitro_status nitro_profile_set(nitro_context *context, nitro_profile *profile, const char *metric,
                               double value)
{
    bool found;
    if (!nitro_metric_name_is_valid(metric))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "profile of %s: '%.150s' is not a valid metric name: use 1 to 127 of "
                          "[A-Za-z0-9_.+-]",
                          profile->name, metric ? metric : "(null)");
    if (!isfinite(value))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "profile of %s: metric %s is %g; omit metrics that were not collected",
                          profile->name, metric, value);
    size_t place = find(profile, metric, &found);
    if (!found)
        return insert(context, profile, place, metric, value);
    profile->metrics[place].value = value;
    return NITRO_OK;
}

nitro_status nitro_profile_copy(nitro_context *context, const nitro_profile *from,
                                nitro_profile **profile)
{
    nitro_profile *copy = NULL;
    nitro_status status = create(context, from, &copy);
    if (status == NITRO_OK)
        status = nitro_provenance_copy(context, &from->provenance, &copy->provenance);
    for (size_t i = 0; i < from->num_metrics && status == NITRO_OK; i++)
        status = insert(context, copy, i, from->metrics[i].name, from->metrics[i].value);
    if (status == NITRO_OK)
        *profile = copy;
    else
        nitro_profile_free(copy);
    return status;
}
