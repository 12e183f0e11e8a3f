/* Variants and features that are declared later or no longer: stored times stay, and only what is
 * new is measured. */
#include "unit/measure/trace.h"
#include "unit/temporary.h"

static trace *runs, *evaluations;
static double size_of_inputs = 1;

static int run(void *argument, void *user)
{
    (void)argument;
    trace_add(runs, *(const char *)user);
    return 0;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    trace_add(evaluations, 'f');
    for (int i = 0; i < 3; i++)
        values[i] = *(const double *)argument + i * size_of_inputs;
    return 0;
}

static nitro_status load(nitro_context *context, void *state, void **argument)
{
    (void)context;
    *argument = state;
    return NITRO_OK;
}

static double inputs[] = {10, 20, 30};

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_device *host;
    char log[UNIT_LOG_BYTES];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store.db");
    assert_ok(f->context, nitro_device_find(f->context, "host", false, &f->host, NULL));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    trace_close(&runs);
    trace_close(&evaluations);
    size_of_inputs = 1;
    nitro_device_free(f->host);
    nitro_store_close(f->store);
    nitro_context_free(f->context);
    temporary_remove(&f->folder);
    free(f);
    return 0;
}

/* Tune with variants named by the letters, and the first features. */
static void tune(fixture *f, const char *letters, size_t num_features)
{
    static const char *const features[] = {"size", "width", "height"};
    char names[8][2];
    nitro_declaration declaration = {.name = "toy", .evaluate = evaluate};
    nitro_tune_options how;
    nitro_input list[3];
    nitro_computation *computation = NULL;
    for (size_t v = 0; letters[v]; v++) {
        snprintf(names[v], sizeof names[v], "%c", letters[v]);
        declaration.variants[v] = (nitro_variant){.name = names[v], .run = run, .user = names[v]};
    }
    for (size_t i = 0; i < num_features; i++)
        declaration.features[i] = (nitro_declared_feature){.name = features[i]};
    for (size_t i = 0; i < 3; i++)
        list[i] = (nitro_input){.name = (const char *[]){"first", "second", "third"}[i],
                                .load = load,
                                .state = &inputs[i]};
    trace_close(&runs);
    trace_close(&evaluations);
    runs = trace_open();
    evaluations = trace_open();
    f->log[0] = '\0';
    nitro_tune_options_init(&how);
    how.measure.max_blocks = 1;
    how.measure.min_repetitions = how.measure.max_repetitions = 1;
    how.measure.budget_ms = 0.01;
    assert_ok(f->context, nitro_computation_declare(f->context, &declaration, &computation));
    assert_ok(f->context, nitro_tune(computation, f->store, "host", list, 3, &how));
    nitro_computation_free(computation);
}

static void assert_logged(const fixture *f, const char *text)
{
    if (!strstr(f->log, text))
        fail_msg("the log does not say '%s': %s", text, f->log);
}

/* A variant's time for an input; NaN: none. */
static double time_of(const fixture *f, const char *input, const char *variant)
{
    nitro_schema *schema = NULL;
    nitro_sample *sample = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->store, "toy", &schema));
    assert_ok(f->context, nitro_store_get_sample(f->store, "toy", f->host->id, input, &sample));
    double time_ms = sample->entries[nitro_schema_variant(schema, variant)].median_ms;
    nitro_sample_free(sample);
    nitro_schema_free(schema);
    return time_ms;
}

static void test_only_an_added_variant_is_measured(void **state)
{
    fixture *f = *state;
    tune(f, "ab", 1);
    double before_ms = time_of(f, "second", "b");
    tune(f, "acb", 1); /* in the middle: positions change */
    assert_logged(f, "variants that are new, to be measured on the stored inputs, where the others "
                     "keep their times: c");
    assert_logged(f, "3 samples have no times of c: measuring these variants");
    assert_int_equal(trace_count(runs, 'b'), 0);
    assert_true(trace_count(runs, 'c') >= 3);
    assert_true(time_of(f, "second", "b") == before_ms);
    assert_true(time_of(f, "third", "c") > 0);
    tune(f, "acb", 1);
    assert_int_equal(runs->length, 0);
}

static void test_a_removed_variant_comes_back(void **state)
{
    fixture *f = *state;
    tune(f, "abc", 1);
    double before_ms = time_of(f, "first", "b");
    tune(f, "ac", 1);
    assert_logged(f, "variants that are no longer declared, whose times are kept as .retired: b");
    assert_int_equal(runs->length, 0);
    tune(f, "dca", 1); /* another change in between */
    assert_int_equal(trace_count(runs, 'c'), 0);
    tune(f, "abcd", 1);
    assert_logged(f, "variants that are declared again, and have their earlier times back: b");
    assert_int_equal(runs->length, 0);
    assert_true(time_of(f, "first", "b") == before_ms);
}

