/* A model in programs that have gained or lost variants since it was made: they are matched by
 * name, and the model never chooses one that it does not know. */
#include "unit/runtime/made_up_model.h"

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

/* What excludes a variant, for inputs of odd sizes. */
static bool allows_even(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return (long)features[0] % 2 == 0;
}

static const nitro_declaration old = {.name = "toy",
                                      .variants = {{.name = "first", .run = run_nothing},
                                                   {.name = "second", .run = run_nothing},
                                                   {.name = "third", .run = run_nothing}},
                                      .features = {{.name = "size"}},
                                      .evaluate = evaluate};

/* From size 10 on the second variant is faster than the first; from 20 on the third is fastest. */
static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    times_ms[0] = 1 + (double)index;
    times_ms[1] = 11;
    times_ms[2] = index < 20 ? 30 : 3;
}

typedef struct fixture {
    nitro_context *context;
    nitro_computation *computation; /* the new program's; NULL: not declared yet */
    char log[UNIT_LOG_BYTES];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, f->log);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nitro_computation_free(f->computation);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* Declare the new program, and attach a model of the old one. */
static nitro_status attach(fixture *f, const nitro_declaration *declaration)
{
    nitro_computation *before = NULL;
    assert_ok(f->context, nitro_computation_declare(f->context, &old, &before));
    nitro_model *model = made_up_learn(f->context, before, 0, 40, fill, NULL);
    nitro_computation_free(before);
    assert_ok(f->context, nitro_computation_declare(f->context, declaration, &f->computation));
    f->log[0] = '\0';
    nitro_status status = nitro_computation_attach_model(f->computation, model);
    if (status != NITRO_OK)
        nitro_model_free(model);
    return status;
}

static void assert_chosen(const fixture *f, double size, const char *name, nitro_reason reason)
{
    nitro_decision decision;
    assert_ok(f->context, nitro_select(f->computation, &size, &decision));
    assert_string_equal(decision.variant_name, name);
    assert_string_equal(nitro_computation_variant_name(f->computation, decision.variant), name);
    assert_string_equal(nitro_reason_text(decision.reason), nitro_reason_text(reason));
}

static void assert_logged(const fixture *f, const char *text)
{
    if (!strstr(f->log, text))
        fail_msg("the log does not say '%s': %s", text, f->log);
}

static void test_new_variants_are_not_chosen(void **state)
{
    static const nitro_declaration grown = {.name = "toy",
                                            .variants = {{.name = "new", .run = run_nothing},
                                                         {.name = "third", .run = run_nothing},
                                                         {.name = "newer", .run = run_nothing},
                                                         {.name = "first", .run = run_nothing},
                                                         {.name = "second", .run = run_nothing}},
                                            .features = {{.name = "size"}},
                                            .evaluate = evaluate};
    fixture *f = *state;
    assert_ok(f->context, attach(f, &grown));
    assert_logged(f, "toy: variants that are new to the model, which never chooses them; tune "
                     "again: new, newer\n");
    assert_chosen(f, 3, "first", NITRO_REASON_MODEL);
    assert_chosen(f, 15, "second", NITRO_REASON_MODEL);
    assert_chosen(f, 30, "third", NITRO_REASON_MODEL);
    assert_chosen(f, 30, "third", NITRO_REASON_MODEL); /* from the memo */
    /* The default is the program's. */
    assert_ok(f->context, nitro_computation_set_min_confidence(f->computation, 1));
    assert_chosen(f, 10, "new", NITRO_REASON_LOW_CONFIDENCE);
}

static void test_variants_that_are_gone_are_left_out(void **state)
{
    static const nitro_declaration shrunk = {
        .name = "toy",
        .variants = {{.name = "second", .run = run_nothing}, {.name = "first", .run = run_nothing}},
        .features = {{.name = "size"}},
        .evaluate = evaluate};
    fixture *f = *state;
    assert_ok(f->context, attach(f, &shrunk));
    assert_logged(f, "toy: the model's variants that this program does not declare are left out: "
                     "third\n");
    assert_chosen(f, 3, "first", NITRO_REASON_MODEL);
    assert_chosen(f, 15, "second", NITRO_REASON_MODEL);
    assert_chosen(f, 30, "second", NITRO_REASON_MODEL); /* the better one of the two */
}

static void test_the_default_runs_where_the_model_has_no_choice(void **state)
{
    static const nitro_declaration grown = {
        .name = "toy",
        .variants = {{.name = "new", .run = run_nothing},
                     {.name = "first", .run = run_nothing},
                     {.name = "second", .run = run_nothing, .allows = allows_even}},
        .features = {{.name = "size"}},
        .evaluate = evaluate};
    fixture *f = *state;
    assert_ok(f->context, attach(f, &grown));
    assert_chosen(f, 16, "second", NITRO_REASON_MODEL);
    assert_chosen(f, 15, "new", NITRO_REASON_LOW_CONFIDENCE);
}

static void test_fewer_than_two_common_variants_are_refused(void **state)
{
    static const nitro_declaration other = {
        .name = "toy",
        .variants = {{.name = "second", .run = run_nothing}, {.name = "new", .run = run_nothing}},
        .features = {{.name = "size"}},
        .evaluate = evaluate};
    fixture *f = *state;
    assert_fails(f->context, attach(f, &other), NITRO_ERR_MISMATCH,
                 "toy: this program declares 1 of the model's variants (first, "
                 "second, third), and at least two are needed to choose among: "
                 "tune again");
    assert_chosen(f, 30, "second", NITRO_REASON_NO_MODEL);
}

static void test_other_features_are_refused(void **state)
{
    static const nitro_declaration other = {
        .name = "toy",
        .variants = {{.name = "first", .run = run_nothing}, {.name = "second", .run = run_nothing}},
        .features = {{.name = "length"}},
        .evaluate = evaluate};
    fixture *f = *state;
    assert_fails(f->context, attach(f, &other), NITRO_ERR_MISMATCH,
                 "this program has toy with features (length)");
}

/* What adaptation learns of new variants is theirs: it tries them, although the model has no score
 * for them. */
static void test_adaptation_tries_new_variants(void **state)
{
    static const nitro_declaration grown = {.name = "toy",
                                            .variants = {{.name = "new", .run = run_nothing},
                                                         {.name = "first", .run = run_nothing},
                                                         {.name = "second", .run = run_nothing}},
                                            .features = {{.name = "size"}},
                                            .evaluate = evaluate};
    fixture *f = *state;
    bool is_tried = false;
    nitro_monitor_options options;
    nitro_monitor_options_init(&options);
    options.every = 1;
    options.adapt_percent = 50;
    options.confident_from = 2;
    assert_ok(f->context, attach(f, &grown));
    assert_ok(f->context, nitro_computation_monitor(f->computation, &options));
    for (int i = 0; i < 10000 && !is_tried; i++) {
        nitro_decision decision;
        assert_ok(f->context, nitro_run(f->computation, &(double){15}, &decision));
        is_tried = strcmp(decision.variant_name, "new") == 0 &&
                   decision.reason == NITRO_REASON_EXPLORATION;
    }
    assert_true(is_tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_variants_are_not_chosen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_variants_that_are_gone_are_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_default_runs_where_the_model_has_no_choice, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_fewer_than_two_common_variants_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_other_features_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_adaptation_tries_new_variants, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
