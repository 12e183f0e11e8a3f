/* import_ginkgo.c - imports a checkout of the Ginkgo project's benchmark data: each campaign
 * becomes a CSV table in memory and is imported like one. All tables are checked before the first
 * is written. Files do not name their campaign: in one folder, files with another executor,
 * spelling or unit are another campaign and so another device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/exchange/ginkgo_internal.h"

#define DEFAULT_COMPUTATION "spmv-ginkgo"

typedef struct ginkgo_import {
    nitro_context *context;
    nitro_store *store;
    const nitro_ginkgo_options *options;
    const char *computation;
    ginkgo_checkout checkout;
    device_table devices; /* of the options' file */
    nitro_string_list features, variants;
    nitro_ginkgo_left_out *left_out; /* shape [num_left_out] */
    size_t num_left_out;
} ginkgo_import;

/* ---- Devices --------------------------------------------------------------------------------- */

/* Is it the largest campaign of its folder, the first of equals? */
static bool is_main(const ginkgo_checkout *checkout, const ginkgo_campaign *campaign)
{
    for (size_t i = 0; i < checkout->num_campaigns; i++) {
        const ginkgo_campaign *other = &checkout->campaigns[i];
        if (strcmp(other->report.folder, campaign->report.folder) == 0 &&
            (other->report.inputs > campaign->report.inputs ||
             (other->report.inputs == campaign->report.inputs && other < campaign)))
            return false;
    }
    return true;
}

/* The id that --rename gives the folder, else its name. */
static const char *renamed_folder(const ginkgo_import *job, const char *folder)
{
    const nitro_string_list *renamed = job->options->renamed;
    size_t length = strlen(folder);
    for (size_t i = 0; renamed && i < renamed->count; i++)
        if (strncmp(renamed->items[i], folder, length) == 0 && renamed->items[i][length] == '=')
            return renamed->items[i] + length + 1;
    return folder;
}

static nitro_status check_renamed(const ginkgo_import *job)
{
    const nitro_string_list *renamed = job->options->renamed;
    for (size_t i = 0; renamed && i < renamed->count; i++) {
        const char *equals = strchr(renamed->items[i], '=');
        bool found = false;
        for (size_t c = 0; equals && c < job->checkout.num_campaigns && !found; c++) {
            const char *folder = job->checkout.campaigns[c].report.folder;
            found = strlen(folder) == (size_t)(equals - renamed->items[i]) &&
                    strncmp(folder, renamed->items[i], strlen(folder)) == 0;
        }
        if (!equals)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT, "'%s' is not FOLDER=DEVICE",
                              renamed->items[i]);
        if (!found)
            return nitro_fail(job->context, NITRO_ERR_NOT_FOUND,
                              "%s: no folder '%.*s' is imported, so it cannot be renamed",
                              job->options->path, (int)(equals - renamed->items[i]),
                              renamed->items[i]);
    }
    return NITRO_OK;
}

static nitro_status name_device(const ginkgo_import *job, ginkgo_campaign *campaign)
{
    nitro_ginkgo_campaign *its = &campaign->report;
    const char *suffix = job->options->campaign ? job->options->campaign : "";
    const char *joint = job->options->campaign ? "_" : "";
    const char *device = renamed_folder(job, its->folder);
    campaign->main = is_main(&job->checkout, campaign);
    its->device = campaign->main ? nitro_asprintf(job->context, "%s%s%s", device, joint, suffix)
                                 : nitro_asprintf(job->context, "%s.%s-%s-%s%s%s", device,
                                                  its->executor, its->capital ? "capital" : "lower",
                                                  its->unit, joint, suffix);
    if (!its->device)
        return NITRO_ERR_NO_MEMORY;
    return nitro_device_id_is_valid(its->device)
               ? NITRO_OK
               : nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                            "invalid device id '%.120s': use 1 to 63 of [A-Za-z0-9_.:@+-]; choose "
                            "another --campaign, another name with --rename, or other folders than "
                            "%s with --device",
                            its->device, its->folder);
}

