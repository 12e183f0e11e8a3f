/* cmd_explain.c - nitro explain: why a model decides as it does for one input. */
#include <stdlib.h>

#include "apps/cli/commands/explanation.h"
#include "apps/cli/given_features.h"

typedef struct settings {
    common_settings common;
    const char *model, *input, *store;
    nitro_string_list features;
    double uses;
} settings;

static const option options[] = {
    OPTION_MODEL,
    OPTION_FEATURES,
    OPTION_INPUT,
    OPTION_USES,
    OPTION(TEXT, "store", store, "URL",
           "the store with the model's training samples: also shows the nearest ones"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {ARGUMENT_EVALUATES, {0}};

static int add_store(const invocation *call, explanation *answer)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    if (nitro_store_open(call->context, given->store, NITRO_STORE_READ, &store) != NITRO_OK)
        return fail(call);
    nitro_status status = explanation_add_store(store, answer);
    nitro_store_close(store);
    if (status != NITRO_OK)
        return fail(call);
    if (answer->is_changed)
        warn(call,
             "the sources' samples in %s differ from those the model was trained on: they have "
             "changed, or this is another store",
             given->store);
    return EXIT_DONE;
}

static int explain(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    explanation answer = {.model = model,
                          .shipped = nitro_model_shipped(call->context, given->model),
                          .options = {.uses = given->uses}};
    int code = features_given(call, model, &given->features, given->input, answer.features);
    if (code == EXIT_DONE)
        code = exit_code(call, explanation_make(&answer));
    if (code == EXIT_DONE && given->store)
        code = add_store(call, &answer);
    if (code == EXIT_DONE)
        code = wants_json(call) ? explanation_print_json(call, &answer)
                                : explanation_print(call, &answer);
    explanation_free(&answer);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    return features_ask_model(call, &given->features, given->input, given->model, explain);
}

const command command_explain = {
    .name = "explain",
    .summary = "Explain a model's decision for an input",
    .synopsis = "--model FILE (--features NAME=VALUE,... | [COMPUTATION] --input FILE) "
                "[--uses N] [--store URL] [--json]",
    .description =
        "Prints the model's decision for an input and the reasons for it: the confidence (the "
        "estimated probability that no other variant is more than 5 % faster); all variants from "
        "best to worst with their expected times as multiples of the chosen one's ('-' if the "
        "strategy's scores are not times); every feature used - of the input, of the target "
        "device, and relative ones computed from both - with its training range and whether it "
        "lies outside. The range of an unused input feature (constant in training, or not tested "
        "by any tree) has no effect. Expected times are clipped near 10x in training: such a "
        "number means 'at least'. Where the model knows what preparing a variant costs, it is "
        "given "
        "in runs of the chosen variant; with --uses N, total is the expected time of preparing and "
        "N runs over the chosen one's.\n\n"
        "With the store of the model's sources, also prints how the variants performed on the 20 "
        "nearest measured inputs ('nearby'), per source and individually. Distances are in the "
        "model's scaled feature space, where the training range of a feature is 2. Similarity is "
        "the cosine of 'nitro devices similarity' over all device features that the target and its "
        "sources share.",
    .examples = "  nitro explain --model h.json \\\n"
                "      --features num_elements=1e6,elements_per_bin=4e3,sub_sample_sd=0.1\n"
                "  nitro explain --model gpu2.json --input A.mtx --store sqlite:lab.db\n",
    .arguments = arguments,
    COMMAND_USUAL};
