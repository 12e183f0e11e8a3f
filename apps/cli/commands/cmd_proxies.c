/* cmd_proxies.c - nitro proxies: what proxies there are, and what their kernels are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/help.h"
#include "apps/cli/output.h"

enum { LABEL_COLUMN = 19, NUM_INTENSITIES = NITRO_PROXY_MAX_INTENSITY + 1 };

typedef struct settings {
    common_settings common;
    bool check, json;
    const char *code;
    const char *proxies;
} settings;

static const option options[] = {
    {.name = "check",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, check),
     .help = "count the instructions of every kernel at every intensity"},
    {.name = "code",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, code),
     .value = "FILE",
     .help = "check the CUDA kernels in this library, program, cubin or fatbin instead"},
    {.name = "proxies",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, proxies),
     .value = "FILE",
     .help = "list these proxies too, as tune-from-source takes them"},
    OPTION_JSON,
    {0}};

/* ---- What there is -------------------------------------------------------------------------- */

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

static int list_proxies(const invocation *call)
{
    const settings *given = call->settings;
    nitro_proxies *proxies = NULL;
    nitro_status status = nitro_proxies_create(call->context, given->proxies, &proxies);
    if (status != NITRO_OK)
        return fail(call);
    json_t *array = given->json ? json_array() : NULL;
    for (size_t p = 0; p < proxies->num_proxies && status == NITRO_OK; p++) {
        const nitro_proxy *proxy = &proxies->proxies[p];
        nitro_string_list metrics = {0};
        status = list_metrics(call->context, proxies, proxy, &metrics);
        if (status == NITRO_OK && given->json)
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
    if (status == NITRO_OK && given->json)
        return print_json(call, array);
    json_decref(array);
    return status == NITRO_OK ? EXIT_DONE : fail(call);
}

/* ---- The check ------------------------------------------------------------------------------ */

/* Shares of several kinds of device, one after the other. */
typedef struct checked {
    nitro_proxy_share *shares; /* shape [count] */
    size_t count;
} checked;

static double wanted_percent(const nitro_proxy_share *share)
{
    return 100.0 * share->intensity / NITRO_PROXY_MAX_INTENSITY;
}

static double percent(const nitro_proxy_share *share, size_t count)
{
    return share->instructions > 0 ? 100.0 * (double)count / (double)share->instructions : NAN;
}

static bool is_good(const nitro_proxy_share *share)
{
    return fabs(percent(share, share->of_kind) - wanted_percent(share)) <=
           NITRO_INSTRUCTION_MIX_TOLERANCE;
}

/* What cannot be counted here is said in one line; that is no failure, unless it was asked for. */
static int count_kind(const invocation *call, const char *device_kind, const char *path,
                      checked *all)
{
    nitro_proxy_share *shares = NULL;
    size_t count = 0;
    nitro_status status =
        nitro_instruction_mix_count(call->context, device_kind, path, &shares, &count);
    if (status != NITRO_OK && path)
        return fail(call);
    if (status != NITRO_OK) {
        char message[1024];
        nitro_context_last_error(call->context, message, sizeof(message));
        warn(call, "%s: not checked: %s", device_kind, message);
        return EXIT_DONE;
    }
    nitro_proxy_share *grown = realloc(all->shares, (all->count + count) * sizeof(*shares));
    if (grown) {
        memcpy(grown + all->count, shares, count * sizeof(*shares));
        all->shares = grown;
        all->count += count;
    }
    free(shares);
    return grown ? EXIT_DONE : fail_text(call, "out of memory");
}

static bool is_same_row(const nitro_proxy_share *a, const nitro_proxy_share *b)
{
    return a->kernel == b->kernel && strcmp(a->architecture, b->architecture) == 0;
}

/* One row a kernel and architecture: its share at every intensity. */
static int print_shares(const invocation *call, const checked *all)
{
    text_table table;
    table_begin(&table, call->context, "proxy,device,code,>0 %,>20 %,>40 %,>60 %,>80 %,>100 %");
    for (size_t first = 0, next = 0; first < all->count; first = next) {
        const nitro_proxy_share *row = &all->shares[first];
        double values[NUM_INTENSITIES];
        for (size_t i = 0; i < NUM_INTENSITIES; i++)
            values[i] = NAN;
        for (next = first; next < all->count && is_same_row(row, &all->shares[next]); next++)
            values[all->shares[next].intensity] =
                percent(&all->shares[next], all->shares[next].of_kind);
        table_cell(&table, "%s", row->kernel->proxy);
        table_cell(&table, "%s", row->kernel->device_kind);
        table_cell(&table, "%s", row->architecture);
        for (size_t i = 0; i < NUM_INTENSITIES; i++)
            table_number(&table, values[i], 1);
    }
    printf("Instructions of the proxy's kind, in percent of those of the kernel's unrolled loop:\n"
           "each column is an intensity, 0 to 5, and its head what is wanted.\n");
    return table_end(&table, stdout) == NITRO_OK ? EXIT_DONE : fail(call);
}

static int print_shares_json(const invocation *call, const checked *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const nitro_proxy_share *share = &all->shares[i];
        json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:I, s:I, s:b}", "proxy",
                      share->kernel->proxy, "device_kind", share->kernel->device_kind, "code",
                      share->architecture, "intensity", (int)share->intensity, "wanted_percent",
                      json_value(wanted_percent(share)), "measured_percent",
                      json_value(percent(share, share->of_kind)), "of_other_proxies_percent",
                      json_value(percent(share, share->of_others)), "instructions",
                      (json_int_t)share->instructions, "padding", (json_int_t)share->padding,
                      "within_tolerance", is_good(share)));
    }
    return print_json(call, array);
}

