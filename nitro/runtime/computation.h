/* computation.h - the definition of a computation, and the steps of a decision. Internal to nitro/.
 */
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

/** Moves recorded calls to a store; libnitro-runtime has none. */
typedef struct nitro_recorder nitro_recorder;

struct nitro_computation {
    nitro_context *context;
    nitro_schema *schema;
    char device_kind[64];
    nitro_variant variants[NITRO_MAX_VARIANTS]; /* names owned by the schema, versions by these */
    uint64_t reads[NITRO_MAX_VARIANTS]; /* bit f: feature f is evaluated for the constraint */
    double feature_costs_ns[NITRO_MAX_FEATURES];
    nitro_member members[NITRO_MAX_FEATURES]; /* of the features that a declaration reads */
    nitro_feature_group groups[NITRO_MAX_FEATURES];
    size_t num_groups;
    bool has_constraints; /* does any variant have a constraint? */
    atomic_flag warned;   /* of a feature that failed */
    size_t reference;     /* NITRO_NONE: the default variant */
    nitro_hooks hooks;
    nitro_problem_text_function problem; /* NULL: unknown */
    void *problem_user;
    bool closed;              /* no further declarations: a model was attached */
    nitro_rcu_pointer *model; /* a nitro_model; NULL: none attached */
    _Atomic(double) min_confidence;
    _Atomic(float) share;             /* of the cost of preparing in every run: 1 / uses */
    _Atomic(nitro_memo *) memo;       /* NULL: off, or no model yet */
    size_t memo_size;                 /* requested capacity */
    _Atomic uint64_t epoch;           /* epoch of the memo's entries, from 1 */
    atomic_size_t forced;             /* the forced variant; NITRO_NONE: none */
    nitro_decision_log *decision_log; /* NULL: decisions are not printed */
    nitro_monitor *monitor;           /* NULL: not monitored */
    nitro_recorder *recorder;         /* NULL: none */
    _Atomic uint64_t needed;          /* bit f: input feature f is evaluated for decisions */
    _Atomic uint64_t first;           /* bit f: it is evaluated first, where uses are few */
    nitro_feature_options feature_options;
    nitro_thread_pool *pool; /* NULL: no threads yet */
};

/** Features with a declared cost, and all features of the groups of some features. */
uint64_t nitro_computation_expensive_features(const nitro_computation *computation);
uint64_t nitro_computation_whole_groups(const nitro_computation *computation, uint64_t features);

/** Evaluate the groups with needed features in sequence; the other values are 0. On error values
 * from the failing group on are NaN. */
nitro_status nitro_computation_evaluate_some(const nitro_computation *computation,
                                             const void *argument, uint64_t needed, double *values);
/** The same, and keep the other values. */
nitro_status nitro_computation_evaluate_more(const nitro_computation *computation,
                                             const void *argument, uint64_t needed, double *values);

/**
 * Evaluate all features, and time each group: the shortest of some calls, since the first one may
 * include page faults.
 * @param[out] values    shape [num_features].
 * @param[out] costs_ms  shape [num_features]: of a group at its first feature; NaN at the others.
 */
nitro_status nitro_computation_time_features(const nitro_computation *computation,
                                             const void *argument, double *values,
                                             double *costs_ms);

/** Store what is left and end; NULL: nothing. */
void nitro_recorder_end(nitro_recorder *recorder);
/** nitro_computation_record_to; in libnitro-runtime NITRO_ERR_NOT_BUILT. */
nitro_status nitro_configure_recorder(nitro_computation *computation, const char *url,
                                      double interval_s);

/** Give a variant's version this digest of its code, in the place of one that it has. */
nitro_status nitro_variant_set_digest(nitro_context *context, nitro_variant *variant,
                                      uint64_t digest);

/** Is a model attached? */
bool nitro_computation_has_model(const nitro_computation *computation);

/** An input's data for a decision. */
typedef struct nitro_query {
    double features[NITRO_MAX_FEATURES]; /* 0: not evaluated */
    uint64_t known;                      /* bit f: feature f was evaluated */
    const void *argument;                /* NULL: only features are known */
    float share;                         /* of the cost of preparing in every run: 1 / uses */
    bool is_over;                        /* decided without all needed features */
    uint64_t failed;                     /* bit v: variant v failed, and is not allowed */
    uint64_t allowed;                    /* output: bit v: variant v accepts the input... */
    uint64_t assumed; /* ...or is assumed to: its constraint reads features not known */
} nitro_query;

/** Check a call's options (NULL: none), and set the query's share by them. */
nitro_status nitro_query_set_options(const nitro_computation *computation,
                                     const nitro_call_options *options, nitro_query *query);
/** Evaluate the needed features, and decide. The query's share is set. */
nitro_status nitro_computation_query(const nitro_computation *computation, void *argument,
                                     nitro_query *query, nitro_decision *decision);
/** The same with an evaluation in progress, and the computation's default options. */
nitro_status nitro_computation_query_begun(nitro_feature_evaluation *evaluation, uint64_t known,
                                           nitro_query *query, nitro_decision *decision);
/** The features that a decision needs at present. */
uint64_t nitro_computation_needs(const nitro_computation *computation);
/**
 * After a variant of the query's allowed ones failed: decide among the others.
 * @param[in] reason  NITRO_REASON_UNPREPARED: take the default one; NITRO_REASON_RUN_FAILED: the
 *                    next best one.
 * @return false: there is no other.
 */
bool nitro_computation_decide_next(const nitro_computation *computation, nitro_query *query,
                                   nitro_reason reason, nitro_decision *decision);
void nitro_computation_explain(const nitro_computation *computation, const nitro_query *query,
                               const nitro_decision *decision);

/** Call `prepare` of a variant, if it has one, and return what it returned: 0 is success. */
int nitro_computation_prepare(const nitro_computation *computation, size_t variant, void *argument);

/** The application's reason for a variant's failure; "": unknown. */
const char *nitro_computation_problem(const nitro_computation *computation, const void *argument);

#endif
