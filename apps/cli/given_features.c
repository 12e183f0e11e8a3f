/* given_features.c - features as a command line gives them: NAME=VALUE, in any order. */
#include "apps/cli/given_features.h"

#include <math.h>
#include <string.h>

#include "apps/cli/output.h"

static size_t feature_index(const nitro_model *model, const char *name, size_t length)
{
    for (size_t f = 0; f < nitro_model_num_features(model); f++) {
        const char *known = nitro_model_feature_name(model, f);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return f;
    }
    return NITRO_NONE;
}

static int unknown_feature(const invocation *call, const nitro_model *model, const char *item,
                           size_t length)
{
    const char *names[NITRO_MAX_FEATURES + 1] = {0};
    char word[64], known[2048];
    for (size_t f = 0; f < nitro_model_num_features(model); f++)
        names[f] = nitro_model_feature_name(model, f);
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), item);
    const char *close = nitro_closest_name(names, nitro_model_num_features(model), word);
    join_names(names, known, sizeof known);
    if (close)
        return fail_usage(call, "the model has no feature '%s'; did you mean '%s'? It has: %s",
                          word, close, known);
    return fail_usage(call, "the model has no feature '%s'; it has: %s", word, known);
}

/** Read "name=value" into its place in `values`, which holds NaN where nothing was given yet. */
static int set_feature(const invocation *call, const nitro_model *model, const char *item,
                       double *values)
{
    const char *equals = strchr(item, '=');
    double value;
    if (!equals)
        return fail_usage(call, "--features: '%s' is not NAME=VALUE", item);
    size_t length = (size_t)(equals - item);
    size_t index = feature_index(model, item, length);
    if (index == NITRO_NONE)
        return unknown_feature(call, model, item, length);
    if (!isnan(values[index]))
        return fail_usage(call, "--features: %.*s is given twice", (int)length, item);
    if (!nitro_parse_number(equals + 1, &value))
        return fail_usage(call, "--features: %.*s: '%s' is not a finite number", (int)length, item,
                          equals + 1);
    values[index] = value;
    return EXIT_DONE;
}

static int require_all(const invocation *call, const nitro_model *model, const double *values)
{
    const char *missing[NITRO_MAX_FEATURES + 1];
    size_t count = 0;
    for (size_t f = 0; f < nitro_model_num_features(model); f++)
        if (isnan(values[f]))
            missing[count++] = nitro_model_feature_name(model, f);
    missing[count] = NULL;
    if (count == 0)
        return EXIT_DONE;
    char text[2048];
    join_names(missing, text, sizeof text);
    return fail_usage(call, "--features: no value for %s", text);
}

int features_read(const invocation *call, const nitro_model *model, const nitro_string_list *items,
                  double *values)
{
    for (size_t f = 0; f < NITRO_MAX_FEATURES; f++)
        values[f] = NAN;
    for (size_t i = 0; i < items->count; i++) {
        int code = set_feature(call, model, items->items[i], values);
        if (code != EXIT_DONE)
            return code;
    }
    return require_all(call, model, values);
}
