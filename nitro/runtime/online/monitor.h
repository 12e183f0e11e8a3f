/*
 * monitor.h - what nitro_run does besides if it is monitored: time calls, report drift, adapt
 * the choice, record. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_MONITOR_H
#define NITRO_RUNTIME_ONLINE_MONITOR_H

#include "nitro/base/rcu_pointer.h"
#include "nitro/runtime/online/adaptation.h"
#include "nitro/runtime/online/observations.h"

typedef struct nitro_monitor nitro_monitor;

/** What is monitored; all borrowed. */
typedef struct nitro_monitored {
    nitro_context *context;
    const nitro_schema *schema;
    const nitro_variant *variants; /* shape [schema->num_variants] */
    nitro_rcu_pointer *model;      /* a nitro_model */
} nitro_monitored;

/** One call that is timed; on the caller's stack. */
typedef struct nitro_monitor_call {
    const double *features;
    uint64_t key; /* of its bucket */
    size_t base;  /* what would have been chosen without */
    nitro_adaptation_choice choice;
} nitro_monitor_call;

nitro_status nitro_monitor_create(const nitro_monitored *monitored,
                                  const nitro_monitor_options *options, nitro_monitor **monitor);
void nitro_monitor_free(nitro_monitor *monitor);

/** Is this call one in so many of its thread's? */
bool nitro_monitor_samples(nitro_monitor *monitor);
/** A sampled call was decided, its features evaluated (or waited for), in so much wall time. */
void nitro_monitor_decided(nitro_monitor *monitor, double decision_ms);

/**
 * Shall this call be timed? If so, it may get another variant than was decided, of those allowed.
 * @param[in,out] decision  variant and reason.
 * @param[out]    call      holds on to `features`.
 */
bool nitro_monitor_begin(nitro_monitor *monitor, bool is_sampled, const double *features,
                         uint64_t allowed, nitro_decision *decision, nitro_monitor_call *call);

/** The clock by which calls are timed. */
double nitro_monitor_now_ms(const nitro_monitor *monitor);

/** The call was made. */
void nitro_monitor_end(nitro_monitor *monitor, const nitro_monitor_call *call, double prepare_ms,
                       double run_ms);
/** The variant could not do it: it is not tried here again. */
void nitro_monitor_failed(nitro_monitor *monitor, const nitro_monitor_call *call);

void nitro_monitor_count(const nitro_monitor *monitor, nitro_monitor_statistics *statistics);
/** NULL: nothing is recorded. */
nitro_observations *nitro_monitor_observations(const nitro_monitor *monitor);

#endif