static size_t count_samples(const fixture *f, const char *computation)
{
    size_t count = 0;
    assert_ok(f->context, nitro_store_count_samples(f->store, computation, f->host->id, &count));
    return count;
}

static void test_retired_times_of_removed_samples_stay(void **state)
{
    fixture *f = *state;
    tune(f, "ab", 1);
    tune(f, "a", 1);
    assert_ok(f->context, nitro_store_remove(f->store, "toy", f->host->id, NULL));
    tune(f, "ac", 1); /* no sample is there to go with the retired ones */
    assert_int_equal(count_samples(f, "toy.retired"), 3);
    assert_ok(f->context, nitro_store_remove(f->store, "toy", f->host->id, NULL));
    tune(f, "abc", 1);
    assert_int_equal(count_samples(f, "toy.retired"), 3);
    assert_int_equal(count_samples(f, "toy"), 3);
}

static void put_profile(const fixture *f, const char *variant, const char *kernel)
{
    nitro_profile *profile = NULL;
    assert_ok(f->context, nitro_profile_create_of_variant(f->context, "toy", variant, "first",
                                                          kernel, &profile));
    assert_ok(f->context, nitro_profile_set(f->context, profile, "inst_issued", 7));
    const nitro_profile *profiles[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(f->store, f->host->id, profiles, 1, false));
    nitro_profile_free(profile);
}

static size_t count_profiles(const fixture *f, const char *computation)
{
    size_t count = 0;
    assert_ok(f->context, nitro_store_count_profiles(f->store, f->host->id, computation, &count));
    return count;
}

static void test_profiles_of_a_removed_variant_come_back(void **state)
{
    fixture *f = *state;
    tune(f, "abc", 1);
    put_profile(f, "a", "one");
    put_profile(f, "b", "one");
    put_profile(f, "b", "two");
    tune(f, "ac", 1);
    assert_int_equal(count_profiles(f, "toy"), 1);
    assert_int_equal(count_profiles(f, "toy.retired"), 2);
    tune(f, "cad", 1); /* another change in between */
    assert_int_equal(count_profiles(f, "toy.retired"), 2);
    tune(f, "abcd", 1);
    assert_int_equal(count_profiles(f, "toy"), 3);
}

static nitro_status check_three_features(void *user, const nitro_sample *sample)
{
    assert_int_equal(sample->num_features, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near(sample->features[i], sample->features[0] + (double)i, 0);
    ++*(size_t *)user;
    return NITRO_OK;
}

static void test_an_added_feature_is_evaluated_and_times_stay(void **state)
{
    fixture *f = *state;
    size_t count = 0;
    tune(f, "ab", 1);
    double before_ms = time_of(f, "third", "b");
    tune(f, "ab", 3);
    assert_logged(f,
                  "features that are new, to be evaluated on the stored inputs, which keep their "
                  "times: width, height");
    assert_int_equal(runs->length, 0);
    assert_true(evaluations->length >= 3);
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "toy", f->host->id, check_three_features, &count));
    assert_int_equal(count, 3);
    assert_true(time_of(f, "third", "b") == before_ms);
    tune(f, "ab", 3);
    assert_int_equal(evaluations->length, 0);
}

static void test_another_input_of_that_name_is_measured_whole(void **state)
{
    fixture *f = *state;
    tune(f, "ab", 2);
    size_of_inputs = 2; /* the second feature has another value now */
    tune(f, "ab", 3);
    assert_logged(f, "its features differ from the stored sample's");
    assert_true(trace_count(runs, 'a') >= 3);
}

static void test_a_failure_takes_everything_back(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = NULL, *stored = NULL;
    tune(f, "ab", 1);
    assert_ok(f->context, nitro_schema_create(f->context, "toy", &schema));
    for (size_t v = 0; v < 63; v++) { /* with two retired ones, too many */
        char name[8];
        snprintf(name, sizeof name, "n%zu", v);
        assert_ok(f->context, nitro_schema_add_variant(f->context, schema, name));
    }
    assert_fails(f->context, nitro_store_change_names(f->store, schema), NITRO_ERR_ARGUMENT,
                 "64 is the limit");
    assert_ok(f->context, nitro_store_get_schema(f->store, "toy", &stored));
    assert_int_equal(stored->num_variants, 2);
    assert_true(time_of(f, "first", "b") > 0);
    nitro_schema_free(stored);
    nitro_schema_free(schema);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_only_an_added_variant_is_measured),
        TEST(test_a_removed_variant_comes_back),
        TEST(test_retired_times_of_removed_samples_stay),
        TEST(test_profiles_of_a_removed_variant_come_back),
        TEST(test_an_added_feature_is_evaluated_and_times_stay),
        TEST(test_another_input_of_that_name_is_measured_whole),
        TEST(test_a_failure_takes_everything_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
