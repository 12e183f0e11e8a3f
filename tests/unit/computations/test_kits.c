/* Conformance of the computations made of kits: every variant on every family of inputs, from empty
 * ones on; results that nobody wrote are found; allocations that fail; what is allocated is freed
 * (under sanitizers). */
#include <limits.h>
#include <stdatomic.h>

#include "unit/computations/kit_cases.h"
#include "variants/histogram/histogram.h"
#include "variants/spmv/spmv.h"

extern const nitro_kit nitro_bfs_kit, nitro_histogram_kit, nitro_solver_kit, nitro_sort_kit,
    nitro_spmv_kit, nitro_transpose_kit, nitro_transpose_inplace_kit;

static const nitro_kit *const kits[] = {
    &nitro_bfs_kit,  &nitro_histogram_kit, &nitro_solver_kit,           &nitro_sort_kit,
    &nitro_spmv_kit, &nitro_transpose_kit, &nitro_transpose_inplace_kit};
#define NUM_KITS (sizeof(kits) / sizeof(kits[0]))

static void every_variant_on_every_family(void **state)
{
    static const double sizes[] = {0, 1, 2, 7, 33, 1000, 40001};
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        assert_ok(context, nitro_kit_create(context, kits[k], false, &computation));
        for (size_t family = 0; family < kits[k]->inputs->num_families; family++)
            for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                void *argument = kit_case_make(context, kits[k], false, family, sizes[s], label);
                kit_case_check(context, kits[k], computation, argument, label);
                nitro_kit_release(kits[k], argument); /* and again */
                kit_case_check(context, kits[k], computation, argument, label);
                nitro_kit_free(kits[k], false, argument);
            }
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

static void results_that_nobody_wrote_are_found(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL], why[512];
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        assert_ok(context, nitro_kit_create(context, kits[k], false, &computation));
        void *argument = kit_case_make(context, kits[k], false, 0, 1000, label);
        kit_case_check(context, kits[k], computation, argument, label);
        kit_case_call(computation, computation->hooks.restore_input, argument,
                      computation->hooks.user, "restore");
        why[0] = '\0';
        assert_int_equal(nitro_kit_check_result(kits[k], argument, why, sizeof(why)), 1);
        assert_true(why[0] != '\0');
        nitro_kit_free(kits[k], false, argument);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

static void a_changed_input_is_named(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL], why[256];
    nitro_computation *computation;
    (void)state;
    assert_ok(context, nitro_kit_create(context, &nitro_spmv_kit, false, &computation));
    void *argument = kit_case_make(context, &nitro_spmv_kit, false, 0, 1000, label);
    kit_case_check(context, &nitro_spmv_kit, computation, argument, label);
    ((double *)((nitro_spmv *)argument)->values)[1] += 1;
    assert_int_equal(
        computation->hooks.check_result(argument, why, sizeof(why), computation->hooks.user),
        NITRO_INPUT_CHANGED);
    assert_string_equal(why, "it changed its input: values is not what it was");
    nitro_kit_free(&nitro_spmv_kit, false, argument);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* Some pages of it are looked at, the last one among them. */
static void a_large_changed_input_is_named(void **state)
{
    enum { SAMPLES = 5 << 20 };
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL], why[256];
    nitro_computation *computation;
    (void)state;
    assert_ok(context, nitro_kit_create(context, &nitro_histogram_kit, false, &computation));
    nitro_histogram *argument =
        kit_case_make(context, &nitro_histogram_kit, false, 0, SAMPLES, label);
    assert_int_equal(argument->num_samples, SAMPLES);
    kit_case_check(context, &nitro_histogram_kit, computation, argument, label);
    ((uint32_t *)argument->samples)[SAMPLES - 1] ^= 1;
    assert_int_equal(nitro_kit_check_result(&nitro_histogram_kit, argument, why, sizeof(why)),
                     NITRO_INPUT_CHANGED);
    nitro_kit_free(&nitro_histogram_kit, false, argument);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* The variant that the reference function checks, too. */
