/* One-vs-one SVMs for several C: one solver per pair of classes, whose kernel columns serve all C.
 * Only the kernel between training rows and queries is stored as a whole. */
#include "nitro/learn/svm/svm_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/svm/smo.h"
#include "nitro/learn/svm/svm.h"

#define STOP_TOLERANCE 1e-3

typedef struct sweep {
    nitro_context *context;
    const nitro_svm_training_points *training;
    const nitro_svm_kernel *kernel; /* among the training rows */
    size_t num_queries;
    const double *cs;
    size_t num_cs, num_classes;
    size_t classes[NITRO_MAX_VARIANTS]; /* shape [num_classes]: variants that occur, ascending */
    double *query_kernel;               /* shape [rows x queries] */
    double *decisions;                  /* shape [pairs x num_cs x queries] */
    /* One pair of classes: the rows of both, those of the first class first. */
    uint32_t *rows; /* shape [rows], as are the next two */
    signed char *labels;
    double *coefficients;
} sweep;

double nitro_svm_gamma(double power, size_t num_columns)
{
    return exp2(power) / (double)(num_columns ? num_columns : 1);
}

/** List the rows with a label from `count` on; returns the new count. */
static size_t list_rows(const sweep *s, size_t label, signed char sign, size_t count)
{
    for (size_t row = 0; row < s->training->rows.num_rows; row++)
        if (s->training->labels[row] == label) {
            s->rows[count] = (uint32_t)row;
            s->labels[count++] = sign;
        }
    return count;
}

static void gather(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column)
{
    nitro_svm_kernel_gather(user, row, rows, count, column);
}

/** Decision values of all queries, support vector by support vector as LIBSVM adds them. */
static void evaluate(const sweep *s, size_t num_rows, double rho, double *restrict decisions)
{
    size_t count = s->num_queries;
    for (size_t q = 0; q < count; q++)
        decisions[q] = 0.0;
    for (size_t k = 0; k < num_rows; k++) {
        const double *restrict kernel = s->query_kernel + s->rows[k] * count;
        double coefficient = s->coefficients[k];
        for (size_t q = 0; coefficient != 0.0 && q < count; q++)
            decisions[q] += coefficient * kernel[q];
    }
    for (size_t q = 0; q < count; q++)
        decisions[q] -= rho;
}

/** @param[out] decisions  shape [num_cs x queries]; above 0: the first class. */
static nitro_status train_pair(const sweep *s, size_t first, size_t second, double *decisions)
{
    size_t num_rows = list_rows(s, second, -1, list_rows(s, first, 1, 0));
    const nitro_smo_problem problem = {.num_rows = num_rows,
                                       .labels = s->labels,
                                       .ids = s->rows,
                                       .gather = gather,
                                       .user = s->kernel,
                                       .tolerance = STOP_TOLERANCE};
    nitro_smo *smo = NULL;
    nitro_status status = nitro_smo_create(s->context, &problem, &smo);
    for (size_t c = 0; status == NITRO_OK && c < s->num_cs; c++) {
        double rho;
        nitro_smo_solve(smo, s->cs[c], s->coefficients, &rho);
        evaluate(s, num_rows, rho, decisions + c * s->num_queries);
    }
    nitro_smo_free(smo);
    return status;
}

static nitro_status train_pairs(const sweep *s)
{
    double *decisions = s->decisions;
    nitro_status status = NITRO_OK;
    for (size_t a = 0; a < s->num_classes; a++)
        for (size_t b = a + 1; b < s->num_classes && status == NITRO_OK; b++) {
            status = train_pair(s, s->classes[a], s->classes[b], decisions);
            decisions += s->num_cs * s->num_queries;
        }
    return status;
}

static void vote(sweep *s, size_t c, double *scores)
{
    const nitro_svm_classifier classifier = {.num_classes = s->num_classes, .classes = s->classes};
    size_t num_pairs = nitro_svm_num_pairs(s->num_classes), width = s->training->num_variants;
    double own[NITRO_SVM_MAX_PAIRS];
    for (size_t q = 0; q < s->num_queries; q++) {
        for (size_t p = 0; p < num_pairs; p++)
            own[p] = s->decisions[(p * s->num_cs + c) * s->num_queries + q];
        nitro_svm_classifier_score(&classifier, own, width, scores + q * width);
    }
}

static void find_classes(sweep *s)
{
    bool occurs[NITRO_MAX_VARIANTS] = {false};
    for (size_t i = 0; i < s->training->rows.num_rows; i++)
        occurs[s->training->labels[i]] = true;
    for (size_t v = 0; v < s->training->num_variants; v++)
        if (occurs[v])
            s->classes[s->num_classes++] = v;
}

static nitro_status run(sweep *s, const nitro_svm_kernel *to_queries, double *scores)
{
    size_t count = s->training->rows.num_rows;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    find_classes(s);
    s->rows = nitro_calloc(s->context, count, sizeof *s->rows);
    s->labels = nitro_calloc(s->context, count, sizeof *s->labels);
    s->coefficients = nitro_calloc(s->context, count, sizeof *s->coefficients);
    s->query_kernel = nitro_calloc(s->context, count, s->num_queries * sizeof(double));
    s->decisions = nitro_calloc(s->context, s->num_cs * (nitro_svm_num_pairs(s->num_classes) + 1),
                                s->num_queries * sizeof(double));
    if (s->rows && s->labels && s->coefficients && s->query_kernel && s->decisions) {
        nitro_svm_kernel_fill(to_queries, s->query_kernel);
        status = train_pairs(s);
    }
    for (size_t c = 0; status == NITRO_OK && c < s->num_cs; c++)
        vote(s, c, scores + c * s->num_queries * s->training->num_variants);
    free(s->rows);
    free(s->labels);
    free(s->coefficients);
    free(s->query_kernel);
    free(s->decisions);
    return status;
}

nitro_status nitro_svm_sweep(nitro_context *context, const nitro_svm_training_points *training,
                             const nitro_svm_rows *queries, const nitro_svm_distances *distances,
                             double gamma, const double *cs, size_t num_cs, double *scores)
{
    nitro_svm_kernel among = {0}, to_queries = {0};
    sweep s = {.context = context,
               .training = training,
               .kernel = &among,
               .num_queries = queries->num_rows,
               .cs = cs,
               .num_cs = num_cs};
    nitro_status status = nitro_svm_kernel_begin(context, training->inputs, gamma, &training->rows,
                                                 &training->rows, &training->distances, &among);
    if (status == NITRO_OK)
        status = nitro_svm_kernel_begin(context, training->inputs, gamma, &training->rows, queries,
                                        distances, &to_queries);
    if (status == NITRO_OK)
        status = run(&s, &to_queries, scores);
    nitro_svm_kernel_end(&among);
    nitro_svm_kernel_end(&to_queries);
    return status;
}
