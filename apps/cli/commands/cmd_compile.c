/* cmd_compile.c - nitro compile: writes a model as a binary file or C source. */
#include <string.h>
#include <sys/stat.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *model;
    const char *format;
    const char *output;
} settings;

static const char *const formats[] = {"binary", "c", NULL};

static const option options[] = {
    OPTION(TEXT, "model", model, "FILE", "the model file, JSON or binary", .required = true),
    OPTION(TEXT, "format", format, "FORMAT", "binary (default) or c, see above",
           .choices = formats),
    OPTION(TEXT, "output", output, "FILE", "the file to write", .required = true),
    OPTION_JSON,
    {0}};

static int print_result(const invocation *call, const nitro_model *model, const char *format)
{
    const settings *given = call->settings;
    if (wants_json(call))
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
    const char *name = given->format ? given->format : formats[0];
    bool is_binary = strcmp(name, formats[0]) == 0;
    size_t length = strlen(given->output);
    if (!given->format && length > 2 && strcmp(given->output + length - 2, ".c") == 0)
        return fail_usage(call, "--output %s: without --format c this is a binary model, not C",
                          given->output);
    struct stat model_file, output_file;
    if (stat(given->model, &model_file) == 0 && stat(given->output, &output_file) == 0 &&
        model_file.st_dev == output_file.st_dev && model_file.st_ino == output_file.st_ino)
        return fail_usage(call, "--output %s is the model file itself: name another file",
                          given->output);
    nitro_model *model = NULL;
    if (nitro_model_load(call->context, given->model, &model) != NITRO_OK)
        return fail(call);
    nitro_status status =
        nitro_model_export(model, is_binary ? NITRO_EXPORT_BINARY : NITRO_EXPORT_C, given->output);
    int code = status == NITRO_OK ? print_result(call, model, name) : fail(call);
    nitro_model_free(model);
    return code;
}

const command command_compile = {
    .name = "compile",
    .summary = "Compile a model to binary or C",
    .synopsis = "--model FILE [--format binary|c] --output FILE [--json]",
    .description =
        "A binary model loads many times faster than JSON and can be read by libnitro-runtime, "
        "which depends on libc and libm only. Its decisions are those of the JSON model. It does "
        "not record how the model was trained: keep the JSON file.\n\n"
        "The C form is a self-contained file: one function maps input features to the index of a "
        "variant; the comment at its top lists the names. It depends on libm only and makes the "
        "model's decisions, without checking the variants' constraints.",
    .examples = "  nitro compile --model gpu2.json --output gpu2.bin\n"
                "  nitro compile --model gpu2.json --format c --output choose.c\n",
    COMMAND_USUAL};
