/* given_features.c - features as a command line gives them: NAME=VALUE in any order, or a file
 * whose features a computation's code evaluates. */
#include "apps/cli/given_features.h"

#include <math.h>
#include <string.h>

#include "apps/cli/inputs.h"
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

static int read_values(const invocation *call, const nitro_model *model,
                       const nitro_string_list *items, double *values)
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

/** The computation's feature of this name, or that which the module says it has the value of. */
static size_t find_feature(const loaded_module *loaded, const char *name)
{
    const nitro_computation *computation = loaded->computation;
    for (size_t f = 0; f < nitro_computation_num_features(computation); f++)
        if (strcmp(nitro_computation_feature_name(computation, f), name) == 0)
            return f;
    const char *own = loaded->module->feature_alias ? loaded->module->feature_alias(name) : NULL;
    return own ? find_feature(loaded, own) : NITRO_NONE;
}

static bool has_all_features(const loaded_module *loaded, const nitro_model *model)
{
    for (size_t f = 0; f < nitro_model_num_features(model); f++)
        if (find_feature(loaded, nitro_model_feature_name(model, f)) == NITRO_NONE)
            return false;
    return true;
}

int features_pick(const invocation *call, const nitro_model *model, const loaded_module *loaded,
                  const double *evaluated, const char *remedy, double *values)
{
    const char *lacking[NITRO_MAX_FEATURES + 1] = {0};
    char text[2048];
    size_t count = 0;
    for (size_t f = 0; f < nitro_model_num_features(model); f++) {
        const char *name = nitro_model_feature_name(model, f);
        size_t found = find_feature(loaded, name);
        if (found == NITRO_NONE)
            lacking[count++] = name;
        else
            values[f] = evaluated[found];
    }
    if (count == 0)
        return EXIT_DONE;
    join_names(lacking, text, sizeof text);
    return fail_text(call, "the model of %s has features that %s does not evaluate: %s; %s",
                     nitro_model_computation(model), loaded->module->name, text, remedy);
}

/** Open the built-in computation of the model's name, else the first one that has its features. */
static int open_fitting(const invocation *call, const nitro_model *model, loaded_module *loaded)
{
    const char *name = nitro_model_computation(model);
    if (module_built_in(name))
        return module_open(call, name, NULL, loaded);
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++) {
        if (module_built_in((*each)->name) != *each)
            continue;
        int code = module_open(call, (*each)->name, NULL, loaded);
        if (code != EXIT_DONE || has_all_features(loaded, model))
            return code;
        module_close(loaded);
    }
    return fail_text(call,
                     "no built-in computation evaluates the features of the model of %s: name one, "
                     "or give them with --features",
                     name);
}

static int evaluate_file(const invocation *call, const nitro_model *model, const char *path,
                         double *values)
{
    loaded_module loaded = {0};
    void *input = NULL;
    double evaluated[NITRO_MAX_FEATURES];
    int code = call->arguments.count ? module_open(call, call->arguments.items[0], NULL, &loaded)
                                     : open_fitting(call, model, &loaded);
    const input_source source = {.module = loaded.module, .path = path};
    if (code == EXIT_DONE)
        code = exit_code(call, input_load(call, &source, &input));
    if (code == EXIT_DONE)
        code = exit_code(call, input_evaluate(call, &source, loaded.computation, input, evaluated));
    if (code == EXIT_DONE)
        code = features_pick(call, model, &loaded, evaluated, "give all with --features", values);
    if (input)
        loaded.module->unload(input);
    module_close(&loaded);
    return code;
}

int features_check(const invocation *call, const nitro_string_list *items, const char *input)
{
    if ((items->count > 0) == (input != NULL))
        return fail_usage(call, "give one of --features NAME=VALUE,... and --input FILE");
    return EXIT_DONE;
}

int features_given(const invocation *call, const nitro_model *model, const nitro_string_list *items,
                   const char *input, double *values)
{
    return input ? evaluate_file(call, model, input, values)
                 : read_values(call, model, items, values);
}

int features_ask_model(invocation *call, const nitro_string_list *items, const char *input,
                       const char *path, int (*ask)(const invocation *, const nitro_model *))
{
    nitro_model *model = NULL;
    int code = features_check(call, items, input);
    if (code != EXIT_DONE)
        return code;
    if (nitro_model_load(call->context, path, &model) != NITRO_OK)
        return fail(call);
    code = ask(call, model);
    nitro_model_free(model);
    return code;
}
