/* cmd_store_acl.c - nitro store acl: the rules of a Redis user who may add samples of some devices,
 * or read only. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *user, *prefix;
    nitro_string_list devices;
} settings;

static const option options[] = {
    OPTION(TEXT, "user", user, "NAME", "name of the Redis user", .required = true),
    OPTION(
        FILES, "device", devices, "ID",
        "the devices whose samples the user may write, as 'nitro devices' prints them; 'lab-a.*' "
        "stands for all that begin so (default: none)"),
    OPTION(TEXT, "prefix", prefix, "NAME",
           "the prefix of the store's keys, ?prefix= of its URL (default: nitro)"),
    OPTION_JSON,
    {0}};

static bool is_user(const char *name)
{
    return *name && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                 "_.:@+-") == strlen(name);
}

/* An id, or the beginning of ids and a '*'. */
static bool is_device(nitro_context *context, const char *pattern)
{
    size_t size = strlen(pattern);
    bool starred = size > 1 && pattern[size - 1] == '*';
    char *id = nitro_strdup(context, pattern);
    if (starred && id)
        id[size - 1] = '\0';
    bool valid = id && nitro_device_id_is_valid(id);
    free(id);
    return valid;
}

#define READING "+get +exists +sscan +hscan +hkeys +hget +hmget +hlen +hstrlen"

/* Appends " %RW~PREFIX:VERSION:WHERE:DEVICE". */
static nitro_status add_key(nitro_context *context, char **line, const char *prefix,
                            const char *where, const char *device, const char *after)
{
    char *longer = nitro_asprintf(context, "%s %%RW~%s:%d:%s:%s%s", *line, prefix,
                                  NITRO_STORE_VERSION, where, device, after);
    free(*line);
    *line = longer;
    return longer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status add_device(nitro_context *context, char **line, const char *prefix,
                               const char *device)
{
    static const char *const tables[] = {"{*}:samples", "{*}:shared", "{*}:profiles"};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < 3 && status == NITRO_OK; i++)
        status = add_key(context, line, prefix, tables[i], device, "");
    if (status == NITRO_OK) /* an input's name follows */
        status = add_key(context, line, prefix, "{*}:lease", device, ":*");
    return status == NITRO_OK ? add_key(context, line, prefix, "{@devices}:record", device, "")
                              : status;
}

static char *make_rules(const invocation *call)
{
    const settings *given = call->settings;
    nitro_context *context = call->context;
    const char *prefix = given->prefix ? given->prefix : "nitro";
    bool writes = given->devices.count > 0;
    char *line =
        nitro_asprintf(context,
                       "user %s on >change-me-%s resetkeys resetchannels -@all +select +asking "
                       "+cluster|slots %s %%R~%s:*",
                       given->user, given->user,
                       writes ? "+watch +unwatch +multi +exec +set +hset +hdel " READING
                              : READING " +memory|usage",
                       prefix);
    nitro_status status = line ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < given->devices.count && status == NITRO_OK; i++)
        status = add_device(context, &line, prefix, given->devices.items[i]);
    if (status != NITRO_OK || !writes)
        return line;
    char *all =
        nitro_asprintf(context, "%s (-@all +sadd %%W~%s:%d:{*}:devices %%W~%s:%d:{@devices}:index)",
                       line, prefix, NITRO_STORE_VERSION, prefix, NITRO_STORE_VERSION);
    free(line);
    return all;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (!is_user(given->user) || (given->prefix && !is_user(given->prefix)))
        return fail_usage(call, "'%s' cannot be part of a rule: use [A-Za-z0-9_.:@+-]",
                          is_user(given->user) ? given->prefix : given->user);
    for (size_t i = 0; i < given->devices.count; i++)
        if (!is_device(call->context, given->devices.items[i]))
            return fail_usage(call,
                              "invalid device id '%s': use 1 to 63 of [A-Za-z0-9_.:@+-], and "
                              "perhaps a '*' at the end",
                              given->devices.items[i]);
    char *rules = make_rules(call);
    if (!rules)
        return fail(call);
    int code = EXIT_DONE;
    if (wants_json(call))
        code = print_json(call, json_pack("{s:o, s:o}", "user", json_text(given->user), "rules",
                                          json_text(rules)));
    else
        printf("%s\n", rules);
    free(rules);
    return code;
}

const command command_store_acl = {
    .name = "store acl",
    .summary = "Print the rules of a Redis user for a store",
    .synopsis = "--user NAME [--device ID...] [--prefix NAME] [--json]",
    .description =
        "Prints one line for the ACL file of a Redis server (7 or newer). The user may read the "
        "whole store, and write samples, profiles and features of the devices given; without "
        "--device nothing. Computations and their variants are added by the administrator, by a "
        "first import or 'nitro store copy'.\n\n"
        "Replace '>change-me-NAME' by '#' and the output of 'printf %s PASSWORD | sha256sum'. "
        "docs/redis-keys.md says what the rules protect against, and what not.",
    .examples = "  nitro store acl --user lab-a --device cuda:v100-sxm2@lab-a host:epyc@lab-a\n"
                "  nitro store acl --user reader >>users.acl\n",
    COMMAND_USUAL};
