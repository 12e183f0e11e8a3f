/* report_selections.c - which proxies and device features the selections choose, and how long that
 * takes. Selections without a report of their choice are omitted. */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report.h"

typedef struct selected {
    report *report;
    nitro_study_selection *items;
    size_t count;
    nitro_string_list kinds;    /* that report their choice, in declared order */
    nitro_string_list choosers; /* of those, the ones that could choose for some target */
    nitro_string_list targets;  /* in order */
} selected;

static bool show_progress(void *user, size_t done, size_t total, const char *target,
                          const char *kind)
{
    char detail[160];
    snprintf(detail, sizeof detail, "device features of %s by %s", target, kind);
    progress_update(user, done, total, 0, detail);
    return true;
}

/** "None" and "all" always select the same: nothing to report. */
static bool is_choice(const nitro_study_selection *selection)
{
    return selection->report || selection->refusal;
}

/** A selection's report; a combined one has one per step. NULL: none. */
static json_t *read_report(const nitro_study_selection *selection)
{
    return selection->report ? json_loads(selection->report, 0, NULL) : NULL;
}

/** Why it took all or nothing, from the last step of a combined one; NULL: it selected. */
static const char *why_aside(const json_t *answer)
{
    const json_t *search = json_object_get(answer, "cv");
    const json_t *last = search ? search : answer;
    const char *why = text_of(last, "skipped");
    return why ? why : text_of(last, "reason");
}

/** Did it choose, and not take all or nothing for want of something to go by? */
static bool could_choose(const nitro_study_selection *selection)
{
    json_t *answer = read_report(selection);
    bool could = answer && !why_aside(answer);
    json_decref(answer);
    return could;
}

static void select_features(selected *self)
{
    report *owner = self->report;
    nitro_study_options options = owner->options;
    options.progress = show_progress;
    options.progress_user = owner->progress;
    nitro_status status =
        nitro_study_select(owner->store, owner->computation, &options, &self->items, &self->count);
    if (status != NITRO_ERR_NO_DATA) /* no source: the other parts stand */
        report_keep(owner, status);
    for (size_t i = 0; i < self->count; i++) {
        report_add_new_name(owner, &self->targets, self->items[i].target);
        if (is_choice(&self->items[i]))
            report_add_new_name(owner, &self->kinds, self->items[i].kind->name);
        if (could_choose(&self->items[i]))
            report_add_new_name(owner, &self->choosers, self->items[i].kind->name);
    }
}

static bool is_shown(const selected *self, const nitro_study_selection *selection)
{
    return nitro_string_list_find(&self->kinds, selection->kind->name) != NITRO_NONE;
}

/** The proxies that won, of a report that has "proxies". */
static void join_proxies(const json_t *answer, char *text, size_t size)
{
    json_t *proxies = json_object_get(answer, "proxies"), *proxy;
    size_t i;
    if (!proxies)
        proxies = json_object_get(json_object_get(answer, "profile"), "proxies");
    text[0] = '\0';
    json_array_foreach(proxies, i, proxy)
    {
        const char *name = text_of(proxy, "proxy");
        if (name && json_is_true(json_object_get(proxy, "won")))
            nitro_message_list_add(text, size, "%s", name);
    }
    if (!text[0])
        snprintf(text, size, "-");
}

static void join_chosen(const nitro_study_selection *selection, const json_t *answer, char *text,
                        size_t size)
{
    const char *why = selection->refusal ? selection->refusal : why_aside(answer);
    if (why)
        snprintf(text, size, "%s: %s", selection->chosen.count ? "all candidates, skipped" : "none",
                 why);
    else if (selection->chosen.count == 0)
        snprintf(text, size, "none");
    else
        join_list(&selection->chosen, text, size);
}

/** Did it choose this device feature, and not take it along with all others? */
static bool has_chosen(const nitro_study_selection *selection, const char *feature)
{
    return could_choose(selection) &&
           nitro_string_list_find(&selection->chosen, feature) != NITRO_NONE;
}

static void fill_features(const selected *self, report_part *part)
{
    report_table *table = &part->table;
    report_table_columns(table, "target,selection,proxies,chosen device features,candidates||0");
    part->raw = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const nitro_study_selection *each = &self->items[i];
        char text[1024];
        if (!is_shown(self, each))
            continue;
        json_t *answer = read_report(each);
        report_table_cells(table, "@%s %s", each->target, each->kind->name);
        join_proxies(answer, text, sizeof text);
        report_table_text(table, text);
        join_chosen(each, answer, text, sizeof text);
        report_table_cells(table, "%s %f", text, (double)each->candidates);
        json_array_append_new(part->raw,
                              json_pack("{s:s, s:s, s:o}", "target", each->target, "selection",
                                        each->kind->name, "report", answer ? answer : json_null()));
    }
    if (!part->raw)
        report_keep(self->report, nitro_fail(self->report->context, NITRO_ERR_NO_MEMORY,
                                             "out of memory: reports of selections"));
}

