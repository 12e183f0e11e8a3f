/* cmd_store_sync.c - nitro store sync: copies new samples to another store, or sends this user's
 * unsent samples. */
#include <string.h>

#include "apps/cli/store/sync_report.h"

typedef struct settings {
    common_settings common;
    double patience_s;
    bool take_declaration, json;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    given->patience_s = 10;
}

static const option options[] = {
    OPTION(NUMBER, "patience", patience_s, "SECONDS",
           "how long to try to send unsent samples to a store", .minimum = 0, .maximum = 86400),
    OPTION(FLAG, "take-declaration", take_declaration, NULL,
           "take FROM's default variants and relative features in place of TO's"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "FROM", .help = "the URL of the store to read", .optional = true},
    {.name = "TO", .help = "the URL of the store to add to", .optional = true},
    {0}};

/** Sends the unsent samples of one store; adds those that remain to *left. */
static int send_unsent(const invocation *call, const char *url, json_t *array, size_t *left)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    size_t before = 0, after = 0;
    nitro_status status = nitro_store_open_journaled(call->context, url, &store);
    if (status == NITRO_OK)
        status = nitro_store_count_unsent(store, &before);
    if (status == NITRO_OK)
        status = nitro_store_flush(store, given->patience_s * 1000, &after);
    int code = exit_code(call, status);
    if (code == EXIT_DONE && array)
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:I}", "url", json_text(nitro_store_url(store)), "sent",
                             (json_int_t)(before - after), "unsent", (json_int_t)after));
    else if (code == EXIT_DONE)
        printf("%s: %zu sample%s sent, %zu unsent\n", nitro_store_url(store), before - after,
               plural(before - after), after);
    *left += after;
    nitro_store_close(store);
    return code;
}

/** Only remote stores have a journal; a typing error must not create a local store. */
static bool is_remote(const char *url)
{
    for (const nitro_store_kind *const *kind = nitro_builtin_stores(); *kind; kind++) {
        size_t length = strlen((*kind)->scheme);
        if ((*kind)->remote && strncmp(url, (*kind)->scheme, length) == 0 && url[length] == ':')
            return true;
    }
    return false;
}

static int send_all(const invocation *call, const nitro_string_list *urls)
{
    const settings *given = call->settings;
    json_t *array = given->json ? json_array() : NULL;
    size_t left = 0;
    int code = EXIT_DONE;
    for (size_t i = 0; i < urls->count; i++) {
        int sent = send_unsent(call, urls->items[i], array, &left);
        code = code == EXIT_DONE ? sent : code; /* one store that is away does not stop the rest */
    }
    if (urls->count == 0 && !given->json)
        printf("no unsent samples\n");
    if (array && print_json(call, array) != EXIT_DONE)
        code = EXIT_FAILED;
    if (code == EXIT_DONE && left > 0)
        code = fail_text(
            call, "samples still unsent: %zu; they are kept in the journal and sent later", left);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (call->arguments.count == 2)
        return sync_stores(call,
                           (nitro_sync_options){.conflict = NITRO_CONFLICT_NEWER,
                                                .take_declaration = given->take_declaration},
                           given->json);
    if (call->arguments.count == 1 && !is_remote(call->arguments.items[0]))
        return fail_usage(call,
                          "%s is a local store and has no journal; name two stores to copy samples "
                          "from one to the other",
                          call->arguments.items[0]);
    if (call->arguments.count == 1)
        return send_all(call, &call->arguments);
    nitro_string_list urls = {0};
    bool all = nitro_store_list_unsent(call->context, &urls) == NITRO_OK;
    int code = all ? EXIT_DONE : fail(call);
    int sent = all || urls.count > 0 ? send_all(call, &urls) : EXIT_DONE;
    nitro_string_list_free(&urls);
    return code == EXIT_DONE ? sent : code;
}

const command command_store_sync = {
    .name = "store sync",
    .summary = "Copy new samples to a store, or send unsent ones",
    .synopsis = "[FROM TO | URL] [--take-declaration] [--patience SECONDS] [--json]",
    .description =
        "With two stores: copies records of FROM that TO lacks, and replaces samples of TO that "
        "are older than those of FROM. One way. An interrupted sync resumes when repeated; a "
        "repeated one changes nothing.\n\n"
        "Without arguments: sends the unsent samples in this user's journals, which were collected "
        "while a store was unavailable during a tune (with one URL: those of that store). Journals "
        "hold no passwords and no certificate paths: these come from the environment or from the "
        "URL given here. The exit code is 1 while samples are unsent. A journal is a store itself, "
        "in the file that the warnings name: if its server is gone for good, copy its samples "
        "elsewhere with 'nitro store copy' and delete the file.",
    .examples = "  nitro store sync sqlite:mine.db redis://lab.example.org/0\n"
                "  nitro store sync\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
