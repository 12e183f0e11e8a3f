/* Declaring computations and dispatching without a model: names, order, constraints, features. */
#include <math.h>

#include "unit/computation_fixture.h"

static int add_one(void *argument, void *user)
{
    *(double *)argument += user ? *(double *)user : 1;
    return 0;
}

static int fail_always(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 7;
}

static bool never(const double *features, const void *argument, void *user)
{
    (void)features;
    (void)argument;
    (void)user;
    return false;
}

static bool when_feature_is_large(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] > 100;
}

static int value_itself(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return values[0] < -1000 ? 3 : 0;
}

static int setup(void **state)
{
    computation_fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    assert_ok(f->context, nitro_computation_create(f->context, "increment", &f->computation));
    nitro_feature value = {.name = "value", .unit = "1", .scale = NITRO_SCALE_LINEAR};
    assert_ok(f->context,
              nitro_computation_add_features(f->computation, &value, 1, value_itself, NULL));
    *state = f;
    return 0;
}

static void add(computation_fixture *f, const char *name, int (*run)(void *, void *),
                bool (*allows)(const double *, const void *, void *))
{
    nitro_variant variant = {.name = name, .run = run, .allows = allows};
    assert_ok(f->context, nitro_computation_add_variant(f->computation, &variant));
}

static void test_names_are_checked(void **state)
{
    computation_fixture *f = *state;
    nitro_computation *other = NULL;
    assert_fails(f->context, nitro_computation_create(f->context, "a b", &other),
                 NITRO_ERR_ARGUMENT, "'a b' is not a valid computation name");
    assert_null(other);
    nitro_variant invalid = {.name = "x,y", .run = add_one};
    assert_fails(f->context, nitro_computation_add_variant(f->computation, &invalid),
                 NITRO_ERR_ARGUMENT, "'x,y' is not a valid variant name");
    nitro_variant nothing = {.name = "nothing"};
    assert_fails(f->context, nitro_computation_add_variant(f->computation, &nothing),
                 NITRO_ERR_ARGUMENT, "no run function");
    nitro_variant timeless = {.name = "t", .run = add_one, .time_source = (nitro_time_source)77};
    assert_fails(f->context, nitro_computation_add_variant(f->computation, &timeless),
                 NITRO_ERR_ARGUMENT, "its time source 77 is none of nitro_time_source");
    add(f, "first", add_one, NULL);
    nitro_variant again = {.name = "first", .run = add_one};
    assert_fails(f->context, nitro_computation_add_variant(f->computation, &again),
                 NITRO_ERR_EXISTS, "'first' is declared twice");
    assert_int_equal(nitro_computation_num_variants(f->computation), 1);
    assert_string_equal(nitro_computation_variant_name(f->computation, 0), "first");
    assert_null(nitro_computation_variant_name(f->computation, 1));
}

static void test_a_group_of_features_is_declared_whole_or_not(void **state)
{
    computation_fixture *f = *state;
    nitro_feature group[] = {{.name = "fresh"}, {.name = "value"}};
    assert_fails(f->context,
                 nitro_computation_add_features(f->computation, group, 2, value_itself, NULL),
                 NITRO_ERR_EXISTS, "'value' is declared twice");
    static const struct {
        nitro_feature feature;
        const char *says;
    } wrong[] = {
        {{.name = "costly", .cost_ns = -1}, "feature 'costly': its cost_ns is not a finite"},
        {{.name = "odd", .scale = (nitro_scale)77}, "feature 'odd': its scale is none of"},
        {{.name = "wild", .unit = "\x1b[31m"}, "feature 'wild': its unit is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        group[1] = wrong[i].feature;
        assert_fails(f->context,
                     nitro_computation_add_features(f->computation, group, 2, value_itself, NULL),
                     NITRO_ERR_ARGUMENT, wrong[i].says);
    }
    assert_int_equal(nitro_computation_num_features(f->computation), 1);
}

static void test_limits_on_variants(void **state)
{
    computation_fixture *f = *state;
    for (int i = 0; i < NITRO_MAX_VARIANTS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "variant-%d", i);
        add(f, name, add_one, i == NITRO_MAX_VARIANTS - 1 ? NULL : never);
    }
    nitro_variant one_more = {.name = "one-more", .run = add_one};
    assert_fails(f->context, nitro_computation_add_variant(f->computation, &one_more),
                 NITRO_ERR_ARGUMENT, "64 is the limit");
    double argument = 1;
    nitro_decision decision;
    assert_ok(f->context, nitro_select(f->computation, &argument, &decision));
    assert_int_equal(decision.variant, NITRO_MAX_VARIANTS - 1);
    assert_int_equal(decision.reason, NITRO_REASON_ONLY_ALLOWED);
    assert_true(decision.confidence == 1);
}

