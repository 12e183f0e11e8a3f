/* evaluate_searchers.c - simulates searches of recorded spaces, and prints scores. */
#include "apps/cli/search/evaluate_searchers.h"

#include <math.h>
#include <stdlib.h>

#include "apps/cli/output.h"
#include "apps/cli/search/search_target.h"

#define MAX_SEARCHERS 64

typedef struct evaluation {
    invocation *call;
    const evaluate_settings *given;
    size_t num_entries;
    named_searcher entries[MAX_SEARCHERS];
    nitro_search_score *scores; /* shape [files x (1 + num_entries)]: exact random first */
    double *optima;             /* shape [files] */
} evaluation;

static const nitro_search_score *score_of(const evaluation *self, size_t file, size_t column)
{
    return &self->scores[file * (1 + self->num_entries) + column];
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int add_entry(evaluation *self, const char *text)
{
    if (self->num_entries == MAX_SEARCHERS)
        return fail_usage(self->call, "--searchers: more than %d", MAX_SEARCHERS);
    named_searcher *made = &self->entries[self->num_entries++];
    int code = searcher_find(self->call, text, made);
    if (code == EXIT_DONE && made->searcher->wants_counters)
        code = fail_usage(self->call,
                          "--searchers: '%s' needs a counter model, which 'nitro search' takes "
                          "(--counter-model)",
                          made->searcher->name);
    return code;
}

static int add_entries(evaluation *self)
{
    const nitro_string_list *named = &self->given->searchers;
    int code = EXIT_DONE;
    for (size_t i = 0; i < named->count && code == EXIT_DONE; i++)
        code = add_entry(self, named->items[i]);
    const nitro_searcher *const *each = nitro_builtin_searchers();
    for (; named->count == 0 && *each && code == EXIT_DONE; each++)
        if (!(*each)->wants_counters) /* these need a model */
            code = add_entry(self, (*each)->name);
    return code;
}

/* ---- Simulation ------------------------------------------------------------------------------ */

static double optimum_of(const nitro_recording *recording)
{
    double best = (double)NAN;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++)
        if (!(recording->answers[c].time_ms >= best) && recording->answers[c].time_ms > 0)
            best = recording->answers[c].time_ms;
    return best;
}

static int score_file(evaluation *self, size_t file, progress_line *progress)
{
    nitro_recording *recording = NULL;
    const char *path = self->given->recorded.items[file];
    nitro_context *context = self->call->context;
    nitro_search_score *scores = &self->scores[file * (1 + self->num_entries)];
    if (nitro_recording_read(context, path, NULL, &recording) != NITRO_OK)
        return fail(self->call);
    nitro_status status = nitro_search_score_random(context, recording, &scores[0]);
    scores[0].community = scores[0].cpu_ms = (double)NAN; /* against itself, and nothing was run */
    self->optima[file] = status == NITRO_OK ? optimum_of(recording) : (double)NAN;
    for (size_t e = 0; e < self->num_entries && status == NITRO_OK; e++) {
        const nitro_search_trial trial = {.searcher = self->entries[e].searcher,
                                          .searcher_options = self->entries[e].options,
                                          .seed = self->given->seed,
                                          .repetitions = (unsigned)self->given->repeats,
                                          .max_evaluations = self->given->max_evaluations,
                                          .num_threads = (unsigned)self->given->threads};
        progress_update(progress, file * self->num_entries + e,
                        self->given->recorded.count * self->num_entries, 0, self->entries[e].text);
        status = nitro_search_score_searcher(context, recording, &trial, &scores[1 + e]);
    }
    nitro_recording_free(recording);
    return exit_code(self->call, search_error_in(context, path, status));
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Where random search is at the optimum after 40 evaluations, errors tell nothing. */
static size_t num_telling(const evaluation *self)
{
    size_t count = 0;
    for (size_t f = 0; f < self->given->recorded.count; f++)
        count += score_of(self, f, 0)->mae > 0;
    return count;
}

/* MAE as a share of random search's, mean over the files that tell. */
static double mean_error(const evaluation *self, size_t column)
{
    double sum = 0;
    for (size_t f = 0; f < self->given->recorded.count; f++)
        if (score_of(self, f, 0)->mae > 0)
            sum += score_of(self, f, column)->mae / score_of(self, f, 0)->mae;
    return sum / (double)num_telling(self);
}

/* Mean deviation factor: MAE over the mean MAE of all searchers, mean over the files that tell. */
static double mean_deviation(const evaluation *self, size_t column)
{
    double sum = 0;
    for (size_t f = 0; f < self->given->recorded.count; f++) {
        double mean = 0;
        for (size_t c = 1; c <= self->num_entries; c++)
            mean += score_of(self, f, c)->mae / (double)self->num_entries;
        if (score_of(self, f, 0)->mae > 0)
            sum += score_of(self, f, column)->mae / mean;
    }
    return sum / (double)num_telling(self);
}

static double mean_community(const evaluation *self, size_t column)
{
    double sum = 0;
    for (size_t f = 0; f < self->given->recorded.count; f++)
        sum += score_of(self, f, column)->community;
    return sum / (double)self->given->recorded.count;
}

static const char *column_name(const evaluation *self, size_t column)
{
    return column == 0 ? "random (exact)" : self->entries[column - 1].text;
}

static void cell(text_table *table, double value)
{
    if (isnan(value))
        table_cell(table, "-");
    else
        table_cell(table, "%.4g", value);
}

static int print_file(const evaluation *self, size_t file)
{
    text_table table;
    printf("%s: best %.4g ms\n", self->given->recorded.items[file], self->optima[file]);
    table_begin(&table, self->call->context,
                "searcher,>@20,>@50,>@100,>@220,>MAE,>+-,>to 10 %,>reached,>P,>CPU ms");
    for (size_t c = 0; c <= self->num_entries; c++) {
        const nitro_search_score *score = score_of(self, file, c);
        table_cell(&table, "%s", column_name(self, c));
        for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++)
            cell(&table, score->best_ms[i]);
        cell(&table, score->mae);
        cell(&table, c == 0 ? (double)NAN : score->mae_error);
        table_cell(&table, "%.1f", score->to_10_percent);
        table_cell(&table, c == 0 ? "-" : "%.0f %%", 100 * score->reached);
        table_number(&table, score->community, 3);
        table_number(&table, score->cpu_ms, 3);
    }
    return exit_code(self->call, table_end(&table));
}

