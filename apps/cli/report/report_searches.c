/* report_searches.c - a report of recorded tuning spaces: how searches go, and what the space is
 * like.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report.h"
#include "apps/cli/search/search_target.h"
#include "nitro/backend/statistics.h"

enum { DISTRIBUTION_POINTS = 200 };

/* Unless others are named: ours, a published one of either kind, and what needs no method. */
static const char *const default_searchers[] = {"auto", "bayes-ei", "genetic", "random"};

static const char heading[] = "Searching tuning parameters";

static const char introduction[] =
    "A variant's tuning parameters have thousands of configurations, each costly to try. These "
    "spaces were recorded as a whole, so that searches can be simulated: the pictures show how "
    "fast "
    "they approach the best configuration, and how rare good ones are.";

typedef struct search_report {
    invocation *call;
    const search_report_request *request;
    size_t num_searchers;
    named_searcher *searchers;  /* shape [num_searchers] */
    nitro_search_curve *curves; /* shape [num_searchers] */
} search_report;

static int choose_searchers(search_report *self)
{
    const nitro_string_list *named = self->request->searchers;
    const char *const *names = named->count ? (const char *const *)named->items : default_searchers;
    size_t count =
        named->count ? named->count : sizeof default_searchers / sizeof default_searchers[0];
    self->searchers = nitro_calloc(self->call->context, count, sizeof *self->searchers);
    int code = self->searchers ? EXIT_DONE : fail(self->call);
    for (; self->num_searchers < count && code == EXIT_DONE; self->num_searchers++)
        code = searcher_find(self->call, names[self->num_searchers],
                             &self->searchers[self->num_searchers]);
    return code;
}

/* ---- Searches -------------------------------------------------------------------------------- */

static nitro_status simulate(search_report *self, const nitro_recording *recording,
                             progress_line *progress, size_t done, size_t total)
{
    nitro_status status = NITRO_OK;
    for (size_t s = 0; s < self->num_searchers && status == NITRO_OK; s++) {
        const nitro_search_trial trial = {.searcher = self->searchers[s].searcher,
                                          .searcher_options = self->searchers[s].options,
                                          .repetitions = (unsigned)self->request->repeats,
                                          .max_evaluations = NITRO_CURVE_POINTS,
                                          .num_threads = (unsigned)self->request->threads};
        status = nitro_search_trace(self->call->context, recording, &trial, &self->curves[s]);
        progress_update(progress, done + s + 1, total, 0, self->searchers[s].text);
    }
    return status;
}

static void begin_curves(const search_report *self, report *made, report_chart *chart)
{
    for (size_t s = 0; s < self->num_searchers; s++)
        report_add_name(made, &chart->series, self->searchers[s].text);
    chart->kind = REPORT_CURVES;
    chart->width = NITRO_CURVE_POINTS;
    chart->stepped = true;
    chart->wide = true;
    chart->unit = "ms";
    chart->y_label = "best time so far";
    report_chart_allocate(made, chart);
}

/** How long a search evaluates, and what its median has found after a quarter, half and all of
 * that. */
static void show_times(report_table *digest, const nitro_search_curve *curve)
{
    report_table_number(digest, 1000 * curve->seconds[NITRO_CURVE_POINTS - 1]);
    for (size_t part = 4; part >= 1; part /= 2)
        report_table_number(digest, curve->by_seconds[NITRO_CURVE_POINTS / part - 1][1]);
}

/** What the median search with the first searcher comes to, and with the last one. */
static void say_end(const search_report *self, report *made, report_part *part, bool by_time)
{
    const size_t last = self->num_searchers - 1, end = NITRO_CURVE_POINTS - 1;
    const nitro_search_curve *first = &self->curves[0], *other = &self->curves[last];
    char more[192] = "";
    if (last > 0 && by_time)
        snprintf(more, sizeof more, ", with %.128s for %.3g s", self->searchers[last].text,
                 other->seconds[end]);
    else if (last > 0)
        snprintf(more, sizeof more, ", with %.128s %.4g ms", self->searchers[last].text,
                 other->by_evaluations[end][1]);
    if (by_time)
        report_say(made, part, "The median search with %s evaluates for %.3g s%s.",
                   self->searchers[0].text, first->seconds[end], more);
    else
        report_say(made, part,
                   "After 220 evaluations the median search with %s has found %.4g ms%s.",
                   self->searchers[0].text, first->by_evaluations[end][1], more);
}

