/*
 * C and gamma over a grid. Hides how that is made fast: one kernel matrix a gamma, in which rows of
 * a fold are neighbours, serves all folds, pairs of variants and Cs.
 */
#include "nitro/learn/svm/svm_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/svm/svm_pairs.h"

#define FALLBACK_C 8.0
#define MAX_GRID_C 5

/** All Cs with one gamma, as powers of two; gamma is per column, so that it means the same for any
 *  number. */
typedef struct grid_line {
    double gamma;
    double cs[MAX_GRID_C];
    size_t num_cs;
} grid_line;

#define COARSE_CS {-1, 2, 5, 8, 11}, 5
#define FINE_CS   {-1.5, 0, 1.5}, 3

/* The likely first and the slow last: what cannot become the best is not trained to the end. */
static const grid_line coarse[] = {{0, {-1, 2, 5, 8}, 4}, {-2, COARSE_CS}, {2, COARSE_CS},
                                   {-4, COARSE_CS},       {4, COARSE_CS},  {0, {11}, 1}};
/* Around the coarse grid's best point, which is not tried again. */
static const grid_line fine[] = {{-1, FINE_CS}, {0, {-1.5, 1.5}, 2}, {1, FINE_CS}};

typedef struct grid {
    nitro_context *context;
    const nitro_svm_work *work;
    nitro_svm_classes classes;
    size_t num_rows, num_pairs;
    /* Places of rows in the kernel matrix: fold by fold, class by class, in order: who reads some
     * of a row finds them side by side. */
    size_t *place_of;   /* shape [num_rows] */
    size_t *row_at;     /* shape [num_rows] */
    size_t *fold_begin; /* shape [num_folds + 1]: places */
    size_t *labels;     /* shape [num_rows], by place, as is the next */
    size_t *points;
    size_t *members;   /* shape [num_folds x num_rows]: places of the rows that teach, in order */
    double *kernel;    /* shape [num_rows x num_rows] */
    double *decisions; /* shape [num_pairs x num_cs x rows of the fold] */
    double *scores;    /* shape [MAX_GRID_C x num_rows x num_variants], by place */
    /* The line at hand: those of its Cs that may still become the best. */
    size_t num_cs;
    size_t line_c[MAX_GRID_C]; /* index in the line */
    double cs[MAX_GRID_C];
    double lost[MAX_GRID_C]; /* by index in the line: 1 - quality, summed over the folds so far */
    size_t fold;
    size_t *fold_order; /* shape [num_folds]: where the best point loses most comes first */
    bool found;
    double best_quality, best_c, best_gamma; /* powers of two */
    double *best_scores;                     /* shape [num_rows x num_variants], by place */
} grid;

/* ---- Order --------------------------------------------------------------------------------- */

static void order_rows(grid *g)
{
    const nitro_svm_work *work = g->work;
    size_t next = 0;
    for (size_t fold = 0; fold < work->num_folds; fold++) {
        g->fold_begin[fold] = next;
        for (size_t k = 0; k < g->classes.count; k++)
            for (size_t row = 0; row < g->num_rows; row++)
                if (work->folds[row] == fold && work->labels[row] == g->classes.variants[k]) {
                    g->place_of[row] = next;
                    g->row_at[next++] = row;
                }
    }
    g->fold_begin[work->num_folds] = next;
    for (size_t place = 0; place < g->num_rows; place++) {
        size_t row = g->row_at[place];
        g->labels[place] = work->labels[row];
        g->points[place] = work->rows.points[row];
    }
}

/* LIBSVM's order is that of the rows, not of their places. */
static void list_members(grid *g)
{
    for (size_t fold = 0; fold < g->work->num_folds; fold++) {
        size_t *members = g->members + fold * g->num_rows;
        for (size_t row = 0; row < g->num_rows; row++)
            if (g->work->folds[row] != fold)
                *members++ = g->place_of[row];
    }
}

