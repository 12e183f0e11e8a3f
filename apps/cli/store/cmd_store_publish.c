/* cmd_store_publish.c - nitro store publish: a store as a folder that any web server can serve. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *output, *sign;
} settings;

static const option options[] = {
    OPTION(TEXT, "store", store, "URL", "the store to publish (default: the user's own)"),
    OPTION(TEXT, "output", output, "DIR", "the folder to write; created if missing, else updated",
           .required = true),
    OPTION(TEXT, "sign", sign, "KEY",
           "file of the secret key to sign with; 'nitro store keygen' makes one"),
    OPTION_JSON,
    {0}};

static int print_report(const invocation *call, const nitro_publish_report *report)
{
    char size[32];
    if (wants_json(call))
        return print_json(
            call,
            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "bundles", (json_int_t)report->bundles,
                      "unchanged", (json_int_t)report->unchanged, "removed",
                      (json_int_t)report->removed, "samples", (json_int_t)report->samples, "bytes",
                      (json_int_t)report->bytes, "profiles", (json_int_t)report->profiles));
    format_size(report->bytes, size, sizeof size);
    printf("bundles: %zu (%zu unchanged), samples: %llu, profiles: %llu, size: %s, old bundles "
           "removed: %zu\n",
           report->bundles, report->unchanged, (unsigned long long)report->samples,
           (unsigned long long)report->profiles, size, report->removed);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_signing_key *key = NULL;
    nitro_publish_report report = {0};
    progress_line progress;
    if (store_open(call, given->store, NITRO_STORE_READ) != EXIT_DONE)
        return EXIT_FAILED;
    if (given->sign && nitro_signing_key_read(call->context, given->sign, &key) != NITRO_OK)
        return fail(call);
    progress_begin_waiting(&progress, call, "publish", NULL);
    nitro_status status = nitro_store_publish(
        call->store, &(nitro_publish_options){.folder = given->output, .key = key}, &report);
    progress_end(&progress);
    nitro_signing_key_free(key);
    bool published = status == NITRO_OK || report.bundles > 0; /* all but damaged records */
    int code = published ? print_report(call, &report) : EXIT_FAILED;
    return status == NITRO_OK ? code : fail(call);
}

const command command_store_publish = {
    .name = "store publish",
    .summary = "Write a store as files that a web server can serve",
    .synopsis = "[--store URL] --output DIR [--sign KEY] [--json]",
    .description =
        "Writes an index and a compressed bundle for each computation and device into DIR: static "
        "files, with checksums, for any web server. With --sign, each BUNDLE gets a signature, "
        "BUNDLE.minisig, that 'minisign -V' verifies with the public key. Others read the folder "
        "with 'nitro store pull', or name its address as a store: 'nitro tune-from-source --store "
        "https://...'.\n\n"
        "Publishing again writes only what changed: a bundle's file is named by the checksum of "
        "its content. The index is replaced last and atomically, and the files that the last index "
        "named are kept until the next time, so that a concurrent reader never sees a partial "
        "state. Damaged samples and profiles are left out, and the exit code is 1.",
    .examples = "  nitro store publish --store lab.db --output /srv/www/nitro --sign lab.key\n",
    COMMAND_USUAL};
