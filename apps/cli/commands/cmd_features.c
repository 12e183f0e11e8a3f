/* cmd_features.c - nitro features: the input features of files and of generated inputs. */
#include <stdlib.h>

#include "apps/cli/inputs.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    uint64_t generate, seed, name_parts;
    bool csv;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    given->seed = 1;
    given->name_parts = 1;
}

static const option options[] = {
    OPTION(COUNT, "generate", generate, "N",
           "the first N of the computation's generated inputs, in addition to the files"),
    OPTION(COUNT, "seed", seed, "S", "seed of the generated inputs", .needs = "generate"),
    OPTION_NAME_PARTS,
    OPTION(FLAG, "csv", csv, NULL, "print CSV, as 'nitro store import' reads it",
           .excludes = "json"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, or the path of a shared object with one (./libmine.so)"},
    {.name = "FILE", .help = "input files", .optional = true, .many = true},
    {0}};

/** The inputs' features, row after row. */
typedef struct feature_table {
    const invocation *call;
    loaded_module loaded;
    input_set inputs;
    size_t num_features;
    double *values; /* shape [inputs x num_features] */
} feature_table;

static const char *feature_name(const feature_table *self, size_t feature)
{
    return nitro_computation_feature_name(self->loaded.computation, feature);
}

/** A failure says of which input it is, as that of a tune does: features and modules may not. */
static void name_input(const feature_table *self, size_t input, nitro_status status)
{
    char message[1024];
    nitro_context_last_error(self->call->context, message, sizeof message);
    nitro_fail(self->call->context, status, "input '%s': %s", self->inputs.names.items[input],
               message);
}

static int evaluate(feature_table *self)
{
    nitro_context *context = self->call->context;
    self->num_features = nitro_computation_num_features(self->loaded.computation);
    self->values =
        nitro_calloc(context, self->inputs.count * self->num_features, sizeof *self->values);
    nitro_status status = self->values ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    progress_line progress;
    progress_begin(&progress, (invocation *)self->call, "features", "inputs");
    for (size_t i = 0; i < self->inputs.count && status == NITRO_OK; i++) {
        void *input = NULL;
        status = input_load(self->call, &self->inputs.sources[i], &input);
        if (status == NITRO_OK)
            status = input_evaluate(self->call, &self->inputs.sources[i], self->loaded.computation,
                                    input, self->values + i * self->num_features);
        if (status != NITRO_OK)
            name_input(self, i, status);
        if (input)
            self->loaded.module->unload(input);
        progress_update(&progress, i + 1, self->inputs.count, 0, self->inputs.names.items[i]);
    }
    progress_end(&progress);
    return exit_code(self->call, status);
}

static int print_as_json(const feature_table *self)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < self->inputs.count; i++) {
        json_t *features = json_object();
        for (size_t f = 0; f < self->num_features; f++)
            json_object_set_new(features, feature_name(self, f),
                                json_value(self->values[i * self->num_features + f]));
        json_array_append_new(rows, json_pack("{s:o, s:o}", "input",
                                              json_text(self->inputs.names.items[i]), "features",
                                              features));
    }
    return print_json(self->call, json_pack("{s:s, s:o}", "computation", self->loaded.module->name,
                                            "inputs", rows));
}

static int print_csv(const feature_table *self)
{
    nitro_csv_writer writer;
    nitro_csv_writer_open(&writer);
    nitro_csv_writer_add(&writer, "input");
    for (size_t f = 0; f < self->num_features; f++)
        nitro_csv_writer_add(&writer, feature_name(self, f));
    nitro_csv_writer_end_row(&writer);
    for (size_t i = 0; i < self->inputs.count; i++) {
        nitro_csv_writer_add(&writer, self->inputs.names.items[i]);
        for (size_t f = 0; f < self->num_features; f++)
            nitro_csv_writer_add_number(&writer, self->values[i * self->num_features + f]);
        nitro_csv_writer_end_row(&writer);
    }
    nitro_status status = nitro_csv_writer_close(self->call->context, &writer);
    if (status == NITRO_OK)
        fwrite(writer.bytes, 1, writer.size, stdout);
    nitro_csv_writer_free(&writer);
    return exit_code(self->call, status);
}

/** A row a feature, a column an input: inputs are few, and features many. */
static int print_text(const feature_table *self)
{
    text_table table;
    table_begin(&table, self->call->context, "feature");
    for (size_t i = 0; i < self->inputs.count; i++)
        table_header(&table, self->inputs.names.items[i]);
    for (size_t f = 0; f < self->num_features; f++) {
        table_cell(&table, "%s", feature_name(self, f));
        for (size_t i = 0; i < self->inputs.count; i++)
            table_cell(&table, "%.6g", self->values[i * self->num_features + f]);
    }
    return exit_code(self->call, table_end(&table));
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    feature_table self = {.call = call};
    nitro_string_list files = {.items = call->arguments.items + 1,
                               .count = call->arguments.count - 1};
    if (files.count + given->generate == 0)
        return fail_usage(call, "no inputs: give files or --generate N");
    int code = module_open(call, call->arguments.items[0], NULL, &self.loaded);
    if (code == EXIT_DONE)
        code = inputs_make(call, self.loaded.module, &files,
                           (generated_range){given->seed, 0, given->generate}, given->name_parts,
                           &self.inputs);
    if (code == EXIT_DONE)
        code = evaluate(&self);
    if (code == EXIT_DONE)
        code = wants_json(call) ? print_as_json(&self)
               : given->csv     ? print_csv(&self)
                                : print_text(&self);
    free(self.values);
    inputs_free(&self.inputs);
    module_close(&self.loaded);
    return code;
}

const command command_features = {
    .name = "features",
    .summary = "Print the input features of files",
    .synopsis = "COMPUTATION [FILE...] [--generate N [--seed S]] [--csv | --json]",
    .description =
        "Evaluates a computation's input features and prints them: one row per feature and one "
        "column per input, or with --csv one row per input. The CSV together with times is what "
        "'nitro store "
        "import' takes for measurements that were made elsewhere; its values are what 'nitro "
        "predict --features' takes.",
    .examples = "  nitro features spmv A.mtx B.mtx\n"
                "  nitro features spmv *.mtx --csv >features.csv\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
