/* store_import_ginkgo.c - nitro store import --format ginkgo: what was taken, on which evidence,
 * and what was not. */
#include <math.h>
#include <stdlib.h>

#include "apps/cli/paths.h"
#include "apps/cli/store/store_import.h"

static json_t *campaign_json(const nitro_ginkgo_campaign *campaign)
{
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "device",
        json_text(campaign->device), "folder", json_text(campaign->folder), "executor",
        json_text(campaign->executor), "spelling", campaign->capital ? "capitalised" : "lower-case",
        "unit", campaign->unit, "fastest_low", json_value(campaign->fastest_low), "fastest_high",
        json_value(campaign->fastest_high), "inputs", (json_int_t)campaign->inputs, "added",
        (json_int_t)campaign->added, "replaced", (json_int_t)campaign->replaced, "missing_values",
        (json_int_t)campaign->missing_values, "card", json_text(campaign->card), "other_cards",
        json_text(campaign->other_cards), "skip_reason", json_text(campaign->skip_reason));
}

static int print_as_json(const invocation *call, const nitro_ginkgo_report *report)
{
    json_t *campaigns = json_array(), *skipped = json_array(), *left_out = json_array();
    for (size_t i = 0; i < report->num_campaigns; i++)
        json_array_append_new(campaigns, campaign_json(&report->campaigns[i]));
    for (size_t i = 0; i < report->num_skipped; i++) {
        const nitro_ginkgo_skipped *each = &report->skipped[i];
        json_array_append_new(skipped, json_pack("{s:s, s:I, s:o}", "reason", each->reason, "count",
                                                 (json_int_t)each->count, "example",
                                                 json_text(each->example)));
    }
    for (size_t i = 0; i < report->num_left_out; i++)
        json_array_append_new(
            left_out, json_pack("{s:o, s:o}", "variants", json_names(&report->left_out[i].variants),
                                "not_measured_on", json_names(&report->left_out[i].devices)));
    return print_json(call, json_pack("{s:o, s:o, s:o, s:o, s:o}", "store",
                                      json_text(nitro_store_url(call->store)), "variants",
                                      json_names(&report->variants), "left_out", left_out,
                                      "devices", campaigns, "skipped", skipped));
}

/* "12.3 us to 4.56 ms": shows whether the unit is right. */
static void format_range(const nitro_ginkgo_campaign *campaign, char *text, size_t size)
{
    double to_ms = campaign->unit[0] == 's' ? 1e3 : 1e-6;
    char low[32], high[32];
    format_time(campaign->fastest_low * to_ms, low, sizeof low);
    format_time(campaign->fastest_high * to_ms, high, sizeof high);
    snprintf(text, size, "%s to %s", low, high);
}

static nitro_status print_campaigns(const invocation *call, const nitro_ginkgo_report *report)
{
    text_table table;
    table_begin(
        &table, call->context,
        "device,executor,spelling,unit,fastest variants take,>inputs,>added,>replaced,>missing");
    for (size_t i = 0; i < report->num_campaigns; i++) {
        const nitro_ginkgo_campaign *each = &report->campaigns[i];
        char range[80];
        format_range(each, range, sizeof range);
        table_cell(&table, "%s", each->device);
        table_cell(&table, "%s", each->executor);
        table_cell(&table, "%s", each->capital ? "capitalised" : "lower-case");
        table_cell(&table, "%s", each->unit);
        table_cell(&table, "%s", range);
        table_cell(&table, "%zu", each->inputs);
        table_cell(&table, "%zu", each->added);
        table_cell(&table, "%zu", each->replaced);
        table_cell(&table, "%zu", each->missing_values);
    }
    return table_end(&table);
}

static void print_card(const nitro_ginkgo_campaign *its)
{
    printf("%s: device features of %s", its->device, its->card);
    if (its->other_cards)
        printf(" (%s fit as well; --rename %s=ID chooses)", its->other_cards, its->folder);
    putchar('\n');
}