static void a_wrong_reference_variant_is_told_where(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    nitro_computation *computation;
    (void)state;
    assert_ok(context, nitro_kit_create(context, &nitro_spmv_kit, false, &computation));
    void *argument = kit_case_make(context, &nitro_spmv_kit, false, 0, 1000, label);
    memset(((nitro_spmv *)argument)->y, 0xFF,
           (size_t)((nitro_spmv *)argument)->num_rows * sizeof(double));
    assert_int_equal(computation->hooks.keep_reference(argument, computation->hooks.user), 1);
    assert_non_null(
        strstr(nitro_computation_problem(computation, argument), "y[0] is nan instead"));
    assert_string_equal(nitro_computation_problem(computation, argument), "");
    nitro_kit_free(&nitro_spmv_kit, false, argument);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* ---- Allocations that fail: the linker sends the library's here ---- */

static atomic_llong allocations_left = LLONG_MAX;

static bool may_allocate(void)
{
    return atomic_load(&allocations_left) == LLONG_MAX ||
           atomic_fetch_sub(&allocations_left, 1) > 0;
}

/* Ends it; true: an allocation failed since allocations_left was set. */
static bool has_failed_to_allocate(void)
{
    return atomic_exchange(&allocations_left, LLONG_MAX) < 0;
}

#define WRAP(name, parameters, arguments)                                                          \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        return may_allocate() ? __real_##name arguments : NULL;                                    \
    }
WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *memory, size_t size), (memory, size))
WRAP(reallocarray, (void *memory, size_t count, size_t size), (memory, count, size))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

#define FEW        200
#define MOST_CALLS 2000

/* The last input, which no failure prevents. */
static void *make_with_failures(nitro_context *context, const nitro_kit *kit, char *label)
{
    void *argument = NULL;
    bool has_failed = true;
    for (long long left = 0; has_failed; left++) {
        nitro_random random;
        void *data = NULL;
        argument = NULL;
        nitro_random_seed(&random, 1);
        atomic_store(&allocations_left, left);
        nitro_status status = kit->inputs->make(context, 0, &random, FEW, label, &data);
        if (status == NITRO_OK && kit->adopt)
            status = kit->adopt(context, data, &argument);
        else
            argument = data;
        has_failed = has_failed_to_allocate();
        if (status != NITRO_OK)
            assert_int_equal(status, NITRO_ERR_NO_MEMORY);
        if (status != NITRO_OK)
            assert_true(has_failed && !argument);
        else if (has_failed)
            nitro_kit_free(kit, false, argument);
        assert_true(left < MOST_CALLS);
    }
    return argument;
}

static void run_with_failures(const nitro_kit *kit, const nitro_variant *variant, void *argument)
{
    bool has_failed = true;
    for (long long left = 0; has_failed; left++) {
        atomic_store(&allocations_left, left);
        int failure = variant->prepare ? variant->prepare(argument, variant->user) : 0;
        bool is_prepared = !failure;
        if (is_prepared)
            failure = variant->run(argument, variant->user);
        has_failed = has_failed_to_allocate();
        if (!is_prepared && failure != NITRO_ERR_NO_MEMORY) /* measuring tries again with more */
            fail_msg("%s: preparing %s returned %d", kit->name, variant->name, failure);
        if (failure && !has_failed && !variant->fails_cleanly)
            fail_msg("%s: %s failed with memory", kit->name, variant->name);
        nitro_kit_release(kit, argument);
        assert_true(left < MOST_CALLS);
    }
}

/* Where variants share what `release` frees, `run` makes it again. */
static void run_unprepared(const nitro_kit *kit, const nitro_variant *variant, void *argument)
{
    nitro_kit_release(kit, argument);
    atomic_store(&allocations_left, 0);
    int failure = variant->run(argument, variant->user);
    if (has_failed_to_allocate() && failure != NITRO_ERR_NO_MEMORY)
        fail_msg("%s: running %s without memory returned %d", kit->name, variant->name, failure);
    nitro_kit_release(kit, argument);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        double features[NITRO_MAX_FEATURES];
        assert_ok(context, nitro_kit_create(context, kits[k], false, &computation));
        void *argument = make_with_failures(context, kits[k], label);
        assert_ok(context, nitro_computation_evaluate(computation, argument, features));
        for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
            const nitro_variant *variant = &computation->variants[v];
            if (!variant->allows || variant->allows(features, argument, variant->user)) {
                run_with_failures(kits[k], variant, argument);
                if (variant->release && kits[k] != &nitro_spmv_kit) /* each has its own format */
                    run_unprepared(kits[k], variant, argument);
            }
        }
        kit_case_check(context, kits[k], computation, argument, label);
        nitro_kit_free(kits[k], false, argument);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