/* What the table does not show: padding, and what is off. */
static int judge_shares(const invocation *call, const checked *all)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < all->count; i++) {
        const nitro_proxy_share *share = &all->shares[i];
        if (share->padding > 0 && share->intensity == NITRO_PROXY_MAX_INTENSITY)
            note(call,
                 "%s on %s: %zu NOPs that the assembler put between %zu instructions are not "
                 "counted",
                 share->kernel->proxy, share->architecture, share->padding, share->instructions);
        if (is_good(share))
            continue;
        warn(
            call, "%s on %s at intensity %u: %.1f %% instead of %.0f %%: more than %.0f points off",
            share->kernel->proxy, share->architecture, share->intensity,
            percent(share, share->of_kind), wanted_percent(share), NITRO_INSTRUCTION_MIX_TOLERANCE);
        code = EXIT_FAILED;
    }
    return code;
}

static int check_kernels(const invocation *call)
{
    const settings *given = call->settings;
    checked all = {0};
    int code = given->code ? EXIT_DONE : count_kind(call, "host", NULL, &all);
    if (code == EXIT_DONE)
        code = count_kind(call, "cuda", given->code, &all);
    if (code == EXIT_DONE && all.count == 0)
        code = fail_text(call, "nothing could be checked here");
    if (code == EXIT_DONE)
        code = given->json ? print_shares_json(call, &all) : print_shares(call, &all);
    if (code == EXIT_DONE)
        code = judge_shares(call, &all);
    free(all.shares);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (given->code && !given->check)
        return fail_usage(call, "--code goes with --check");
    return given->check ? check_kernels(call) : list_proxies(call);
}

const command command_proxies = {
    .name = "proxies",
    .summary = "List proxies, and check what their kernels are made of",
    .synopsis = "[--proxies FILE] [--check [--code FILE]] [--json]",
    .description =
        "A proxy is a kernel with a dial for one kind of work: at intensity 0 to 5, as many of "
        "every five instructions are of that kind. What proxies look like in profiles says which "
        "kind of work a computation is, and so which device features matter to it (--dfs profile). "
        "Lists every proxy: the metrics that it is judged by, the device features that it stands "
        "for, and its kernels.\n\n"
        "--check counts, in machine code: of the instructions in a kernel's unrolled loop, how "
        "many are of its kind (what is before and after the loop runs once where the loop runs "
        "many times, and is not counted). Kernels for cuda are read from this library by the CUDA "
        "toolkit's cuobjdump, on PATH or in $CUDA_HOME/bin; those of the host by objdump. Shares "
        "that are more than 5 points off are an error.",
    .examples = "  nitro proxies\n  nitro proxies --check\n",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