static void test_default_without_a_model(void **state)
{
    computation_fixture *f = *state;
    add(f, "first", fail_always, NULL);
    add(f, "second", add_one, NULL);
    double argument = 1;
    nitro_decision decision;
    assert_ok(f->context, nitro_select(f->computation, &argument, &decision));
    assert_string_equal(decision.variant_name, "first");
    assert_int_equal(decision.reason, NITRO_REASON_NO_MODEL);
    assert_true(decision.confidence == 0);
    assert_fails(f->context, nitro_run(f->computation, &argument, &decision),
                 NITRO_ERR_VARIANT_FAILED, "variant first failed (it returned 7)");

    assert_ok(f->context, nitro_computation_set_default(f->computation, "second"));
    assert_ok(f->context, nitro_run(f->computation, &argument, NULL));
    assert_true(argument == 2);
    assert_fails(f->context, nitro_computation_set_default(f->computation, "third"),
                 NITRO_ERR_NOT_FOUND, "no variant 'third'");
}

static void test_constraints_move_the_default(void **state)
{
    computation_fixture *f = *state;
    add(f, "large-only", add_one, when_feature_is_large);
    add(f, "second", add_one, NULL);
    add(f, "third", add_one, NULL);
    nitro_decision decision;
    double small = 1, large = 1000;
    assert_ok(f->context, nitro_select(f->computation, &small, &decision));
    assert_string_equal(decision.variant_name, "second");
    assert_ok(f->context, nitro_select_features(f->computation, &large, 1, &decision));
    assert_string_equal(decision.variant_name, "large-only");
}

static int negated(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = -*(const double *)argument;
    return 0;
}

static bool when_last_feature_is_large(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[1] > 100;
}

static int refuse(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 1;
}

/* Constraints are asked when their variant is about to be taken, and with the features they read.
 */
static void test_constraints_of_what_is_tried(void **state)
{
    computation_fixture *f = *state;
    const nitro_feature last = {.name = "negated", .unit = "1", .scale = NITRO_SCALE_LINEAR};
    const nitro_variant unready = {.name = "unready", .run = add_one, .prepare = refuse};
    nitro_decision decision;
    double small = 1, large = 1000, least = -500, refused = -2000;
    assert_ok(f->context, nitro_computation_add_features(f->computation, &last, 1, negated, NULL));
    assert_ok(f->context, nitro_computation_add_variant(f->computation, &unready));
    add(f, "large-only", add_one, when_feature_is_large);
    add(f, "small-only", add_one, when_last_feature_is_large);
    add(f, "any", add_one, NULL);
    assert_ok(f->context, nitro_run(f->computation, &small, &decision));
    assert_string_equal(decision.variant_name, "any");
    assert_int_equal(decision.reason, NITRO_REASON_UNPREPARED);
    assert_ok(f->context, nitro_run(f->computation, &large, &decision));
    assert_string_equal(decision.variant_name, "large-only");
    assert_ok(f->context, nitro_run(f->computation, &least, &decision));
    assert_string_equal(decision.variant_name, "small-only");
    assert_ok(f->context, nitro_computation_set_default(f->computation, "small-only"));
    assert_ok(f->context, nitro_select(f->computation, &least, &decision));
    assert_string_equal(decision.variant_name, "small-only");
    assert_ok(f->context, nitro_computation_set_default(f->computation, "large-only"));
    assert_ok(f->context, nitro_select(f->computation, &refused, &decision));
    assert_int_equal(decision.reason, NITRO_REASON_BAD_FEATURE);
}

static void test_no_variant_is_an_error(void **state)
{
    computation_fixture *f = *state;
    double argument = 1;
    nitro_decision decision = {.variant = 99};
    assert_fails(f->context, nitro_select(f->computation, &argument, &decision),
                 NITRO_ERR_NO_VARIANT, "has no variants: declare one");
    add(f, "never", add_one, never);
    assert_fails(f->context, nitro_select(f->computation, &argument, &decision),
                 NITRO_ERR_NO_VARIANT,
                 ": no variant accepts this input; declare one that always does");
    assert_int_equal(decision.variant, 99);
}

static void test_bad_feature_values(void **state)
{
    computation_fixture *f = *state;
    add(f, "first", add_one, NULL);
    nitro_decision decision;
    double not_a_number = NAN, refused = -2000, value = 7;
    assert_fails(f->context, nitro_computation_evaluate(f->computation, &not_a_number, &value),
                 NITRO_ERR_BAD_FEATURE, "feature value is nan");
    assert_fails(f->context, nitro_computation_evaluate(f->computation, &refused, &value),
                 NITRO_ERR_BAD_FEATURE, "function of feature value failed with 3");
    assert_true(value == 7);
    double infinite = INFINITY;
    assert_fails(f->context, nitro_select_features(f->computation, &infinite, 2, &decision),
                 NITRO_ERR_ARGUMENT, "features given: 2; declared: 1");
}

static void test_user_pointer_travels(void **state)
{
    computation_fixture *f = *state;
    double step = 10, argument = 1;
    nitro_variant variant = {.name = "step", .run = add_one, .user = &step};
    assert_ok(f->context, nitro_computation_add_variant(f->computation, &variant));
    assert_ok(f->context, nitro_run(f->computation, &argument, NULL));
    assert_true(argument == 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_are_checked, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(test_a_group_of_features_is_declared_whole_or_not, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(test_limits_on_variants, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(test_default_without_a_model, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(test_constraints_move_the_default, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(test_constraints_of_what_is_tried, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(test_no_variant_is_an_error, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(test_bad_feature_values, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(test_user_pointer_travels, setup, computation_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
