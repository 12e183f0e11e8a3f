/* cmd_store_verify.c - nitro store verify: is every record as it was written? */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store;
    bool json;
} settings;

static const option options[] = {
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "the store (default: the user's own)"},
    {.name = "json", .type = OPTION_FLAG, .offset = offsetof(settings, json), .help = "print JSON"},
    {0}};

typedef struct findings {
    bool json;
    json_t *problems;
} findings;

static void report(void *user, const char *problem)
{
    const findings *self = user;
    if (self->json)
        json_array_append_new(self->problems, json_text(problem));
    else
        printf("%s\n", problem);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    findings found = {.json = given->json};
    if (nitro_store_open(call->context, given->store, NITRO_STORE_READ, &store) != NITRO_OK)
        return fail(call);
    found.problems = json_array();
    nitro_status status = nitro_store_verify(store, report, &found);
    int code = status == NITRO_OK ? EXIT_DONE : fail(call);
    if (given->json)
        print_json(
            call, json_pack("{s:b, s:O}", "sound", status == NITRO_OK, "problems", found.problems));
    else if (status == NITRO_OK)
        printf("%s is sound\n", nitro_store_url(store));
    json_decref(found.problems);
    nitro_store_close(store);
    return code;
}

const command command_store_verify = {
    .name = "store verify",
    .summary = "Check every record of a store",
    .synopsis = "[--store URL] [--json]",
    .description = "Reads every record and checks it against its checksum and its computation's "
                   "names. Prints every problem; the exit code is 1 when there are any.",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