/* ---- Fields ---- */

typedef struct call_of {
    int64_t rows, cols;
    double *data, *sums;
    nitro_kept *kept;
} call_of;

static const nitro_field fields[] = {
    NITRO_NUMBER(call_of, rows),
    NITRO_NUMBER(call_of, cols),
    NITRO_ARRAY(call_of, data, NITRO_INOUT, NITRO_FLOAT64, "rows * cols"),
    NITRO_ARRAY(call_of, sums, NITRO_OUT, NITRO_FLOAT64, "rows + 2 * cols - 1",
                .agreement = NITRO_TOLERANCE, .tolerance = 0.1),
};
static const nitro_kit kit = {.name = "test",
                              .argument_bytes = sizeof(call_of),
                              .kept = offsetof(call_of, kept),
                              .fields = fields,
                              .num_fields = 4};

static void counts_follow_from_scalars(void **state)
{
    const call_of sizes = {.rows = 3, .cols = 5};
    nitro_field field = fields[3];
    int64_t count;
    (void)state;
    assert_int_equal(nitro_field_count_of(&kit, &fields[2], &sizes), 15);
    assert_int_equal(nitro_field_count_of(&kit, &fields[3], &sizes), 12);
    field.count = "rows - cols"; /* below 0 is 0 */
    assert_null(nitro_field_count(fields, 4, &field, &sizes, &count));
    assert_int_equal(count, 0);
    field.count = "rows + planes";
    assert_non_null(strstr(nitro_field_count(fields, 4, &field, &sizes, &count), "no scalar"));
    field.count = "rows / 2";
    assert_non_null(strstr(nitro_field_count(fields, 4, &field, &sizes, &count), "other than"));
    field.count = "rows * 9223372036854775807";
    assert_non_null(strstr(nitro_field_count(fields, 4, &field, &sizes, &count), "64 bits"));
}

static void what_overflows_is_not_allocated(void **state)
{
    nitro_context *context = unit_context();
    const call_of sizes = {.rows = INT64_MAX, .cols = 2};
    void *argument = NULL;
    (void)state;
    assert_fails(context, nitro_kit_allocate(context, &kit, &sizes, &argument), NITRO_ERR_ARGUMENT,
                 "the count of data, rows * cols, is more than");
    assert_null(argument);
    const call_of large = {.rows = INT64_MAX / 4, .cols = 2};
    assert_fails(context, nitro_kit_allocate(context, &kit, &large, &argument), NITRO_ERR_NO_MEMORY,
                 "out of memory for data");
    nitro_context_free(context);
}

static void arrays_in_place_are_restored_and_outputs_compared(void **state)
{
    nitro_context *context = unit_context();
    const call_of sizes = {.rows = 2, .cols = 2};
    char why[256];
    void *argument;
    (void)state;
    assert_ok(context, nitro_kit_allocate(context, &kit, &sizes, &argument));
    call_of *made = argument;
    made->data[3] = 7;
    assert_int_equal(nitro_kit_save_input(&kit, made), 0);
    made->data[3] = 8;
    made->sums[4] = 1;
    assert_int_equal(nitro_kit_keep_reference(&kit, made), 0); /* these results, then */
    nitro_kit_restore_input(&kit, made);
    assert_true(made->data[3] == 7);
    memset(made->sums, 0, 5 * sizeof(*made->sums));
    made->data[3] = 8;
    made->sums[4] = 1.05;
    assert_int_equal(nitro_kit_check_result(&kit, made, why, sizeof(why)), 0);
    memset(made->sums, 0, 5 * sizeof(*made->sums));
    assert_int_equal(nitro_kit_check_result(&kit, made, why, sizeof(why)), 1);
    assert_string_equal(why, "sums[4] is 0 instead of 1, and may be off by 0.1; 1 of 5 are wrong");
    nitro_kit_free(&kit, false, made);
    nitro_context_free(context);
}

/* ---- Comparing ---- */

typedef struct results {
    double sums[4], relative[4];
    int64_t large[2];
    double *to_sums, *to_relative;
    int64_t *to_large;
    nitro_kept *kept;
} results;

