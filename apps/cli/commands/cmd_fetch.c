/* cmd_fetch.c - nitro fetch: inputs to measure with, from a public collection. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/load_module.h"
#include "apps/cli/output.h"

#define BYTES_PER_MB 1e6

typedef struct settings {
    common_settings common;
    const char *url;
    uint64_t max_mb;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_fetch_options fetch;
    nitro_fetch_options_init(&fetch);
    given->url = fetch.base_url;
    given->max_mb = fetch.max_bytes / (uint64_t)BYTES_PER_MB;
}

static const option options[] = {
    OPTION(TEXT, "url", url, "BASE",
           "the collection's address: BASE/GROUP/NAME.tar.gz is downloaded"),
    OPTION(COUNT, "max-size", max_mb, "MB", "size limit of an archive, and of the matrix in it",
           .minimum = 1, .maximum = 1e9),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COLLECTION", .help = "suitesparse: sparse matrices (sparse.tamu.edu)"},
    {.name = "GROUP/NAME", .help = "matrices, as the collection calls them", .many = true},
    {0}};

typedef struct checking {
    nitro_context *context;
    const nitro_module *module;
} checking;

/* A matrix is what the computation that will measure it can load. */
static nitro_status check_matrix(void *user, const char *path)
{
    const checking *with = user;
    void *matrix = NULL;
    nitro_status status = with->module->load(with->context, path, &matrix);
    if (status == NITRO_OK)
        with->module->unload(matrix);
    return status;
}

/* A failure is printed at once; the others continue. */
static int fetch_one(const invocation *call, const nitro_fetch_options *how, const char *matrix,
                     json_t *list)
{
    char *path = NULL;
    bool cached = false;
    if (nitro_fetch_matrix(call->context, matrix, how, &path, &cached) != NITRO_OK)
        return fail(call);
    if (wants_json(call))
        json_array_append_new(list, json_pack("{s:o, s:o, s:b}", "matrix", json_text(matrix),
                                              "path", json_text(path), "cached", cached));
    else
        printf("%s\n", path);
    free(path);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    checking with = {.context = call->context, .module = module_built_in("spmv")};
    nitro_fetch_options how = {.base_url = given->url,
                               .max_bytes = given->max_mb * (uint64_t)BYTES_PER_MB,
                               .check = with.module ? check_matrix : NULL,
                               .user = &with};
    int code = EXIT_DONE;
    if (strcmp(call->arguments.items[0], "suitesparse") != 0)
        return fail_usage(call, "COLLECTION: unknown collection '%s'; choose suitesparse",
                          call->arguments.items[0]);
    if (call->arguments.count < 2)
        return fail_usage(call, "GROUP/NAME is missing");
    json_t *list = wants_json(call) ? json_array() : NULL;
    for (size_t i = 1; i < call->arguments.count; i++)
        if (fetch_one(call, &how, call->arguments.items[i], list) != EXIT_DONE)
            code = EXIT_FAILED;
    if (wants_json(call) && print_json(call, list) != EXIT_DONE)
        code = EXIT_FAILED;
    return code;
}

const command command_fetch = {
    .name = "fetch",
    .summary = "Download matrices to measure with",
    .synopsis = "COLLECTION GROUP/NAME... [--url BASE] [--max-size MB] [--json]",
    .description =
        "Downloads matrices of a collection, checks and unpacks them, and prints where they are. "
        "They are kept in $XDG_CACHE_HOME/nitro (or ~/.cache/nitro) and not downloaded again; an "
        "interrupted download resumes. Only the matrix itself is extracted from an archive, and "
        "only if it is valid Matrix Market.",
    .examples = "  nitro tune spmv --inputs $(nitro fetch suitesparse HB/west0067 HB/1138_bus)\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
