/* All of a grid, without a choice. Hides that the kernel between those who teach is never in memory
 * as a whole: what a training needs of it is multiplied, for all Cs at once. */
#include "nitro/learn/svm/svm_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/svm/svm_pairs.h"

#define FIRST_C     (-1)
#define C_STEP      1.5
#define FIRST_GAMMA (-4)
#define GAMMA_STEP  2

typedef struct sweep {
    nitro_context *context;
    const nitro_svm_training_points *training_rows;
    const nitro_svm_rows *asked;
    const nitro_svm_distances *distances;
    nitro_svm_classes classes;
    double cs[NITRO_SVM_SWEEP_CS];
    /* The teachers class by class, as LIBSVM adds them up; shape [rows], as are the next three. */
    size_t *points, *places, *labels, *members;
    nitro_svm_rows rows;  /* those */
    double *query_kernel; /* shape [rows x asked] */
    double *decisions;    /* shape [pairs x NITRO_SVM_SWEEP_CS x asked] */
} sweep;

static void order_rows(sweep *s)
{
    const nitro_svm_training_points *training_rows = s->training_rows;
    size_t next = 0;
    for (size_t k = 0; k < s->classes.count; k++)
        for (size_t row = 0; row < training_rows->rows.num_rows; row++)
            if (training_rows->labels[row] == s->classes.variants[k]) {
                s->points[next] = training_rows->rows.points[row];
                s->places[next] =
                    training_rows->distances.squares ? training_rows->rows.places[row] : 0;
                s->labels[next] = training_rows->labels[row];
                s->members[next] = next;
                next++;
            }
}

static nitro_status begin(sweep *s)
{
    size_t count = s->training_rows->rows.num_rows, num_asked = s->asked->num_rows;
    nitro_svm_classes_find(s->training_rows->labels, count, s->training_rows->num_variants,
                           &s->classes);
    size_t num_pairs = nitro_svm_classes_num_pairs(&s->classes);
    for (int c = 0; c < NITRO_SVM_SWEEP_CS; c++)
        s->cs[c] = exp2(FIRST_C + C_STEP * c);
    s->points = nitro_calloc(s->context, 4 * count, sizeof *s->points);
    s->query_kernel = nitro_calloc(s->context, count, num_asked * sizeof *s->query_kernel);
    s->decisions = nitro_calloc(s->context, NITRO_SVM_SWEEP_CS * (num_pairs + 1),
                                num_asked * sizeof *s->decisions);
    if (!s->points || !s->query_kernel || !s->decisions)
        return NITRO_ERR_NO_MEMORY;
    s->places = s->points + count;
    s->labels = s->places + count;
    s->members = s->labels + count;
    s->rows = (nitro_svm_rows){count, s->points, s->places};
    order_rows(s);
    return NITRO_OK;
}

static void end(sweep *s)
{
    free(s->points);
    free(s->query_kernel);
    free(s->decisions);
}

static nitro_status fill_asked(const sweep *s, double gamma)
{
    nitro_svm_kernel kernel;
    nitro_status status = nitro_svm_kernel_begin(s->context, s->training_rows->inputs, gamma,
                                                 &s->rows, s->asked, s->distances, &kernel);
    if (status == NITRO_OK)
        nitro_svm_kernel_fill(&kernel, s->query_kernel);
    nitro_svm_kernel_end(&kernel);
    return status;
}

static void gather(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column)
{
    nitro_svm_kernel_gather(user, row, rows, count, column);
}

/** All Cs. @param[out] scores  shape [NITRO_SVM_SWEEP_CS x asked x num_variants]. */
static nitro_status train_all(const sweep *s, const nitro_svm_kernel *kernel, double *scores)
{
    size_t num_asked = s->asked->num_rows, num_pairs = nitro_svm_classes_num_pairs(&s->classes);
    nitro_status status = NITRO_OK;
    const nitro_svm_pair_set pair_set = {.classes = &s->classes,
                                         .gather = gather,
                                         .user = kernel,
                                         .labels = s->labels,
                                         .members = s->members,
                                         .num_members = s->rows.num_rows,
                                         .asked = s->query_kernel,
                                         .stride = num_asked,
                                         .num_asked = num_asked,
                                         .cs = s->cs,
                                         .num_cs = NITRO_SVM_SWEEP_CS};
    for (size_t pair = 0; pair < num_pairs && status == NITRO_OK; pair++)
        status = nitro_svm_pair_decide(s->context, &pair_set, pair,
                                       s->decisions + pair * NITRO_SVM_SWEEP_CS * num_asked);
    for (size_t c = 0; c < NITRO_SVM_SWEEP_CS && status == NITRO_OK; c++)
        nitro_svm_pairs_vote(&pair_set, s->decisions, c,
                             scores + c * num_asked * s->training_rows->num_variants);
    return status;
}

static nitro_status sweep_line(const sweep *s, double gamma, double *scores)
{
    nitro_svm_kernel kernel;
    nitro_status status =
        nitro_svm_kernel_begin(s->context, s->training_rows->inputs, gamma, &s->rows, &s->rows,
                               &s->training_rows->distances, &kernel);
    if (status == NITRO_OK)
        status = fill_asked(s, gamma);
    if (status == NITRO_OK)
        status = train_all(s, &kernel, scores);
    nitro_svm_kernel_end(&kernel);
    return status;
}

nitro_status nitro_svm_sweep(nitro_context *context, const nitro_svm_training_points *training_rows,
                             const nitro_svm_rows *asked, const nitro_svm_distances *distances,
                             double *scores)
{
    sweep s = {
        .context = context, .training_rows = training_rows, .asked = asked, .distances = distances};
    size_t line_size = NITRO_SVM_SWEEP_CS * asked->num_rows * training_rows->num_variants;
    double columns = (double)(training_rows->num_columns ? training_rows->num_columns : 1);
    nitro_status status = begin(&s);
    for (int g = 0; g < NITRO_SVM_SWEEP_GAMMAS && status == NITRO_OK; g++)
        status = sweep_line(&s, exp2(FIRST_GAMMA + GAMMA_STEP * g) / columns,
                            scores + (size_t)g * line_size);
    end(&s);
    return status;
}
