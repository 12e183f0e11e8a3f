/* import_ginkgo.c - imports a checkout of the Ginkgo project's benchmark data: each campaign
 * becomes a CSV table in memory and is imported like one. All tables are checked before the first
 * is written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/exchange/csv_writer.h"
#include "store/exchange/ginkgo_internal.h"
#include "store/exchange/import_internal.h"

#define DEFAULT_COMPUTATION "spmv-ginkgo"

typedef struct ginkgo_import {
    nitro_context *context;
    nitro_store *store;
    const nitro_ginkgo_options *options;
    const char *computation;
    ginkgo_checkout checkout;
    device_table devices; /* of the options' file */
    nitro_string_list features, variants;
    nitro_import_options *job_options; /* shape [num_campaigns], as are these */
    import_job *jobs;
    char **origins;
    nitro_ginkgo_report *report;
} ginkgo_import;

/* ---- Names ----------------------------------------------------------------------------------- */

static nitro_status copy_list(nitro_context *context, const nitro_string_list *from,
                              nitro_string_list *to)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < from->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, to, from->items[i]);
    return status;
}

/* The names in the options, else those of the stored computation. */
static nitro_status choose_known_names(ginkgo_import *job)
{
    const nitro_ginkgo_options *options = job->options;
    nitro_schema *stored = NULL;
    nitro_status status = nitro_store_get_schema(job->store, job->computation, &stored);
    if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND)
        return status;
    status = NITRO_OK;
    if (options->features)
        status = copy_list(job->context, options->features, &job->features);
    else if (stored)
        status = nitro_import_list_names(job->context, stored, false, &job->features);
    if (status == NITRO_OK && options->variants)
        status = copy_list(job->context, options->variants, &job->variants);
    else if (status == NITRO_OK && stored)
        status = nitro_import_list_names(job->context, stored, true, &job->variants);
    nitro_schema_free(stored);
    return status;
}

static nitro_status fail_no_variants(ginkgo_import *job)
{
    char *names = nitro_store_print_some(job->context, &job->checkout.names);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(job->context, NITRO_ERR_NO_DATA,
                            "%s: its %zu devices have fewer than two variants in common (of %s); "
                            "choose devices with --device, or variants with --variants",
                            job->options->path, job->checkout.num_campaigns, names);
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
    status = nitro_ginkgo_common_variants(&job->checkout, &job->variants);
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

static void write_header(const ginkgo_import *job, csv_writer *writer)
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
                         const size_t *columns, csv_writer *writer)
{
    nitro_csv_writer_add(writer, record->input);
    for (size_t i = 0; i < GINKGO_NUM_FEATURES; i++)
        nitro_csv_writer_add_number(writer, record->features[i]);
    for (size_t i = 0; i < job->variants.count; i++)
        nitro_csv_writer_add_number(writer, time_of(record, columns[i]));
    nitro_csv_writer_end_row(writer);
}

