/* pending.h - timed calls whose work is still on a device's stream: their times become known later,
 * when nothing has to wait for them. Internal to nitro/. */
#ifndef NITRO_RUNTIME_ONLINE_PENDING_H
#define NITRO_RUNTIME_ONLINE_PENDING_H

#include "nitro/runtime/online/adaptation.h"

typedef struct nitro_pending nitro_pending;
typedef struct nitro_pending_call nitro_pending_call;

/** One timed call; on the caller's stack, and kept while it is pending. */
typedef struct nitro_monitor_call {
    const double *features;
    uint64_t key; /* of its bucket */
    size_t base;  /* choice without adaptation */
    nitro_adaptation_choice choice;
    void *stream;                /* of the argument, if variants are timed by the device */
    nitro_pending_call *pending; /* taken for this call; NULL: timed by the host */
} nitro_monitor_call;

/** @param[in] clock  borrowed; none of its functions is called before the first call. */
nitro_status nitro_pending_create(nitro_context *context, const nitro_stream_clock *clock,
                                  size_t num_features, nitro_pending **pending);
/** Calls that are still pending are dropped. NULL: nothing. */
void nitro_pending_free(nitro_pending *pending);

/** Take a place for a call on a stream. @return NULL: all are in use, or the stream captures. */
nitro_pending_call *nitro_pending_take(nitro_pending *pending, void *stream);
/** Give it back: the call is not timed by the device. */
void nitro_pending_leave(nitro_pending_call *taken);

/** Mark the stream before `run`. @return false: it failed, and the place is given back. */
bool nitro_pending_begin(nitro_pending *pending, const nitro_monitor_call *call);
/** Mark it after `run`, and keep the call; features are copied. @return as nitro_pending_begin. */
bool nitro_pending_end(nitro_pending *pending, const nitro_monitor_call *call, double prepare_ms);

/** @param[in] run_ms  NaN: the device failed. */
typedef void nitro_pending_function(void *user, const nitro_monitor_call *call, double prepare_ms,
                                    double run_ms);

/** Pass on the calls that are done, the oldest ones first, without waiting for others.
 *  @param[in] all  false: look at few that are not done. */
void nitro_pending_poll(nitro_pending *pending, bool all, nitro_pending_function *function,
                        void *user);

#endif