/* The row of a card that the folder is named after, as people name it; the report says which. */
static nitro_status match_card(ginkgo_import *job, nitro_ginkgo_campaign *its, size_t *row)
{
    nitro_string_list others = {0};
    nitro_status status = nitro_device_table_match(&job->devices, its->folder, row, &others);
    if (status == NITRO_OK && *row != NITRO_NONE) {
        its->card = nitro_strdup(job->context, job->devices.devices[*row]->id);
        if (others.count)
            its->other_cards = nitro_store_print_some(job->context, &others);
        status = its->card && (its->other_cards || !others.count) ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    nitro_string_list_free(&others);
    return status;
}

/* Find the campaign's row by its id, else by its folder, else by the card's name. A folder's other
 * executor may be another device (the host of a GPU), which the folder's name does not describe. */
static nitro_status describe_device(ginkgo_import *job, ginkgo_campaign *campaign)
{
    const char *folder = campaign->report.folder, *renamed = renamed_folder(job, folder);
    size_t row = nitro_device_table_find(&job->devices, campaign->report.device);
    nitro_status status = NITRO_OK;
    if (row == NITRO_NONE && campaign->main)
        row = nitro_device_table_find(&job->devices, renamed);
    if (row == NITRO_NONE && campaign->main && renamed == folder)
        status = match_card(job, &campaign->report, &row);
    if (status != NITRO_OK)
        return status;
    if (row == NITRO_NONE)
        return NITRO_OK;
    nitro_device *copy = NULL;
    status = nitro_device_copy(job->context, job->devices.devices[row], &copy);
    if (status == NITRO_OK)
        status = nitro_text_replace(job->context, &copy->id, campaign->report.device);
    if (status == NITRO_OK)
        campaign->job.device = copy;
    else
        nitro_device_free(copy);
    return status;
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* The names in the options, else those of the stored computation. */
static nitro_status add_known(const ginkgo_import *job, const nitro_string_list *given,
                              const nitro_schema *stored, bool variants, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    if (!given && stored)
        return nitro_import_list_names(job->context, stored, variants, names);
    for (size_t i = 0; given && i < given->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(job->context, names, given->items[i]);
    return status;
}

static nitro_status choose_known_names(ginkgo_import *job)
{
    const nitro_ginkgo_options *options = job->options;
    nitro_schema *stored = NULL;
    nitro_status status = nitro_store_get_schema(job->store, job->computation, &stored);
    if (status == NITRO_OK || status == NITRO_ERR_NOT_FOUND)
        status = add_known(job, options->features, stored, false, &job->features);
    if (status == NITRO_OK)
        status = add_known(job, options->variants, stored, true, &job->variants);
    nitro_schema_free(stored);
    return status;
}

/* Does the campaign have the variant in half of its records, with a time in a tenth? */
static bool measures(const ginkgo_checkout *checkout, const ginkgo_campaign *campaign,
                     const char *variant)
{
    size_t index = nitro_string_list_find(&checkout->names, variant);
    return index != NITRO_NONE && 2 * campaign->attempted[index] >= campaign->report.inputs &&
           10 * campaign->timed[index] >= campaign->report.inputs;
}

static bool has_same(const nitro_string_list *a, const nitro_string_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

/* Keep which variant is left out because of which devices. */
static nitro_status leave_out(ginkgo_import *job, const char *variant)
{
    const ginkgo_checkout *checkout = &job->checkout;
    nitro_ginkgo_left_out *last = &job->left_out[job->num_left_out];
    nitro_status status = NITRO_OK;
    size_t same = 0;
    for (size_t i = 0; i < checkout->num_campaigns && status == NITRO_OK; i++)
        if (checkout->campaigns[i].main && !measures(checkout, &checkout->campaigns[i], variant))
            status = nitro_string_list_add(job->context, &last->devices,
                                           checkout->campaigns[i].report.device);
    while (same < job->num_left_out && !has_same(&job->left_out[same].devices, &last->devices))
        same++;
    if (same < job->num_left_out)
        nitro_string_list_free(&last->devices);
    else
        job->num_left_out++;
    return status == NITRO_OK
               ? nitro_string_list_add(job->context, &job->left_out[same].variants, variant)
               : status;
}

/* The variants that the main campaigns of more than half of the devices have measured, sorted. On
 * the others they are missing values. */
static nitro_status add_common_variants(ginkgo_import *job)
{
    const ginkgo_checkout *checkout = &job->checkout;
    job->left_out = nitro_calloc(job->context, checkout->names.count + 1, sizeof *job->left_out);
    nitro_status status = job->left_out ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t v = 0; v < checkout->names.count && status == NITRO_OK; v++) {
        const char *variant = checkout->names.items[v];
        size_t having = 0, lacking = 0;
        for (size_t i = 0; i < checkout->num_campaigns; i++) {
            if (!checkout->campaigns[i].main)
                continue;
            bool has = measures(checkout, &checkout->campaigns[i], variant);
            having += has;
            lacking += !has;
        }
        status = having > lacking ? nitro_string_list_add(job->context, &job->variants, variant)
                                  : leave_out(job, variant);
    }
    nitro_string_list_sort(&job->variants);
    return status;
}

static nitro_status fail_no_variants(ginkgo_import *job)
{
    char *names = nitro_store_print_some(job->context, &job->checkout.names);
    nitro_status status =
        names ? nitro_fail(job->context, NITRO_ERR_NO_DATA,
                           "%s: its %zu devices have fewer than two variants that most of them "
                           "measured (of %s); "
                           "choose devices with --device, or variants with --variants",
                           job->options->path, job->checkout.num_campaigns, names)
              : NITRO_ERR_NO_MEMORY;
    free(names);
    return status;
}

static nitro_status fail_nothing_found(ginkgo_import *job)
{
    size_t most = GINKGO_ELSEWHERE;
    for (size_t i = 0; i < GINKGO_NUM_REASONS; i++)
        if (i != GINKGO_NOT_NAMED_JSON && job->checkout.skipped[i] > job->checkout.skipped[most])
            most = i;
    const char *example = job->checkout.examples[most];
    return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                      "%s: no measurement found%s in files at "
                      "DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json with spmv times%s%s%s%s",
                      job->options->path, job->options->folders ? " of these devices" : "",
                      example ? "; " : "", example ? nitro_ginkgo_reason_text(most) : "",
                      example ? ": " : "", example ? example : "");
}

static nitro_status choose_names(ginkgo_import *job)
{
    if (job->checkout.num_campaigns == 0)
        return fail_nothing_found(job);
    nitro_status status = choose_known_names(job);
    if (status != NITRO_OK || job->variants.count > 0)
        return status;
    status = add_common_variants(job);
    if (status == NITRO_OK && job->variants.count < 2)
        status = fail_no_variants(job);
    if (status == NITRO_OK && job->variants.count > NITRO_MAX_VARIANTS)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                            "%s: %zu variants, but a computation has at most %d; choose some with "
                            "--variants",
                            job->options->path, job->variants.count, NITRO_MAX_VARIANTS);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void write_header(const ginkgo_import *job, nitro_csv_writer *writer)
{
    nitro_csv_writer_add(writer, "input");
    for (size_t i = 0; i < GINKGO_NUM_FEATURES; i++)
        nitro_csv_writer_add(writer, nitro_ginkgo_features[i]);
    for (size_t i = 0; i < job->variants.count; i++) {
        char name[96];
        snprintf(name, sizeof(name), NITRO_IMPORT_TIME_PREFIX "%.64s", job->variants.items[i]);
        nitro_csv_writer_add(writer, name);
    }
    nitro_csv_writer_end_row(writer);
}

static double time_of(const ginkgo_record *record, size_t variant)
{
    for (size_t i = 0; i < record->num_times; i++)
        if (record->times[i].variant == variant)
            return record->times[i].time_ms;
    return NAN;
}

static void write_record(const ginkgo_import *job, const ginkgo_record *record,
                         const size_t *columns, nitro_csv_writer *writer)
{
    nitro_csv_writer_add(writer, record->input);
    for (size_t i = 0; i < GINKGO_NUM_FEATURES; i++)
        nitro_csv_writer_add_number(writer, record->features[i]);
    for (size_t i = 0; i < job->variants.count; i++)
        nitro_csv_writer_add_number(writer, time_of(record, columns[i]));
    nitro_csv_writer_end_row(writer);
}

static nitro_status make_table(const ginkgo_import *job, ginkgo_campaign *campaign)
{
    size_t columns[NITRO_MAX_VARIANTS];
    nitro_csv_writer writer;
    for (size_t i = 0; i < job->variants.count; i++)
        columns[i] = nitro_string_list_find(&job->checkout.names, job->variants.items[i]);
    nitro_csv_writer_open(&writer);
    write_header(job, &writer);
    for (size_t i = 0; i < campaign->report.inputs; i++)
        write_record(job, &campaign->records[i], columns, &writer);
    nitro_status status = nitro_csv_writer_close(job->context, &writer);
    if (status == NITRO_OK)
        status = nitro_csv_parse(job->context, campaign->origin, writer.bytes, writer.size,
                                 &campaign->job.csv);
    nitro_csv_writer_free(&writer);
    return status;
}

/* ---- The import ------------------------------------------------------------------------------ */

/* A variant that the campaign lacks is a missing value; with fewer than two others it is of no use.
 */
static nitro_status check_variants(const ginkgo_import *job, ginkgo_campaign *campaign)
{
    nitro_ginkgo_campaign *its = &campaign->report;
    nitro_string_list lacking = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->variants.count && status == NITRO_OK; i++)
        if (!measures(&job->checkout, campaign, job->variants.items[i]))
            status = nitro_string_list_add(job->context, &lacking, job->variants.items[i]);
    char *names = status == NITRO_OK ? nitro_store_print_some(job->context, &lacking) : NULL;
    bool is_useless = lacking.count > 0 && lacking.count + 2 > job->variants.count;
    if (!names)
        status = NITRO_ERR_NO_MEMORY;
    else if (is_useless) {
        its->skip_reason = nitro_asprintf(job->context, "does not measure variant%s %s",
                                          lacking.count > 1 ? "s" : "", names);
        status = its->skip_reason ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    } else if (lacking.count > 0) {
        nitro_log(job->context, NITRO_LOG_WARNING,
                  "device %s does not measure all variants; missing values there: %s", its->device,
                  names);
    }
    free(names);
    nitro_string_list_free(&lacking);
    return status;
}

/* A named campaign is of the folder's device, which others may have measured. */
static nitro_status label_campaign(const ginkgo_import *job, ginkgo_campaign *campaign)
{
    nitro_device *device = campaign->job.device;
    if (!device || !job->options->campaign || !campaign->main ||
        nitro_device_label(device, NITRO_LABEL_SAME_AS))
        return NITRO_OK;
    return nitro_device_set_label(job->context, device, NITRO_LABEL_SAME_AS,
                                  campaign->report.folder);
}

static nitro_status check_campaign(ginkgo_import *job, ginkgo_campaign *campaign)
{
    const nitro_ginkgo_options *options = job->options;
    nitro_ginkgo_campaign *its = &campaign->report;
    nitro_status status = check_variants(job, campaign);
    if (status != NITRO_OK || its->skip_reason)
        return status;
    campaign->origin =
        nitro_asprintf(job->context, "%s/%s/%s", options->path, its->folder, its->executor);
    if (!campaign->origin)
        return NITRO_ERR_NO_MEMORY;
    campaign->options =
        (nitro_import_options){.computation = job->computation,
                               .device = its->device,
                               .samples_path = campaign->origin,
                               .features = job->features.count ? &job->features : NULL,
                               .variants = &job->variants,
                               .log_features = options->log_features,
                               .description_path = options->description_path,
                               .replace = options->replace};
    campaign->job =
        (import_job){.context = job->context, .store = job->store, .options = &campaign->options};
    status = make_table(job, campaign);
    if (status == NITRO_OK)
        status = describe_device(job, campaign);
    char name[256];
    snprintf(name, sizeof(name), "ginkgo-data %s/%s (%s names, %s)", its->folder, its->executor,
             its->capital ? "capitalised" : "lower-case", its->unit);
    if (status == NITRO_OK)
        status = nitro_import_check(&campaign->job, name);
    return status == NITRO_OK ? label_campaign(job, campaign) : status;
}

static nitro_status require_some(const ginkgo_import *job)
{
    const nitro_ginkgo_campaign *first = &job->checkout.campaigns[0].report;
    for (size_t i = 0; i < job->checkout.num_campaigns; i++)
        if (!job->checkout.campaigns[i].report.skip_reason)
            return NITRO_OK;
    return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                      "%s: no device measures two of the %zu variants (%s %s); choose others with "
                      "--variants, or import as another computation",
                      job->options->path, job->variants.count, first->device, first->skip_reason);
}

