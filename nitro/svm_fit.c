/* What an SVM learnt, kept as its pairs' coefficients. Hides that its kernel is needed only while
 * it trains. */
#include "nitro/svm_fit.h"

#include <stdlib.h>

#include "nitro/parallel.h"
#include "nitro/svm_pairs.h"

struct nitro_svm_fit {
    nitro_context *context;
    const nitro_svm_work *work;
    nitro_svm_choice choice;
    nitro_svm_classes classes;
    nitro_svm_lesson lesson; /* of all rows; its kernel only while training */
    size_t *members;
    double *kernel;
    double *coefficients; /* shape [pairs x num_rows] */
    double *rho;          /* shape [pairs] */
};

void nitro_svm_fit_free(nitro_svm_fit *fit)
{
    if (!fit)
        return;
    free(fit->members);
    free(fit->kernel);
    free(fit->coefficients);
    free(fit->rho);
    free(fit);
}

static nitro_status create_fit(nitro_svm_fit *fit)
{
    const nitro_svm_work *work = fit->work;
    size_t count = work->rows.num_rows;
    nitro_svm_classes_find(work->labels, count, work->num_variants, &fit->classes);
    size_t num_pairs = nitro_svm_classes_num_pairs(&fit->classes);
    fit->members = nitro_calloc(fit->context, count, sizeof *fit->members);
    fit->kernel = nitro_calloc(fit->context, count, count * sizeof *fit->kernel);
    fit->coefficients = nitro_calloc(fit->context, num_pairs + 1, count * sizeof(double));
    fit->rho = nitro_calloc(fit->context, num_pairs + 1, sizeof(double));
    if (!fit->members || !fit->kernel || !fit->coefficients || !fit->rho)
        return NITRO_ERR_NO_MEMORY;
    size_t next = 0; /* class by class, as LIBSVM adds them up */
    for (size_t k = 0; k < fit->classes.count; k++)
        for (size_t row = 0; row < count; row++)
            if (work->labels[row] == fit->classes.variants[k])
                fit->members[next++] = row;
    fit->lesson = (nitro_svm_lesson){.classes = &fit->classes,
                                     .kernel = fit->kernel,
                                     .num_rows = count,
                                     .labels = work->labels,
                                     .members = fit->members,
                                     .num_members = count,
                                     .cs = &fit->choice.c,
                                     .num_cs = 1};
    return NITRO_OK;
}

static nitro_status fit_pair(void *user, size_t pair)
{
    nitro_svm_fit *fit = user;
    return nitro_svm_pair_train(fit->context, &fit->lesson, pair,
                                fit->coefficients + pair * fit->lesson.num_rows, &fit->rho[pair]);
}

nitro_status nitro_svm_fit_train(nitro_context *context, const nitro_svm_work *work,
                                 const nitro_svm_choice *choice, nitro_svm_fit **fit)
{
    nitro_svm_fit *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    made->work = work;
    made->choice = *choice;
    nitro_status status = create_fit(made);
    if (status == NITRO_OK)
        status = nitro_svm_kernel_fill(context, work->inputs, choice->gamma, &work->rows,
                                       &work->rows, &work->distances, made->kernel);
    if (status == NITRO_OK)
        status = nitro_parallel_run(work->num_threads, nitro_svm_classes_num_pairs(&made->classes),
                                    fit_pair, made);
    if (status != NITRO_OK) {
        nitro_svm_fit_free(made);
        return status;
    }
    free(made->kernel);
    made->kernel = NULL;
    *fit = made;
    return NITRO_OK;
}

nitro_status nitro_svm_fit_score(nitro_context *context, const nitro_svm_fit *fit,
                                 const nitro_svm_rows *asked, const nitro_svm_distances *distances,
                                 double *scores)
{
    const nitro_svm_work *work = fit->work;
    size_t count = work->rows.num_rows, num_pairs = nitro_svm_classes_num_pairs(&fit->classes);
    double *kernel = nitro_calloc(context, count, asked->num_rows * sizeof *kernel);
    double *decisions = nitro_calloc(context, num_pairs + 1, asked->num_rows * sizeof *decisions);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (kernel && decisions)
        status = nitro_svm_kernel_fill(context, work->inputs, fit->choice.gamma, &work->rows, asked,
                                       distances, kernel);
    if (status == NITRO_OK) {
        nitro_svm_lesson lesson = fit->lesson;
        lesson.asked = kernel;
        lesson.stride = lesson.num_asked = asked->num_rows;
        for (size_t pair = 0; pair < num_pairs; pair++)
            nitro_svm_pair_ask(&lesson, fit->coefficients + pair * count, fit->rho[pair],
                               decisions + pair * asked->num_rows);
        nitro_svm_pairs_vote(&lesson, decisions, 0, scores);
    }
    free(kernel);
    free(decisions);
    return status;
}
