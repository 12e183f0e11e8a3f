/* cmd_store_info.c - nitro store info: prints a store's layout, size and counts. */
#include <inttypes.h>

#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store;
    bool json;
} settings;

static const option options[] = {OPTION_STORE, OPTION_JSON, {0}};

typedef struct totals {
    size_t computations, devices, samples, profiles;
    int64_t layout;
    uint64_t size_bytes;
} totals;

static nitro_status count_samples(nitro_store *store, const char *computation, size_t *samples)
{
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_list_devices(store, computation, &devices);
    for (size_t d = 0; d < devices.count && status == NITRO_OK; d++) {
        size_t count = 0;
        status = nitro_store_count_samples(store, computation, devices.items[d], &count);
        *samples += count;
    }
    nitro_string_list_free(&devices);
    return status;
}

/** Of all computations' variants, and of proxies. */
static nitro_status count_profiles(nitro_store *store, const nitro_string_list *computations,
                                   size_t *profiles)
{
    nitro_status status = nitro_store_count_profiles(store, NULL, NULL, profiles);
    for (size_t c = 0; c < computations->count && status == NITRO_OK; c++) {
        size_t count = 0;
        status = nitro_store_count_profiles(store, NULL, computations->items[c], &count);
        *profiles += count;
    }
    return status;
}

static nitro_status count_all(nitro_store *store, totals *sums)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_store_list_computations(store, &computations);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(store, NULL, &devices);
    for (size_t c = 0; c < computations.count && status == NITRO_OK; c++)
        status = count_samples(store, computations.items[c], &sums->samples);
    if (status == NITRO_OK)
        status = count_profiles(store, &computations, &sums->profiles);
    if (status == NITRO_OK)
        status = nitro_store_size_bytes(store, &sums->size_bytes);
    if (status == NITRO_OK)
        status = nitro_store_layout_version(store, &sums->layout);
    sums->computations = computations.count;
    sums->devices = devices.count;
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    return status;
}

static int print_totals(const invocation *call, const nitro_store *store, const totals *sums)
{
    const settings *given = call->settings;
    if (given->json)
        return print_json(
            call, json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "url",
                            json_text(nitro_store_url(store)), "layout", (json_int_t)sums->layout,
                            "size_bytes", (json_int_t)sums->size_bytes, "computations",
                            (json_int_t)sums->computations, "devices", (json_int_t)sums->devices,
                            "samples", (json_int_t)sums->samples, "profiles",
                            (json_int_t)sums->profiles));
    char size[32];
    format_size(sums->size_bytes, size, sizeof size);
    printf("url           %s\nlayout        %" PRId64
           "\nsize          %s\ncomputations  %zu\ndevices       %zu\n"
           "samples       %zu\n",
           nitro_store_url(store), sums->layout, size, sums->computations, sums->devices,
           sums->samples);
    if (sums->profiles > 0)
        printf("profiles      %zu\n", sums->profiles);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    totals sums = {0};
    if (nitro_store_open(call->context, given->store, NITRO_STORE_READ, &store) != NITRO_OK)
        return fail(call);
    nitro_status status = count_all(store, &sums);
    int code = status == NITRO_OK ? print_totals(call, store, &sums) : fail(call);
    nitro_store_close(store);
    return code;
}

const command command_store_info = {
    .name = "store info",
    .summary = "Show a store's URL, size and counts",
    .synopsis = "[--store URL] [--json]",
    .description =
        "Prints the store's URL, the version of its layout, its size, and the numbers of "
        "computations, devices, samples and profiles in it. A store URL is sqlite:PATH or a plain "
        "path, redis://[USER@]HOST[:PORT][/DATABASE], redis+unix:///PATH, or rediss://... over "
        "TLS. The password for Redis is taken from NITRO_REDIS_PASSWORD, else from the file named "
        "by NITRO_REDIS_PASSWORD_FILE.",
    COMMAND_USUAL};
