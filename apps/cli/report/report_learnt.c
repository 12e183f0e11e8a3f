/* report_learnt.c - runs the studies that train models: with all sources, and without each one in
 * turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"

static const size_t measured_inputs[REPORT_NUM_MEASURED] = {2, 5, 10, 20, 50};

void report_learnt_free(report_learnt *self)
{
    if (!self)
        return;
    nitro_evaluate_results_free(self->all.results, self->all.count);
    for (size_t i = 0; i < self->num_less; i++)
        nitro_evaluate_results_free(self->less[i].results, self->less[i].count);
    free(self->less);
    free(self->ranks);
    report_journal_free(self->journal);
    nitro_string_list_free(&self->targets);
    nitro_string_list_free(&self->methods);
    nitro_string_list_free(&self->curved);
    free(self);
}

static bool show_progress(void *user, size_t done, size_t total, const char *target,
                          const char *method)
{
    const report_learnt *self = user;
    (void)done;
    (void)total;
    report_journal_show(self->journal, target, method);
    return true;
}

/** The number of targets of a study without the device `removed`. */
static size_t count_targets(const report *self, const char *removed)
{
    size_t count = 0;
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        const char *id = self->dataset->devices[d]->id;
        count +=
            report_is_named(self->options.targets, id) && (!removed || strcmp(id, removed) != 0);
    }
    return count;
}

/** With the sources in `found`, by this many seeds from `seed` on. Only the study with all sources
 * has to have results. */
static void run_study(report_learnt *self, const nitro_string_list *methods, size_t study,
                      uint64_t seed, size_t num_seeds, report_outcome *found)
{
    report *owner = self->report;
    nitro_study_options options = owner->options;
    if (owner->status != NITRO_OK)
        return;
    options.methods = methods;
    options.seed = seed;
    options.num_seeds = num_seeds;
    options.progress = show_progress;
    options.progress_user = self;
    options.watch = &self->journal->watch;
    options.memo = self->memo;
    self->journal->study = study;
    nitro_status status = nitro_study_quality(owner->store, owner->computation, &options,
                                              found->removed, &found->results, &found->count);
    if (status != NITRO_ERR_NO_DATA || study == REPORT_STUDY_ALL)
        report_keep(owner, status);
}

static size_t count_sources(const report *owner)
{
    size_t count = 0;
    for (size_t d = 0; d < owner->dataset->num_devices; d++)
        count += report_is_named(owner->options.sources, owner->dataset->devices[d]->id);
    return count;
}

static void plan(report_learnt *self, const nitro_string_list *methods, size_t study, size_t count)
{
    for (size_t m = 0; m < methods->count; m++)
        report_journal_plan(self->journal, methods->items[m], study,
                            count * self->report->options.num_seeds);
}

/** A study for every source, if leaving it out leaves another; and curves. */
static void list_studies(report_learnt *self)
{
    report *owner = self->report;
    const nitro_dataset *dataset = owner->dataset;
    size_t num_sources = count_sources(owner), num_targets = count_targets(owner, NULL);
    self->less = nitro_calloc(owner->context, dataset->num_devices, sizeof *self->less);
    if (!self->less) {
        report_keep(owner, NITRO_ERR_NO_MEMORY);
        return;
    }
    plan(self, owner->options.methods, REPORT_STUDY_ALL, num_targets);
    for (size_t d = 0; !owner->skip_source_less && num_sources > 2 && d < dataset->num_devices;
         d++) {
        const char *id = dataset->devices[d]->id;
        if (!report_is_named(owner->options.sources, id) || count_targets(owner, id) == 0)
            continue;
        self->less[self->num_less++] = (report_outcome){.removed = id, .device = d};
        plan(self, owner->sub_methods, d, count_targets(owner, id));
    }
    self->draws_curves = !owner->skip_curves && num_sources > 1;
    if (self->draws_curves) {
        plan(self, &self->curved, REPORT_STUDY_MEASURED, num_targets * (1 + REPORT_NUM_MEASURED));
        plan(self, &self->curved, REPORT_STUDY_SOURCES, num_targets * 2 * (num_sources - 1));
    }
}

/** The curves of one seed. A study without results is no error. */
static void run_curves(report_learnt *self, uint64_t seed)
{
    const nitro_study_options *how = &self->report->options;
    nitro_evaluate_options options;
    nitro_evaluate_options_init(&options);
    options.targets = how->targets;
    options.sources = how->sources;
    options.methods = &self->curved;
    options.train_fraction = how->train_fraction;
    options.num_threads = how->num_threads;
    options.progress = show_progress;
    options.progress_user = self;
    options.watch = &self->journal->watch;
    options.memo = self->memo;
    options.seed = seed;
    for (size_t study = REPORT_STUDY_MEASURED; study <= REPORT_STUDY_SOURCES; study++) {
        nitro_evaluate_result *results = NULL;
        size_t count = 0;
        bool measured = study == REPORT_STUDY_MEASURED;
        options.measured = measured ? measured_inputs : NULL;
        options.num_measured = measured ? REPORT_NUM_MEASURED : 0;
        options.source_curve = !measured;
        self->journal->study = study;
        nitro_status status = self->report->status;
        if (status == NITRO_OK)
            status = nitro_evaluate(self->report->store, self->report->computation, &options,
                                    &results, &count);
        nitro_evaluate_results_free(results, count);
        if (status != NITRO_ERR_NO_DATA)
            report_keep(self->report, status);
    }
}

