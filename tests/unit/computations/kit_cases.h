/* kit_cases.h - conformance of a computation made of a kit: every variant on an input, checked. */
#ifndef NITRO_TESTS_KIT_CASES_H
#define NITRO_TESTS_KIT_CASES_H

#include "nitro/kit/fields.h"
#include "nitro/runtime/computation.h"
#include "unit/unit.h"

/* Input `number`, of the families in turn, of a size that generate would not draw. */
static inline void *kit_case_make(nitro_context *context, const nitro_kit *kit, bool is_on_device,
                                  size_t number, double size, char *label)
{
    nitro_random random;
    void *data = NULL, *argument = NULL;
    nitro_random_seed(&random, number);
    assert_ok(context, kit->inputs->make(context, number % kit->inputs->num_families, &random, size,
                                         label, &data));
    argument = data;
    if (kit->adopt)
        assert_ok(context, kit->adopt(context, data, &argument));
    if (is_on_device) {
        void *larger = calloc(1, nitro_kit_device_bytes(kit));
        assert_non_null(larger);
        memcpy(larger, argument, kit->argument_bytes);
        free(argument);
        argument = larger;
    }
    return argument;
}

static inline void kit_case_call(const nitro_computation *computation,
                                 int (*function)(void *, void *), void *argument, void *user,
                                 const char *what)
{
    if (function && function(argument, user) != 0)
        fail_msg("%s failed: %s", what, nitro_computation_problem(computation, argument));
}

/* Run a variant; false: it failed without a result, as it may where fails_cleanly is declared. */
static inline bool kit_case_run_or_fail(const nitro_computation *computation,
                                        const nitro_variant *variant, void *argument)
{
    if (!variant->fails_cleanly) {
        kit_case_call(computation, variant->run, argument, variant->user, "run");
        return true;
    }
    int failure = variant->run(argument, variant->user);
    if (failure && nitro_outcome_of_failure(failure) == NITRO_OUTCOME_FAILED)
        fail_msg("%s: run returned %d", variant->name, failure);
    return failure == 0;
}

/* Run one variant as measuring does, and check its result; false: it is not allowed, or it failed
 * cleanly. */
static inline bool kit_case_run(const nitro_computation *computation, const nitro_variant *variant,
                                void *argument, const double *features, const char *label)
{
    const nitro_hooks *hooks = &computation->hooks;
    char why[512] = "";
    if (variant->allows && !variant->allows(features, argument, variant->user))
        return false;
    kit_case_call(computation, variant->prepare, argument, variant->user, "prepare");
    kit_case_call(computation, hooks->restore_input, argument, hooks->user, "restore_input");
    if (!kit_case_run_or_fail(computation, variant, argument))
        return false;
    if (hooks->check_result(argument, why, sizeof(why), hooks->user) != 0)
        fail_msg("%s: %s: %s: %s", nitro_computation_name(computation), label, variant->name, why);
    if (variant->release)
        variant->release(argument, variant->user);
    return true;
}

static inline void kit_case_check(nitro_context *context, const nitro_kit *kit,
                                  const nitro_computation *computation, void *argument,
                                  const char *label)
{
    const nitro_hooks *hooks = &computation->hooks;
    const nitro_variant *reference = &computation->variants[computation->reference];
    double features[NITRO_MAX_FEATURES];
    char text[256] = "";
    size_t num_runs = 0;
    nitro_kit_describe(kit, argument, text, sizeof(text));
    assert_true(text[0] != '\0');
    assert_ok(context, nitro_computation_evaluate(computation, argument, features));
    kit_case_call(computation, hooks->prepare_input, argument, hooks->user, "prepare_input");
    for (size_t v = 0; v <= nitro_computation_num_variants(computation); v++) {
        /* another one stands in for a reference that fails cleanly */
        const nitro_variant *first = v == 0 ? reference : &computation->variants[v - 1];
        kit_case_call(computation, first->prepare, argument, first->user, "prepare");
        if (kit_case_run_or_fail(computation, first, argument))
            break;
    }
    if (hooks->keep_reference(argument, hooks->user) != 0)
        fail_msg("%s: %s: the variant %s is wrong", kit->name, label, reference->name);
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++)
        num_runs += kit_case_run(computation, &computation->variants[v], argument, features, label);
    assert_true(num_runs > 0);
}

/* Calls on a device are timed and adapted without waiting for it.
 * @param[in] is_lazy  it works only while it is waited for */
static inline void kit_case_monitor(nitro_context *context, const nitro_kit *kit,
                                    nitro_computation *computation, void *argument, bool is_lazy)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    nitro_monitor_options options;
    nitro_monitor_statistics counts;
    nitro_monitor_options_init(&options);
    options.every = 1;
    assert_ok(context, nitro_computation_monitor(computation, &options));
    for (size_t i = 0; i < 100; i++)
        assert_ok(context, nitro_run(computation, argument, NULL));
    nitro_computation_monitor_statistics(computation, &counts);
    if (is_lazy)
        assert_int_equal(counts.num_timed, 0);
    assert_int_equal(kit->device->memory->wait(on_device), 0);
    nitro_computation_monitor_statistics(computation, &counts);
    assert_in_range(counts.num_timed, is_lazy ? 64 : 1, is_lazy ? 64 : 100);
    options.adapt_percent = 100;
    assert_ok(context, nitro_computation_monitor(computation, &options));
    for (size_t i = 0; i < 100; i++) {
        assert_ok(context, nitro_run(computation, argument, NULL));
        assert_int_equal(kit->device->memory->wait(on_device), 0);
    }
    nitro_computation_monitor_statistics(computation, &counts);
    assert_int_equal(counts.num_timed, 100);
    assert_true(counts.timed_ms > 0);
    assert_true(counts.num_explorations > 0 || nitro_computation_num_variants(computation) == 1);
    assert_ok(context, nitro_computation_monitor(computation, NULL));
}

#endif