static nitro_status make_table(ginkgo_import *job, const ginkgo_campaign *campaign,
                               const char *origin, nitro_csv **csv)
{
    size_t columns[NITRO_MAX_VARIANTS];
    csv_writer writer;
    for (size_t i = 0; i < job->variants.count; i++)
        columns[i] = nitro_string_list_find(&job->checkout.names, job->variants.items[i]);
    nitro_csv_writer_open(&writer);
    write_header(job, &writer);
    for (size_t i = 0; i < campaign->num_records; i++)
        write_record(job, &campaign->records[i], columns, &writer);
    nitro_status status = nitro_csv_writer_close(job->context, &writer);
    if (status == NITRO_OK)
        status = nitro_csv_parse(job->context, origin, writer.bytes, writer.size, csv);
    nitro_csv_writer_free(&writer);
    return status;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Find the campaign's row by its id, else by its folder. A folder's other executor may be another
 * device (the host of a GPU), which the folder's name does not describe. No row: `device` stays. */
static nitro_status describe_device(ginkgo_import *job, const ginkgo_campaign *campaign,
                                    nitro_device **device)
{
    size_t row = nitro_device_table_find(&job->devices, campaign->device);
    if (row == NITRO_NONE && campaign->main)
        row = nitro_device_table_find(&job->devices, campaign->folder);
    if (row == NITRO_NONE)
        return NITRO_OK;
    nitro_device *copy = NULL;
    nitro_status status = nitro_device_copy(job->context, job->devices.devices[row], &copy);
    char *id = status == NITRO_OK ? nitro_strdup(job->context, campaign->device) : NULL;
    if (!id) {
        nitro_device_free(copy);
        return NITRO_ERR_NO_MEMORY;
    }
    free(copy->id);
    copy->id = id;
    *device = copy;
    return NITRO_OK;
}

/* ---- The import ------------------------------------------------------------------------------ */

/* The first variant that the campaign does not measure; NULL: it measures all. */
static const char *missing_variant(const ginkgo_import *job, const ginkgo_campaign *campaign)
{
    for (size_t i = 0; i < job->variants.count; i++)
        if (!nitro_ginkgo_measures(&job->checkout, campaign, job->variants.items[i]))
            return job->variants.items[i];
    return NULL;
}

static nitro_status check_campaign(ginkgo_import *job, size_t index)
{
    const nitro_ginkgo_options *options = job->options;
    const ginkgo_campaign *campaign = &job->checkout.campaigns[index];
    const char *missing = missing_variant(job, campaign);
    if (missing) {
        job->report->campaigns[index].skip_reason =
            nitro_asprintf(job->context, "does not measure variant %s", missing);
        return job->report->campaigns[index].skip_reason ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    char *origin = nitro_asprintf(job->context, "%s/%s/%s", options->path, campaign->folder,
                                  campaign->executor);
    if (!origin)
        return NITRO_ERR_NO_MEMORY;
    job->origins[index] = origin;
    nitro_import_options *how = &job->job_options[index];
    *how = (nitro_import_options){.computation = job->computation,
                                  .device = campaign->device,
                                  .samples_path = origin,
                                  .devices_path = NULL,
                                  .features = job->features.count ? &job->features : NULL,
                                  .variants = &job->variants,
                                  .log_features = options->log_features,
                                  .description_path = options->description_path,
                                  .replace = options->replace};
    import_job *table = &job->jobs[index];
    *table = (import_job){.context = job->context, .store = job->store, .options = how};
    nitro_status status = make_table(job, campaign, origin, &table->csv);
    if (status == NITRO_OK)
        status = describe_device(job, campaign, &table->device);
    char name[256];
    snprintf(name, sizeof(name), "ginkgo-data %s/%s (%s names, %s)", campaign->folder,
             campaign->executor, campaign->capital ? "capitalised" : "lower-case",
             campaign->seconds ? "s" : "ns");
    return status == NITRO_OK ? nitro_import_check(table, name) : status;
}

static nitro_status report_campaign(ginkgo_import *job, size_t index)
{
    const ginkgo_campaign *from = &job->checkout.campaigns[index];
    nitro_ginkgo_campaign *to = &job->report->campaigns[index];
    to->device = nitro_strdup(job->context, from->device);
    to->folder = nitro_strdup(job->context, from->folder);
    to->executor = nitro_strdup(job->context, from->executor);
    to->unit = from->seconds ? "s" : "ns";
    to->capital = from->capital;
    to->fastest_low = from->fastest_low;
    to->fastest_high = from->fastest_high;
    to->inputs = from->num_records;
    return to->device && to->folder && to->executor ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status make_report(ginkgo_import *job)
{
    size_t count = job->checkout.num_campaigns;
    nitro_ginkgo_report *report = nitro_calloc(job->context, 1, sizeof(*report));
    if (!(job->report = report))
        return NITRO_ERR_NO_MEMORY;
    report->campaigns = nitro_calloc(job->context, count, sizeof(*report->campaigns));
    report->skipped = nitro_calloc(job->context, GINKGO_NUM_REASONS, sizeof(*report->skipped));
    job->jobs = nitro_calloc(job->context, count, sizeof(*job->jobs));
    job->job_options = nitro_calloc(job->context, count, sizeof(*job->job_options));
    job->origins = nitro_calloc(job->context, count, sizeof(*job->origins));
    if (!report->campaigns || !report->skipped || !job->jobs || !job->job_options || !job->origins)
        return NITRO_ERR_NO_MEMORY;
    report->num_campaigns = count;
    for (size_t i = 0; i < GINKGO_NUM_REASONS; i++) {
        if (job->checkout.skipped[i] == 0)
            continue;
        report->skipped[report->num_skipped++] =
            (nitro_ginkgo_skipped){.reason = nitro_ginkgo_reason_text(i),
                                   .count = job->checkout.skipped[i],
                                   .example = job->checkout.examples[i]};
        job->checkout.examples[i] = NULL;
    }
    nitro_status status = copy_list(job->context, &job->variants, &report->variants);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = report_campaign(job, i);
    return status;
}

static nitro_status require_some(ginkgo_import *job)
{
    for (size_t i = 0; i < job->report->num_campaigns; i++)
        if (!job->report->campaigns[i].skip_reason)
            return NITRO_OK;
    return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                      "%s: no device measures all %zu variants (%s %s); choose others with "
                      "--variants, or import as another computation",
                      job->options->path, job->variants.count, job->report->campaigns[0].device,
                      job->report->campaigns[0].skip_reason);
}

static nitro_status check_all(ginkgo_import *job)
{
    const nitro_ginkgo_options *options = job->options;
    nitro_status status =
        nitro_ginkgo_walk(job->context, options->path, options->folders, &job->checkout);
    if (status == NITRO_OK)
        status = nitro_ginkgo_name_devices(&job->checkout, options->campaign);
    if (status == NITRO_OK)
        status = choose_names(job);
    if (status == NITRO_OK && options->devices_path)
        status = nitro_device_table_read(job->context, options->devices_path, &job->devices);
    if (status == NITRO_OK)
        status = make_report(job);
    for (size_t i = 0; i < job->checkout.num_campaigns && status == NITRO_OK; i++)
        status = check_campaign(job, i);
    return status == NITRO_OK ? require_some(job) : status;
}

static nitro_status write_all(ginkgo_import *job)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->checkout.num_campaigns && status == NITRO_OK; i++) {
        nitro_ginkgo_campaign *campaign = &job->report->campaigns[i];
        if (campaign->skip_reason)
            continue;
        status = nitro_import_write(&job->jobs[i]);
        campaign->added = job->jobs[i].report.added;
        campaign->replaced = job->jobs[i].report.replaced;
        campaign->missing_values = job->jobs[i].report.missing_values;
    }
    return status;
}

