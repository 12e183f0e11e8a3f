/*
 * C and gamma by cross-validation. Hides how that is made fast: distances are computed once, the
 * kernel matrix once a gamma, and folds and Cs share it, in parallel.
 */
#include "nitro/svm_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/dataset.h"
#include "nitro/folds.h"
#include "nitro/parallel.h"
#include "nitro/svm.h"

#define MAX_FOLDS       5
#define MAX_SAMPLE_ROWS 1200 /* more change C and gamma little, and cost their square */
#define FALLBACK_C      8.0

/* The grids, as powers of two; gamma is per column, so that it means the same for any number. */
static const double coarse_c[] = {-1, 2, 5, 8, 11};
static const double coarse_gamma[] = {-4, -2, 0, 2, 4};
static const double fine_c[] = {-1.5, 0, 1.5};
static const double fine_gamma[] = {-1, 0, 1};

#define MAX_GRID_C 5

typedef struct svm_search {
    nitro_context *context;
    const nitro_training_set *set;
    nitro_folds sample;
    size_t *labels;  /* shape [num_rows] */
    double *squares; /* shape [num_rows x num_rows]: squared distances */
    double *kernel;  /* the same, for the gamma at hand */
    nitro_svm_points *points;
    const double *cs; /* the Cs at hand, as powers of two */
    double *scores;   /* shape [MAX_GRID_C x num_rows x num_variants] */
    bool found;
    double best_quality, best_c, best_gamma; /* powers of two */
    double *best_scores;                     /* shape [num_rows x num_variants] */
} svm_search;

/* ---- Kernel ---------------------------------------------------------------------------------- */

static nitro_status create_matrices(svm_search *search)
{
    size_t count = search->sample.num_rows, width = search->set->num_columns;
    size_t num_scores = count * search->set->num_variants;
    search->squares = nitro_calloc(search->context, count, count * sizeof(double));
    search->kernel = nitro_calloc(search->context, count, count * sizeof(double));
    search->scores = nitro_calloc(search->context, MAX_GRID_C * num_scores, sizeof(double));
    search->best_scores = nitro_calloc(search->context, num_scores, sizeof(double));
    if (!search->squares || !search->kernel || !search->scores || !search->best_scores)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const double *a = search->set->columns + search->sample.rows[i] * width;
        for (size_t j = 0; j < i; j++) {
            const double *b = search->set->columns + search->sample.rows[j] * width;
            double sum = 0.0;
            for (size_t c = 0; c < width; c++)
                sum += (a[c] - b[c]) * (a[c] - b[c]);
            search->squares[i * count + j] = search->squares[j * count + i] = sum;
        }
    }
    return nitro_svm_points_from_kernel(search->context, count, &search->points);
}

static double gamma_of(const svm_search *search, double power)
{
    size_t num_columns = search->set->num_columns;
    return exp2(power) / (double)(num_columns ? num_columns : 1);
}

static void set_gamma(svm_search *search, double power)
{
    size_t count = search->sample.num_rows;
    double gamma = gamma_of(search, power);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            search->kernel[i * count + j] = search->kernel[j * count + i] =
                exp(-gamma * search->squares[i * count + j]);
    nitro_svm_points_set_kernel(search->points, search->kernel);
}

/* ---- One training: a C, a fold --------------------------------------------------------------- */

typedef struct kernel_row {
    const double *values;
    const size_t *vector_rows;
} kernel_row;

static double look_up(const void *user, size_t vector)
{
    const kernel_row *row = user;
    return row->values[row->vector_rows[vector]];
}

static nitro_status train_fold(void *user, size_t index)
{
    const svm_search *search = user;
    size_t fold = index % search->sample.num_folds, at = index / search->sample.num_folds;
    size_t count = search->sample.num_rows, num_variants = search->set->num_variants, kept = 0;
    size_t *rows = nitro_calloc(search->context, count, sizeof *rows);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (search->sample.folds[i] != fold)
            rows[kept++] = i;
    nitro_svm_machine *machine = NULL;
    nitro_status status =
        nitro_svm_machine_train(search->context, search->points, rows, kept, search->labels,
                                exp2(search->cs[at]), 0.0, &machine);
    free(rows);
    if (status != NITRO_OK)
        return status;
    double decisions[NITRO_SVM_MAX_PAIRS];
    for (size_t i = 0; i < count; i++)
        if (search->sample.folds[i] == fold) {
            kernel_row row = {search->kernel + i * count, machine->vector_rows};
            nitro_svm_machine_decide(machine, look_up, &row, decisions);
            nitro_svm_machine_score(machine, decisions, num_variants,
                                    search->scores + (at * count + i) * num_variants);
        }
    nitro_svm_machine_free(machine);
    return NITRO_OK;
}