static const nitro_field result_fields[] = {
    NITRO_ARRAY(results, to_sums, NITRO_OUT, NITRO_FLOAT64, "4", .agreement = NITRO_TOLERANCE,
                .tolerance = 0.1),
    NITRO_ARRAY(results, to_relative, NITRO_OUT, NITRO_FLOAT64, "4", .agreement = NITRO_RELATIVE,
                .tolerance = 0.1),
    NITRO_ARRAY(results, to_large, NITRO_OUT, NITRO_INT64, "2"),
};

/* Gives no magnitudes. */
static int expected(void *argument, double *magnitudes)
{
    static const double numbers[4] = {INFINITY, -INFINITY, 100, 1};
    results *r = argument;
    (void)magnitudes;
    memcpy(r->to_sums, numbers, sizeof(numbers));
    memcpy(r->to_relative, numbers, sizeof(numbers));
    r->to_large[0] = r->to_large[1] = (INT64_C(1) << 60) + 1;
    return 0;
}

static const nitro_kit result_kit = {.name = "results",
                                     .argument_bytes = sizeof(results),
                                     .kept = offsetof(results, kept),
                                     .fields = result_fields,
                                     .num_fields = 3,
                                     .reference = expected};

static void keep_expected(results *r)
{
    *r = (results){.to_sums = r->sums, .to_relative = r->relative, .to_large = r->large};
    assert_int_equal(expected(r, NULL), 0);
    assert_int_equal(nitro_kit_keep_reference(&result_kit, r), 0);
}

/* Expected results but for *wrong (NULL: all) are checked; `says` NULL: they agree. */
static void check_says(results *r, double *wrong, double number, const char *says)
{
    char why[256] = "";
    assert_int_equal(expected(r, NULL), 0);
    if (wrong)
        *wrong = number;
    assert_int_equal(nitro_kit_check_result(&result_kit, r, why, sizeof(why)), says != NULL);
    assert_string_equal(why, says ? says : "");
}

static void infinity_agrees_with_itself_alone(void **state)
{
    results r;
    (void)state;
    keep_expected(&r);
    check_says(&r, NULL, 0, NULL);
    check_says(&r, &r.sums[0], 1,
               "to_sums[0] is 1 instead of inf, and may be off by 0; 1 of 4 are wrong");
    check_says(&r, &r.relative[1], INFINITY,
               "to_relative[1] is inf instead of -inf, and may be off by 0; 1 of 4 are wrong");
    check_says(&r, &r.relative[0], 1,
               "to_relative[0] is 1 instead of inf, and may be off by 0; 1 of 4 are wrong");
    nitro_kit_release(&result_kit, &r);
}

static void results_are_relative_to_themselves_without_magnitudes(void **state)
{
    results r;
    (void)state;
    keep_expected(&r);
    check_says(&r, &r.relative[2], 109, NULL);
    check_says(&r, &r.relative[2], 111,
               "to_relative[2] is 111 instead of 100, and may be off by 10; 1 of 4 are wrong");
    nitro_kit_release(&result_kit, &r);
}

static void integers_are_printed_with_all_digits(void **state)
{
    results r;
    char why[256];
    (void)state;
    keep_expected(&r);
    assert_int_equal(expected(&r, NULL), 0);
    r.large[1]++;
    assert_int_equal(nitro_kit_check_result(&result_kit, &r, why, sizeof(why)), 1);
    assert_string_equal(
        why, "to_large[1] is 1152921504606846978 instead of 1152921504606846977; 1 of 2 are wrong");
    nitro_kit_release(&result_kit, &r);
}

/* ---- Declarations ---- */

static nitro_status add_nothing(nitro_computation *computation)
{
    (void)computation;
    return NITRO_OK;
}

