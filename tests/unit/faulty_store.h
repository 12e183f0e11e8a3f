/* faulty_store.h - a store that tests can make unavailable: SQLite behind a switch in shared
 * memory, so that a parent controls its children's store. */
#ifndef NITRO_TESTS_UNIT_FAULTY_STORE_H
#define NITRO_TESTS_UNIT_FAULTY_STORE_H

#include <sys/mman.h>

#include "nitro/nitro_backend.h"
#include "unit/unit.h"

typedef enum faulty_mode {
    FAULTY_WELL,
    FAULTY_AWAY,        /* nothing can be read or written, nor a connection made */
    FAULTY_READ_ONLY,   /* also a full one: writes are refused */
    FAULTY_LOSES_REPLY, /* a write is done, and fails nevertheless: its answer was lost */
    FAULTY_DENIES       /* user or password is wrong */
} faulty_mode;

typedef struct faulty_switch {
    volatile faulty_mode mode;
    volatile size_t num_calls;  /* that reached the store */
    volatile size_t num_writes; /* of them */
    volatile size_t away_after; /* calls; 0: never */
    volatile size_t num_exist;  /* writes that find their inputs there, though nothing else does */
} faulty_switch;

extern const nitro_store_kind nitro_store_sqlite;
static faulty_switch *faulty; /* shared with children */

typedef struct faulty_store {
    nitro_context *context;
    void *sqlite;
} faulty_store;

static inline nitro_status faulty_gate(const faulty_store *store, bool is_write)
{
    faulty->num_calls++;
    faulty->num_writes += is_write;
    if (faulty->away_after && faulty->num_calls >= faulty->away_after)
        faulty->mode = FAULTY_AWAY;
    if (faulty->mode == FAULTY_AWAY)
        return nitro_fail(store->context, NITRO_ERR_IO, "faulty: connection refused");
    if (faulty->mode == FAULTY_DENIES)
        return nitro_fail(store->context, NITRO_ERR_DENIED, "faulty: WRONGPASS");
    if (is_write && faulty->mode == FAULTY_READ_ONLY)
        return nitro_fail(store->context, NITRO_ERR_IO, "faulty: READONLY or out of memory");
    if (is_write && faulty->num_exist > 0) {
        faulty->num_exist--;
        return nitro_fail(store->context, NITRO_ERR_EXISTS, "faulty: there is such a sample");
    }
    return NITRO_OK;
}

/* After a write that succeeded. */
static inline nitro_status faulty_reply(const faulty_store *store, nitro_status status)
{
    if (status == NITRO_OK && faulty->mode == FAULTY_LOSES_REPLY)
        return nitro_fail(store->context, NITRO_ERR_IO, "faulty: no reply");
    return status;
}

static inline nitro_status faulty_open(nitro_context *context, const char *address,
                                       nitro_store_mode mode, void **state)
{
    faulty_store *store = calloc(1, sizeof(*store));
    store->context = context;
    nitro_status status = faulty_gate(store, false);
    if (status == NITRO_OK)
        status = nitro_store_sqlite.open(context, address, mode, &store->sqlite);
    if (status == NITRO_OK)
        *state = store;
    else
        free(store);
    return status;
}

static inline void faulty_close(void *state)
{
    faulty_store *store = state;
    nitro_store_sqlite.close(store->sqlite);
    free(store);
}

/* A function of the kind: the gate, then SQLite's. */
#define FAULTY_READ(name, parameters, ...)                                                         \
    static inline nitro_status faulty_##name parameters                                            \
    {                                                                                              \
        faulty_store *store = state;                                                               \
        nitro_status status = faulty_gate(store, false);                                           \
        return status == NITRO_OK ? nitro_store_sqlite.name(store->sqlite, __VA_ARGS__) : status;  \
    }
#define FAULTY_WRITE(name, parameters, ...)                                                        \
    static inline nitro_status faulty_##name parameters                                            \
    {                                                                                              \
        faulty_store *store = state;                                                               \
        nitro_status status = faulty_gate(store, true);                                            \
        return status == NITRO_OK                                                                  \
                   ? faulty_reply(store, nitro_store_sqlite.name(store->sqlite, __VA_ARGS__))      \
                   : status;                                                                       \
    }

FAULTY_WRITE(put_schema, (void *state, const nitro_schema *schema), schema)
FAULTY_READ(get_schema, (void *state, const char *computation, nitro_schema **schema), computation,
            schema)
FAULTY_READ(list_computations, (void *state, nitro_string_list *list), list)
FAULTY_WRITE(put_device, (void *state, const nitro_device *device), device)
FAULTY_READ(get_device, (void *state, const char *id, nitro_device **device), id, device)
FAULTY_READ(list_devices, (void *state, const char *computation, nitro_string_list *ids),
            computation, ids)
FAULTY_WRITE(put_samples,
             (void *state, const char *computation, const char *device,
              const nitro_sample *const *samples, size_t count, bool replace),
             computation, device, samples, count, replace)
FAULTY_WRITE(put_recording,
             (void *state, const nitro_schema *schema, const nitro_device *device,
              const char *device_id, const nitro_sample_source *source, bool replace),
             schema, device, device_id, source, replace)
