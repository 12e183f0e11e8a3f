/* A ring of observations with sequence-locked entries, as in memo.c. */
#include "nitro/runtime/online/observations.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEPT = 1 << 22 };
/* TAKEN is written by the reader: 1 more than the number of the observation discarded here. */
enum { SEQUENCE, TAKEN, NUMBER, VARIANT, RUN_MS, PREPARE_MS, NUM_WORDS };

typedef _Atomic uint64_t word;

struct nitro_observations {
    size_t num_kept, num_features, stride;
    _Atomic uint64_t num_written;
    word *entries; /* shape [num_kept x stride] */
};

nitro_status nitro_observations_create(nitro_context *context, size_t num_kept, size_t num_features,
                                       nitro_observations **observations)
{
    if (num_kept == 0 || num_kept > MAX_KEPT)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%zu observations: use 1 to %d", num_kept,
                          MAX_KEPT);
    nitro_observations *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_kept = num_kept;
    made->num_features = num_features;
    made->stride = NUM_WORDS + num_features;
    made->entries = nitro_calloc(context, num_kept * made->stride, sizeof *made->entries);
    if (!made->entries) {
        free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    *observations = made;
    return NITRO_OK;
}

void nitro_observations_free(nitro_observations *observations)
{
    if (!observations)
        return;
    free(observations->entries);
    free(observations);
}

static uint64_t load(const word *from)
{
    return atomic_load_explicit((word *)(uintptr_t)from, memory_order_acquire);
}

static double load_double(const word *from)
{
    uint64_t bits = load(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void store(word *to, uint64_t value)
{
    atomic_store_explicit(to, value, memory_order_release);
}

static void store_double(word *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(to, bits);
}

static word *entry_of(const nitro_observations *observations, uint64_t number)
{
    return observations->entries + number % observations->num_kept * observations->stride;
}

void nitro_observations_add(nitro_observations *observations, const double *features,
                            size_t variant, double run_ms, double prepare_ms)
{
    uint64_t number = atomic_fetch_add(&observations->num_written, 1);
    word *entry = entry_of(observations, number);
    uint64_t sequence = load(entry + SEQUENCE);
    if (sequence % 2 || !atomic_compare_exchange_strong(entry + SEQUENCE, &sequence, sequence + 1))
        return;
    store(entry + NUMBER, number);
    store(entry + VARIANT, variant);
    store_double(entry + RUN_MS, run_ms);
    store_double(entry + PREPARE_MS, prepare_ms);
    for (size_t f = 0; f < observations->num_features; f++)
        store_double(entry + NUM_WORDS + f, features[f]);
    store(entry + SEQUENCE, sequence + 2);
}

size_t nitro_observations_capacity(const nitro_observations *observations)
{
    return observations->num_kept;
}

uint64_t nitro_observations_count(const nitro_observations *observations)
{
    return load(&observations->num_written);
}

bool nitro_observations_read(const nitro_observations *observations, size_t place,
                             nitro_observation *observation)
{
    const word *entry = entry_of(observations, place);
    uint64_t sequence = load(entry + SEQUENCE);
    if (sequence == 0 || sequence % 2)
        return false;
    observation->number = load(entry + NUMBER);
    observation->variant = (size_t)load(entry + VARIANT);
    observation->run_ms = load_double(entry + RUN_MS);
    observation->prepare_ms = load_double(entry + PREPARE_MS);
    for (size_t f = 0; f < observations->num_features; f++)
        observation->features[f] = load_double(entry + NUM_WORDS + f);
    return load(entry + SEQUENCE) == sequence && load(entry + TAKEN) != observation->number + 1;
}

void nitro_observations_forget(nitro_observations *observations, uint64_t number)
{
    store(entry_of(observations, number) + TAKEN, number + 1);
}