/* ---- The grid -------------------------------------------------------------------------------- */

/** Mean quality over the sample of the variants with the best scores. */
static double mean_quality(const svm_search *search, const double *scores)
{
    size_t num_variants = search->set->num_variants;
    double sum = 0.0;
    for (size_t i = 0; i < search->sample.num_rows; i++) {
        const double *times = search->set->times_ms + search->sample.rows[i] * num_variants;
        size_t chosen = nitro_scores_best(scores + i * num_variants, num_variants);
        sum += nitro_times_quality(times, num_variants, chosen);
    }
    return sum / (double)search->sample.num_rows;
}

static bool is_better(const svm_search *search, double quality, double c, double gamma)
{
    if (!search->found || quality != search->best_quality)
        return !search->found || quality > search->best_quality;
    return c != search->best_c ? c < search->best_c : gamma < search->best_gamma;
}

static void compare(svm_search *search, double gamma, size_t num_cs)
{
    size_t num_scores = search->sample.num_rows * search->set->num_variants;
    for (size_t i = 0; i < num_cs; i++) {
        const double *scores = search->scores + i * num_scores;
        double quality = mean_quality(search, scores);
        if (!is_better(search, quality, search->cs[i], gamma))
            continue;
        search->found = true;
        search->best_quality = quality;
        search->best_c = search->cs[i];
        search->best_gamma = gamma;
        memcpy(search->best_scores, scores, num_scores * sizeof *scores);
    }
}

/** Try all Cs with all gammas, each a sum of a base and an offset. */
static nitro_status try_grid(svm_search *search, double base_c, const double *cs, size_t num_cs,
                             double base_gamma, const double *gammas, size_t num_gammas)
{
    double powers[MAX_GRID_C];
    for (size_t i = 0; i < num_cs; i++)
        powers[i] = base_c + cs[i];
    search->cs = powers;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_gammas && status == NITRO_OK; i++) {
        set_gamma(search, base_gamma + gammas[i]);
        status = nitro_parallel_run(search->set->num_threads, num_cs * search->sample.num_folds,
                                    train_fold, search);
        if (status == NITRO_OK)
            compare(search, base_gamma + gammas[i], num_cs);
    }
    return status;
}

static nitro_status run_grids(svm_search *search)
{
    nitro_status status = try_grid(search, 0.0, coarse_c, 5, 0.0, coarse_gamma, 5);
    if (status == NITRO_OK)
        status = try_grid(search, search->best_c, fine_c, 3, search->best_gamma, fine_gamma, 3);
    return status;
}

static void hand_out(const svm_search *search, nitro_svm_choice *choice, double *scores)
{
    size_t num_variants = search->set->num_variants;
    *choice = (nitro_svm_choice){FALLBACK_C, gamma_of(search, 0.0), NAN};
    for (size_t i = 0; scores && i < search->set->num_rows * num_variants; i++)
        scores[i] = NAN;
    if (!search->found)
        return;
    *choice = (nitro_svm_choice){exp2(search->best_c), gamma_of(search, search->best_gamma),
                                 search->best_quality};
    for (size_t i = 0; scores && i < search->sample.num_rows; i++)
        memcpy(scores + search->sample.rows[i] * num_variants,
               search->best_scores + i * num_variants, num_variants * sizeof *scores);
}

static nitro_status gather_labels(svm_search *search, const size_t *labels)
{
    search->labels = nitro_calloc(search->context, search->sample.num_rows, sizeof *search->labels);
    if (!search->labels)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < search->sample.num_rows; i++)
        search->labels[i] = labels[search->sample.rows[i]];
    return NITRO_OK;
}

nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores)
{
    svm_search search = {.context = context, .set = set};
    nitro_status status =
        nitro_folds_draw(context, set, MAX_SAMPLE_ROWS, MAX_FOLDS, &search.sample);
    if (status == NITRO_OK)
        status = gather_labels(&search, labels);
    if (status == NITRO_OK && search.sample.num_folds > 1) {
        status = create_matrices(&search);
        if (status == NITRO_OK)
            status = run_grids(&search);
    }
    if (status == NITRO_OK)
        hand_out(&search, choice, scores);
    nitro_folds_free(&search.sample);
    free(search.labels);
    free(search.squares);
    free(search.kernel);
    free(search.scores);
    free(search.best_scores);
    nitro_svm_points_free(search.points);
    return status;
}
