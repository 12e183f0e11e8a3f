/* report_run.c - makes a report: every part is written when it is complete, the page at the end. */
#include <inttypes.h>
#include <stdlib.h>

#include "apps/cli/commands/excluded_sources.h"
#include "apps/cli/report/report_learnt.h"

/** All devices that are targets or sources. */
static void load(report *made)
{
    nitro_string_list known = {0}, devices = {0};
    report_keep(made, nitro_store_list_devices(made->store, made->computation, &known));
    for (size_t i = 0; i < known.count; i++)
        if (report_is_named(made->options.targets, known.items[i]) ||
            report_is_named(made->options.sources, known.items[i]))
            report_add_name(made, &devices, known.items[i]);
    if (made->status == NITRO_OK && devices.count == 0)
        made->status =
            nitro_fail(made->context, NITRO_ERR_NOT_FOUND,
                       "none of the devices that were named has samples of %s", made->computation);
    if (made->status == NITRO_OK)
        made->status =
            nitro_dataset_load(made->store, made->computation, (const char *const *)devices.items,
                               devices.count, &made->dataset);
    nitro_string_list_free(&known);
    nitro_string_list_free(&devices);
}

/** In the order of the page. Each part is written at once, as a report may take long. */
static void compute(report *made)
{
    static const struct {
        void (*add)(report *);
        const char *unit; /* of progress */
    } steps[] = {
        {report_add_devices, "parts"},        {report_add_similarity, "parts"},
        {report_add_variants, "parts"},       {report_add_recommended, "parts"},
        {report_add_roofline, "parts"},       {report_add_sensitivity, "parts"},
        {report_learn, "evaluations"},        {report_add_quality, "parts"},
        {report_add_targets, "parts"},        {report_add_slowdowns, "parts"},
        {report_add_worst, "parts"},          {report_add_predicted, "parts"},
        {report_add_measured_curve, "parts"}, {report_add_source_curve, "parts"},
        {report_add_weights, "parts"},        {report_add_source_less, "parts"},
        {report_add_contribution, "parts"},   {report_add_selections, "selections"},
    };
    char task[128];
    load(made);
    snprintf(task, sizeof task, "report %s", made->computation);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && made->status == NITRO_OK; i++) {
        size_t first = made->num_parts;
        progress_line progress;
        progress_begin_waiting(&progress, made->call, task, steps[i].unit);
        made->progress = &progress;
        steps[i].add(made);
        progress_end(&progress);
        made->progress = NULL;
        report_write_parts(made, first);
    }
}

#define PROBLEM                                                                                    \
    "A computation has several variants with the same result; which one is the fastest "           \
    "depends on the input and on the device. "
#define CONTENT                                                                                    \
    " This page shows how much there is to gain, and how much of it is "                           \
    "reached. The figures and tables follow Saurav Muralidharan, Amit Roy, Mary Hall, "            \
    "Michael Garland, Piyush Rai: <cite>Architecture-Adaptive Code Variant Tuning</cite>, "        \
    "ASPLOS 2016 (\"the paper\")."

/* Of devices, and of single ones. */
static const report_preface prefaces[] = {
    {"Choosing code variants on devices without measurements",
     PROBLEM "Nitro trains a model on times measured on <em>source</em> devices and chooses "
             "variants on a <em>target</em> without measurements." CONTENT,
     NULL},
    {"Choosing code variants for inputs without measurements",
     PROBLEM "Nitro trains a model on the times of measured inputs and chooses variants for "
             "others." CONTENT,
     NULL},
};

static bool are_all_alone(const report *reports, size_t count)
{
    for (size_t r = 0; r < count; r++)
        if (!report_is_alone(&reports[r]))
            return false;
    return true;
}

/** Who made the page from what: no date, so that the same store gives the same page. */
static char *describe_provenance(const report *reports, size_t count)
{
    nitro_context *context = reports[0].context;
    const nitro_study_options *how = &reports[0].options;
    char training[64] = "", seeds[48] = "";
    if (!are_all_alone(reports, count))
        snprintf(training, sizeof training, " %g %% of the inputs for training,",
                 100.0 * how->train_fraction);
    if (how->num_seeds > 1)
        snprintf(seeds, sizeof seeds, " (the first of %zu)", how->num_seeds);
    char *text = nitro_asprintf(
        context, "Made by Nitro %s from %s;%s seed %" PRIu64 "%s; measurements", nitro_version(),
        nitro_store_url(reports[0].store), training, how->seed, seeds);
    for (size_t r = 0; text && r < count; r++) {
        char *longer =
            nitro_asprintf(context, "%s%s %s %016" PRIx64, text, r ? "," : "",
                           reports[r].computation, nitro_dataset_digest(reports[r].dataset));
        free(text);
        text = longer;
    }
    return text;
}

static nitro_status write_page(const report *reports, size_t count)
{
    char *provenance = describe_provenance(reports, count);
    report_preface preface = prefaces[are_all_alone(reports, count)];
    preface.provenance = provenance;
    nitro_status status =
        provenance ? report_write_page(reports, count, &preface) : NITRO_ERR_NO_MEMORY;
    free(provenance);
    return status;
}

static json_t *file_of(const report *self, const report_part *part, const char *extension,
                       bool exists)
{
    return exists
               ? json_sprintf("%s/%s-%s.%s", self->folder, self->computation, part->name, extension)
               : json_null();
}

/** The files that were written, part by part. */
static json_t *list_written(const report *reports, size_t count)
{
    json_t *parts = json_array();
    for (size_t r = 0; r < count; r++)
        for (size_t p = 0; p < reports[r].num_parts; p++) {
            const report *each = &reports[r];
            const report_part *part = &each->parts[p];
            json_array_append_new(
                parts, json_pack("{s:s, s:s, s:o, s:o, s:o}", "computation", each->computation,
                                 "part", part->name, "json", file_of(each, part, "json", true),
                                 "csv", file_of(each, part, "csv", !part->omitted), "svg",
                                 file_of(each, part, "svg", part->svg != NULL)));
        }
    return json_pack("{s:o, s:o}", "page", json_sprintf("%s/index.html", reports[0].folder),
                     "parts", parts);
}

int report_run(const report *request, const nitro_string_list *computations)
{
    invocation *call = request->call;
    size_t count = 0;
    report *reports = nitro_calloc(call->context, computations->count, sizeof *reports);
    nitro_status status = reports ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (; count < computations->count && status == NITRO_OK; count++) {
        report *made = &reports[count];
        *made = *request;
        made->computation = computations->items[count];
        status = exclude_sources(made->store, made->computation, NULL, made->excluded,
                                 &made->options.sources, &made->sources);
    }
    for (size_t r = 0; r < count && status == NITRO_OK; r++) {
        compute(&reports[r]);
        status = reports[r].status;
    }
    if (status == NITRO_OK)
        status = write_page(reports, count);
    int code = exit_code(call, status);
    for (size_t r = 0; r < count && code == EXIT_DONE; r++)
        report_journal_remove(reports[r].learnt->journal);
    if (code == EXIT_DONE)
        note(call, "the report is %s/index.html", request->folder);
    if (code == EXIT_DONE && wants_json(call))
        code = print_json(call, list_written(reports, count));
    for (size_t r = 0; r < count; r++) {
        report_learnt_free(reports[r].learnt);
        report_free_parts(&reports[r]);
        nitro_string_list_free(&reports[r].sources);
    }
    free(reports);
    return code;
}
