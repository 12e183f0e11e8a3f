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

/** One evaluation; its maker keeps it until nitro_feature_evaluation_finish. */
typedef struct nitro_feature_evaluation {
    const nitro_computation *computation;
    void *argument;
    nitro_thread_pool *pool; /* NULL: none */
    struct nitro_feature_evaluation *next_unsent;
    size_t num_wanted;          /* threads that may still join */
    size_t num_helping;         /* that have joined; both guarded by the pool's lock */
    _Atomic double deadline_ms; /* no group begins that would end after it; INFINITY: none */
    atomic_size_t next;         /* group to begin */
    atomic_bool is_over;        /* the budget: some groups were not evaluated */
    size_t num_groups;          /* to evaluate... */
    uint8_t groups[NITRO_MAX_FEATURES]; /* ...which, shape [num_groups] */
    int failures[NITRO_MAX_FEATURES];   /* shape [num_groups] */
    double values[NITRO_MAX_FEATURES];  /* by feature; 0 where it is not evaluated */
} nitro_feature_evaluation;

/** @param[in] needed  a bit a feature: groups without any are skipped. */
void nitro_feature_evaluation_init(nitro_feature_evaluation *evaluation,
                                   const nitro_computation *computation, void *argument,
                                   uint64_t needed);

/** Let the pool begin. Allocates nothing; takes the pool's lock briefly. */
void nitro_feature_evaluation_begin(nitro_feature_evaluation *evaluation, nitro_thread_pool *pool,
                                    size_t num_pool_threads);

/**
 * Evaluate what nobody has begun, and wait for what others have.
 * @param[in] budget_us  begin nothing that, by its declared cost, would end later from now; 0: no
 *                       limit.
 * @return NITRO_OK, also where the budget was too small (is_over); NITRO_ERR_BAD_FEATURE.
 */
nitro_status nitro_feature_evaluation_finish(nitro_feature_evaluation *evaluation,
                                             double budget_us);

/** Does the pool gain more than it costs, by the declared costs? */
bool nitro_feature_evaluation_is_worth_helping(const nitro_feature_evaluation *evaluation);

/** @param[in] num_threads  at least 1. @return NITRO_OK or NITRO_ERR_NO_MEMORY (no threads). */
nitro_status nitro_thread_pool_create(nitro_context *context, size_t num_threads,
                                      nitro_thread_pool **pool);
/** No evaluation may be under way. */
void nitro_thread_pool_free(nitro_thread_pool *pool);
/** Not in a forked child, where the threads are not. */
bool nitro_thread_pool_is_running(const nitro_thread_pool *pool);
/** Offer an evaluation to the pool; withdraw it, and wait for its threads. */
void nitro_thread_pool_offer(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation,
                             size_t num_wanted);
void nitro_thread_pool_withdraw(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation);
/** Evaluate group after group until none is left. */
void nitro_feature_evaluation_work(nitro_feature_evaluation *evaluation);

#endif
