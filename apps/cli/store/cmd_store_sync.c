/* cmd_store_sync.c - nitro store copy, merge and sync: one store's records into another, each with
 * its own rule for what both have; sync also sends this user's unsent samples. */
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    double patience_s;
    const char *campaign;
    bool newer, take_declaration;
} settings;

#define OPTION_TAKE_DECLARATION                                                                    \
    OPTION(FLAG, "take-declaration", take_declaration, NULL,                                       \
           "take FROM's default variants and relative features in place of TO's")

static const argument arguments[] = {{.name = "FROM", .help = "the URL of the store to read"},
                                     {.name = "TO", .help = "the URL of the store to add to"},
                                     {0}};

/* ---- Copying --------------------------------------------------------------------------------- */

static void warn_of_damage(void *user, const char *problem)
{
    warn(user, "not copied: %s", problem);
}

static int print_report(const invocation *call, const nitro_copy_report *report)
{
    int code = report->damaged > 0 ? EXIT_FAILED : EXIT_DONE;
    if (wants_json(call)) {
        int printed =
            print_json(call, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "copied",
                                       (json_int_t)report->samples, "replaced",
                                       (json_int_t)report->samples_replaced, "skipped",
                                       (json_int_t)report->samples_skipped, "differing",
                                       (json_int_t)report->samples_differing, "profiles_copied",
                                       (json_int_t)report->profiles, "profiles_skipped",
                                       (json_int_t)report->profiles_skipped, "damaged",
                                       (json_int_t)report->damaged));
        return printed == EXIT_DONE ? code : printed;
    }
    printf("%zu sample%s copied, %zu already present", report->samples, plural(report->samples),
           report->samples_skipped);
    if (report->samples_differing > 0)
        printf(" (%zu of them with different values, which were kept)", report->samples_differing);
    printf("\n");
    if (report->samples_replaced > 0)
        printf("%zu sample%s replaced by newer ones\n", report->samples_replaced,
               plural(report->samples_replaced));
    if (report->profiles + report->profiles_skipped > 0)
        printf("%zu profile%s copied, %zu already present\n", report->profiles,
               plural(report->profiles), report->profiles_skipped);
    if (report->damaged > 0)
        fail_text(call, "damaged records that were not copied: %zu", report->damaged);
    return code;
}

/** Copy the records of FROM, by this rule. Records that are not copied are warned of and make the
 * exit code 1. */
static int sync_stores(invocation *call, nitro_conflict conflict)
{
    const settings *given = call->settings;
    nitro_store *from = NULL;
    nitro_copy_report report = {0};
    progress_line progress;
    const nitro_sync_options how = {.conflict = conflict,
                                    .campaign = given->campaign,
                                    .take_declaration = given->take_declaration,
                                    .damaged = warn_of_damage,
                                    .user = call};
    nitro_status status =
        nitro_store_open(call->context, call->arguments.items[0], NITRO_STORE_READ, &from);
    if (status == NITRO_OK)
        status = nitro_store_open(call->context, call->arguments.items[1], NITRO_STORE_WRITE,
                                  &call->store);
    progress_begin_waiting(&progress, call, "copy samples", NULL);
    if (status == NITRO_OK)
        status = nitro_store_sync(from, call->store, &how, &report);
    progress_end(&progress);
    int code = exit_code(call, status);
    if (code == EXIT_DONE)
        code = print_report(call, &report);
    else if (report.samples + report.samples_replaced > 0)
        fail_text(call, "samples that were copied: %zu%s", report.samples + report.samples_replaced,
                  status == NITRO_ERR_MISMATCH ? "" : "; run the same command to resume");
    store_close(call);
    nitro_store_close(from);
    return code;
}

static const option copy_options[] = {OPTION_TAKE_DECLARATION, OPTION_JSON, {0}};

static int run_copy(invocation *call)
{
    return sync_stores(call, NITRO_CONFLICT_KEEP);
}

const command command_store_copy = {
    .name = "store copy",
    .summary = "Copy a store into another",
    .synopsis = "FROM TO [--take-declaration] [--json]",
    .description =
        "Adds all computations, devices, samples and profiles of FROM to TO, which is created if "
        "missing. Samples and profiles that TO already has are kept; 'nitro store sync' and 'nitro "
        "store merge' have other rules. Damaged records are skipped with a warning.",
    .examples = "  nitro store copy sqlite:mine.db sqlite:/shared/lab.db\n",
    .arguments = arguments,
    .options = copy_options,
    .settings_size = sizeof(settings),
    .run = run_copy};

static const option merge_options[] = {
    OPTION(TEXT, "campaign", campaign, "NAME",
           "keep both: FROM's measurements of a device that TO measured too are of device "
           "ID@NAME"),
    OPTION(FLAG, "newer", newer, NULL, "keep the newer of two measurements of one input instead",
           .excludes = "campaign"),
    OPTION_TAKE_DECLARATION,
    OPTION_JSON,
    {0}};

static int run_merge(invocation *call)
{
    const settings *given = call->settings;
    return sync_stores(call, given->newer ? NITRO_CONFLICT_NEWER : NITRO_CONFLICT_BOTH);
}

const command command_store_merge = {
    .name = "store merge",
    .summary = "Merge two stores, also of the same device",
    .synopsis = "FROM TO [--campaign NAME | --newer] [--take-declaration] [--json]",
    .description =
        "Adds everything of FROM to TO. Where both measured the same inputs on the same device, "
        "both are kept: FROM's samples go under the device id ID@NAME, described as FROM describes "
        "it and labelled as the same device, so that neither is used to train a model for the "
        "other. With "
        "--newer the newer measurement of each input stays instead. Identical measurements are "
        "kept once. Without either option such devices are an error.",
    .examples = "  nitro store merge sqlite:theirs.db sqlite:ours.db --campaign lab2\n",
    .arguments = arguments,
    .options = merge_options,
    .settings_size = sizeof(settings),
    .run = run_merge};

/* ---- Copying what is new, and sending what is unsent ----------------------------------------- */

static void set_defaults(void *place)
{
    settings *given = place;
    given->patience_s = 10;
}

static const option sync_options[] = {OPTION(NUMBER, "patience", patience_s, "SECONDS",
                                             "how long to try to send unsent samples to a store",
                                             .minimum = 0, .maximum = 86400),
                                      OPTION_TAKE_DECLARATION,
                                      OPTION_JSON,
                                      {0}};

static const argument sync_arguments[] = {
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
    json_t *array = wants_json(call) ? json_array() : NULL;
    size_t left = 0;
    int code = EXIT_DONE;
    for (size_t i = 0; i < urls->count; i++) {
        int sent = send_unsent(call, urls->items[i], array, &left);
        code = code == EXIT_DONE ? sent : code; /* one store that is away does not stop the rest */
    }
    if (urls->count == 0 && !wants_json(call))
        printf("no unsent samples\n");
    if (array && print_json(call, array) != EXIT_DONE)
        code = EXIT_FAILED;
    if (code == EXIT_DONE && left > 0)
        code = fail_text(
            call, "samples still unsent: %zu; they are kept in the journal and sent later", left);
    return code;
}

static int run_sync(invocation *call)
{
    if (call->arguments.count == 2)
        return sync_stores(call, NITRO_CONFLICT_NEWER);
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
    .arguments = sync_arguments,
    .set_defaults = set_defaults,
    .options = sync_options,
    .settings_size = sizeof(settings),
    .run = run_sync};
