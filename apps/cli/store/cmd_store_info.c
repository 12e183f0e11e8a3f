/* cmd_store_info.c - nitro store info: prints a store's layout, size and counts, and how far its
 * times scatter. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "apps/cli/output.h"
#include "nitro/backend/statistics.h"

typedef struct settings {
    common_settings common;
    const char *store;
} settings;

static const option options[] = {OPTION_STORE, OPTION_JSON, {0}};

/** Spreads of times, each relative to its time. */
typedef struct spreads {
    double *items; /* shape [count] */
    size_t count, capacity;
} spreads;

typedef struct totals {
    nitro_context *context;
    size_t computations, devices, samples, profiles;
    spreads in_a_block, between_blocks; /* of times with one block, and with several */
    int64_t layout;
    uint64_t size_bytes;
} totals;

static nitro_status add_spread(nitro_context *context, spreads *list, double spread)
{
    double *grown =
        nitro_grow(context, list->items, list->count, &list->capacity, sizeof *grown, "spreads");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    list->items = grown;
    list->items[list->count++] = spread;
    return NITRO_OK;
}

static nitro_status add_spreads(void *user, const nitro_sample *sample)
{
    totals *sums = user;
    nitro_status status = NITRO_OK;
    for (size_t v = 0; v < sample->num_entries && status == NITRO_OK; v++) {
        const nitro_entry *entry = &sample->entries[v];
        if (!isnan(entry->spread))
            status = add_spread(sums->context,
                                entry->blocks > 1 ? &sums->between_blocks : &sums->in_a_block,
                                entry->spread);
    }
    return status;
}

static nitro_status count_samples(nitro_store *store, const char *computation, totals *sums)
{
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_list_devices(store, computation, &devices);
    for (size_t d = 0; d < devices.count && status == NITRO_OK; d++) {
        size_t count = 0;
        status = nitro_store_count_samples(store, computation, devices.items[d], &count);
        sums->samples += count;
        if (status == NITRO_OK)
            status =
                nitro_store_each_sample(store, computation, devices.items[d], add_spreads, sums);
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
        status = count_samples(store, computations.items[c], sums);
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

static json_t *spread_json(spreads *list)
{
    if (list->count == 0)
        return json_null();
    double median = nitro_median(list->items, list->count);
    return json_pack("{s:I, s:f, s:f}", "times", (json_int_t)list->count, "median", median,
                     "percentile_90", nitro_quantile(list->items, list->count, 0.9));
}

static void print_spread(const char *name, spreads *list)
{
    if (list->count > 0)
        printf("spread        %s: %.2g %% median, %.2g %% at the 90th percentile (%zu time%s)\n",
               name, 100 * nitro_median(list->items, list->count),
               100 * nitro_quantile(list->items, list->count, 0.9), list->count,
               plural(list->count));
}

static int print_totals(const invocation *call, totals *sums)
{
    if (wants_json(call))
        return print_json(
            call,
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:o, s:o}}", "url",
                      json_text(nitro_store_url(call->store)), "layout", (json_int_t)sums->layout,
                      "size_bytes", (json_int_t)sums->size_bytes, "computations",
                      (json_int_t)sums->computations, "devices", (json_int_t)sums->devices,
                      "samples", (json_int_t)sums->samples, "profiles", (json_int_t)sums->profiles,
                      "spread", "in_a_block", spread_json(&sums->in_a_block), "between_blocks",
                      spread_json(&sums->between_blocks)));
    char size[32];
    format_size(sums->size_bytes, size, sizeof size);
    printf("url           %s\nlayout        %" PRId64
           "\nsize          %s\ncomputations  %zu\ndevices       %zu\n"
           "samples       %zu\n",
           nitro_store_url(call->store), sums->layout, size, sums->computations, sums->devices,
           sums->samples);
    if (sums->profiles > 0)
        printf("profiles      %zu\n", sums->profiles);
    print_spread("in one block", &sums->in_a_block);
    print_spread("between blocks", &sums->between_blocks);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    totals sums = {.context = call->context};
    if (store_open(call, given->store, NITRO_STORE_READ) != EXIT_DONE)
        return EXIT_FAILED;
    nitro_status status = count_all(call->store, &sums);
    nitro_sort(sums.in_a_block.items, sums.in_a_block.count);
    nitro_sort(sums.between_blocks.items, sums.between_blocks.count);
    int code = status == NITRO_OK ? print_totals(call, &sums) : fail(call);
    free(sums.in_a_block.items);
    free(sums.between_blocks.items);
    return code;
}

const command command_store_info = {
    .name = "store info",
    .summary = "Show a store's URL, size and counts",
    .synopsis = "[--store URL] [--json]",
    .description =
        "Prints the store's URL, the version of its layout, its size, and the numbers of "
        "computations, devices, samples and profiles in it. The spread is that of a time's "
        "repetitions, relative to it; \"between blocks\" is that of times with several blocks of "
        "repetitions, separated in time: at least the difference between the two fastest blocks. "
        "A store URL is sqlite:PATH or a plain path, redis://[USER@]HOST[:PORT][/DATABASE], "
        "redis+unix:///PATH, or rediss://... over TLS. The password for Redis is taken from "
        "NITRO_REDIS_PASSWORD, else from the file named by NITRO_REDIS_PASSWORD_FILE.",
    .examples = "  nitro store info\n"
                "  nitro store info --store redis://lab.example.org/0\n",
    COMMAND_USUAL};
