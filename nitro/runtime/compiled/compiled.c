/*
 * Scores of compiled models, and bounds on their errors.
 *
 * Let u be the unit roundoff (2^-24 or 2^-53). A squared distance y over D columns, added in two
 * sums, has the relative error (D / 2 + 4) u, and rounding the point and the vectors adds
 * u R (1 + y), R being the Euclidean norm of |point| + |largest vector value|. A kernel 2^-y thus
 * has ln 2 times this as relative error, plus that of the exponential; its power p has p times as
 * much. Coefficients and sums add one u per step of the longest chain of additions. With w the
 * largest coefficient of a vector in any output, the sum S of w 2^-y, computed with the outputs,
 * turns this into a bound for all of them. The part that grows with y needs the sum of w y 2^-y:
 * y 2^-y = -k log2 k for the kernel k, which is concave and so lies below its tangents; the tangent
 * at k = 2^-j gives S (j - 1 / ln 2) + 2^-j W / ln 2, with W the sum of w.
 */
#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"
#include "nitro/runtime/compiled/compiled_body.h"
#include "nitro/runtime/scores/calibration.h"

#define LN2          0.6931471805599453
#define MARGIN       1.02 /* for products of errors, which are neglected */
#define NUM_TANGENTS 8

void nitro_compiled_free(nitro_compiled *compiled)
{
    if (!compiled)
        return;
    for (size_t b = 0; b < compiled->num_blocks; b++) {
        free(compiled->blocks[b].lists);
        free(compiled->blocks[b].single_values);
        free(compiled->blocks[b].double_values);
    }
    for (size_t i = 0; i < compiled->num_terms; i++) {
        free(compiled->terms[i].bias);
        nitro_compiled_forest_free(compiled->terms[i].forest);
    }
    free(compiled);
}

size_t nitro_compiled_num_vectors(const nitro_compiled *compiled)
{
    size_t count = 0;
    for (size_t b = 0; b < compiled->num_blocks; b++)
        count += compiled->blocks[b].num_distinct;
    return count;
}

bool nitro_compiled_is_exact(const double *scores, size_t num_variants, uint64_t allowed,
                             double bound, uint64_t exact)
{
    double best = -INFINITY;
    if (nitro_calibration_lead(scores, num_variants, allowed) > 2.0 * bound)
        return true;
    for (size_t v = 0; v < num_variants; v++)
        if (allowed >> v & 1 && scores[v] > best)
            best = scores[v];
    for (size_t v = 0; v < num_variants; v++)
        if (allowed >> v & 1 && !(scores[v] < best - 2.0 * bound) && !(exact >> v & 1))
            return false;
    return true;
}

nitro_precision nitro_compiled_first_precision(const nitro_compiled *compiled)
{
    return compiled->first;
}

/** The input scaled for a block, in both precisions. */
typedef struct scaled_point {
    double columns[NITRO_COMPILED_MAX_COLUMNS];
    float single[NITRO_COMPILED_MAX_COLUMNS];
} scaled_point;

/** Returns R. */
static double scale_point(const kernel_block *block, const double *columns, scaled_point *point)
{
    double square = 0.0;
    for (size_t c = 0; c < block->num_columns; c++) {
        double value = columns[block->columns[c]];
        if (block->clamped)
            value = nitro_clamp(value, -1.0, 1.0);
        value *= block->scale;
        point->columns[c] = value;
        point->single[c] = (float)value;
        double range = fabs(value) + block->largest[c];
        square += range * range;
    }
    return sqrt(square);
}

static void sum_block(const nitro_compiled *compiled, const kernel_block *block,
                      nitro_precision precision, const scaled_point *point, double *sums)
{
    nitro_kernel_rows rows = {.num_columns = block->num_columns,
                              .num_steps = block->num_steps,
                              .num_sums = block->num_sums,
                              .num_groups = block->num_groups,
                              .groups = block->groups,
                              .lists = block->lists};
    if (precision == NITRO_PRECISION_DOUBLE) {
        rows.values = block->double_values;
        compiled->engine->sum_double(&rows, point->columns, sums);
    } else {
        rows.values = block->single_values;
        compiled->engine->sum_single(&rows, point->single, sums);
    }
}

/** An upper bound of the sum of w y 2^-y. @param[in] sum  of w 2^-y. @param[in] weight  sum of w.
 */
static double bound_slopes(double sum, double weight)
{
    double least = INFINITY, height = weight * (1.0 / LN2);
    for (size_t j = 0; j < NUM_TANGENTS; j++, height *= 0.5) {
        double tangent = sum * ((double)j - 1.0 / LN2) + height;
        least = tangent < least ? tangent : least;
    }
    return least;
}

/** Bound on the errors of a group's outputs. @param[in] bound_sum  S above. */
static double find_bound(const nitro_compiled *compiled, const kernel_block *block, size_t group,
                         nitro_precision precision, double range, double bound_sum)
{
    bool is_single = precision == NITRO_PRECISION_SINGLE;
    double unit = is_single ? 0x1p-24 : 0x1p-53, power = (double)block->groups[group].power;
    size_t chain = is_single ? compiled->engine->chain_single : compiled->engine->chain_double;
    double moved = unit * range + unit * unit * range * range;
    double flat = power * (LN2 * moved + (NITRO_COMPILED_EXP_ULPS + 1.0) * unit) +
                  ((double)(chain + block->num_steps) + 2.0) * unit;
    double rising =
        LN2 * ((double)(block->num_columns / 2 + 5) * unit + moved) + block->gamma_error;
    return MARGIN * (flat * bound_sum + rising * bound_slopes(bound_sum, block->weights[group])) +
           block->floor;
}

/** Scores of the terms so far; `exact` is that of the last term. */
typedef struct score_sum {
    double *scores; /* shape [num_variants] */
    double bound;
    uint64_t exact;
} score_sum;

