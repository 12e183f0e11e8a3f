/* cmd_store_keygen.c - nitro store keygen: a key pair to sign published bundles with. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *name, *expires;
} settings;

static const option options[] = {
    OPTION(TEXT, "name", name, "NAME",
           "owner of the key, e.g. a mail address: shown when a signature is checked",
           .required = true),
    OPTION(TEXT, "expires", expires, "YYYY-MM-DD",
           "the last day on which readers accept the key's signatures (default: none)"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "FILE", .help = "file for the secret key; the public key goes to FILE.pub"}, {0}};

static int print_pair(const invocation *call, const char *path, const char *public_path)
{
    char *text = NULL;
    size_t size = 0;
    if (nitro_file_read(call->context, public_path, 4096, &text, &size) != NITRO_OK)
        return fail(call);
    char *line = text + strcspn(text, "\n") + 1; /* after the comment */
    line[strcspn(line, "\n")] = '\0';
    int code = EXIT_DONE;
    if (wants_json(call))
        code = print_json(call, json_pack("{s:o, s:o, s:o}", "secret_key_file", json_text(path),
                                          "public_key_file", json_text(public_path), "public_key",
                                          json_text(line)));
    else
        printf("%s\n", line);
    free(text);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    const char *path = call->arguments.items[0];
    if (nitro_signing_key_create(call->context, path, given->name, given->expires) != NITRO_OK)
        return fail(call);
    char *public_path = nitro_asprintf(call->context, "%s.pub", path);
    if (!public_path)
        return fail(call);
    int code = print_pair(call, path, public_path);
    note(call, "the secret key is in %s: keep it private; give %s to those who pull", path,
         public_path);
    free(public_path);
    return code;
}

const command command_store_keygen = {
    .name = "store keygen",
    .summary = "Make a key pair to sign published bundles with",
    .synopsis = "FILE --name NAME [--expires YYYY-MM-DD] [--json]",
    .description =
        "Makes an Ed25519 key pair in the format of minisign. The secret key goes to FILE (mode "
        "0600, not encrypted), the public key to FILE.pub, and is printed. To trust the key, "
        "append "
        "FILE.pub to a file of trusted keys. Existing files are never overwritten.\n\n"
        "After the day of --expires, readers refuse what the key signed: publish with a new key, "
        "or "
        "give them FILE.pub with a later date. A key that others may have got hold of is revoked "
        "with 'nitro store revoke'.\n\n"
        "'minisign -V -p FILE.pub -m BUNDLE' verifies what is signed with the key; a key of "
        "'minisign -G -W' can be used as well.",
    .examples = "  nitro store keygen ~/.config/nitro/lab.key --name lab@example.org\n",
    .arguments = arguments,
    COMMAND_USUAL};
