/* nitro_internal.h - struct bodies and functions that nitro/ shares with itself alone. */
#ifndef NITRO_RUNTIME_NITRO_INTERNAL_H
#define NITRO_RUNTIME_NITRO_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "nitro/base/settings_lookup.h"
#include "nitro/nitro_backend.h"
#include "nitro/runtime/decision_log.h"
#include "nitro/runtime/feature_evaluation.h"
#include "nitro/runtime/memo.h"
#include "nitro/runtime/online/monitor.h"
#include "nitro/runtime/rcu_pointer.h"

struct nitro_context {
    pthread_mutex_t error_lock;
    char error[4096];
    nitro_clock clock;
    nitro_log_level log_level;
    nitro_log_function log;
    void *log_user;
    nitro_setting_entries settings;            /* by the program */
    const nitro_device_kind *test_device_kind; /* asked before those built in; NULL: none */
};

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
    nitro_monitor *monitor;           /* NULL: nothing is watched */
    _Atomic uint64_t needed;          /* a bit an input feature that is evaluated to decide */
    nitro_feature_options feature_options;
    nitro_thread_pool *pool; /* NULL: no threads yet */
};

/** Index of a relative feature by name, or NITRO_NONE. */
size_t nitro_schema_relative(const nitro_schema *schema, const char *name);
/** "a, b, c": for errors. free() it; NULL: out of memory. */
char *nitro_schema_print_variants(const nitro_schema *schema);

/** The names a model was made for; its default variant is always set. */
const nitro_schema *nitro_model_schema(const nitro_model *model);

/** A bit an input feature that the model's scores depend on; all where that is not known. */
uint64_t nitro_model_used_features(const nitro_model *model);
/** Look at the ranges of these features alone. */
void nitro_model_judge(nitro_model *model, uint64_t features);
/** Are the features that the model looks at among these? */
bool nitro_model_knows(const nitro_model *model, uint64_t features);

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

/** Why a function of a variant failed, by the application's hook; "": nothing is known. */
const char *nitro_computation_problem(const nitro_computation *computation, const void *argument);

/** Prepare a model for deciding fast. @return NITRO_OK or NITRO_ERR_NO_MEMORY. */
nitro_status nitro_model_compile(nitro_model *model);

/**
 * Decide for one input: the best variant of those whose bit is set in `allowed`, by the model and
 * its guards. `allowed` has at least two bits. Allocates nothing, records no error.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE.
 */
nitro_status nitro_model_decide(const nitro_model *model, const double *features, uint64_t allowed,
                                double min_confidence, nitro_decision *decision);

#endif
