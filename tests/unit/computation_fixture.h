/* computation_fixture.h - for tests of a computation alone: it and its context. */
#ifndef NITRO_TESTS_UNIT_COMPUTATION_FIXTURE_H
#define NITRO_TESTS_UNIT_COMPUTATION_FIXTURE_H

#include "unit/unit.h"

typedef struct computation_fixture {
    nitro_context *context;
    nitro_computation *computation;
} computation_fixture;

/* The computation of a module. */
static inline int computation_setup(void **state, const nitro_module *module)
{
    computation_fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    assert_ok(f->context, module->create(f->context, &f->computation));
    *state = f;
    return 0;
}

static inline int computation_teardown(void **state)
{
    computation_fixture *f = *state;
    nitro_computation_free(f->computation);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

#endif