static void add_curves(const search_report *self, report *made, bool by_time)
{
    report_part *part = report_add(
        made, by_time ? "search-times" : "searches",
        by_time ? "Searches by the time of evaluating" : "Searches by evaluations", NULL);
    part->method =
        "Simulated searches of the recorded space, with seeds 1, 2, ...: the median of the "
        "best time so far, and the band of the middle 80 %.";
    begin_curves(self, made, &part->chart);
    part->chart.x_label = by_time ? "seconds of evaluating" : "evaluations";
    part->chart.counted_x = !by_time;
    report_table_columns(&part->table, by_time
                                           ? "searcher,seconds||4,low|ms|6,median|ms|6,high|ms|6"
                                           : "searcher,evaluations||0,low|ms|6,median|ms|6,"
                                             "high|ms|6");
    report_table_columns(&part->digest,
                         by_time ? "searcher,a search takes|ms|4,median after a quarter|ms|4,"
                                   "after half|ms|4,after all of it|ms|4"
                                 : "searcher,median at 20|ms|4,at 50|ms|4,at 100|ms|4,at 220|ms|4");
    for (size_t s = 0; s < self->num_searchers; s++) {
        const nitro_search_curve *curve = &self->curves[s];
        report_table_text(&part->digest, self->searchers[s].text);
        if (by_time)
            show_times(&part->digest, curve);
        else
            for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++)
                report_table_number(&part->digest,
                                    curve->by_evaluations[nitro_search_points[i] - 1][1]);
        for (size_t i = 0; i < NITRO_CURVE_POINTS; i++) {
            double x = by_time ? curve->seconds[i] : (double)(i + 1);
            const double *point = by_time ? curve->by_seconds[i] : curve->by_evaluations[i];
            report_chart_set_point(&part->chart, s, i, x, point[1], point[0], point[2]);
            report_table_cells(&part->table, "%s %f", self->searchers[s].text, x);
            for (size_t q = 0; q < NITRO_CURVE_QUANTILES; q++)
                report_table_number(&part->table, point[q]);
        }
    }
    say_end(self, made, part, by_time);
}

/* ---- The space ------------------------------------------------------------------------------- */

static size_t sorted_times(const nitro_recording *recording, double *times)
{
    size_t count = 0;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++)
        if (recording->answers[c].outcome == NITRO_OUTCOME_MEASURED)
            times[count++] = recording->answers[c].time_ms;
    nitro_sort(times, count);
    return count;
}

static void fill_distribution(report *made, report_part *part, const double *times, size_t count,
                              size_t size)
{
    size_t good = 0;
    while (good < count && times[good] <= 1.1 * times[0])
        good++;
    report_table_columns(&part->table, "share|%|3,time|ms|6,over the best||4");
    for (size_t i = 0; i < DISTRIBUTION_POINTS; i++) {
        size_t rank = i * (count - 1) / (DISTRIBUTION_POINTS - 1);
        double share = 100 * (double)(rank + 1) / (double)size;
        report_chart_set_point(&part->chart, 0, i, times[rank] / times[0], share, (double)NAN,
                               (double)NAN);
        report_table_cells(&part->table, "%f %f %f", share, times[rank], times[rank] / times[0]);
    }
    report_say(made, part,
               "%zu of %zu configurations are valid; %zu, or %.2g %%, are within 10 %% of the "
               "best time, %.4g ms. The median is %.3g times as slow, the slowest %.3g times.",
               count, size, good, 100 * (double)good / (double)size, times[0],
               times[count / 2] / times[0], times[count - 1] / times[0]);
}

static void add_distribution(report *made, const nitro_recording *recording)
{
    report_part *part = report_add(made, "space", "The space's times", NULL);
    size_t size = (size_t)nitro_space_size(recording->space);
    double *times = nitro_calloc(made->context, size, sizeof(*times));
    size_t count = times ? sorted_times(recording, times) : 0;
    part->method =
        "All recorded configurations; invalid ones have no time, and count in the shares.";
    part->chart.kind = REPORT_CURVES;
    part->chart.width = DISTRIBUTION_POINTS;
    part->chart.wide_x = part->chart.wide = true;
    part->chart.unit = "%";
    part->chart.x_label = "time over the best one";
    part->chart.y_label = "configurations at most so slow, %";
    report_keep(made, times ? NITRO_OK : NITRO_ERR_NO_MEMORY);
    report_add_name(made, &part->chart.series, "space");
    report_chart_allocate(made, &part->chart);
    if (count == 0)
        report_omit(made, part, "No configuration has a time.");
    else
        fill_distribution(made, part, times, count, size);
    free(times);
}

