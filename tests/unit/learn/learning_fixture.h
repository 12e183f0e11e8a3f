/* learning_fixture.h - a store of the synthetic computation, training options, and the log. */
#ifndef NITRO_TESTS_UNIT_LEARN_LEARNING_FIXTURE_H
#define NITRO_TESTS_UNIT_LEARN_LEARNING_FIXTURE_H

#include "unit/synthetic_store.h"

typedef struct learning_fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_learn_options options;
    char log[UNIT_LOG_BYTES];
} learning_fixture;

/* The store has only the computation's names; what is as grave as `level` is kept. */
static inline learning_fixture *learning_setup(nitro_log_level level)
{
    learning_fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, level, unit_keep_log, f->log);
    f->folder = temporary_make();
    f->store = synthetic_store(f->context, &f->folder);
    nitro_learn_options_init(&f->options);
    return f;
}

static inline int learning_teardown(void **state)
{
    learning_fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

#endif
