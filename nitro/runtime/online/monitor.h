/* monitor.h - monitoring in nitro_run: times calls, reports drift, adapts the choice, records.
 * Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_MONITOR_H
#define NITRO_RUNTIME_ONLINE_MONITOR_H

#include "nitro/base/rcu_pointer.h"
#include "nitro/runtime/online/observations.h"
#include "nitro/runtime/online/pending.h"

typedef struct nitro_monitor nitro_monitor;

/** What is monitored; all borrowed. */
typedef struct nitro_monitored {
    nitro_context *context;
    const nitro_schema *schema;
    const nitro_variant *variants; /* shape [schema->num_variants] */
    const char *device_kind;
    const nitro_hooks *hooks;
    nitro_rcu_pointer *model; /* a nitro_model */
} nitro_monitored;

/** How a variant is timed on devices of that kind; never NITRO_TIME_OF_KIND. */
nitro_time_source nitro_variant_time_source(const nitro_variant *variant, const char *device_kind);

nitro_status nitro_monitor_create(const nitro_monitored *monitored,
                                  const nitro_monitor_options *options, nitro_monitor **monitor);
void nitro_monitor_free(nitro_monitor *monitor);

/** Is this call sampled? */
bool nitro_monitor_samples(nitro_monitor *monitor);
/** Record the wall time of a sampled call's feature evaluation and decision. */
void nitro_monitor_decided(nitro_monitor *monitor, double decision_ms);

/**
 * Decide whether to time this call; if so, adaptation may replace its variant by another allowed
 * one.
 * @param[in,out] decision  variant and reason.
 * @param[out]    call      borrows `features`.
 */
bool nitro_monitor_begin(nitro_monitor *monitor, bool is_sampled, const void *argument,
                         const double *features, uint64_t allowed, nitro_decision *decision,
                         nitro_monitor_call *call);

/** Count `count` earlier calls of a variant with this median time, before any call. */
void nitro_monitor_begin_with(nitro_monitor *monitor, const double *features, size_t variant,
                              double median_ms, size_t count);

/** The clock by which calls are timed. */
double nitro_monitor_now_ms(const nitro_monitor *monitor);

/** Just before `run`. @return false: the device cannot time it, and the call is over for the
 *  monitor. */
bool nitro_monitor_begin_run(nitro_monitor *monitor, nitro_monitor_call *call);

/** Account for a call whose `run` has returned; if the device times it, once that is done.
 *  @param[in] run_ms  not used if the device times it. */
void nitro_monitor_end(nitro_monitor *monitor, const nitro_monitor_call *call, double prepare_ms,
                       double run_ms);
/** Record the variant's failure: it is not explored again in this bucket.
 *  @param[in] fails_call  no other variant could be tried: it is explored in no other bucket,
 *                         either, where it has no times. */
void nitro_monitor_failed(nitro_monitor *monitor, const nitro_monitor_call *call, bool fails_call);

/** Account for the pending calls that are done by now. */
void nitro_monitor_poll(nitro_monitor *monitor);

void nitro_monitor_count(nitro_monitor *monitor, nitro_monitor_statistics *statistics);
/** NULL: nothing is recorded. */
nitro_observations *nitro_monitor_observations(const nitro_monitor *monitor);

#endif
