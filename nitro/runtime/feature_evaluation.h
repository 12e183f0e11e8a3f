/*
 * feature_evaluation.h - evaluates the input features of one input by groups, on several threads,
 * within a budget. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_FEATURE_EVALUATION_H
#define NITRO_RUNTIME_FEATURE_EVALUATION_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"

/** Threads that evaluate features. */
typedef struct nitro_thread_pool nitro_thread_pool;

/** One evaluation; must live until nitro_feature_evaluation_finish. */
typedef struct nitro_feature_evaluation {
    const nitro_computation *computation;
    void *argument;
    nitro_thread_pool *pool; /* NULL: none */
    struct nitro_feature_evaluation *next_unsent;
    size_t num_wanted;                  /* threads that may still join */
    size_t num_helping;                 /* that have joined; both guarded by the pool's lock */
    _Atomic double deadline_ms;         /* deadline for declared costs; INFINITY: none */
    atomic_size_t next;                 /* group to begin */
    atomic_bool is_over;                /* over budget: some groups were not evaluated */
    size_t num_groups;                  /* to evaluate... */
    uint8_t groups[NITRO_MAX_FEATURES]; /* shape [num_groups]: evaluated */
    int failures[NITRO_MAX_FEATURES];   /* shape [num_groups] */
    double values[NITRO_MAX_FEATURES];  /* by feature; 0: not evaluated */
} nitro_feature_evaluation;

/** @param[in] needed  bit f: feature f; groups without any are skipped. */
void nitro_feature_evaluation_init(nitro_feature_evaluation *evaluation,
                                   const nitro_computation *computation, void *argument,
                                   uint64_t needed);

/** Start evaluating in the pool. Allocates nothing; takes the pool's lock briefly. */
void nitro_feature_evaluation_begin(nitro_feature_evaluation *evaluation, nitro_thread_pool *pool,
                                    size_t num_pool_threads);

/**
 * Evaluate the groups not yet begun, and wait for the others.
 * @param[in] budget_us  skip groups whose declared cost exceeds the remaining budget; 0: no limit.
 * @return NITRO_OK, also if the budget was exceeded (is_over); NITRO_ERR_BAD_FEATURE.
 */
nitro_status nitro_feature_evaluation_finish(nitro_feature_evaluation *evaluation,
                                             double budget_us);

/** @param[in] values  by feature. @return NITRO_OK or NITRO_ERR_BAD_FEATURE, naming the feature. */
nitro_status nitro_computation_require_finite(const nitro_computation *computation,
                                              const double *values);

/** Do the declared costs justify using the pool? */
bool nitro_feature_evaluation_is_worth_helping(const nitro_feature_evaluation *evaluation);

/** @param[in] num_threads  at least 1. @return NITRO_OK or NITRO_ERR_NO_MEMORY (no threads). */
nitro_status nitro_thread_pool_create(nitro_context *context, size_t num_threads,
                                      nitro_thread_pool **pool);
/** No evaluation may be in progress. */
void nitro_thread_pool_free(nitro_thread_pool *pool);
/** Does nothing in a forked child, which has no pool threads. */
bool nitro_thread_pool_is_running(const nitro_thread_pool *pool);
/** Offer an evaluation to the pool; withdraw it, and wait for its threads. */
void nitro_thread_pool_offer(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation,
                             size_t num_wanted);
void nitro_thread_pool_withdraw(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation);
/** Evaluate group after group until none is left. */
void nitro_feature_evaluation_work(nitro_feature_evaluation *evaluation);

#endif
