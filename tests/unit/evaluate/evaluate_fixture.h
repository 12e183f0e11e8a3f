/* evaluate_fixture.h - a store to evaluate, how, and the results. */
#ifndef NITRO_TESTS_UNIT_EVALUATE_EVALUATE_FIXTURE_H
#define NITRO_TESTS_UNIT_EVALUATE_EVALUATE_FIXTURE_H

#include <math.h>

#include "unit/synthetic_store.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_evaluate_options options;
    nitro_evaluate_result *results;
    size_t count;
    char log[UNIT_LOG_BYTES];
} fixture;

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    f->folder = temporary_make();
    f->store = synthetic_store(f->context, &f->folder);
    nitro_evaluate_options_init(&f->options);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    nitro_evaluate_results_free(f->results, f->count);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static inline void evaluate(fixture *f, const char *computation)
{
    nitro_evaluate_results_free(f->results, f->count);
    f->results = NULL;
    f->count = 0;
    assert_ok(f->context,
              nitro_evaluate(f->store, computation, &f->options, &f->results, &f->count));
}

static inline const nitro_evaluate_result *find(const fixture *f, const char *target,
                                                const char *method)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->results[i].target, target) == 0 && strcmp(f->results[i].method, method) == 0)
            return &f->results[i];
    fail_msg("no result of %s on %s", method, target);
    return NULL;
}

static inline void split(fixture *f, nitro_string_list *list, const char *names)
{
    assert_ok(f->context, nitro_string_list_split(f->context, list, names));
}

#endif
