/* cmd_explain.c - nitro explain: why a model decides as it does for one input. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/commands/explanation.h"
#include "apps/cli/given_features.h"
#include "apps/cli/load_module.h"

typedef struct settings {
    common_settings common;
    const char *model, *input, *store;
    nitro_string_list features;
    bool json;
} settings;

static const option options[] = {
    OPTION_MODEL,
    {.name = "features",
     .type = OPTION_LIST,
     .offset = offsetof(settings, features),
     .value = "NAME=VALUE,...",
     .help = "a value for every input feature of the model, in any order; may be given in parts"},
    {.name = "input",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, input),
     .value = "FILE",
     .help = "instead: an input file, from which the computation's code evaluates the features"},
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "the store with the samples that the model was learnt from: shows the nearest ones"},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "with --input: a built-in computation, or the path of a shared object with one "
             "(default: the model's)",
     .optional = true},
    {0}};

/* ---- The input ------------------------------------------------------------------------------- */

/** The code's features must be the model's, in its order. */
static int check_names(const invocation *call, const char *name,
                       const nitro_computation *computation, const nitro_model *model)
{
    bool same = nitro_computation_num_features(computation) == nitro_model_num_features(model);
    for (size_t f = 0; same && f < nitro_model_num_features(model); f++)
        same = strcmp(nitro_computation_feature_name(computation, f),
                      nitro_model_feature_name(model, f)) == 0;
    if (same)
        return EXIT_DONE;
    return fail_text(call,
                     "the model of %s was made for other features than %s evaluates: give them "
                     "with --features",
                     nitro_model_computation(model), name);
}

static int evaluate_file(const invocation *call, const char *path, const nitro_model *model,
                         double *values)
{
    loaded_module loaded = {0};
    void *input = NULL;
    const char *name =
        call->arguments.count ? call->arguments.items[0] : nitro_model_computation(model);
    int code = module_open(call, name, NULL, &loaded);
    if (code == EXIT_DONE)
        code = check_names(call, name, loaded.computation, model);
    if (code == EXIT_DONE && loaded.module->load(call->context, path, &input) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE &&
        nitro_computation_evaluate(loaded.computation, input, values) != NITRO_OK)
        code = fail(call);
    if (input)
        loaded.module->unload(input);
    module_close(&loaded);
    return code;
}

static int read_input(const invocation *call, const nitro_model *model, double *values)
{
    const settings *given = call->settings;
    if ((given->features.count > 0) == (given->input != NULL))
        return fail_usage(call, "give one of --features NAME=VALUE,... and --input FILE");
    if (given->input)
        return evaluate_file(call, given->input, model, values);
    return features_read(call, model, &given->features, values);
}

/* ---- The answer ------------------------------------------------------------------------------ */

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
             "the sources' samples in %s are not those that the model was learnt from: they "
             "changed since, or this is another store",
             given->store);
    return EXIT_DONE;
}

static int explain(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    explanation answer = {.model = model};
    int code = read_input(call, model, answer.features);
    if (code == EXIT_DONE && explanation_make(&answer) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE && given->store)
        code = add_store(call, &answer);
    if (code == EXIT_DONE)
        code =
            given->json ? explanation_print_json(call, &answer) : explanation_print(call, &answer);
    explanation_free(&answer);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_model *model = NULL;
    if (nitro_model_load(call->context, given->model, &model) != NITRO_OK)
        return fail(call);
    int code = explain(call, model);
    nitro_model_free(model);
    return code;
}

const command command_explain = {
    .name = "explain",
    .summary = "Say why a model decides as it does for an input",
    .synopsis = "--model FILE (--features NAME=VALUE,... | [COMPUTATION] --input FILE) "
                "[--store URL] [--json]",
    .description =
        "Prints what the model decides for an input, and why: the reason and the confidence (the "
        "estimated chance that no other variant is over 5 % faster); all variants from the best "
        "to the worst with the time that the model expects of each, as a multiple of the chosen "
        "one's ('-' where its strategy's scores do not say by how much); every feature that it "
        "looked at - of the input, of the target device, and relative ones, made of both - with "
        "the range it was trained on, and which lie outside. The range of an input feature that "
        "the model does not use (it was constant, or no tree asks for it) is of no matter. "
        "Expected times are cut near 10x in training: such a number means 'or more'.\n\n"
        "With the store of the model's sources also what was measured there: how the variants did "
        "on the nearest measured inputs ('nearby': the 20 nearest), source by source and one by "
        "one. Near is what the model sees as near: a distance of 2 is its whole training range, in "
        "every feature. Similarity is the cosine of 'nitro devices similarity' over all device "
        "features that the target and its sources have.",
    .examples = "  nitro explain --model gpu2.json --features rows=1000,nnz=5000,row_max=9\n"
                "  nitro explain --model gpu2.json --input A.mtx --store sqlite:lab.db\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
