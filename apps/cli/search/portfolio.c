/* portfolio.c - chooses configurations for several recorded inputs and devices. */
#include "apps/cli/search/portfolio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"
#include "apps/cli/search/search_target.h"

/* ---- Cases ----------------------------------------------------------------------------------- */

static nitro_status allocate(nitro_context *context, size_t count, size_t num_features,
                             portfolio_cases *cases)
{
    *cases = (portfolio_cases){.count = count, .num_features = num_features};
    cases->recordings = nitro_calloc(context, count + 1, sizeof(*cases->recordings));
    cases->features = nitro_calloc(context, count * num_features + 1, sizeof(double));
    return cases->recordings && cases->features ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static void free_cases(portfolio_cases *cases)
{
    for (size_t x = 0; cases->recordings && x < cases->count; x++)
        nitro_recording_free(cases->recordings[x]);
    free(cases->recordings);
    free(cases->features);
    nitro_string_list_free(&cases->files);
    nitro_string_list_free(&cases->devices);
    nitro_string_list_free(&cases->inputs);
    nitro_string_list_free(&cases->feature_names);
}

/* Columns of a table of cases. */
typedef struct case_columns {
    size_t file, device, input; /* input: NITRO_NONE: there is none */
    size_t features[NITRO_MAX_FEATURES];
    size_t num_features;
} case_columns;

static nitro_status find_columns(nitro_context *context, const nitro_csv *csv, case_columns *found)
{
    *found = (case_columns){.file = nitro_csv_column(csv, "file"),
                            .device = nitro_csv_column(csv, "device"),
                            .input = nitro_csv_column(csv, "input")};
    if (found->file == NITRO_NONE || found->device == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: a table of cases has the columns file and device, optionally input, "
                          "and a column for each feature of the inputs",
                          nitro_csv_origin(csv));
    for (size_t c = 0; c < nitro_csv_num_columns(csv); c++) {
        if (c == found->file || c == found->device || c == found->input)
            continue;
        if (found->num_features == NITRO_MAX_FEATURES)
            return nitro_fail(context, NITRO_ERR_FORMAT, "%s: more than %d features",
                              nitro_csv_origin(csv), NITRO_MAX_FEATURES);
        found->features[found->num_features++] = c;
    }
    return NITRO_OK;
}

/* Adds a text that was made for the list, and frees it. */
static nitro_status add_made(nitro_context *context, nitro_string_list *list, char *text)
{
    nitro_status status = text ? nitro_string_list_add(context, list, text) : NITRO_ERR_NO_MEMORY;
    free(text);
    return status;
}

/* A path in the table is relative to the table's folder. */
static char *path_beside(nitro_context *context, const char *table, const char *path)
{
    const char *slash = strrchr(table, '/');
    if (path[0] == '/' || !slash)
        return nitro_strdup(context, path);
    return nitro_asprintf(context, "%.*s/%s", (int)(slash - table), table, path);
}

static nitro_status read_row(nitro_context *context, const nitro_csv *csv,
                             const case_columns *columns, size_t row, portfolio_cases *cases)
{
    const char *file = nitro_csv_field(csv, row, columns->file);
    const char *input =
        columns->input == NITRO_NONE ? "default" : nitro_csv_field(csv, row, columns->input);
    nitro_status status =
        add_made(context, &cases->files, path_beside(context, nitro_csv_origin(csv), file));
    if (status == NITRO_OK)
        status = nitro_string_list_add(context, &cases->devices,
                                       nitro_csv_field(csv, row, columns->device));
    if (status == NITRO_OK)
        status = nitro_string_list_add(context, &cases->inputs, input);
    for (size_t f = 0; status == NITRO_OK && f < columns->num_features; f++)
        status = nitro_csv_number(csv, row, columns->features[f],
                                  &cases->features[row * columns->num_features + f]);
    return status;
}

static nitro_status read_table(nitro_context *context, const char *path, portfolio_cases *cases)
{
    nitro_csv *csv = NULL;
    case_columns columns;
    nitro_status status = nitro_csv_read(context, path, &csv);
    if (status == NITRO_OK)
        status = find_columns(context, csv, &columns);
    if (status == NITRO_OK)
        status = allocate(context, nitro_csv_num_rows(csv), columns.num_features, cases);
    for (size_t f = 0; status == NITRO_OK && f < columns.num_features; f++)
        status = nitro_string_list_add(context, &cases->feature_names,
                                       nitro_csv_column_name(csv, columns.features[f]));
    for (size_t row = 0; status == NITRO_OK && row < cases->count; row++)
        status = read_row(context, csv, &columns, row, cases);
    nitro_csv_free(csv);
    return status;
}

/* The device that a file names, else the file's name without folder and extensions. */
static char *device_of(nitro_context *context, const nitro_recording *recording, const char *file)
{
    const char *name = basename(file);
    if (recording->device && nitro_device_id_is_valid(recording->device))
        return nitro_strdup(context, recording->device);
    return nitro_asprintf(context, "%.*s", (int)strcspn(name, "."), name);
}

static nitro_status read_cases(nitro_context *context, const evaluate_settings *given,
                               nitro_space **described, portfolio_cases *cases)
{
    nitro_status status = given->cases ? read_table(context, given->cases, cases)
                                       : allocate(context, given->recorded.count, 0, cases);
    if (status == NITRO_OK && given->space)
        status = nitro_space_read(context, given->space, described);
    const nitro_space *space = *described;
    for (size_t x = 0; status == NITRO_OK && x < cases->count; x++) {
        const char *file = given->cases ? cases->files.items[x] : given->recorded.items[x];
        status = nitro_recording_read(context, file, space, &cases->recordings[x]);
        if (status != NITRO_OK)
            break;
        space = space ? space : cases->recordings[0]->space;
        if (given->cases)
            continue;
        status = nitro_string_list_add(context, &cases->files, file);
        if (status == NITRO_OK)
            status = nitro_string_list_add(context, &cases->inputs, "default");
        if (status == NITRO_OK)
            status =
                add_made(context, &cases->devices, device_of(context, cases->recordings[x], file));
    }
    return status;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* Mean and least of qualities, in percent. */
static void summarise(const double *quality, size_t count, double *mean, double *least)
{
    *mean = 0;
    *least = 100;
    for (size_t x = 0; x < count; x++) {
        *mean += 100 * quality[x] / (double)count;
        *least = fmin(*least, 100 * quality[x]);
    }
}

static int print_text(const invocation *call, const portfolio_cases *cases,
                      const nitro_portfolio *portfolio)
{
    double mean, least, left_mean, left_least;
    const double known = cases->count > 1 ? 1 : (double)NAN; /* without the only case: nothing */
    text_table table;
    for (size_t m = 0; m < portfolio->num_configurations; m++) {
        char *text = nitro_configuration_text(call->context, cases->recordings[0]->space,
                                              portfolio->configurations[m]);
        if (!text)
            return fail(call);
        printf("%zu  %s\n", m + 1, text);
        free(text);
    }
    table_begin(&table, call->context, "case,>quality %,>chosen without it %");
    for (size_t x = 0; x < cases->count; x++) {
        table_cell(&table, "%s", cases->files.items[x]);
        table_number(&table, 100 * portfolio->quality[x], 1);
        table_number(&table, known * 100 * portfolio->quality_left_out[x], 1);
    }
    summarise(portfolio->quality, cases->count, &mean, &least);
    summarise(portfolio->quality_left_out, cases->count, &left_mean, &left_least);
    table_cell(&table, "mean");
    table_number(&table, mean, 1);
    table_number(&table, known * left_mean, 1);
    table_cell(&table, "least");
    table_number(&table, least, 1);
    table_number(&table, known * left_least, 1);
    return exit_code(call, table_end(&table));
}

static int print_as_json(const invocation *call, const portfolio_cases *cases,
                         const nitro_portfolio *portfolio)
{
    json_t *configurations = json_array(), *listed = json_array();
    for (size_t m = 0; m < portfolio->num_configurations; m++)
        json_array_append_new(configurations, configuration_json(cases->recordings[0]->space,
                                                                 portfolio->configurations[m]));
    for (size_t x = 0; x < cases->count; x++)
        json_array_append_new(
            listed, json_pack("{s:s, s:s, s:s, s:o, s:o}", "file", cases->files.items[x], "device",
                              cases->devices.items[x], "input", cases->inputs.items[x], "quality",
                              json_value(100 * portfolio->quality[x]), "quality_left_out",
                              json_value(100 * portfolio->quality_left_out[x])));
    return print_json(call,
                      json_pack("{s:o, s:o}", "configurations", configurations, "cases", listed));
}

int portfolio_choose(invocation *call)
{
    const evaluate_settings *given = call->settings;
    portfolio_cases cases = {0};
    nitro_space *described = NULL;
    nitro_portfolio *portfolio = NULL;
    nitro_status status = read_cases(call->context, given, &described, &cases);
    if (status == NITRO_OK)
        status =
            nitro_portfolio_choose(call->context, (const nitro_recording *const *)cases.recordings,
                                   cases.count, given->portfolio, &portfolio);
    int code = exit_code(call, status);
    if (code == EXIT_DONE && given->name)
        code = portfolio_store(call, &cases, portfolio);
    if (code == EXIT_DONE)
        code = wants_json(call) ? print_as_json(call, &cases, portfolio)
                                : print_text(call, &cases, portfolio);
    free_cases(&cases);
    nitro_space_free(described);
    nitro_portfolio_free(portfolio);
    return code;
}