static nitro_status create_grid(grid *g)
{
    size_t count = g->num_rows, num_folds = g->work->num_folds;
    size_t num_scores = MAX_GRID_C * count * g->work->num_variants;
    g->place_of = nitro_calloc(g->context, 4 * count, sizeof(size_t));
    g->fold_begin = nitro_calloc(g->context, 2 * num_folds + 1, sizeof(size_t));
    g->members = nitro_calloc(g->context, num_folds, count * sizeof(size_t));
    g->kernel = nitro_calloc(g->context, count, count * sizeof(double));
    g->decisions =
        nitro_calloc(g->context, MAX_GRID_C * (g->num_pairs + 1), count * sizeof(double));
    g->scores = nitro_calloc(g->context, num_scores, sizeof(double));
    g->best_scores = nitro_calloc(g->context, num_scores / MAX_GRID_C, sizeof(double));
    if (!g->place_of || !g->fold_begin || !g->members || !g->kernel || !g->decisions ||
        !g->scores || !g->best_scores)
        return NITRO_ERR_NO_MEMORY;
    g->fold_order = g->fold_begin + num_folds + 1;
    for (size_t fold = 0; fold < num_folds; fold++)
        g->fold_order[fold] = fold;
    g->row_at = g->place_of + count;
    g->labels = g->row_at + count;
    g->points = g->labels + count;
    order_rows(g);
    list_members(g);
    return NITRO_OK;
}

static void free_grid(grid *g)
{
    free(g->place_of);
    free(g->fold_begin);
    free(g->members);
    free(g->kernel);
    free(g->decisions);
    free(g->scores);
    free(g->best_scores);
}

/* ---- One training: a fold, a pair, all Cs -------------------------------------------------- */

static void gather(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column)
{
    const grid *g = user;
    const double *kernel = g->kernel + row * g->num_rows;
    for (size_t k = 0; k < count; k++)
        column[k] = (float)kernel[rows[k]];
}

static nitro_svm_pair_set make_training_task(const grid *g, size_t fold)
{
    size_t begin = g->fold_begin[fold], num_asked = g->fold_begin[fold + 1] - begin;
    return (nitro_svm_pair_set){.classes = &g->classes,
                                .gather = gather,
                                .user = g,
                                .labels = g->labels,
                                .members = g->members + fold * g->num_rows,
                                .num_members = g->num_rows - num_asked,
                                .asked = g->kernel + begin,
                                .stride = g->num_rows,
                                .num_asked = num_asked,
                                .cs = g->cs,
                                .num_cs = g->num_cs};
}

static nitro_status train_pair(void *user, size_t pair)
{
    const grid *g = user;
    const nitro_svm_pair_set pair_set = make_training_task(g, g->fold);
    return nitro_svm_pair_decide(g->context, &pair_set, pair,
                                 g->decisions + pair * g->num_cs * pair_set.num_asked);
}

/* ---- The grid ------------------------------------------------------------------------------ */

static double *scores_at(const grid *g, size_t line_c, size_t place)
{
    return g->scores + (line_c * g->num_rows + place) * g->work->num_variants;
}

static double quality_at(const grid *g, size_t line_c, size_t place)
{
    size_t num_variants = g->work->num_variants;
    return nitro_times_quality(g->work->times_ms + g->row_at[place] * num_variants, num_variants,
                               nitro_scores_best(scores_at(g, line_c, place), num_variants));
}

/** Mean quality of the variants with the best scores; added up in the rows' order. */
static double mean_quality(const grid *g, size_t line_c)
{
    double sum = 0.0;
    for (size_t row = 0; row < g->num_rows; row++)
        sum += quality_at(g, line_c, g->place_of[row]);
    return sum / (double)g->num_rows;
}

static bool is_better(const grid *g, double quality, double c, double gamma)
{
    if (!g->found || quality != g->best_quality)
        return !g->found || quality > g->best_quality;
    return c != g->best_c ? c < g->best_c : gamma < g->best_gamma;
}

static double lost_in_fold(const grid *g, size_t line_c, size_t fold)
{
    double sum = 0.0;
    for (size_t place = g->fold_begin[fold]; place < g->fold_begin[fold + 1]; place++)
        sum += 1.0 - quality_at(g, line_c, place);
    return sum;
}

/** What cannot become the best shows soonest in the folds that are hard. */
static void order_folds(grid *g, size_t line_c)
{
    size_t *order = g->fold_order;
    for (size_t end = 0; end < g->work->num_folds; end++) {
        size_t at = end;
        double lost = lost_in_fold(g, line_c, end);
        for (; at > 0 && lost_in_fold(g, line_c, order[at - 1]) < lost; at--)
            order[at] = order[at - 1];
        order[at] = end;
    }
}

static void compare(grid *g, size_t line_c, double c, double gamma)
{
    double quality = mean_quality(g, line_c);
    if (!is_better(g, quality, c, gamma))
        return;
    g->found = true;
    g->best_quality = quality;
    g->best_c = c;
    g->best_gamma = gamma;
    memcpy(g->best_scores, scores_at(g, line_c, 0),
           g->num_rows * g->work->num_variants * sizeof(double));
    order_folds(g, line_c);
}

