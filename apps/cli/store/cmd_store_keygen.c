/* cmd_store_keygen.c - nitro store keygen: a key pair to sign published bundles with. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *name;
    bool json;
} settings;

static const option options[] = {
    {.name = "name",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, name),
     .value = "NAME",
     .help = "whose key it is, e.g. a mail address: shown to those who check signatures",
     .required = true},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "FILE", .help = "where the secret key goes; the public one goes to FILE.pub"}, {0}};

static int print_pair(const invocation *call, const char *path, const char *public_path)
{
    const settings *given = call->settings;
    char *line = NULL;
    size_t size = 0;
    if (nitro_file_read(call->context, public_path, 4096, &line, &size) != NITRO_OK)
        return fail(call);
    line[strcspn(line, "\n")] = '\0';
    int code = EXIT_DONE;
    if (given->json)
        code = print_json(call, json_pack("{s:o, s:o, s:o}", "secret_key_file", json_text(path),
                                          "public_key_file", json_text(public_path), "public_key",
                                          json_text(line)));
    else
        printf("%s\n", line);
    free(line);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    const char *path = call->arguments.items[0];
    if (nitro_signing_key_create(call->context, path, given->name) != NITRO_OK)
        return fail(call);
    char *public_path = nitro_asprintf(call->context, "%s.pub", path);
    if (!public_path)
        return fail(call);
    int code = print_pair(call, path, public_path);
    note(call, "the secret key is in %s: keep it to yourself; give %s to those who trust you", path,
         public_path);
    free(public_path);
    return code;
}

const command command_store_keygen = {
    .name = "store keygen",
    .summary = "Make a key pair to sign published bundles with",
    .synopsis = "FILE --name NAME [--json]",
    .description =
        "Makes an Ed25519 key pair. The secret key goes to FILE, which nobody else may read; the "
        "public key, one line, to FILE.pub, and is printed. Who trusts this key adds the line to "
        "a file of trusted keys. A file that is there already is never overwritten.",
    .examples = "  nitro store keygen ~/.config/nitro/lab.key --name lab@example.org\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
