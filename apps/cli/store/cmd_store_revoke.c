/* cmd_store_revoke.c - nitro store revoke: a signed list of keys that are no longer accepted. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *list, *sign;
} settings;

static const option options[] = {
    OPTION(TEXT, "list", list, "FILE", "the list to add to; created if missing", .required = true),
    OPTION(TEXT, "sign", sign, "KEY",
           "file of the secret key to sign the list with: one that readers trust",
           .required = true),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "PUB...", .help = "public keys to revoke: .pub files", .many = true}, {0}};

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_signing_key *key = NULL;
    nitro_status status = nitro_signing_key_read(call->context, given->sign, &key);
    if (status == NITRO_OK)
        status = nitro_revoked_keys_add(call->context, given->list, &call->arguments, key);
    nitro_signing_key_free(key);
    if (status != NITRO_OK)
        return fail(call);
    if (wants_json(call))
        return print_json(call, json_pack("{s:o, s:o}", "list", json_text(given->list), "revoked",
                                          json_names(&call->arguments)));
    printf("%s revokes the key%s given; give it to readers with %s.minisig, for their setting "
           "revoked_keys\n",
           given->list, plural(call->arguments.count), given->list);
    return EXIT_DONE;
}

const command command_store_revoke = {
    .name = "store revoke",
    .summary = "Revoke keys that published bundles are signed with",
    .synopsis = "PUB... --list FILE --sign KEY [--json]",
    .description =
        "Adds public keys to a list and signs the list into FILE.minisig. Readers whose setting "
        "revoked_keys names the list refuse bundles signed with these keys. The list must be "
        "signed "
        "with a key that they trust; a key may revoke itself. While the list is missing or its "
        "signature is not valid, readers refuse all signed bundles.\n\n"
        "Distribute the list separately from the bundles: whoever can replace both can also keep "
        "the old list.",
    .examples =
        "  nitro store revoke stolen.key.pub --list revoked-keys --sign lab.key\n"
        "  NITRO_REVOKED_KEYS=revoked-keys nitro store pull https://lab.example.org/nitro\n",
    .arguments = arguments,
    COMMAND_USUAL};