/* ---- All spaces ------------------------------------------------------------------------------ */

/** Does a report before this one have the name? */
static bool is_taken(const report *reports, size_t count, const char *name)
{
    for (size_t r = 0; r < count; r++)
        if (strcmp(reports[r].computation, name) == 0)
            return true;
    return false;
}

/** Cut off what the file's name ends in, such as ".csv.gz", and replace what links, pages and names
 *  of files cannot have as it is. */
static void make_plain(char *name)
{
    char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    char *end = file + strlen(file);
    if (end - file > 3 && strcmp(end - 3, ".gz") == 0)
        end[-3] = '\0';
    end = strrchr(file, '.');
    if (end && end > file)
        *end = '\0';
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '-';
        else if ((unsigned char)*at <= ' ' || strchr("\"#%&'<>?\\\x7f", *at))
            *at = '_';
}

/** "gemm-rtx_titan" of a path ".../gemm/rtx_titan.csv.gz", with a number where an earlier report
 *  has that name. */
static char *name_of(nitro_context *context, const char *path, const report *reports, size_t count)
{
    const char *begin = strrchr(path, '/');
    while (begin && begin > path && begin[-1] != '/')
        begin--;
    begin = begin ? begin : path;
    begin += strncmp(begin, "./", 2) == 0 ? 2 : strncmp(begin, "../", 3) == 0 ? 3 : 0;
    char *plain = nitro_strdup(context, begin), *name = NULL;
    if (plain) {
        make_plain(plain);
        name = nitro_strdup(context, plain);
    }
    for (size_t copy = 2; name && is_taken(reports, count, name); copy++) {
        free(name);
        name = nitro_asprintf(context, "%s-%zu", plain, copy);
    }
    free(plain);
    return name;
}

static void compute(search_report *self, size_t file, progress_line *progress, report *made)
{
    nitro_recording *recording = NULL;
    nitro_context *context = self->call->context;
    const nitro_string_list *files = self->request->recorded;
    size_t total = files->count * self->num_searchers;
    made->status = nitro_recording_read(context, files->items[file], NULL, &recording);
    if (made->status == NITRO_OK)
        made->status =
            search_error_in(context, files->items[file],
                            simulate(self, recording, progress, file * self->num_searchers, total));
    if (made->status == NITRO_OK) {
        add_curves(self, made, false);
        add_curves(self, made, true);
        add_distribution(made, recording);
    }
    nitro_recording_free(recording);
    report_write_parts(made, 0);
}

static nitro_status compute_all(search_report *self, report *reports, size_t count)
{
    nitro_status status = NITRO_OK;
    progress_line progress;
    progress_begin_waiting(&progress, self->call, "report", "searchers");
    for (size_t r = 0; r < count && status == NITRO_OK; r++) {
        reports[r] = (report){
            .call = self->call, .context = self->call->context, .folder = self->request->output};
        reports[r].computation =
            name_of(self->call->context, self->request->recorded->items[r], reports, r);
        if (reports[r].computation)
            compute(self, r, &progress, &reports[r]);
        status = reports[r].computation ? reports[r].status : NITRO_ERR_NO_MEMORY;
    }
    progress_end(&progress);
    char *provenance = nitro_asprintf(
        self->call->context, "Made by Nitro %s from recorded tuning spaces; %zu searches each",
        nitro_version(), (size_t)self->request->repeats);
    if (status == NITRO_OK)
        status = provenance
                     ? report_write_page(reports, count,
                                         &(report_preface){heading, introduction, provenance})
                     : NITRO_ERR_NO_MEMORY;
    free(provenance);
    return status;
}

int report_searches(invocation *call, const search_report_request *request)
{
    search_report self = {.call = call, .request = request};
    int code = choose_searchers(&self);
    size_t count = request->recorded->count;
    self.curves = nitro_calloc(call->context, self.num_searchers, sizeof(*self.curves));
    report *reports = nitro_calloc(call->context, count, sizeof(*reports));
    if (code == EXIT_DONE &&
        (!self.curves || !reports || compute_all(&self, reports, count) != NITRO_OK))
        code = fail(call);
    else if (code == EXIT_DONE)
        note(call, "the report is %s/index.html", request->output);
    for (size_t r = 0; reports && r < count; r++) {
        report_free_parts(&reports[r]);
        free((char *)reports[r].computation);
    }
    for (size_t i = 0; i < self.num_searchers; i++)
        free(self.searchers[i].options);
    free(self.searchers);
    free(reports);
    free(self.curves);
    return code;
}
