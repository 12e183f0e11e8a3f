/* C and gamma by cross-validation over a grid, on a sample of a training set. */
#include "nitro/learn/svm/svm_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/folds.h"
#include "nitro/learn/svm/svm_sweep.h"

#define MAX_ROWS       1200
#define QUICK_MAX_ROWS 400
#define MAX_FOLDS      5
#define FALLBACK_C     8.0
#define MAX_CS         5
#define MAX_LINES      5

/** All Cs with one gamma, as powers of two relative to the grid's centre; gamma is per column. */
typedef struct grid_line {
    double gamma;
    double cs[MAX_CS];
    size_t num_cs;
} grid_line;

static const grid_line coarse[] = {{-4, {-1, 2, 5, 8, 11}, 5},
                                   {-2, {-1, 2, 5, 8, 11}, 5},
                                   {0, {-1, 2, 5, 8, 11}, 5},
                                   {2, {-1, 2, 5, 8, 11}, 5},
                                   {4, {-1, 2, 5, 8, 11}, 5}};
/* Around the coarse grid's best point, which is not repeated. */
static const grid_line fine[] = {
    {-1, {-1.5, 0, 1.5}, 3}, {0, {-1.5, 1.5}, 2}, {1, {-1.5, 0, 1.5}, 3}};

typedef struct svm_search {
    nitro_context *context;
    const nitro_training_set *set;
    const size_t *labels; /* of the set */
    nitro_folds sample;
    size_t num_columns; /* that vary */
    nitro_svm_inputs *inputs;
    const grid_line *lines;
    double centre_c, centre_gamma; /* powers of two, as the next */
    double best_c, best_gamma;
    double best_quality; /* negative: none yet */
    double *best_scores; /* shape [sample x variants] */
    double *scores;      /* shape [MAX_LINES x MAX_CS x sample x variants] */
} svm_search;

/** How many columns vary: the others add nothing to a distance. */
static size_t count_varying(const nitro_training_set *set)
{
    size_t count = 0, width = set->num_columns;
    for (size_t c = 0; c < width; c++)
        for (size_t row = 1; row < set->num_rows; row++)
            if (set->columns[row * width + c] != set->columns[c]) {
                count++;
                break;
            }
    return count;
}

static nitro_status begin(svm_search *s)
{
    nitro_context *context = s->context;
    size_t most = s->set->quick ? QUICK_MAX_ROWS : MAX_ROWS;
    nitro_status status = nitro_folds_draw(context, s->set, most, MAX_FOLDS, &s->sample);
    if (status != NITRO_OK)
        return status;
    size_t row_bytes = s->set->num_variants * sizeof(double), count = s->sample.num_rows;
    double *columns = nitro_folds_columns(context, s->set, &s->sample);
    s->best_scores = nitro_calloc(context, count, row_bytes);
    s->scores = nitro_calloc(context, count, MAX_LINES * MAX_CS * row_bytes);
    status = NITRO_ERR_NO_MEMORY;
    if (columns && s->best_scores && s->scores)
        status = nitro_svm_inputs_create(context, columns, count, s->set->num_columns, &s->inputs);
    free(columns);
    return status;
}

static void end(svm_search *s)
{
    nitro_svm_inputs_free(s->inputs);
    nitro_folds_free(&s->sample);
    free(s->best_scores);
    free(s->scores);
}

static double gamma_of(const svm_search *s, const grid_line *line)
{
    return nitro_svm_gamma(s->centre_gamma + line->gamma, s->num_columns);
}

/** The fold's rows, or all others. @return how many. */
static size_t list_points(const svm_search *s, size_t fold, bool held_out, size_t *points,
                          size_t *labels)
{
    size_t count = 0;
    for (size_t i = 0; i < s->sample.num_rows; i++)
        if ((s->sample.folds[i] == fold) == held_out) {
            labels[count] = s->labels[s->sample.rows[i]];
            points[count++] = i;
        }
    return count;
}

/** By row of the sample instead of by row of the fold. */
static void keep_scores(const svm_search *s, size_t line, const nitro_svm_rows *queries,
                        const double *scores)
{
    size_t width = s->set->num_variants, count = s->sample.num_rows;
    for (size_t c = 0; c < s->lines[line].num_cs; c++)
        for (size_t q = 0; q < queries->num_rows; q++, scores += width)
            memcpy(s->scores + ((line * MAX_CS + c) * count + queries->points[q]) * width, scores,
                   width * sizeof *scores);
}

