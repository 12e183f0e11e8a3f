/* cmd_predict.c - nitro predict: the decision of a model for an input. */
#include "apps/cli/commands/out_of_range.h"
#include "apps/cli/given_features.h"
#include "nitro/backend/explain.h"

typedef struct settings {
    common_settings common;
    const char *model, *input;
    nitro_string_list features;
    double uses;
} settings;

static const option options[] = {OPTION_MODEL, OPTION_FEATURES, OPTION_INPUT,
                                 OPTION_USES,  OPTION_JSON,     {0}};

static const argument arguments[] = {ARGUMENT_EVALUATES, {0}};

/** A prediction; variants are in the model's order. */
typedef struct prediction {
    nitro_decision decision;
    size_t ranking[NITRO_MAX_VARIANTS];
    double scores[NITRO_MAX_VARIANTS];
    bool prepares;                        /* the model knows what preparing costs */
    double preparing[NITRO_MAX_VARIANTS]; /* in runs of the fastest variant */
    json_t *outside; /* names of features; given away when it is printed as JSON */
} prediction;

static int print_prediction_json(const invocation *call, const nitro_model *model,
                                 const prediction *found)
{
    json_t *ranking = json_array();
    for (size_t r = 0; r < nitro_model_num_ranked(model); r++) {
        size_t v = found->ranking[r];
        json_t *row = json_pack("{s:s, s:o}", "variant", nitro_model_variant_name(model, v),
                                "score", json_value(found->scores[v]));
        if (found->prepares)
            json_object_set_new(row, "preparing", json_value(found->preparing[v]));
        json_array_append_new(ranking, row);
    }
    return print_json(call,
                      json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "computation",
                                nitro_model_computation(model), "target", nitro_model_target(model),
                                "variant", found->decision.variant_name, "confidence",
                                json_value(found->decision.confidence), "reason",
                                nitro_reason_text(found->decision.reason), "outside",
                                found->outside, "ranking", ranking));
}

static int print_prediction(const invocation *call, const nitro_model *model,
                            const prediction *found)
{
    text_table table;
    printf("variant     %s\n", found->decision.variant_name);
    printf("confidence  %.2f\n", found->decision.confidence);
    printf("reason      ");
    outside_print(found->decision.reason, found->outside);
    printf("\n\n");
    json_decref(found->outside);
    table_begin(&table, call->context,
                found->prepares ? ">rank,variant,>score,>preparing" : ">rank,variant,>score");
    for (size_t r = 0; r < nitro_model_num_ranked(model); r++) {
        table_cell(&table, "%zu", r + 1);
        table_cell(&table, "%s", nitro_model_variant_name(model, found->ranking[r]));
        table_number(&table, found->scores[found->ranking[r]], 4);
        if (found->prepares)
            table_cell(&table, "%.3g runs", found->preparing[found->ranking[r]]);
    }
    return exit_code(call, table_end(&table));
}

static int query(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    double values[NITRO_MAX_FEATURES];
    prediction found;
    int code = features_given(call, model, &given->features, given->input, values);
    if (code != EXIT_DONE)
        return code;
    const nitro_call_options how = {.uses = given->uses};
    if (nitro_model_predict_with(model, values, &how, &found.decision, found.ranking,
                                 found.scores) != NITRO_OK)
        return fail(call);
    found.prepares = nitro_model_expected_preparing(model, values, found.preparing);
    found.outside = outside_names(model, values);
    return wants_json(call) ? print_prediction_json(call, model, &found)
                            : print_prediction(call, model, &found);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    return features_ask_model(call, &given->features, given->input, given->model, query);
}

const command command_predict = {
    .name = "predict",
    .summary = "Predict the best variant for an input",
    .synopsis = "--model FILE (--features NAME=VALUE,... | [COMPUTATION] --input FILE) [--uses N] "
                "[--json]",
    .description = "Prints the variant that the model chooses for an input, its confidence, the "
                   "reason, and all variants from best to worst. The device is not needed, nor is "
                   "the computation's code where the features are given as values. With --input a "
                   "computation evaluates them: for a model of recorded measurements, any that has "
                   "features of the same names. Where the model knows what preparing a variant "
                   "costs, it is given in runs of the fastest variant, and --uses counts it.",
    .examples = "  nitro predict --model h.json \\\n"
                "      --features num_elements=1e6,elements_per_bin=4e3,sub_sample_sd=0.1\n"
                "  nitro predict --model gpu2.json --input A.mtx\n",
    .arguments = arguments,
    COMMAND_USUAL};