/** Could it become the best, were all other rows' choices perfect? Rounding does not decide. */
static bool may_win(const grid *g, double lost)
{
    return !g->found || 1.0 - lost / (double)g->num_rows > g->best_quality - 1e-9;
}

/** Score the fold's rows, and drop the Cs that have lost too much. */
static void judge_fold(grid *g)
{
    const nitro_svm_pair_set pair_set = make_training_task(g, g->fold);
    size_t begin = g->fold_begin[g->fold], kept = 0;
    for (size_t c = 0; c < g->num_cs; c++) {
        size_t line_c = g->line_c[c];
        nitro_svm_pairs_vote(&pair_set, g->decisions, c, scores_at(g, line_c, begin));
        g->lost[line_c] += lost_in_fold(g, line_c, g->fold);
    }
    for (size_t c = 0; c < g->num_cs; c++)
        if (may_win(g, g->lost[g->line_c[c]])) {
            g->cs[kept] = g->cs[c];
            g->line_c[kept++] = g->line_c[c];
        }
    g->num_cs = kept;
}

static double gamma_of(const nitro_svm_work *work, double power)
{
    return exp2(power) / (double)(work->num_columns ? work->num_columns : 1);
}

static void start_line(grid *g, const grid_line *line, double base_c)
{
    g->num_cs = line->num_cs;
    for (size_t c = 0; c < line->num_cs; c++) {
        g->line_c[c] = c;
        g->cs[c] = exp2(base_c + line->cs[c]);
        g->lost[c] = 0.0;
    }
}

static nitro_status try_line(grid *g, const grid_line *line, double base_c, double base_gamma)
{
    const nitro_svm_work *work = g->work;
    double gamma = base_gamma + line->gamma;
    const nitro_svm_rows rows = {g->num_rows, g->points, NULL};
    const nitro_svm_distances none = {0};
    start_line(g, line, base_c);
    nitro_svm_kernel kernel;
    nitro_status status = nitro_svm_kernel_begin(g->context, work->inputs, gamma_of(work, gamma),
                                                 &rows, &rows, &none, &kernel);
    if (status == NITRO_OK)
        nitro_svm_kernel_fill(&kernel, g->kernel);
    nitro_svm_kernel_end(&kernel);
    nitro_svm_inputs_forget(work->inputs);
    for (size_t i = 0; status == NITRO_OK && i < work->num_folds; i++) {
        g->fold = g->fold_order[i];
        status = nitro_parallel_run(work->num_threads, g->num_cs ? g->num_pairs : 0, train_pair, g);
        if (status == NITRO_OK)
            judge_fold(g);
    }
    for (size_t c = 0; status == NITRO_OK && c < g->num_cs; c++)
        compare(g, g->line_c[c], base_c + line->cs[g->line_c[c]], gamma);
    return status;
}

static nitro_status run_lines(grid *g)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof coarse / sizeof coarse[0] && status == NITRO_OK; i++)
        status = try_line(g, &coarse[i], 0.0, 0.0);
    double base_c = g->best_c, base_gamma = g->best_gamma;
    for (size_t i = 0; i < sizeof fine / sizeof fine[0] && status == NITRO_OK; i++)
        status = try_line(g, &fine[i], base_c, base_gamma);
    return status;
}

nitro_status nitro_svm_grid_search(nitro_context *context, const nitro_svm_work *work,
                                   nitro_svm_choice *choice, double *scores)
{
    grid g = {.context = context, .work = work, .num_rows = work->rows.num_rows};
    if (work->num_folds < 2) {
        *choice = (nitro_svm_choice){FALLBACK_C, gamma_of(work, 0.0), NAN};
        return NITRO_OK;
    }
    nitro_svm_classes_find(work->labels, g.num_rows, work->num_variants, &g.classes);
    g.num_pairs = nitro_svm_classes_num_pairs(&g.classes);
    nitro_status status = create_grid(&g);
    if (status == NITRO_OK)
        status = run_lines(&g);
    if (status == NITRO_OK)
        *choice = (nitro_svm_choice){exp2(g.best_c), gamma_of(work, g.best_gamma), g.best_quality};
    for (size_t row = 0; status == NITRO_OK && scores && row < g.num_rows; row++)
        memcpy(scores + row * work->num_variants,
               g.best_scores + g.place_of[row] * work->num_variants,
               work->num_variants * sizeof(double));
    free_grid(&g);
    return status;
}
