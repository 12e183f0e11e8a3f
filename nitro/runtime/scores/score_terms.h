/* score_terms.h - a strategy's scores as data: a weighted sum of kernel, forest and SVM terms. Used
 * by compiled models and binary model files. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_SCORES_SCORE_TERMS_H
#define NITRO_RUNTIME_SCORES_SCORE_TERMS_H

#include "nitro/runtime/scores/forest.h"
#include "nitro/runtime/scores/kernel_expansion.h"
#include "nitro/runtime/scores/svm_classifier.h"

/** Maximum number of device features and of columns of a model. */
#define NITRO_MODEL_MAX_DEVICE_FEATURES 64
#define NITRO_MODEL_MAX_COLUMNS         (2 * NITRO_MAX_FEATURES + NITRO_MODEL_MAX_DEVICE_FEATURES)

typedef enum nitro_score_term_kind {
    NITRO_TERM_KERNELS,    /* losses, one output per variant: score = -output */
    NITRO_TERM_TREES,      /* the same by a forest */
    NITRO_TERM_SOFT_VOTES, /* kernels, one output per pair, clamped to +-1: a vote for one and
                              against the other */
    NITRO_TERM_VOTES, /* one-vs-one SVM classifiers, scored as nitro_svm_classifier_score does */
    NITRO_TERM_NUM_KINDS
} nitro_score_term_kind;

typedef struct nitro_score_term {
    nitro_score_term_kind kind;
    double weight;                   /* of its scores in the sum */
    nitro_kernel_expansion *kernels; /* KERNELS, SOFT_VOTES */
    nitro_forest *forest;            /* TREES */
    nitro_svm_classifier *svm;       /* VOTES */
    double *vectors;                 /* VOTES: shape [svm->num_vectors x num_columns] */
    double gamma;                    /* VOTES */
} nitro_score_term;

#define NITRO_SCORE_TERMS_MAX 8

struct nitro_score_terms {
    size_t num_columns, num_variants;
    size_t count;
    nitro_score_term items[NITRO_SCORE_TERMS_MAX]; /* shape [count]; pointers are borrowed or owned,
                                          as their maker documents */
};

/** Add a term; NITRO_ERR_ARGUMENT when there are too many. */
nitro_status nitro_score_terms_add(nitro_context *context, nitro_score_terms *terms,
                                   const nitro_score_term *term);
/** Free what the terms point to, for an owner. */
void nitro_score_terms_release(nitro_score_terms *terms);

/** Scores of one term, without its weight. @param[out] scores  shape [num_variants]. */
void nitro_score_term_score(const nitro_score_term *term, size_t num_columns, size_t num_variants,
                            const double *columns, double *scores);
/** The terms' scores times their weights, added in order. */
void nitro_score_terms_score(const nitro_score_terms *terms, const double *columns, double *scores);

/** Pairwise decisions, clamped to +-1, as votes for their first variant and against the other. */
void nitro_soft_votes(const double *decisions, size_t num_variants, double *scores);

#endif
