/* A computation from a const struct: all parts of it arrive, and errors name the part. */
#include "unit/unit.h"

typedef struct call {
    double value;
    int runs;
} call;

static int fail_on_large(void *argument, void *user)
{
    (void)user;
    return ((call *)argument)->value > 10;
}

static int count_run(void *argument, void *user)
{
    ((call *)argument)->runs += *(int *)user;
    return 0;
}

static bool allows_small(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] < 100;
}

static int evaluate(const void *argument, double *values, void *user)
{
    values[0] = ((const call *)argument)->value;
    values[1] = *(double *)user;
    return 0;
}

static const char *problem(const void *argument, void *user)
{
    (void)argument;
    return *(double *)user > 0 ? "too large" : "";
}

static int check(void *argument, char *why, size_t size, void *user)
{
    (void)argument;
    (void)user;
    return snprintf(why, size, "never right");
}

static double bias = 2;
static int step = 3;
static const nitro_hooks hooks = {.check_result = check};

static const nitro_declaration whole = {
    .name = "whole",
    .device_kind = "abacus",
    .variants =
        {{.name = "small", .run = fail_on_large, .allows = allows_small, .allows_reads = "value"},
         {.name = "any", .run = count_run, .user = &step}},
    .features = {{.name = "value", .unit = "apples"}, {.name = "bias"}},
    .evaluate = evaluate,
    .relative_features = {{.name = "share", .formula = "value / device.sm_count"}},
    .uses = 4,
    .problem = problem,
    .hooks = &hooks,
    .user = &bias};

static void test_every_part_of_a_declaration_arrives(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *made = NULL;
    nitro_schema *schema = NULL;
    nitro_decision decision;
    call input = {.value = 1000};
    double values[2];
    assert_ok(context, nitro_computation_declare(context, &whole, &made));
    assert_string_equal(nitro_computation_name(made), "whole");
    assert_string_equal(nitro_computation_device_kind(made), "abacus");
    assert_int_equal(nitro_computation_num_variants(made), 2);
    assert_string_equal(nitro_computation_feature_name(made, 1), "bias");
    assert_string_equal(nitro_computation_reference(made), "small"); /* there is a check */
    assert_ok(context, nitro_schema_of(made, &schema));
    assert_int_equal(schema->num_relative, 1);
    assert_string_equal(schema->features[0].unit, "apples");
    nitro_schema_free(schema);
    assert_ok(context, nitro_computation_evaluate(made, &input, values));
    assert_near(values[1], 2, 0);
    assert_ok(context, nitro_run(made, &input, &decision)); /* the default does not allow it */
    assert_int_equal(decision.variant, 1);
    assert_int_equal(input.runs, 3);
    input.value = 50;
    assert_fails(context, nitro_run(made, &input, NULL), NITRO_ERR_VARIANT_FAILED, "too large");
    nitro_computation_free(made);
    nitro_context_free(context);
}

static void test_an_error_names_the_part(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *made = NULL;
    nitro_declaration wrong = whole;
    wrong.name = "a b";
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "'a b' is not a valid computation name");
    wrong = whole;
    wrong.evaluate = NULL;
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "whole: feature 'value' needs a function: declare its `member`");
    wrong = whole;
    wrong.variants[1].name = NULL; /* not the end: it has a function */
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "'(null)' is not a valid variant name");
    wrong = whole;
    wrong.variants[0].allows_reads = "weight";
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_NOT_FOUND,
                 "reads feature 'weight'");
    wrong.variants[0].allows_reads = ",";
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "the constraint of variant 'small' reads ',', a list with an empty item");
    wrong.variants[0].allows = NULL;
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "variant 'small' has `allows_reads` but no constraint `allows`");
    wrong = whole;
    wrong.uses = 0.5;
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "0.5");
    assert_null(made);
    nitro_context_free(context);
}

typedef struct numbers {
    char letter;
    signed char tiny;
    short brief;
    int whole;
    int64_t large;
    bool is_set;
    unsigned char byte;
    uint16_t port;
    unsigned count;
    size_t size;
    float share;
    double weight;
} numbers;

static int evaluate_two(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = ((const numbers *)argument)->whole + 1;
    values[1] = ((const numbers *)argument)->whole + 2;
    return 0;
}

#define MEMBER(its_name)                                                                           \
    {                                                                                              \
        .name = #its_name, .member = NITRO_MEMBER(numbers, its_name)                               \
    }

static void test_members_of_the_argument_are_features(void **state)
{
    (void)state;
    static const nitro_declaration declaration = {.name = "members",
                                                  .variants = {{.name = "any", .run = count_run}},
                                                  .features = {MEMBER(letter),
                                                               MEMBER(tiny),
                                                               MEMBER(brief),
                                                               MEMBER(whole),
                                                               MEMBER(large),
                                                               {.name = "more"},
                                                               {.name = "most"},
                                                               MEMBER(is_set),
                                                               MEMBER(byte),
                                                               MEMBER(port),
                                                               MEMBER(count),
                                                               MEMBER(size),
                                                               MEMBER(share),
                                                               MEMBER(weight)},
                                                  .evaluate = evaluate_two};
    const numbers argument = {'T', -3,    -300,       -70000,           -5000000000, true,
                              200, 60000, 4000000000, 9007199254740992, 0.25F,       1e300};
    const double expected[] = {'T', -3,    -300, -70000,           -5e9, -69999, -69998, 1,
                               200, 60000, 4e9,  9007199254740992, 0.25, 1e300};
    nitro_context *context = unit_context();
    nitro_computation *made = NULL;
    double values[14];
    assert_ok(context, nitro_computation_declare(context, &declaration, &made));
    assert_int_equal(nitro_computation_num_features(made), 14);
    assert_ok(context, nitro_computation_evaluate(made, &argument, values));
    for (size_t f = 0; f < 14; f++)
        if (values[f] != expected[f])
            fail_msg("%s is %g", nitro_computation_feature_name(made, f), values[f]);
    nitro_computation_free(made);

    nitro_declaration wrong = declaration;
    wrong.evaluate = NULL;
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "members: feature 'more' needs a function: declare its `member`");
    wrong = declaration;
    wrong.features[7].member.type = 0;
    wrong.features[9].member.type = 0;
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "'port' follows one that is a member of the argument");
    wrong =
        (nitro_declaration){.name = "none", .evaluate = evaluate_two, .features = {MEMBER(tiny)}};
    assert_fails(context, nitro_computation_declare(context, &wrong, &made), NITRO_ERR_ARGUMENT,
                 "none: `evaluate` needs at least one feature to compute");
    nitro_context_free(context);
}

static void test_full_arrays_need_no_end(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *made = NULL;
    char names[NITRO_MAX_VARIANTS][8];
    nitro_declaration full = {.name = "full"};
    for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++) {
        snprintf(names[v], sizeof names[v], "v%zu", v);
        full.variants[v] = (nitro_variant){.name = names[v], .run = count_run, .user = &step};
    }
    assert_ok(context, nitro_computation_declare(context, &full, &made));
    assert_int_equal(nitro_computation_num_variants(made), NITRO_MAX_VARIANTS);
    const nitro_variant more = {.name = "more", .run = count_run};
    assert_fails(context, nitro_computation_add_variant(made, &more), NITRO_ERR_ARGUMENT,
                 "join variants that rarely win, or split the computation");
    nitro_computation_free(made);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part_of_a_declaration_arrives),
        cmocka_unit_test(test_an_error_names_the_part),
        cmocka_unit_test(test_members_of_the_argument_are_features),
        cmocka_unit_test(test_full_arrays_need_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
