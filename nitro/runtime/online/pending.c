/* Timed calls whose work is still on a stream. Places are taken and given back without locks. */
#include "nitro/runtime/online/pending.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUM_PLACES = 64, /* calls beyond that are not timed */
    MAX_BUSY = 4     /* places of a poll whose work is not done: streams may be slow */
};

enum { IS_FREE, IS_TAKEN, IS_RUNNING };

struct nitro_pending_call {
    atomic_int state;
    void *begin, *end; /* events; made once and used again */
    nitro_monitor_call call;
    double prepare_ms;
    double *features;
};

struct nitro_pending {
    const nitro_stream_clock *clock;
    size_t num_features;
    atomic_size_t next_taken, next_polled; /* modulo NUM_PLACES: places are used in turn */
    nitro_pending_call places[NUM_PLACES];
    double features[];
};

nitro_status nitro_pending_create(nitro_context *context, const nitro_stream_clock *clock,
                                  size_t num_features, nitro_pending **pending)
{
    size_t bytes = sizeof(nitro_pending) + NUM_PLACES * num_features * sizeof(double);
    nitro_pending *made = nitro_calloc(context, 1, bytes);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->clock = clock;
    made->num_features = num_features;
    for (size_t i = 0; i < NUM_PLACES; i++)
        made->places[i].features = made->features + i * num_features;
    *pending = made;
    return NITRO_OK;
}

void nitro_pending_free(nitro_pending *pending)
{
    if (!pending)
        return;
    for (size_t i = 0; i < NUM_PLACES; i++) {
        pending->clock->free(pending->places[i].begin);
        pending->clock->free(pending->places[i].end);
    }
    free(pending);
}

static bool take(nitro_pending_call *place, int from)
{
    return atomic_load_explicit(&place->state, memory_order_relaxed) == from &&
           atomic_compare_exchange_strong(&place->state, &from, IS_TAKEN);
}

nitro_pending_call *nitro_pending_take(nitro_pending *pending, void *stream)
{
    size_t first = atomic_load(&pending->next_taken);
    if (!pending->clock->may_mark(stream))
        return NULL;
    for (size_t i = 0; i < NUM_PLACES; i++) {
        nitro_pending_call *place = &pending->places[(first + i) % NUM_PLACES];
        if (take(place, IS_FREE)) {
            atomic_store(&pending->next_taken, first + i + 1);
            return place;
        }
    }
    return NULL;
}

void nitro_pending_leave(nitro_pending_call *taken)
{
    if (taken)
        atomic_store(&taken->state, IS_FREE);
}

bool nitro_pending_begin(nitro_pending *pending, const nitro_monitor_call *call)
{
    if (pending->clock->mark(call->stream, &call->pending->begin) == 0)
        return true;
    nitro_pending_leave(call->pending);
    return false;
}

bool nitro_pending_end(nitro_pending *pending, const nitro_monitor_call *call, double prepare_ms)
{
    nitro_pending_call *place = call->pending;
    if (pending->clock->mark(call->stream, &place->end) != 0) {
        nitro_pending_leave(place);
        return false;
    }
    memcpy(place->features, call->features, pending->num_features * sizeof(double));
    place->call = *call;
    place->call.features = place->features;
    place->prepare_ms = prepare_ms;
    atomic_store(&place->state, IS_RUNNING);
    return true;
}

void nitro_pending_poll(nitro_pending *pending, bool all, nitro_pending_function *function,
                        void *user)
{
    size_t first = atomic_load(&pending->next_polled), num_busy = 0, i;
    for (i = 0; i < NUM_PLACES && (all || num_busy < MAX_BUSY); i++) {
        nitro_pending_call *place = &pending->places[(first + i) % NUM_PLACES];
        double elapsed_ms = (double)NAN;
        if (!take(place, IS_RUNNING))
            continue;
        if (pending->clock->elapsed(place->begin, place->end, &elapsed_ms) == NITRO_STREAM_BUSY) {
            atomic_store(&place->state, IS_RUNNING);
            num_busy++;
            continue;
        }
        function(user, &place->call, place->prepare_ms, elapsed_ms);
        nitro_pending_leave(place);
    }
    atomic_store(&pending->next_polled, first + i); /* busy ones in turn, too */
}
