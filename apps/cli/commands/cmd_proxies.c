/* cmd_proxies.c - nitro proxies: lists proxies, their metrics, device features and kernels. */
#include <string.h>

#include "apps/cli/help.h"
#include "apps/cli/output.h"

enum { LABEL_COLUMN = 19 };

typedef struct settings {
    common_settings common;
    const char *proxies;
} settings;

static const option options[] = {OPTION(TEXT, "proxies", proxies, "FILE",
                                        "list these proxies too, as tune-from-source takes them"),
                                 OPTION_JSON,
                                 {0}};

static nitro_status list_metrics(nitro_context *context, const nitro_proxies *proxies,
                                 const nitro_proxy *proxy, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < proxy->num_metrics && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, names, proxies->metrics[proxy->metrics[i]].name);
    return status;
}

static json_t *kernels_json(const char *proxy)
{
    json_t *object = json_object();
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->proxy, proxy) == 0)
            json_object_set_new(object, (*each)->device_kind, json_text((*each)->description));
    return object;
}

static void print_row(const char *label, const nitro_string_list *names)
{
    char text[4096];
    join_list(names, text, sizeof(text));
    printf("  %-*s", LABEL_COLUMN - 2, label);
    print_wrapped(stdout, text, LABEL_COLUMN, LABEL_COLUMN);
}

static void print_proxy(const nitro_proxy *proxy, const nitro_string_list *metrics)
{
    printf("%s: %s\n", proxy->name, proxy->about);
    print_row("metrics", metrics);
    print_row("device features", &proxy->device_features);
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->proxy, proxy->name) == 0) {
            printf("  kernel on %-*s", LABEL_COLUMN - 12, (*each)->device_kind);
            print_wrapped(stdout, (*each)->description, LABEL_COLUMN, LABEL_COLUMN);
        }
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_proxies *proxies = NULL;
    nitro_status status = nitro_proxies_create(call->context, given->proxies, &proxies);
    if (status != NITRO_OK)
        return fail(call);
    json_t *array = wants_json(call) ? json_array() : NULL;
    for (size_t p = 0; p < proxies->num_proxies && status == NITRO_OK; p++) {
        const nitro_proxy *proxy = &proxies->proxies[p];
        nitro_string_list metrics = {0};
        status = list_metrics(call->context, proxies, proxy, &metrics);
        if (status == NITRO_OK && wants_json(call))
            json_array_append_new(
                array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "proxy", json_text(proxy->name),
                                 "about", json_text(proxy->about), "metrics", json_names(&metrics),
                                 "device_features", json_names(&proxy->device_features), "kernels",
                                 kernels_json(proxy->name)));
        else if (status == NITRO_OK)
            print_proxy(proxy, &metrics);
        nitro_string_list_free(&metrics);
    }
    nitro_proxies_free(proxies);
    if (status == NITRO_OK && wants_json(call))
        return print_json(call, array);
    json_decref(array);
    return exit_code(call, status);
}

const command command_proxies = {
    .name = "proxies",
    .summary = "List proxies: kernels of known instruction mix",
    .synopsis = "[--proxies FILE] [--json]",
    .description =
        "A proxy is a kernel for one kind of work: at intensity N, from 0 to 5, N of every five "
        "instructions are of that kind. The proxies whose profiles a computation's kernels "
        "resemble determine which device features matter to it (--dfs profile). Lists every proxy: "
        "the "
        "metrics that its regression model uses, the device features that it stands for, and its "
        "kernels.",
    .examples = "  nitro proxies\n  nitro proxies --json\n",
    COMMAND_USUAL};