static void print_left_out(const nitro_ginkgo_left_out *group)
{
    char variants[1024], devices[1024];
    join_list(&group->variants, variants, sizeof variants);
    join_list(&group->devices, devices, sizeof devices);
    printf("left out: %s (not measured on %s; --variants chooses)\n", variants, devices);
}

static void offer_description(const invocation *call)
{
    const import_settings *given = call->settings;
    char *path = find_shared_file(call->context, "computations/spmv-ginkgo.json");
    note(call,
         "without relative features, which models carry from device to device: 'nitro store "
         "describe %s %s' adds them",
         given->computation ? given->computation : "spmv-ginkgo",
         path ? path : "share/nitro/computations/spmv-ginkgo.json");
    free(path);
}

static int print_text(const invocation *call, const nitro_ginkgo_report *report)
{
    const import_settings *given = call->settings;
    char names[1024];
    if (print_campaigns(call, report) != NITRO_OK)
        return fail(call);
    join_list(&report->variants, names, sizeof names);
    printf("variants: %s\n", names);
    for (size_t i = 0; i < report->num_left_out; i++)
        print_left_out(&report->left_out[i]);
    if (!given->describe)
        offer_description(call);
    for (size_t i = 0; i < report->num_campaigns; i++)
        if (report->campaigns[i].card)
            print_card(&report->campaigns[i]);
    for (size_t i = 0; i < report->num_campaigns; i++)
        if (report->campaigns[i].skip_reason)
            printf("skipped: %s: %s\n", report->campaigns[i].device,
                   report->campaigns[i].skip_reason);
    for (size_t i = 0; i < report->num_skipped; i++)
        printf("skipped: %zu %s (first: %s)\n", report->skipped[i].count, report->skipped[i].reason,
               report->skipped[i].example);
    return EXIT_DONE;
}

static int check_options(const invocation *call)
{
    const import_settings *given = call->settings;
    if (call->arguments.count == 0)
        return fail_usage(call, "--format ginkgo needs the folder of a checkout");
    if (given->samples)
        return fail_usage(call, "--samples goes with --format csv");
    return EXIT_DONE;
}

/** Those of --devices; without, the tables of cards that ship. */
static nitro_status find_tables(const invocation *call, nitro_string_list *tables)
{
    static const char *const shipped[] = {"devices/nvidia.csv", "devices/amd.csv"};
    const import_settings *given = call->settings;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < given->devices.count && status == NITRO_OK; i++)
        status = nitro_string_list_add(call->context, tables, given->devices.items[i]);
    for (size_t i = 0; given->devices.count == 0 && i < 2 && status == NITRO_OK; i++) {
        char *path = find_shared_file(call->context, shipped[i]);
        if (path)
            status = nitro_string_list_add(call->context, tables, path);
        free(path);
    }
    return status;
}

int import_ginkgo(invocation *call)
{
    const import_settings *given = call->settings;
    nitro_ginkgo_report *report = NULL;
    progress_line progress;
    nitro_string_list tables = {0};
    int code = check_options(call);
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_WRITE);
    if (code != EXIT_DONE)
        return code;
    nitro_status status = find_tables(call, &tables);
    const nitro_ginkgo_options how = {.path = call->arguments.items[0],
                                      .computation = given->computation,
                                      .campaign = given->campaign,
                                      .tables = list_if_given(&tables),
                                      .renamed = list_if_given(&given->renamed),
                                      .description_path = given->describe,
                                      .folders = list_if_given(&given->devices_chosen),
                                      .features = list_if_given(&given->features),
                                      .variants = list_if_given(&given->variants),
                                      .log_features = list_if_given(&given->log),
                                      .replace = given->replace};
    progress_begin_waiting(&progress, call, "import", NULL);
    if (status == NITRO_OK)
        status = nitro_store_import_ginkgo(call->store, &how, &report);
    progress_end(&progress);
    if (status != NITRO_OK)
        code = fail(call);
    else if (wants_json(call))
        code = print_as_json(call, report);
    else
        code = print_text(call, report);
    nitro_ginkgo_report_free(report);
    nitro_string_list_free(&tables);
    return code;
}
