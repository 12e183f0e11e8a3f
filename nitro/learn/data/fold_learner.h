/* fold_learner.h - training of strategies on a sample of the set, with each fold of it held out in
 * turn: for those whose cost grows faster than the number of rows. Internal to nitro/learn. */
#ifndef NITRO_LEARN_DATA_FOLD_LEARNER_H
#define NITRO_LEARN_DATA_FOLD_LEARNER_H

#include "nitro/learn/data/folds.h"

/** What trainings on parts of one sample share. */
typedef struct nitro_fold_sample {
    nitro_context *context;
    const nitro_training_set *set;
    nitro_folds folds;
    double *columns; /* shape [sample x num_columns] */
    double *targets; /* shape [sample x num_variants]: of the regression */
    void *shared;    /* the learner's own; NULL: none */
} nitro_fold_sample;

/** A strategy's learner. Parts are trained one after the other; each training uses all threads. */
typedef struct nitro_fold_learner {
    /** nitro_losses_find or nitro_regrets_find. */
    nitro_status (*find_targets)(nitro_context *context, const nitro_training_set *set,
                                 const size_t *rows, size_t num_rows, double **targets);
    /** Make the learner's own shared data; freed with free(). NULL: none. */
    nitro_status (*prepare)(const nitro_fold_sample *sample, void **shared);
    /** @param[in] members  shape [count]: training rows, ascending indices into the sample; at
     *                      least one. */
    nitro_status (*train)(const nitro_fold_sample *sample, const size_t *members, size_t count,
                          void **predictor);
    void (*score)(const void *predictor, const double *columns, double *scores);
    void (*free)(void *predictor);
} nitro_fold_learner;

/** The source that a member is of; 0 if the set names none. */
size_t nitro_fold_source(const nitro_fold_sample *sample, size_t member);
/** The weight of a member's source; 1 if sources have none. */
double nitro_fold_source_weight(const nitro_fold_sample *sample, size_t member);
/** Copy the members that are of one source.
 *  @param[out] own  shape [count]. @return how many. */
size_t nitro_fold_members_of(const nitro_fold_sample *sample, const size_t *members, size_t count,
                             size_t source, size_t *own);
/** One more than the largest source of the set. */
size_t nitro_fold_num_sources(const nitro_fold_sample *sample);

/**
 * Train on a sample of the set and, for held-out scores, without each fold in turn. As `train` of
 * nitro_strategy.
 * @param[out] held_out_scores  NAN for rows outside the sample, and where nothing can be held out;
 *                              may be NULL. Undefined on errors.
 */
nitro_status nitro_fold_learner_train(nitro_context *context, const nitro_training_set *set,
                                      const nitro_fold_learner *learner, void **predictor,
                                      double *held_out_scores);

#endif