static int print_text(const evaluation *self)
{
    text_table table;
    int code = EXIT_DONE;
    for (size_t f = 0; f < self->given->recorded.count && code == EXIT_DONE; f++) {
        code = print_file(self, f);
        printf("\n");
    }
    size_t files = self->given->recorded.count, telling = num_telling(self);
    printf("mean over %zu space%s", files, plural(files));
    if (telling < files)
        printf("; of MAE and MDF over the %zu where random search has an error", telling);
    printf("\n");
    table_begin(&table, self->call->context, "searcher,>MAE / random's,>MDF,>P");
    for (size_t c = 0; c <= self->num_entries; c++) {
        table_cell(&table, "%s", column_name(self, c));
        table_number(&table, mean_error(self, c), 3);
        table_number(&table, c == 0 ? (double)NAN : mean_deviation(self, c), 3);
        table_number(&table, mean_community(self, c), 3);
    }
    if (code == EXIT_DONE)
        code = exit_code(self->call, table_end(&table));
    return code;
}

static json_t *score_json(const evaluation *self, size_t file, size_t column)
{
    const nitro_search_score *score = score_of(self, file, column);
    json_t *best = json_object(), *errors = json_object();
    for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++) {
        char key[32];
        snprintf(key, sizeof(key), "%llu", (unsigned long long)nitro_search_points[i]);
        json_object_set_new(best, key, json_value(score->best_ms[i]));
        json_object_set_new(errors, key, json_value(score->best_error[i]));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "searcher",
                     column_name(self, column), "best_ms", best, "best_ms_error", errors, "mae_ms",
                     json_value(score->mae), "mae_ms_error", json_value(score->mae_error),
                     "evaluations_to_10_percent", json_value(score->to_10_percent), "reached",
                     json_value(score->reached), "performance_score", json_value(score->community),
                     "cpu_ms_per_step", json_value(score->cpu_ms));
}

static int print_as_json(const evaluation *self)
{
    json_t *spaces = json_array(), *means = json_array();
    for (size_t f = 0; f < self->given->recorded.count; f++) {
        json_t *scores = json_array();
        for (size_t c = 0; c <= self->num_entries; c++)
            json_array_append_new(scores, score_json(self, f, c));
        json_array_append_new(spaces,
                              json_pack("{s:s, s:o, s:o}", "file", self->given->recorded.items[f],
                                        "best_ms", json_value(self->optima[f]), "scores", scores));
    }
    for (size_t c = 0; c <= self->num_entries; c++)
        json_array_append_new(means,
                              json_pack("{s:s, s:o, s:o, s:o}", "searcher", column_name(self, c),
                                        "mae_to_random", json_value(mean_error(self, c)), "mdf",
                                        c == 0 ? json_null() : json_value(mean_deviation(self, c)),
                                        "performance_score", json_value(mean_community(self, c))));
    return print_json(self->call,
                      json_pack("{s:I, s:o, s:o}", "repeats", (json_int_t)self->given->repeats,
                                "spaces", spaces, "means", means));
}

int evaluate_searchers(invocation *call)
{
    const evaluate_settings *given = call->settings;
    evaluation self = {.call = call, .given = given};
    progress_line progress;
    int code = add_entries(&self);
    size_t files = given->recorded.count;
    if (code == EXIT_DONE) {
        self.scores =
            nitro_calloc(call->context, files * (1 + self.num_entries), sizeof(*self.scores));
        self.optima = nitro_calloc(call->context, files, sizeof(*self.optima));
        code = self.scores && self.optima ? EXIT_DONE : fail(call);
    }
    progress_begin_waiting(&progress, call, "evaluate", "searchers");
    for (size_t f = 0; f < files && code == EXIT_DONE; f++)
        code = score_file(&self, f, &progress);
    progress_end(&progress);
    if (code == EXIT_DONE)
        code = wants_json(call) ? print_as_json(&self) : print_text(&self);
    for (size_t e = 0; e < self.num_entries; e++)
        free(self.entries[e].options);
    free(self.scores);
    free(self.optima);
    return code;
}