static void add_losses(const nitro_compiled *compiled, const compiled_term *term,
                       const double *outputs, double bound, score_sum *sum)
{
    for (size_t v = 0; v < compiled->num_variants; v++)
        sum->scores[v] -= term->weight * outputs[v];
    sum->bound += fabs(term->weight) * bound;
}

static void add_soft_votes(const nitro_compiled *compiled, const compiled_term *term,
                           const double *outputs, double bound, score_sum *sum)
{
    double own[NITRO_MAX_VARIANTS];
    nitro_soft_votes(outputs, compiled->num_variants, own);
    for (size_t v = 0; v < compiled->num_variants; v++)
        sum->scores[v] += term->weight * own[v];
    sum->bound += fabs(term->weight) * bound * (double)(compiled->num_variants - 1);
}

/** The classes, as bits, with a margin that may not be clamped, so that their scores are inexact.
 */
static uint64_t find_open(const nitro_svm_classifier *svm, const double *outputs, double bound)
{
    uint64_t open = 0;
    for (size_t a = 0, p = 0; a < svm->num_classes; a++)
        for (size_t b = a + 1; b < svm->num_classes; b++, p++)
            if (!(fabs(outputs[p]) - bound > 1.0))
                open |= UINT64_C(1) << a | UINT64_C(1) << b;
    return open;
}

/** Variants whose scores equal the SVM's bit for bit: the classes with the most votes, the only
 * ones whose ranks may change, if their votes are decided. */
static uint64_t find_exact(const nitro_svm_classifier *svm, const double *own, uint64_t open)
{
    double most = -INFINITY;
    uint64_t exact = 0;
    for (size_t k = 0; k < svm->num_classes; k++)
        most = fmax(most, own[svm->classes[k]]);
    for (size_t k = 0; k < svm->num_classes; k++) {
        if (own[svm->classes[k]] < floor(most)) /* the integer part is the votes */
            continue;
        if (open >> k & 1)
            return 0;
        exact |= UINT64_C(1) << svm->classes[k];
    }
    return exact;
}

/** Votes are decided if no decision value is within its bound of 0. */
static void add_votes(const nitro_compiled *compiled, const compiled_term *term,
                      const double *outputs, double bound, score_sum *sum)
{
    double own[NITRO_MAX_VARIANTS];
    size_t num_pairs = nitro_svm_num_pairs(term->svm->num_classes);
    for (size_t p = 0; p < num_pairs; p++)
        if (!(fabs(outputs[p]) > bound)) {
            sum->bound = INFINITY;
            return;
        }
    nitro_svm_classifier_score(term->svm, outputs, compiled->num_variants, own);
    for (size_t v = 0; v < compiled->num_variants; v++)
        sum->scores[v] += term->weight * own[v];
    sum->bound += fabs(term->weight) * bound;
    if (!(nitro_calibration_lead(own, compiled->num_variants, UINT64_MAX) > 2.0 * bound))
        sum->exact = find_exact(term->svm, own, find_open(term->svm, outputs, bound));
}

static void add_term(const nitro_compiled *compiled, const compiled_term *term,
                     const double *outputs, double bound, score_sum *sum)
{
    sum->exact = 0;
    switch (term->kind) {
    case NITRO_TERM_SOFT_VOTES:
        add_soft_votes(compiled, term, outputs, bound, sum);
        break;
    case NITRO_TERM_VOTES:
        add_votes(compiled, term, outputs, bound, sum);
        break;
    default:
        add_losses(compiled, term, outputs, bound, sum);
    }
}

static void score_block(const nitro_compiled *compiled, const kernel_block *block,
                        nitro_precision precision, const double *columns, score_sum *sum)
{
    scaled_point point;
    double sums[NITRO_COMPILED_MAX_SUMS];
    double range = scale_point(block, columns, &point);
    sum_block(compiled, block, precision, &point, sums);
    double *outputs = sums;
    for (size_t g = 0; g < block->num_groups; g++) {
        const nitro_kernel_group *group = &block->groups[g];
        const compiled_term *term = &compiled->terms[block->terms[g]];
        double bound =
            find_bound(compiled, block, g, precision, range, outputs[group->num_outputs]);
        for (size_t o = 0; o < group->num_outputs; o++)
            outputs[o] += term->bias[o];
        add_term(compiled, term, outputs, bound, sum);
        outputs += group->num_outputs + 1;
    }
}

static void score_trees(const nitro_compiled *compiled, const compiled_term *term,
                        nitro_precision precision, const double *columns, score_sum *sum)
{
    double outputs[NITRO_MAX_VARIANTS], bound = 0.0;
    if (precision == NITRO_PRECISION_SINGLE)
        bound = nitro_compiled_forest_predict(term->forest, columns, outputs);
    else
        nitro_forest_predict(term->trees, columns, outputs);
    add_losses(compiled, term, outputs, bound, sum);
}

double nitro_compiled_score(const nitro_compiled *compiled, nitro_precision precision,
                            const double *columns, double *scores, uint64_t *exact)
{
    score_sum sum = {.scores = scores,
                     /* rounding of the final sums in double precision */
                     .bound = 1e-14};
    for (size_t v = 0; v < compiled->num_variants; v++)
        scores[v] = 0.0;
    for (size_t i = 0; i < compiled->num_terms; i++)
        if (compiled->terms[i].kind == NITRO_TERM_TREES)
            score_trees(compiled, &compiled->terms[i], precision, columns, &sum);
    for (size_t b = 0; b < compiled->num_blocks; b++)
        score_block(compiled, &compiled->blocks[b], precision, columns, &sum);
    *exact = compiled->num_terms == 1 ? sum.exact : 0;
    return sum.bound;
}
