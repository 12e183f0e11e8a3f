/* journal_fixture.h - a store with a journal in front, and another that can be made to fail. */
#ifndef NITRO_TESTS_UNIT_STORE_JOURNAL_FIXTURE_H
#define NITRO_TESTS_UNIT_STORE_JOURNAL_FIXTURE_H

#include "store/journal/journal_internal.h"
#include "unit/faulty_store.h"
#include "unit/store_records.h"
#include "unit/temporary.h"

static double clock_ms, call_ms; /* the time now, and what each call of the remote store takes */

static inline double read_clock(void *state)
{
    (void)state;
    return clock_ms + call_ms * (double)faulty->num_calls;
}

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char remote[128], journal[128];
    nitro_store *store;
    char log[UNIT_LOG_BYTES];
} fixture;

static inline void open_store(fixture *f)
{
    assert_ok(f->context,
              nitro_journal_open(f->context, &faulty_kind, f->remote, f->journal, &f->store));
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    clock_ms = 1000;
    call_ms = 0;
    faulty_begin();
    f->context = unit_context();
    const nitro_clock clock = {read_clock, read_clock, NULL};
    nitro_context_set_clock(f->context, &clock);
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, f->log);
    f->folder = temporary_make();
    snprintf(f->remote, sizeof(f->remote), "%s/remote", f->folder.folder);
    snprintf(f->journal, sizeof(f->journal), "%s/journal", f->folder.folder);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    faulty_end();
    return 0;
}

static inline void put_names(fixture *f)
{
    records_put_names(f->store, "spmv", "K20");
}

static inline void put(fixture *f, size_t first, size_t count)
{
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", first, count, true));
}

/* How many samples are in this file; each of them is as it was put. */
static inline size_t count_in(fixture *f, const char *path)
{
    nitro_store *store = NULL;
    size_t count = 0;
    nitro_status status = nitro_store_open(f->context, path, NITRO_STORE_READ, &store);
    if (status == NITRO_ERR_NOT_FOUND)
        return 0;
    assert_ok(f->context, status);
    status = nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count);
    if (status != NITRO_ERR_NOT_FOUND)
        assert_ok(f->context, status);
    records_assert_sound(store);
    nitro_store_close(store);
    return count;
}

static inline void assert_places(fixture *f, size_t remote, size_t waiting)
{
    assert_int_equal(count_in(f, f->remote), remote);
    assert_int_equal(count_in(f, f->journal), waiting);
}

#endif