/** The studies without each source. */
static void run_less(report_learnt *self, uint64_t seed, size_t num_seeds, bool keeps)
{
    for (size_t i = 0; i < self->num_less; i++) {
        report_outcome found = self->less[i];
        run_study(self, self->report->sub_methods, found.device, seed, num_seeds, &found);
        if (keeps)
            self->less[i] = found;
        else
            nitro_evaluate_results_free(found.results, found.count);
    }
}

/** All studies by one seed, into the journal: they train many models in common. */
static void run_seed(report_learnt *self, uint64_t seed)
{
    report_outcome found = {0};
    report_keep(self->report, nitro_training_memo_create(self->report->context, &self->memo));
    run_study(self, self->report->options.methods, REPORT_STUDY_ALL, seed, 1, &found);
    nitro_evaluate_results_free(found.results, found.count);
    if (self->draws_curves)
        run_curves(self, seed);
    run_less(self, seed, 1, false);
    nitro_training_memo_free(self->memo);
    self->memo = NULL;
}

/** Run all studies; the names of what came of them. */
static void learn(report_learnt *self)
{
    report *owner = self->report;
    const nitro_study_options *how = &owner->options;
    report_add_name(owner, &self->curved, REPORT_CURVE_METHOD);
    list_studies(self);
    for (size_t s = 0; s < how->num_seeds && owner->status == NITRO_OK; s++)
        run_seed(self, how->seed + s);
    /* Means over all seeds, from the journal. */
    self->journal->is_complete = true;
    run_study(self, how->methods, REPORT_STUDY_ALL, how->seed, how->num_seeds, &self->all);
    run_less(self, how->seed, how->num_seeds, true);
    if (owner->status == NITRO_ERR_NO_DATA) { /* nothing to learn from: the other parts stand */
        owner->status = NITRO_OK;
        self->num_less = 0;
        self->draws_curves = false;
        return;
    }
    for (size_t i = 0; i < self->all.count; i++) {
        report_add_new_name(owner, &self->targets, self->all.results[i].target);
        report_add_new_name(owner, &self->methods, self->all.results[i].method);
    }
    report_rank_methods(self);
}

bool report_has_results(report *self, report_part *part)
{
    if (self->learnt->all.count == 0)
        report_omit(self, part, "Not evaluated: %s.", self->learnt->reason);
    return self->learnt->all.count > 0;
}

void report_add_qualities(report_table *table, const nitro_evaluate_result *result)
{
    report_table_cells(table, "%f %f %f %f %f %f %f", result->mean, result->geomean, result->p5,
                       result->min, result->accuracy, result->confident,
                       result->confident_precision);
}

void report_add_quality_columns(report_table *table)
{
    report_table_columns(table,
                         "mean|%|2,geometric mean|%|2,5th "
                         "percentile|%|2,minimum|%|2,accuracy|%|1,confident|%|1,precision|%|1");
}

void report_begin_bars(report *self, report_chart *chart, const nitro_string_list *names,
                       const char *last, const nitro_string_list *series)
{
    chart->kind = REPORT_DOTS;
    for (size_t i = 0; i < names->count; i++)
        report_chart_device(self, chart, names->items[i]);
    if (last)
        report_add_name(self, &chart->categories, last);
    for (size_t i = 0; i < series->count; i++)
        report_add_name(self, &chart->series, series->items[i]);
    report_chart_allocate(self, chart);
}

void report_fit_axis(report *self, report_part *part)
{
    report_chart *chart = &part->chart;
    double least = 100.0;
    for (size_t i = 0; chart->values && i < chart->series.count * chart->categories.count; i++)
        if (isfinite(chart->values[i]))
            least = fmin(least, chart->values[i]);
    chart->low = fmax(0.0, 10.0 * floor((least - 1.0) / 10.0));
    chart->high = 100.0;
    chart->y_label = "mean quality (%)";
    chart->unit = "%";
    if (!(chart->low > 0.0))
        return;
    part->chart_note =
        nitro_asprintf(self->context, "The axis starts at %g %%, not at 0.", chart->low);
    report_keep(self, part->chart_note ? NITRO_OK : NITRO_ERR_NO_MEMORY);
}

void report_learn(report *self)
{
    self->learnt = nitro_calloc(self->context, 1, sizeof *self->learnt);
    if (!self->learnt) {
        report_keep(self, NITRO_ERR_NO_MEMORY);
        return;
    }
    self->learnt->report = self;
    report_keep(self, report_journal_open(self, self->folder, &self->learnt->journal));
    if (self->status != NITRO_OK)
        return;
    if (self->learnt->journal->num_recalled > 0)
        note(self->call, "%s: resuming after %zu evaluations of an interrupted report",
             self->computation, self->learnt->journal->num_recalled);
    learn(self->learnt);
    if (self->status == NITRO_OK && self->learnt->all.count == 0)
        nitro_context_last_error(self->context, self->learnt->reason, sizeof self->learnt->reason);
}
