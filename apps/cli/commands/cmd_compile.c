/* cmd_compile.c - nitro compile: a model in a form for programs. */
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *model;
    const char *format;
    const char *output;
    bool json;
} settings;

static const struct {
    const char *name;
    nitro_export_format format;
} formats[] = {{"binary", NITRO_EXPORT_BINARY}, {"c", NITRO_EXPORT_C}};

static const option options[] = {{.name = "model",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, model),
                                  .value = "FILE",
                                  .help = "the model file, JSON or binary",
                                  .required = true},
                                 {.name = "format",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, format),
                                  .value = "FORMAT",
                                  .help = "binary (default) or c, see above"},
                                 {.name = "output",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, output),
                                  .value = "FILE",
                                  .help = "the file to write",
                                  .required = true},
                                 OPTION_JSON,
                                 {0}};

static int print_result(const invocation *call, const nitro_model *model, const char *format)
{
    const settings *given = call->settings;
    if (given->json)
        return print_json(call, json_pack("{s:s, s:s, s:s, s:s, s:s}", "computation",
                                          nitro_model_computation(model), "target",
                                          nitro_model_target(model), "strategy",
                                          nitro_model_strategy(model), "format", format, "output",
                                          given->output));
    if (!given->common.quiet)
        printf("%s for %s (%s), as %s: %s\n", nitro_model_computation(model),
               nitro_model_target(model), nitro_model_strategy(model), format, given->output);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    const char *name = given->format ? given->format : formats[0].name;
    size_t i = 0, count = sizeof formats / sizeof formats[0];
    while (i < count && strcmp(formats[i].name, name) != 0)
        i++;
    if (i == count)
        return fail_usage(call, "--format: '%s' is no format; there are binary and c", name);
    nitro_model *model = NULL;
    if (nitro_model_load(call->context, given->model, &model) != NITRO_OK)
        return fail(call);
    int code = nitro_model_export(model, formats[i].format, given->output) == NITRO_OK
                   ? print_result(call, model, name)
                   : fail(call);
    nitro_model_free(model);
    return code;
}

const command command_compile = {
    .name = "compile",
    .summary = "Write a model in a form for programs: binary, or C",
    .synopsis = "--model FILE [--format binary|c] --output FILE [--json]",
    .description =
        "A binary model loads many times faster than JSON, and is what libnitro-runtime reads, "
        "which needs libc and libm alone. It decides as the model does. It does not say how the "
        "model was learnt: keep the JSON file.\n\n"
        "The C form is a file of its own: one function takes the input features and gives the "
        "index of a variant; the comment at its top says the names. It needs no library but libm, "
        "and decides as the model does, without asking variants whether they accept the input.",
    .examples = "  nitro compile --model gpu2.json --output gpu2.bin\n"
                "  nitro compile --model gpu2.json --format c --output choose.c\n",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
