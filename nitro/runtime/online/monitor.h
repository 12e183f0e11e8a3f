/*
 * monitor.h - what nitro_run does besides where it was asked to watch: time calls, tell drift,
 * refine the choice, record. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_MONITOR_H
#define NITRO_RUNTIME_ONLINE_MONITOR_H

#include "nitro/runtime/online/adaptation.h"
#include "nitro/runtime/online/observations.h"

typedef struct nitro_watch nitro_watch;

/** One call that is timed; on the caller's stack. */
typedef struct nitro_watch_call {
    const double *features;
    uint64_t key; /* of its region */
    size_t base;  /* what would have been chosen without */
    nitro_refine_choice choice;
} nitro_watch_call;

nitro_status nitro_watch_create(const nitro_computation *computation,
                                const nitro_watch_options *options, nitro_watch **watch);
void nitro_watch_free(nitro_watch *watch);

/** Is this call one in so many of its thread's? */
bool nitro_watch_samples(nitro_watch *watch);
/** A sampled call was decided, its features evaluated (or waited for), in so much wall time. */
void nitro_watch_decided(nitro_watch *watch, double decision_ms);

/**
 * Shall this call be timed? If so, it may get another variant than was decided, of those allowed.
 * @param[in,out] decision  variant and reason.
 * @param[out]    call      holds on to `features`.
 */
bool nitro_watch_begin(nitro_watch *watch, bool is_sampled, const double *features,
                       uint64_t allowed, nitro_decision *decision, nitro_watch_call *call);

/** The clock by which calls are timed. */
double nitro_watch_now_ms(const nitro_watch *watch);

/** The call was made. */
void nitro_watch_end(nitro_watch *watch, const nitro_watch_call *call, double prepare_ms,
                     double run_ms);
/** The variant could not do it: it is not tried here again. */
void nitro_watch_failed(nitro_watch *watch, const nitro_watch_call *call);

void nitro_watch_count(const nitro_watch *watch, nitro_watch_statistics *statistics);
/** NULL: nothing is recorded. */
nitro_observations *nitro_watch_observations(const nitro_watch *watch);

#endif