/** A category a device feature that some selection chose for some target. */
static void draw_features(const selected *self, report_part *part)
{
    report_chart *chart = &part->chart;
    for (size_t i = 0; i < self->count; i++)
        for (size_t c = 0; is_shown(self, &self->items[i]) && c < self->items[i].chosen.count; c++)
            if (has_chosen(&self->items[i], self->items[i].chosen.items[c]))
                report_add_new_name(self->report, &chart->categories,
                                    self->items[i].chosen.items[c]);
    nitro_string_list_sort(&chart->categories);
    for (size_t k = 0; k < self->choosers.count; k++)
        report_add_name(self->report, &chart->series, self->choosers.items[k]);
    if (chart->categories.count == 0)
        return;
    report_chart_allocate(self->report, chart);
    for (size_t k = 0; k < self->choosers.count; k++)
        for (size_t f = 0; f < chart->categories.count; f++) {
            double count = 0.0;
            for (size_t i = 0; i < self->count; i++)
                count += strcmp(self->items[i].kind->name, self->choosers.items[k]) == 0 &&
                         has_chosen(&self->items[i], chart->categories.items[f]);
            report_chart_set(chart, k, f, count);
        }
    chart->kind = REPORT_DOTS;
    chart->y_label = "number of targets";
    chart->counted = true;
    chart->low = 0.0;
    chart->high = (double)self->targets.count;
}

/** The device feature that each selection chooses most often, if it is one. */
static void say_features(const selected *self, report_part *part)
{
    const report_chart *chart = &part->chart;
    for (size_t k = 0; chart->values && k < chart->series.count; k++) {
        const double *counts = chart->values + k * chart->categories.count;
        size_t most = 0, num_as_often = 0;
        for (size_t f = 1; f < chart->categories.count; f++)
            most = counts[f] > counts[most] ? f : most;
        for (size_t f = 0; f < chart->categories.count; f++)
            num_as_often += counts[f] >= counts[most];
        if (counts[most] > 0.0 && num_as_often == 1)
            report_say(self->report, part, "'%s' chooses %s most often: for %.0f of %zu targets.",
                       chart->series.items[k], chart->categories.items[most], counts[most],
                       self->targets.count);
    }
}

static const char *why_omitted(const selected *self)
{
    return self->report->skip_features ? "Skipped by the options of this report."
                                       : "No built-in device-feature selection reports its choice.";
}

static void add_features(selected *self)
{
    report_part *part =
        report_add(self->report, "features", "Chosen proxies and device features", "Table 5");
    if (self->kinds.count == 0) {
        report_omit(self->report, part, "%s", why_omitted(self));
        return;
    }
    part->method =
        "The device features that each selection chooses for each target from the training inputs "
        "of its sources (first seed). Candidates are the device features that the target and all "
        "its sources have. The JSON file has the full reports of the selections.";
    fill_features(self, part);
    draw_features(self, part);
    say_features(self, part);
}

/** NaN for a selection that was skipped. */
static double time_of(const nitro_study_selection *selection)
{
    return could_choose(selection) ? selection->elapsed_ms : NAN;
}

static void fill_times(const selected *self, report_part *part)
{
    report_table *table = &part->table;
    report_table_columns(table,
                         "target,selection,sources||0,training inputs||0,candidates||0,time|ms|1");
    for (size_t i = 0; i < self->count; i++) {
        const nitro_study_selection *each = &self->items[i];
        if (!is_shown(self, each))
            continue;
        size_t target = nitro_string_list_find(&self->targets, each->target);
        size_t kind = nitro_string_list_find(&self->choosers, each->kind->name);
        report_table_cells(table, "@%s %s %f %f %f %f", each->target, each->kind->name,
                           (double)each->sources, (double)each->inputs, (double)each->candidates,
                           time_of(each));
        if (kind != NITRO_NONE)
            report_chart_set(&part->chart, kind, target, time_of(each));
    }
}

static void say_times(const selected *self, report_part *part)
{
    for (size_t k = 0; k < self->choosers.count; k++) {
        double sum = 0.0;
        size_t count = 0;
        char time[32];
        for (size_t i = 0; i < self->count; i++)
            if (strcmp(self->items[i].kind->name, self->choosers.items[k]) == 0 &&
                isfinite(time_of(&self->items[i]))) {
                sum += time_of(&self->items[i]);
                count++;
            }
        if (count == 0)
            continue;
        format_time(sum / (double)count, time, sizeof time);
        report_say(self->report, part, "'%s' takes %s per target on average.",
                   self->choosers.items[k], time);
    }
}

static void add_times(selected *self)
{
    report_part *part =
        report_add(self->report, "dfs-time", "Time of device-feature selection", "Table 6");
    if (self->kinds.count == 0) {
        report_omit(self->report, part, "%s", why_omitted(self));
        return;
    }
    if (self->choosers.count == 0) {
        report_omit(self->report, part, "No selection had the data that it needs.");
        return;
    }
    part->method = "Wall time of one selection per target, on the machine that made this report; "
                   "the only numbers here that differ between runs.";
    part->chart.kind = REPORT_DOTS;
    part->chart.y_label = "time";
    part->chart.unit = "ms";
    part->chart.wide = true;
    for (size_t t = 0; t < self->targets.count; t++)
        report_chart_device(self->report, &part->chart, self->targets.items[t]);
    for (size_t k = 0; k < self->choosers.count; k++)
        report_add_name(self->report, &part->chart.series, self->choosers.items[k]);
    report_chart_allocate(self->report, &part->chart);
    fill_times(self, part);
    say_times(self, part);
}

void report_add_selections(report *self)
{
    selected found = {.report = self};
    if (!self->skip_features)
        select_features(&found);
    add_features(&found);
    add_times(&found);
    nitro_study_selections_free(found.items, found.count);
    nitro_string_list_free(&found.kinds);
    nitro_string_list_free(&found.choosers);
    nitro_string_list_free(&found.targets);
}