static nitro_status check_all(ginkgo_import *job)
{
    const nitro_ginkgo_options *options = job->options;
    ginkgo_checkout *checkout = &job->checkout;
    nitro_status status =
        nitro_ginkgo_walk(job->context, options->path, options->folders, checkout);
    if (status == NITRO_OK)
        status = check_renamed(job);
    for (size_t i = 0; i < checkout->num_campaigns && status == NITRO_OK; i++)
        status = name_device(job, &checkout->campaigns[i]);
    if (status == NITRO_OK)
        status = choose_names(job);
    for (size_t i = 0; options->tables && i < options->tables->count && status == NITRO_OK; i++)
        status = nitro_device_table_append(job->context, options->tables->items[i], &job->devices);
    for (size_t i = 0; i < checkout->num_campaigns && status == NITRO_OK; i++)
        status = check_campaign(job, &checkout->campaigns[i]);
    return status == NITRO_OK ? require_some(job) : status;
}

static nitro_status write_all(ginkgo_import *job)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->checkout.num_campaigns && status == NITRO_OK; i++) {
        ginkgo_campaign *campaign = &job->checkout.campaigns[i];
        if (campaign->report.skip_reason)
            continue;
        status = nitro_import_write(&campaign->job);
        campaign->report.added = campaign->job.report.added;
        campaign->report.replaced = campaign->job.report.replaced;
        campaign->report.missing_values = campaign->job.report.missing_values;
    }
    return status;
}