static void declarations_that_contradict_themselves_are_refused(void **state)
{
#define SUMS NITRO_ARRAY(call_of, sums, NITRO_OUT, NITRO_FLOAT64, "1")
#define ROWS NITRO_NUMBER(call_of, rows)
#define FIELD(its_role, its_element, its_offset, its_count)                                        \
    {                                                                                              \
        .name = "x", .role = its_role, .element = its_element, .offset = its_offset,               \
        .count = its_count                                                                         \
    }
    static const nitro_field wrong[][3] = {
        {ROWS, SUMS, SUMS},
        {ROWS, {.role = NITRO_SCRATCH, .offset = 8}, SUMS},
        {ROWS, FIELD(NITRO_SCALAR, NITRO_FLOAT64, 8, NULL), SUMS},
        {ROWS, FIELD(NITRO_IN, NITRO_BYTE, NITRO_NOWHERE, "1"), SUMS},
        {ROWS, FIELD(NITRO_IN, NITRO_BYTE, sizeof(call_of), "1"), SUMS},
        {ROWS, FIELD(NITRO_IN, NITRO_BYTE, offsetof(call_of, kept), "1"), SUMS},
        {ROWS, FIELD(NITRO_IN, NITRO_BYTE, 16, "99999999999999999999"), SUMS},
        {SUMS,
         NITRO_ARRAY(call_of, data, NITRO_OUT, NITRO_FLOAT64, "1", .agreement = NITRO_RELATIVE),
         NITRO_ARRAY(call_of, rows, NITRO_OUT, NITRO_FLOAT64, "2", .agreement = NITRO_RELATIVE)},
    };
    static const char *const says[] = {
        "test: two fields are named 'sums'",
        "test: field 1 has no name",
        "test: the scalar 'x' is neither NITRO_INT64 nor NITRO_INT32",
        "test: the field 'x' has no place in the host's argument, which only NITRO_SCRATCH can",
        "test: the field 'x' is at byte 40 of an argument of 40 bytes",
        "test: nitro_kit.kept is the place of the field 'x'",
        "test: the count of field 'x', '99999999999999999999', is more than 64 bits hold",
        "test: the outputs 'data' and 'rows' are both NITRO_RELATIVE",
    };
    nitro_context *context = unit_context();
    nitro_computation *computation;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        nitro_kit bad = kit;
        bad.fields = wrong[i];
        bad.num_fields = 3;
        bad.add_features = add_nothing;
        bad.reference = expected;
        assert_fails(context, nitro_kit_create(context, &bad, false, &computation),
                     NITRO_ERR_ARGUMENT, says[i]);
    }
    assert_fails(context, nitro_kit_create(context, &kit, false, &computation), NITRO_ERR_ARGUMENT,
                 "needed: kit->name && kit->add_features");
    nitro_context_free(context);
}

static int do_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

typedef struct device_call_of {
    call_of host;
    nitro_cuda cuda;
} device_call_of;

/* A declaration with one thing wrong. */
static void assert_refused(const nitro_kit *bad, const nitro_kit_device *device, const char *says)
{
    nitro_context *context = unit_context();
    nitro_computation *computation;
    nitro_kit wrong = *bad;
    wrong.add_features = add_nothing;
    wrong.device = device;
    assert_fails(context, nitro_kit_create(context, &wrong, device != NULL, &computation),
                 NITRO_ERR_ARGUMENT, says);
    nitro_context_free(context);
}

