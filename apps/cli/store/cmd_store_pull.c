/* cmd_store_pull.c - nitro store pull: published bundles into a store. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *trusted_keys;
    bool require_signature, allow_unsigned, take_declaration;
} settings;

static const option options[] = {
    OPTION(TEXT, "store", store, "URL",
           "the store to add to; created if missing (default: the user's own)"),
    OPTION(FLAG, "require-signature", require_signature, NULL,
           "accept only bundles signed with a trusted key"),
    OPTION(TEXT, "trusted-keys", trusted_keys, "FILE",
           "minisign public keys (.pub files, one after the other): every bundle must be signed "
           "with one of them (default: "
           "the setting trusted_keys, or nitro/trusted-keys in $XDG_CONFIG_HOME, if that exists)"),
    OPTION(FLAG, "allow-unsigned", allow_unsigned, NULL,
           "do not check signatures, although there are trusted keys",
           .excludes = "require-signature,trusted-keys"),
    OPTION(FLAG, "take-declaration", take_declaration, NULL,
           "take the published default variants and relative features in place of the store's"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "URL", .help = "https://..., http://..., or a folder: what 'store publish' wrote"},
    {0}};

static nitro_status read_keys(const invocation *call, nitro_trusted_keys **keys)
{
    const settings *given = call->settings;
    if (given->trusted_keys)
        return nitro_trusted_keys_read(call->context, given->trusted_keys, keys);
    if (given->allow_unsigned)
        return NITRO_OK;
    nitro_status status = nitro_trusted_keys_read_default(call->context, keys);
    if (status == NITRO_OK && given->require_signature && !*keys)
        status = nitro_fail(call->context, NITRO_ERR_NOT_FOUND,
                            "no trusted keys: name a file with --trusted-keys or the setting "
                            "trusted_keys, or create nitro/trusted-keys in $XDG_CONFIG_HOME");
    return status;
}

static int print_report(const invocation *call, const nitro_pull_report *report)
{
    if (wants_json(call))
        return print_json(
            call, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "bundles",
                            (json_int_t)report->bundles, "new_devices", (json_int_t)report->devices,
                            "added", (json_int_t)report->copied.samples, "skipped",
                            (json_int_t)report->copied.samples_skipped, "profiles_added",
                            (json_int_t)report->copied.profiles, "profiles_skipped",
                            (json_int_t)report->copied.profiles_skipped, "refused",
                            json_names(&report->refused)));
    printf("bundles: %zu, samples added: %zu, profiles added: %zu, already present: %zu, new "
           "devices: %zu\n",
           report->bundles, report->copied.samples, report->copied.profiles,
           report->copied.samples_skipped + report->copied.profiles_skipped, report->devices);
    return EXIT_DONE;
}

#define BUNDLE_OF ": bundle of "
#define REFUSED   " refused: "
#define MAX_NAMED 3 /* bundles of one reason */

/* A refusal is "URL: bundle of TITLE refused: REASON". */
static const char *title_of(const char *refusal)
{
    return strstr(refusal, BUNDLE_OF) + strlen(BUNDLE_OF);
}

static const char *reason_of(const char *refusal)
{
    return strstr(title_of(refusal), REFUSED);
}

/** Print the refusals that have the reason of number `first`, if that is the first one of them. */
static int print_reason(const invocation *call, const nitro_string_list *refused, size_t first)
{
    const char *text = refused->items[first], *reason = reason_of(text);
    char names[512] = "";
    size_t count = 0;
    for (size_t i = 0; i < refused->count; i++) {
        const char *each = refused->items[i], *title = title_of(each);
        if (strcmp(reason_of(each), reason) != 0)
            continue;
        if (i < first)
            return EXIT_DONE;
        if (count++ < MAX_NAMED)
            nitro_message_list_add(names, sizeof names, "%.*s", (int)(reason_of(each) - title),
                                   title);
    }
    if (count == 1)
        return fail_text(call, "%s", text);
    return fail_text(call, "%.*s: %zu bundles%s (%s%s)", (int)(strstr(text, BUNDLE_OF) - text),
                     text, count, reason, names, count > MAX_NAMED ? ", ..." : "");
}

static int run(invocation *call)
{
    nitro_trusted_keys *keys = NULL;
    nitro_pull_report report = {0};
    progress_line progress;
    const settings *given = call->settings;
    nitro_status status = read_keys(call, &keys);
    const nitro_pull_options how = {.url = call->arguments.items[0],
                                    .keys = keys,
                                    .allow_unsigned = given->allow_unsigned,
                                    .take_declaration = given->take_declaration};
    progress_begin_waiting(&progress, call, "pull", NULL);
    if (status == NITRO_OK)
        status = nitro_store_pull(call->context, given->store, &how, &report);
    progress_end(&progress);
    int code = status == NITRO_OK ? print_report(call, &report) : fail(call);
    for (size_t i = 0; i < report.refused.count; i++)
        code = print_reason(call, &report.refused, i) == EXIT_DONE ? code : EXIT_FAILED;
    nitro_pull_report_free(&report);
    nitro_trusted_keys_free(keys);
    return code;
}

const command command_store_pull = {
    .name = "store pull",
    .summary = "Bring published samples into a store",
    .synopsis = "URL [--store URL] [--require-signature | --allow-unsigned] [--trusted-keys FILE] "
                "[--take-declaration] [--json]",
    .description =
        "Reads what 'nitro store publish' wrote, from a web server or a folder, and adds the "
        "devices and samples that the store does not have. Existing records are kept. "
        "Interrupted downloads resume; complete ones are not repeated.\n\n"
        "Every bundle is checked: its size and SHA-256, every record in it, and its signature if "
        "there are trusted keys. One that fails is refused and listed, the others are "
        "added, and the exit code is 1. Certificates are always checked, and a redirect to another "
        "scheme is refused. Names and passwords of servers belong in ~/.netrc.",
    .examples = "  nitro store pull https://lab.example.org/nitro --store sqlite:lab.db\n",
    .arguments = arguments,
    COMMAND_USUAL};