static nitro_status hold_out(const svm_search *s, size_t line_index, size_t fold, size_t *lists,
                             double *scores)
{
    const grid_line *line = &s->lines[line_index];
    size_t count = s->sample.num_rows, *points = lists, *labels = lists + count;
    size_t num_rows = list_points(s, fold, false, points, labels);
    const nitro_svm_rows queries = {
        list_points(s, fold, true, points + num_rows, labels + num_rows), points + num_rows, NULL};
    const nitro_svm_training_points training = {.inputs = s->inputs,
                                                .rows = {num_rows, points, NULL},
                                                .num_variants = s->set->num_variants,
                                                .labels = labels};
    const nitro_svm_distances none = {0};
    double cs[MAX_CS];
    for (size_t c = 0; c < line->num_cs; c++)
        cs[c] = exp2(s->centre_c + line->cs[c]);
    nitro_status status = nitro_svm_sweep(s->context, &training, &queries, &none, gamma_of(s, line),
                                          cs, line->num_cs, scores);
    if (status == NITRO_OK)
        keep_scores(s, line_index, &queries, scores);
    return status;
}

static nitro_status hold_out_task(void *user, size_t task)
{
    const svm_search *s = user;
    size_t count = s->sample.num_rows, row_bytes = s->set->num_variants * sizeof(double);
    size_t *lists = nitro_calloc(s->context, 2 * count, sizeof *lists);
    double *scores = nitro_calloc(s->context, MAX_CS * count, row_bytes);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (lists && scores)
        status = hold_out(s, task / s->sample.num_folds, task % s->sample.num_folds, lists, scores);
    free(lists);
    free(scores);
    return status;
}

static double mean_quality(const svm_search *s, const double *scores)
{
    size_t width = s->set->num_variants;
    double sum = 0.0;
    for (size_t i = 0; i < s->sample.num_rows; i++)
        sum += nitro_times_quality(s->set->times_ms + s->sample.rows[i] * width, width,
                                   nitro_scores_best(scores + i * width, width));
    return sum / (double)s->sample.num_rows;
}

static void compare(svm_search *s, double c, double gamma, const double *scores)
{
    double quality = mean_quality(s, scores);
    bool better = quality > s->best_quality;
    if (quality == s->best_quality)
        better = c != s->best_c ? c < s->best_c : gamma < s->best_gamma;
    if (!better)
        return;
    s->best_quality = quality;
    s->best_c = c;
    s->best_gamma = gamma;
    memcpy(s->best_scores, scores, s->sample.num_rows * s->set->num_variants * sizeof *scores);
}

static nitro_status run_grid(svm_search *s, const grid_line *lines, size_t num_lines)
{
    size_t size = s->sample.num_rows * s->set->num_variants;
    s->lines = lines;
    s->centre_c = lines == fine ? s->best_c : 0.0;
    s->centre_gamma = lines == fine ? s->best_gamma : 0.0;
    nitro_status status =
        nitro_parallel_run(s->set->num_threads, num_lines * s->sample.num_folds, hold_out_task, s);
    for (size_t i = 0; status == NITRO_OK && i < num_lines; i++)
        for (size_t c = 0; c < lines[i].num_cs; c++)
            compare(s, s->centre_c + lines[i].cs[c], s->centre_gamma + lines[i].gamma,
                    s->scores + (i * MAX_CS + c) * size);
    nitro_svm_inputs_forget(s->inputs);
    return status;
}

static void copy_scores(const svm_search *s, double *scores)
{
    size_t width = s->set->num_variants;
    for (size_t i = 0; i < s->set->num_rows * width; i++)
        scores[i] = NAN;
    for (size_t i = 0; s->best_quality >= 0.0 && i < s->sample.num_rows; i++)
        memcpy(scores + s->sample.rows[i] * width, s->best_scores + i * width,
               width * sizeof *scores);
}

nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores)
{
    svm_search s = {.context = context,
                    .set = set,
                    .labels = labels,
                    .num_columns = count_varying(set),
                    .best_quality = -1.0};
    nitro_status status = begin(&s);
    bool searches = status == NITRO_OK && s.sample.num_folds > 1;
    if (searches)
        status = run_grid(&s, coarse, sizeof coarse / sizeof coarse[0]);
    if (searches && status == NITRO_OK)
        status = run_grid(&s, fine, sizeof fine / sizeof fine[0]);
    if (status == NITRO_OK) {
        *choice = (nitro_svm_choice){FALLBACK_C, nitro_svm_gamma(0.0, s.num_columns), NAN};
        if (searches)
            *choice = (nitro_svm_choice){
                exp2(s.best_c), nitro_svm_gamma(s.best_gamma, s.num_columns), s.best_quality};
        if (scores)
            copy_scores(&s, scores);
    }
    end(&s);
    return status;
}