static void free_left_out(nitro_ginkgo_left_out *left_out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        nitro_string_list_free(&left_out[i].variants);
        nitro_string_list_free(&left_out[i].devices);
    }
    free(left_out);
}

/* Hand over what the checkout has: the import is done with it. */
static void fill_report(ginkgo_import *job, nitro_ginkgo_report *report)
{
    ginkgo_checkout *checkout = &job->checkout;
    for (size_t i = 0; i < checkout->num_campaigns; i++) {
        report->campaigns[report->num_campaigns++] = checkout->campaigns[i].report;
        checkout->campaigns[i].report = (nitro_ginkgo_campaign){0};
    }
    for (size_t i = 0; i < GINKGO_NUM_REASONS; i++) {
        if (checkout->skipped[i] == 0)
            continue;
        report->skipped[report->num_skipped++] =
            (nitro_ginkgo_skipped){.reason = nitro_ginkgo_reason_text(i),
                                   .count = checkout->skipped[i],
                                   .example = checkout->examples[i]};
        checkout->examples[i] = NULL;
    }
    report->variants = job->variants;
    job->variants = (nitro_string_list){0};
    report->left_out = job->left_out;
    report->num_left_out = job->num_left_out;
    job->left_out = NULL;
    job->num_left_out = 0;
}

