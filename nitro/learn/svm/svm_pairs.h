/* svm_pairs.h - one-vs-one machines on any kernel's values, for several C at once, asked about rows
 * that they did not see. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_PAIRS_H
#define NITRO_LEARN_SVM_SVM_PAIRS_H

#include "nitro/nitro_backend.h"

/** Which variants are labels at all. */
typedef struct nitro_svm_classes {
    size_t num_variants;
    size_t count;
    size_t variants[NITRO_MAX_VARIANTS]; /* shape [count], ascending */
} nitro_svm_classes;

void nitro_svm_classes_find(const size_t *labels, size_t num_rows, size_t num_variants,
                            nitro_svm_classes *classes);
/** Pairs go (0,1), (0,2), ..., (1,2), ... */
size_t nitro_svm_classes_num_pairs(const nitro_svm_classes *classes);

/** Who teaches, and who is asked about. All borrowed. */
typedef struct nitro_svm_pair_set {
    const nitro_svm_classes *classes;
    /** Write K(row, rows[k]) to column[k], k < count. */
    void (*gather)(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column);
    const void *user;
    const size_t *labels;  /* variants, by row */
    const size_t *members; /* shape [num_members]: the rows that teach, in LIBSVM's order */
    size_t num_members;
    const double *asked; /* the kernel of row r with the asked: asked[r * stride + 0 ..] */
    size_t stride, num_asked;
    const double *cs; /* shape [num_cs], ascending */
    size_t num_cs;
} nitro_svm_pair_set;

/**
 * Train the machine of one pair of classes for every C, and ask it. Decisions are those of LIBSVM
 * without shrinking on those kernel values, bit for bit.
 * @param[out] decisions  shape [num_cs x num_asked]; above 0: the pair's first. Untouched where one
 *                        of the two is no member's label: there is nothing to tell apart.
 */
nitro_status nitro_svm_pair_decide(nitro_context *context, const nitro_svm_pair_set *pair_set,
                                   size_t pair, double *decisions);

/**
 * Scores of the asked by the pairs' decisions, as nitro_svm_classifier_score has them.
 * @param[in]  decisions  shape [pairs x num_cs x num_asked].
 * @param[out] scores     shape [num_asked x num_variants].
 */
void nitro_svm_pairs_vote(const nitro_svm_pair_set *pair_set, const double *decisions, size_t c,
                          double *scores);

#endif