static void free_import(ginkgo_import *job)
{
    for (size_t i = 0; job->jobs && i < job->checkout.num_campaigns; i++)
        nitro_import_clear(&job->jobs[i]);
    for (size_t i = 0; job->origins && i < job->checkout.num_campaigns; i++)
        free(job->origins[i]);
    nitro_device_table_free(&job->devices);
    free(job->jobs);
    free(job->job_options);
    free(job->origins);
    nitro_string_list_free(&job->features);
    nitro_string_list_free(&job->variants);
    nitro_ginkgo_checkout_clear(&job->checkout);
    nitro_ginkgo_report_free(job->report);
}

nitro_status nitro_store_import_ginkgo(nitro_store *store, const nitro_ginkgo_options *options,
                                       nitro_ginkgo_report **report)
{
    ginkgo_import job = {.context = nitro_store_context(store),
                         .store = store,
                         .options = options,
                         .computation =
                             options->computation ? options->computation : DEFAULT_COMPUTATION};
    nitro_status status = check_all(&job);
    if (status == NITRO_OK)
        status = write_all(&job);
    if (status == NITRO_OK && report) {
        *report = job.report;
        job.report = NULL;
    }
    free_import(&job);
    return status;
}

void nitro_ginkgo_report_free(nitro_ginkgo_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->num_campaigns; i++) {
        free(report->campaigns[i].device);
        free(report->campaigns[i].folder);
        free(report->campaigns[i].executor);
        free(report->campaigns[i].skip_reason);
    }
    for (size_t i = 0; i < report->num_skipped; i++)
        free(report->skipped[i].example);
    free(report->campaigns);
    free(report->skipped);
    nitro_string_list_free(&report->variants);
    free(report);
}