static void malformed_declarations_are_refused(void **state)
{
    static const nitro_variant plain = {.name = "plain", .run = do_nothing},
                               nameless = {.run = do_nothing};
    static const nitro_variant *const one[] = {&plain}, *const two[] = {&plain, &plain},
                                      *const unnamed[] = {&plain, &nameless},
                                      *const none[] = {NULL};
    static const nitro_field later[] = {
        NITRO_ARRAY(call_of, data, NITRO_OUT, NITRO_FLOAT64, "rows"),
        {.role = NITRO_SCALAR, .element = NITRO_INT64, .offset = offsetof(call_of, rows)}};
    static const nitro_field odd[] = {
        NITRO_ARRAY(call_of, data, (nitro_role)77, NITRO_FLOAT64, "1")};
    static const nitro_field odd_element[] = {
        NITRO_ARRAY(call_of, data, NITRO_OUT, (nitro_element)77, "1")};
    static const nitro_field far[] = {NITRO_ARRAY(call_of, data, NITRO_OUT, NITRO_FLOAT64, "1",
                                                  .is_on_device = true, .device_offset = 4096)};
    static const nitro_device_memory memory = {0};
    const nitro_kit_device sound = {.kind = "cuda",
                                    .memory = &memory,
                                    .argument_bytes = sizeof(device_call_of),
                                    .cuda = offsetof(device_call_of, cuda),
                                    .variants = one,
                                    .num_variants = 1};
    nitro_kit bad = kit;
    nitro_kit_device device;
    (void)state;
    bad.variants = one;
    bad.num_variants = 1;
    const nitro_kit good = bad;
#define REFUSED(of, member, value, says)                                                           \
    do {                                                                                           \
        bad = good;                                                                                \
        device = sound;                                                                            \
        (of).member = (value);                                                                     \
        assert_refused(&bad, &device, says);                                                       \
    } while (0)
    REFUSED(bad, fields, NULL, "test: nitro_kit.fields is NULL");
    REFUSED(bad, kept, sizeof(call_of), "test: nitro_kit.kept is outside the argument");
    REFUSED(bad, room, sizeof(call_of), "test: nitro_kit.room is outside the argument");
    REFUSED(bad, variants, NULL, "test: variant 0 of nitro_kit has no name");
    REFUSED(bad, variants, none, "test: variant 0 of nitro_kit has no name");
    REFUSED(device, variants, NULL, "test: variant 0 of its device has no name");
    REFUSED(device, variants, none, "test: variant 0 of its device has no name");
    REFUSED(device, memory, NULL, "test: nitro_kit_device.memory is NULL");
    REFUSED(device, cuda, sizeof(device_call_of), "nitro_kit.device->cuda is outside");
    bad = good;
    device = sound;
    bad.num_variants = device.num_variants = 2;
    bad.variants = unnamed;
    assert_refused(&bad, &device, "test: variant 1 of nitro_kit has no name");
    bad.variants = two;
    assert_refused(&bad, &device, "test: two variants of nitro_kit are named 'plain'");
    bad = good;
    device.variants = unnamed;
    assert_refused(&bad, &device, "test: variant 1 of its device has no name");
    device.variants = two;
    assert_refused(&bad, &device, "test: two variants of its device are named 'plain'");
    bad.fields = later;
    bad.num_fields = 2;
    assert_refused(&bad, &sound, "test: field 1 has no name");
    bad.num_fields = 1;
    bad.fields = odd;
    assert_refused(&bad, &sound, "test: the field 'data' has the role 77 and the element 4");
    bad.fields = odd_element;
    assert_refused(&bad, &sound, "test: the field 'data' has the role 2 and the element 77");
    bad.fields = far;
    assert_refused(&bad, &sound, "test: the field 'data' is at byte 4096 of a device's argument");
    nitro_context *context = unit_context();
    nitro_computation *computation;
    bad = good;
    bad.add_features = add_nothing;
    bad.device = &sound;
    assert_ok(context, nitro_kit_create(context, &bad, true, &computation));
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void null_is_refused(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    const call_of sizes = {.rows = 1, .cols = 1};
    void *argument = NULL;
    char name[NITRO_KIT_LABEL];
    const nitro_status statuses[] = {
        nitro_kit_create(NULL, &kit, false, &computation),
        nitro_kit_create(context, NULL, true, &computation),
        nitro_kit_add_features(NULL, NULL, 0, NULL, 0),
        nitro_kit_allocate(context, NULL, &sizes, &argument),
        nitro_kit_allocate(context, &kit, NULL, &argument),
        nitro_kit_allocate(context, &kit, &sizes, NULL),
        nitro_kit_load(context, NULL, false, "path", &argument),
        nitro_kit_generate(context, NULL, false, 0, 0, name, sizeof(name), &argument),
        nitro_kit_generate_limit(context, NULL, 0, NULL),
    };
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        assert_int_equal(statuses[i], NITRO_ERR_ARGUMENT);
    assert_null(argument);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_on_every_family),
        cmocka_unit_test(results_that_nobody_wrote_are_found),
        cmocka_unit_test(a_changed_input_is_named),
        cmocka_unit_test(a_large_changed_input_is_named),
        cmocka_unit_test(a_wrong_reference_variant_is_told_where),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(counts_follow_from_scalars),
        cmocka_unit_test(what_overflows_is_not_allocated),
        cmocka_unit_test(arrays_in_place_are_restored_and_outputs_compared),
        cmocka_unit_test(infinity_agrees_with_itself_alone),
        cmocka_unit_test(results_are_relative_to_themselves_without_magnitudes),
        cmocka_unit_test(integers_are_printed_with_all_digits),
        cmocka_unit_test(declarations_that_contradict_themselves_are_refused),
        cmocka_unit_test(malformed_declarations_are_refused),
        cmocka_unit_test(null_is_refused),
    };
    return cmocka_run_group_tests_name("kits", tests, NULL, NULL);
}
