/* computation.h - the body of a computation, and the steps of a decision. Internal to nitro/. */
#ifndef NITRO_RUNTIME_COMPUTATION_H
#define NITRO_RUNTIME_COMPUTATION_H

#include <stdatomic.h>

#include "nitro/base/rcu_pointer.h"
#include "nitro/nitro_backend.h"
#include "nitro/runtime/decision_log.h"
#include "nitro/runtime/feature_evaluation.h"
#include "nitro/runtime/memo.h"
#include "nitro/runtime/online/monitor.h"

/** Features that one function computes together; `first` indexes the schema's features. */
typedef struct nitro_feature_group {
    nitro_features_function evaluate;
    void *user;
    size_t first;
    size_t count;
} nitro_feature_group;

struct nitro_computation {
    nitro_context *context;
    nitro_schema *schema;
    char device_kind[64];
    nitro_variant variants[NITRO_MAX_VARIANTS]; /* names owned by the schema, versions by these */
    double feature_costs_ns[NITRO_MAX_FEATURES];
    nitro_feature_group groups[NITRO_MAX_FEATURES];
    size_t num_groups;
    bool has_constraints; /* does any variant refuse inputs? */
    size_t reference;     /* NITRO_NONE: the default variant */
    nitro_hooks hooks;
    bool closed;              /* a model was attached: declarations are over */
    nitro_rcu_pointer *model; /* a nitro_model; NULL: none attached */
    _Atomic(double) min_confidence;
    _Atomic(nitro_memo *) memo;       /* NULL: off, or no model yet */
    size_t memo_size;                 /* entries, as asked for */
    _Atomic uint64_t epoch;           /* of the memo's entries: from 1 on */
    atomic_size_t forced;             /* a variant; NITRO_NONE: the choice is free */
    nitro_decision_log *decision_log; /* NULL: decisions are not printed */
    nitro_monitor *monitor;           /* NULL: not monitored */
    _Atomic uint64_t needed;          /* a bit an input feature that is evaluated to decide */
    nitro_feature_options feature_options;
    nitro_thread_pool *pool; /* NULL: no threads yet */
};

/** Features whose evaluation is declared to cost something, and all those of groups with any of
 *  some features. */
uint64_t nitro_computation_expensive_features(const nitro_computation *computation);
uint64_t nitro_computation_whole_groups(const nitro_computation *computation, uint64_t features);

/** Evaluate the groups with needed features, one after the other; the other values are 0. On error
 *  the values are of no use. */
nitro_status nitro_computation_evaluate_some(const nitro_computation *computation,
                                             const void *argument, uint64_t needed, double *values);

/** What is known of an input when its variant is decided. */
typedef struct nitro_query {
    double features[NITRO_MAX_FEATURES]; /* 0 where not known */
    uint64_t known;                      /* a bit a feature */
    const void *argument;                /* NULL: features alone */
    bool is_over;                        /* the budget: too few features are known */
    uint64_t allowed;                    /* the answer's: a bit a variant that accepts the input */
} nitro_query;

/** @return as nitro_select, and NITRO_ERR_NO_DATA (without a message) where a model that was
 * attached meanwhile needs more than is known. */
nitro_status nitro_computation_decide(const nitro_computation *computation, nitro_query *query,
                                      nitro_decision *decision);
/** Evaluate what is needed to decide, and decide. */
nitro_status nitro_computation_query(const nitro_computation *computation, void *argument,
                                     nitro_query *query, nitro_decision *decision);
/** The same from an evaluation that was begun. */
nitro_status nitro_computation_query_begun(nitro_feature_evaluation *evaluation, uint64_t known,
                                           nitro_query *query, nitro_decision *decision);
/** The features that an evaluation has to give for now. */
uint64_t nitro_computation_needs(const nitro_computation *computation);
void nitro_computation_explain(const nitro_computation *computation, const nitro_query *query,
                               const nitro_decision *decision);

/** Why a function of a variant failed, by the application's hook; "": unknown. */
const char *nitro_computation_problem(const nitro_computation *computation, const void *argument);

#endif
