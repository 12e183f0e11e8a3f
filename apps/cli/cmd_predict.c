/* cmd_predict.c - nitro predict: what a model says of an input whose features are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *model;
    nitro_string_list features;
    bool json;
} settings;

static const option options[] = {
    {.name = "model",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, model),
     .value = "FILE",
     .help = "the model file",
     .required = true},
    {.name = "features",
     .type = OPTION_LIST,
     .offset = offsetof(settings, features),
     .value = "NAME=VALUE,...",
     .help = "a value for every input feature of the model, in any order; may be given in parts",
     .required = true},
    {.name = "json", .type = OPTION_FLAG, .offset = offsetof(settings, json), .help = "print JSON"},
    {0}};

/** What the model said, with its names in the model's order. */
typedef struct answer {
    nitro_decision decision;
    size_t ranking[NITRO_MAX_VARIANTS];
    double scores[NITRO_MAX_VARIANTS];
} answer;

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

static int read_features(const invocation *call, const nitro_model *model, double *values)
{
    const settings *given = call->settings;
    for (size_t f = 0; f < NITRO_MAX_FEATURES; f++)
        values[f] = NAN;
    for (size_t i = 0; i < given->features.count; i++) {
        int code = set_feature(call, model, given->features.items[i], values);
        if (code != EXIT_DONE)
            return code;
    }
    return require_all(call, model, values);
}

static int print_answer_json(const invocation *call, const nitro_model *model, const answer *said)
{
    json_t *ranking = json_array();
    for (size_t r = 0; r < nitro_model_num_variants(model); r++) {
        size_t v = said->ranking[r];
        json_array_append_new(ranking,
                              json_pack("{s:s, s:o}", "variant", nitro_model_variant_name(model, v),
                                        "score", json_value(said->scores[v])));
    }
    return print_json(call,
                      json_pack("{s:s, s:s, s:s, s:o, s:s, s:o}", "computation",
                                nitro_model_computation(model), "target", nitro_model_target(model),
                                "variant", said->decision.variant_name, "confidence",
                                json_value(said->decision.confidence), "reason",
                                nitro_reason_text(said->decision.reason), "ranking", ranking));
}

static int print_answer(const invocation *call, const nitro_model *model, const answer *said)
{
    text_table table;
    printf("variant     %s\n", said->decision.variant_name);
    printf("confidence  %.2f\n", said->decision.confidence);
    printf("reason      %s\n\n", nitro_reason_text(said->decision.reason));
    table_begin(&table, call->context, ">rank,variant,>score");
    for (size_t r = 0; r < nitro_model_num_variants(model); r++) {
        table_cell(&table, "%zu", r + 1);
        table_cell(&table, "%s", nitro_model_variant_name(model, said->ranking[r]));
        table_number(&table, said->scores[said->ranking[r]], 4);
    }
    return table_end(&table, stdout) == NITRO_OK ? EXIT_DONE : fail(call);
}

static int ask(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    double values[NITRO_MAX_FEATURES];
    answer said;
    int code = read_features(call, model, values);
    if (code != EXIT_DONE)
        return code;
    if (nitro_model_predict(model, values, &said.decision, said.ranking, said.scores) != NITRO_OK)
        return fail(call);
    return given->json ? print_answer_json(call, model, &said) : print_answer(call, model, &said);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_model *model = NULL;
    if (nitro_model_load(call->context, given->model, &model) != NITRO_OK)
        return fail(call);
    int code = ask(call, model);
    nitro_model_free(model);
    return code;
}

const command command_predict = {
    .name = "predict",
    .summary = "Ask a model for the best variant, by features alone",
    .synopsis = "--model FILE --features NAME=VALUE,... [--json]",
    .description = "Prints the variant that the model chooses for an input with these features, "
                   "its confidence, the reason, and all variants from the best to the worst. "
                   "Nothing is run: neither the computation's code nor the device is needed.",
    .examples = "  nitro predict --model gpu2.json --features rows=1000,nnz=5000,row_max=9\n",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