/* Somebody else is quicker: called once, after a sample was looked for. NULL: nobody. */
static void (*faulty_after_look)(void *user, const char *input);
static void *faulty_user;

static inline nitro_status faulty_get_sample(void *state, const char *computation,
                                             const char *device, const char *input,
                                             nitro_sample **sample)
{
    faulty_store *store = state;
    void (*after)(void *, const char *) = faulty_after_look;
    nitro_status status = faulty_gate(store, false);
    if (status != NITRO_OK)
        return status;
    status = nitro_store_sqlite.get_sample(store->sqlite, computation, device, input, sample);
    faulty_after_look = NULL;
    if (after)
        after(faulty_user, input);
    return status;
}

FAULTY_READ(list_inputs,
            (void *state, const char *computation, const char *device, nitro_string_list *inputs),
            computation, device, inputs)
FAULTY_READ(count_samples,
            (void *state, const char *computation, const char *device, size_t *count), computation,
            device, count)
FAULTY_WRITE(put_profiles,
             (void *state, const char *device, const nitro_profile *const *profiles, size_t count,
              bool replace),
             device, profiles, count, replace)
FAULTY_READ(each_profile,
            (void *state, const char *device, const char *computation,
             nitro_profile_function function, void *user, nitro_problem_function damaged,
             void *damaged_user),
            device, computation, function, user, damaged, damaged_user)
FAULTY_READ(count_profiles,
            (void *state, const char *device, const char *computation, size_t *count), device,
            computation, count)
FAULTY_WRITE(remove, (void *state, const char *computation, const char *device, size_t *removed),
             computation, device, removed)
FAULTY_WRITE(remove_profiles,
             (void *state, const char *device, const char *computation, size_t *removed), device,
             computation, removed)
FAULTY_WRITE(remove_samples,
             (void *state, const char *computation, const char *device,
              const nitro_sample *const *samples, size_t count, size_t *removed),
             computation, device, samples, count, removed)
FAULTY_WRITE(remove_device, (void *state, const char *id), id)
FAULTY_READ(verify, (void *state, nitro_problem_function report, void *user), report, user)
FAULTY_WRITE(remove_damaged, (void *state, bool dry_run, nitro_problem_function report, void *user),
             dry_run, report, user)
FAULTY_READ(layout_version, (void *state, int64_t *version), version)
FAULTY_READ(size_bytes, (void *state, uint64_t *bytes), bytes)

/* The input that another tuner has claimed; NULL: none. */
static const char *faulty_claimed_elsewhere;

static inline nitro_status faulty_claim(void *state, const char *computation, const char *device,
                                        const char *input, const char *owner, uint32_t lease_ms,
                                        bool *claimed)
{
    (void)computation, (void)device, (void)owner, (void)lease_ms;
    *claimed = !faulty_claimed_elsewhere || strcmp(input, faulty_claimed_elsewhere) != 0;
    return faulty_gate(state, true);
}

/* A loop over samples may be cut in the middle. */
typedef struct faulty_loop {
    const faulty_store *store;
    nitro_sample_function function;
    void *user;
} faulty_loop;

static inline nitro_status faulty_hand_on(void *user, const nitro_sample *sample)
{
    const faulty_loop *loop = user;
    nitro_status status = faulty_gate(loop->store, false);
    return status == NITRO_OK ? loop->function(loop->user, sample) : status;
}

static inline nitro_status faulty_each_sample(void *state, const char *computation,
                                              const char *device, nitro_sample_function function,
                                              void *user, nitro_problem_function damaged,
                                              void *damaged_user)
{
    faulty_store *store = state;
    faulty_loop loop = {store, function, user};
    nitro_status status = faulty_gate(store, false);
    return status == NITRO_OK
               ? nitro_store_sqlite.each_sample(store->sqlite, computation, device, faulty_hand_on,
                                                &loop, damaged, damaged_user)
               : status;
}

static const nitro_store_kind faulty_kind = {
    .scheme = "faulty",
    .description = "SQLite that a test can take away",
    .remote = true,
    .open = faulty_open,
    .close = faulty_close,
    .put_schema = faulty_put_schema,
    .get_schema = faulty_get_schema,
    .list_computations = faulty_list_computations,
    .put_device = faulty_put_device,
    .get_device = faulty_get_device,
    .list_devices = faulty_list_devices,
    .put_samples = faulty_put_samples,
    .put_recording = faulty_put_recording,
    .each_sample = faulty_each_sample,
    .get_sample = faulty_get_sample,
    .list_inputs = faulty_list_inputs,
    .count_samples = faulty_count_samples,
    .put_profiles = faulty_put_profiles,
    .each_profile = faulty_each_profile,
    .count_profiles = faulty_count_profiles,
    .remove_profiles = faulty_remove_profiles,
    .remove = faulty_remove,
    .remove_samples = faulty_remove_samples,
    .remove_device = faulty_remove_device,
    .claim = faulty_claim,
    .verify = faulty_verify,
    .remove_damaged = faulty_remove_damaged,
    .layout_version = faulty_layout_version,
    .size_bytes = faulty_size_bytes,
};

static inline void faulty_begin(void)
{
    faulty = mmap(NULL, sizeof(*faulty), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(faulty != MAP_FAILED);
}

static inline void faulty_end(void)
{
    munmap(faulty, sizeof(*faulty));
}

#endif