static nitro_status make_report(const ginkgo_import *job, nitro_ginkgo_report **report)
{
    nitro_ginkgo_report *made = *report = nitro_calloc(job->context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->campaigns =
        nitro_calloc(job->context, job->checkout.num_campaigns, sizeof(*made->campaigns));
    made->skipped = nitro_calloc(job->context, GINKGO_NUM_REASONS, sizeof(*made->skipped));
    return made->campaigns && made->skipped ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_store_import_ginkgo(nitro_store *store, const nitro_ginkgo_options *options,
                                       nitro_ginkgo_report **report)
{
    ginkgo_import job = {.context = nitro_store_context(store),
                         .store = store,
                         .options = options,
                         .computation =
                             options->computation ? options->computation : DEFAULT_COMPUTATION};
    nitro_ginkgo_report *made = NULL;
    nitro_status status = check_all(&job);
    if (status == NITRO_OK)
        status = make_report(&job, &made);
    if (status == NITRO_OK)
        status = write_all(&job);
    if (status == NITRO_OK && report) {
        fill_report(&job, made);
        *report = made;
        made = NULL;
    }
    nitro_ginkgo_report_free(made);
    nitro_device_table_free(&job.devices);
    nitro_ginkgo_checkout_clear(&job.checkout);
    nitro_string_list_free(&job.features);
    nitro_string_list_free(&job.variants);
    free_left_out(job.left_out, job.num_left_out);
    return status;
}

void nitro_ginkgo_campaign_clear(nitro_ginkgo_campaign *campaign)
{
    free(campaign->device);
    free(campaign->folder);
    free(campaign->executor);
    free(campaign->card);
    free(campaign->other_cards);
    free(campaign->skip_reason);
}

void nitro_ginkgo_report_free(nitro_ginkgo_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->num_campaigns; i++)
        nitro_ginkgo_campaign_clear(&report->campaigns[i]);
    for (size_t i = 0; i < report->num_skipped; i++)
        free(report->skipped[i].example);
    free(report->campaigns);
    free(report->skipped);
    nitro_string_list_free(&report->variants);
    free_left_out(report->left_out, report->num_left_out);
    free(report);
}
