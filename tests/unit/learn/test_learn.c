/* Training from a store: sources, the target's features, and the same bytes each time. */
#include <math.h>

#include "nitro/models/model_file.h"
#include "unit/learn/learning_fixture.h"

typedef learning_fixture fixture;

static int setup(void **state)
{
    fixture *f = learning_setup(NITRO_LOG_INFO);
    f->options.strategy = "svm"; /* it learns from device features, which these tests are about */
    synthetic_put_measured(f->store, "alpha", 1.0, 0, 40);
    synthetic_put_measured(f->store, "beta", 4.0, 20, 40);
    synthetic_put_device(f->store, "gamma", 2.0);
    *state = f;
    return 0;
}

static char *learn(fixture *f, const char *target)
{
    nitro_model *model = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context,
              nitro_tune_from_source(f->context, f->store, "toy", target, &f->options, &model));
    assert_ok(f->context, nitro_model_format(model, &text, &size));
    nitro_model_free(model);
    return text;
}

static void test_all_but_the_target_train(void **state)
{
    fixture *f = *state;
    char *text = learn(f, "gamma");
    const char *alpha = strstr(text, "{\"device\":\"alpha\",\"device_digest\":\"");
    const char *beta = strstr(text, "{\"device\":\"beta\",\"device_digest\":\"");
    assert_true(alpha && beta && alpha < beta);
    const char *samples = strstr(alpha, "\"kind\":\"recorded\",\"records\":\"");
    assert_true(samples && samples < beta && strstr(samples, "\"samples\":40}") < beta);
    assert_non_null(strstr(beta, "\"samples\":40}"));
    assert_non_null(strstr(text, "\"name\":\"launch\""));
    assert_null(strstr(text, "\"name\":\"year\"")); /* descriptive: never learnt from */
    free(text);
    text = learn(f, "beta");
    assert_non_null(strstr(text, "\"sources\":[{\"device\":\"alpha\""));
    assert_null(strstr(text, "\"device\":\"beta\""));
    free(text);
}

static void test_same_bytes(void **state)
{
    fixture *f = *state;
    const char *forth[] = {"alpha", "beta"}, *back[] = {"beta", "alpha"};
    char *texts[4] = {learn(f, "gamma")};
    f->options.sources = forth;
    f->options.num_sources = 2;
    f->options.num_threads = 3;
    texts[1] = learn(f, "gamma");
    f->options.sources = back;
    texts[2] = learn(f, "gamma");
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
    f->options.seed = 1;
    texts[3] = learn(f, "gamma");
    assert_string_not_equal(texts[0], texts[3]);
    for (size_t i = 0; i < 4; i++)
        free(texts[i]);
}

/* The digest of the records differs between models of different samples. */
static void test_records_have_a_digest(void **state)
{
    fixture *f = *state;
    char *before = learn(f, "gamma");
    double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
    synthetic_input(0, NULL, features);
    synthetic_times(features, 1.0, times_ms);
    times_ms[0] *= 1.0 + 1e-9;
    synthetic_put_sample(f->store, "alpha", "input0000", features, times_ms);
    char *after = learn(f, "gamma");
    const char *a = strstr(before, "\"records\":\""), *b = strstr(after, "\"records\":\"");
    assert_true(a && b && strncmp(a, b, strlen("\"records\":\"") + 16) != 0);
    free(before);
    free(after);
}

static void test_own_samples(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context,
              nitro_learn_own(f->context, f->store, "toy", "alpha", &f->options, &model));
    assert_string_equal(nitro_model_target(model), "alpha");
    assert_ok(f->context, nitro_model_format(model, &text, &size));
    assert_non_null(strstr(text, "\"device_features\": []"));
    assert_null(strstr(text, "beta"));
    free(text);
    nitro_model_free(model);
    assert_fails(f->context,
                 nitro_learn_own(f->context, f->store, "toy", "gamma", &f->options, &model),
                 NITRO_ERR_NO_DATA, "gamma");
}

/* "even" has no times: its sample says `outcome`. */
static void put_without_even(fixture *f, size_t index, nitro_outcome outcome)
{
    char name[16];
    double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
    synthetic_input(index, name, features);
    synthetic_times(features, 1.0, times_ms);
    times_ms[2] = NAN;
    nitro_sample *sample = synthetic_sample(f->context, name, features, times_ms);
    sample->entries[2].outcome = outcome;
    const nitro_sample *samples[] = {sample};
    assert_ok(f->context, nitro_store_put_samples(f->store, "toy", "narrow", samples, 1, true));
    nitro_sample_free(sample);
}

static void test_a_variant_that_ran_nowhere_is_not_ranked(void **state)
{
    fixture *f = *state;
    static const nitro_outcome outcomes[] = {NITRO_OUTCOME_MISSING, NITRO_OUTCOME_NOT_ALLOWED,
                                             NITRO_OUTCOME_FAILED};
    synthetic_put_device(f->store, "narrow", 1.0);
    for (size_t o = 0; o < 3; o++) {
        nitro_model *model = NULL;
        nitro_decision decision;
        size_t ranking[SYNTHETIC_VARIANTS];
        char *text = NULL;
        for (size_t i = 0; i < 60; i++)
            put_without_even(f, i, i == 7 ? outcomes[o] : NITRO_OUTCOME_MISSING);
        assert_ok(f->context,
                  nitro_learn_own(f->context, f->store, "toy", "narrow", &f->options, &model));
        assert_int_equal(nitro_model_num_variants(model), 3);
        assert_int_equal(nitro_model_num_ranked(model),
                         outcomes[o] == NITRO_OUTCOME_FAILED ? 3 : 2);
        assert_ok(f->context, nitro_model_predict(model, (double[SYNTHETIC_FEATURES]){100, 0.5},
                                                  &decision, ranking, NULL));
        assert_int_equal(ranking[2], 2);
        assert_ok(f->context, nitro_model_format(model, &text, &(size_t){0}));
        assert_int_equal(strstr(text, "\"untried\": [\"even\"]") != NULL,
                         outcomes[o] != NITRO_OUTCOME_FAILED);
        free(text);
        nitro_model_free(model);
    }
}

static void test_what_the_target_ran_is_ranked(void **state)
{
    fixture *f = *state;
    static const char *const narrow[] = {"narrow"};
    synthetic_put_device(f->store, "narrow", 1.0);
    for (size_t i = 0; i < 60; i++)
        put_without_even(f, i, NITRO_OUTCOME_MISSING);
    f->options.sources = narrow;
    f->options.num_sources = 1;
    f->options.strategy = "kernel-ridge";
    for (size_t measured = 0; measured <= 5; measured += 5) {
        nitro_model *model = NULL;
        f->options.num_measured = measured;
        assert_ok(f->context,
                  nitro_tune_from_source(f->context, f->store, "toy", "beta", &f->options, &model));
        assert_int_equal(nitro_model_num_ranked(model), measured ? 3 : 2);
        nitro_model_free(model);
    }
}

/* NULL for options: the defaults. */
static void test_without_options(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    assert_ok(f->context, nitro_learn_own(f->context, f->store, "toy", "alpha", NULL, &model));
    assert_string_equal(nitro_model_strategy(model), "boosted");
    nitro_model_free(model);
    assert_ok(f->context,
              nitro_tune_from_source(f->context, f->store, "toy", "gamma", NULL, &model));
    assert_string_equal(nitro_model_strategy(model), "auto");
    nitro_model_free(model);
}

/* Times that do not depend on features: "simple" wins mostly, but "wide" takes the least time in
 * all. What is learnt of them loses to the latter, which the model then is. */
static void test_never_slower_than_one_variant(void **state)
{
    fixture *f = *state;
    static const double usual_ms[] = {1.0, 1.4, 3.0}, rare_ms[] = {90.0, 1.4, 3.0};
    double features[SYNTHETIC_FEATURES];
    nitro_model *model = NULL;
    nitro_random random;
    char *text = NULL, name[16];
    synthetic_put_device(f->store, "random", 1.0);
    nitro_random_seed(&random, 1);
    for (size_t i = 0; i < 60; i++) {
        synthetic_input(i, name, features);
        synthetic_put_sample(f->store, "random", name, features,
                             nitro_random_below(&random, 8) > 0 ? usual_ms : rare_ms);
    }
    assert_ok(f->context,
              nitro_learn_own(f->context, f->store, "toy", "random", &f->options, &model));
    assert_ok(f->context, nitro_model_summary(model, &text));
    assert_non_null(strstr(text, "\"replaced\""));
    for (size_t i = 0; i < 60; i++) {
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(model, features, &decision, NULL, NULL));
        assert_string_equal(decision.variant_name, "wide");
        assert_int_equal(decision.reason, NITRO_REASON_MODEL);
    }
    free(text);
    nitro_model_free(model);
}

static nitro_status try(fixture *f, const char *computation, const char *target)
{
    nitro_model *model = NULL;
    nitro_status status =
        nitro_tune_from_source(f->context, f->store, computation, target, &f->options, &model);
    nitro_model_free(model);
    return status;
}

typedef struct listener {
    const char *stop_at; /* a step; NULL: none */
    bool saw_search, saw_validation, saw_sources;
    nitro_learn_progress last;
} listener;

static bool listen(void *user, const nitro_learn_progress *progress)
{
    listener *self = user;
    bool is_next = progress->done > self->last.done && self->last.done < self->last.total;
    assert_true(is_next || self->last.done == self->last.total); /* the step before was done */
    assert_in_range(progress->done, 1, progress->total);
    self->saw_search |= strcmp(progress->step, "CV-DFS") == 0;
    self->saw_validation |= strcmp(progress->step, "LODO validation") == 0;
    self->saw_sources |= strcmp(progress->step, "sources by themselves") == 0;
    self->last = *progress;
    return !self->stop_at || strcmp(progress->step, self->stop_at) != 0;
}

static void test_progress(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *strategy, *dfs;
        bool searches, weighs;
    } kinds[] = {{"svm", "cv", true, false}, {"forest", "omit", false, true}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        listener told = {0};
        f->options.strategy = kinds[i].strategy;
        f->options.dfs = kinds[i].dfs;
        f->options.progress = listen;
        f->options.progress_user = &told;
        assert_ok(f->context, try(f, "toy", "gamma"));
        assert_int_equal(told.saw_search, kinds[i].searches);
        assert_true(told.saw_validation);
        assert_int_equal(told.saw_sources, kinds[i].weighs);
        assert_int_equal(told.last.done, told.last.total);
        static const char *const steps[] = {"CV-DFS", "LODO validation", "sources by themselves"};
        const bool has[] = {told.saw_search, told.saw_validation, told.saw_sources};
        for (size_t step = 0; step < 3; step++) {
            told = (listener){.stop_at = steps[step]};
            if (has[step])
                assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_INTERRUPTED,
                             "learning was interrupted");
        }
    }
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    assert_fails(f->context, try(f, "toy", "elsewhere"), NITRO_ERR_NOT_FOUND, "elsewhere");
    assert_fails(f->context, try(f, "nothing", "gamma"), NITRO_ERR_NOT_FOUND, "nothing");
    f->options.strategy = "oracle";
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_NOT_FOUND, "'oracle'");
    f->options.strategy = "svm";
    f->options.dfs = "magic";
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_NOT_FOUND,
                 "unknown device-feature selection 'magic'; this build has 'none', 'omit',");
    f->options.dfs = "cv";
    f->options.profiling_based_dfs = true;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT, "'profile'");
    f->options.search_based_dfs = true;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT, "'both'");
    f->options.profiling_based_dfs = false;
    assert_ok(f->context, try(f, "toy", "gamma")); /* two equal settings */
    f->options.search_based_dfs = false;
    f->options.dfs = NULL;
    const char *own[] = {"gamma", "alpha"};
    f->options.sources = own;
    f->options.num_sources = 1;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT, "its own source");
    f->options.num_sources = 0;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT, "sources is empty");
    f->options.num_sources = 2;
    assert_ok(f->context, try(f, "toy", "gamma")); /* from alpha */
    assert_fails(f->context, try(f, "toy", "beta"), NITRO_ERR_NO_DATA, "gamma");
    const char *twice[] = {"alpha", "alpha"};
    f->options.sources = twice;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT, "twice");
    twice[1] = NULL;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_ARGUMENT,
                 "sources[1] is NULL, and num_sources is 2");
    const char *unknown[] = {"omega"};
    f->options.sources = unknown;
    f->options.num_sources = 1;
    assert_fails(f->context, try(f, "toy", "gamma"), NITRO_ERR_NOT_FOUND, "omega");
}

static void test_missing_values_are_logged(void **state)
{
    fixture *f = *state;
    nitro_device *device = synthetic_device(f->context, "beta", 4.0);
    assert_ok(f->context,
              nitro_device_set(f->context, device, "cache", 7.0, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    nitro_device_free(device);
    const double features[] = {NAN, 0.5}, times_ms[] = {1, 2, 3};
    synthetic_put_sample(f->store, "alpha", "input9999", features, times_ms);
    char *text = learn(f, "gamma");
    assert_null(strstr(text, "cache"));
    assert_non_null(strstr(f->log, "device feature cache is not used for target gamma"));
    assert_non_null(strstr(f->log, "1 samples of toy have missing features"));
    assert_non_null(strstr(f->log, "feature size of input input9999"));
    free(text);
}

static void test_extrapolation_is_logged(void **state)
{
    fixture *f = *state;
    synthetic_put_device(f->store, "fast", 9.0);
    free(learn(f, "gamma"));
    assert_null(strstr(f->log, "outside the range"));
    free(learn(f, "fast"));
    assert_non_null(strstr(f->log, "target fast lies outside the range of the sources"));
    assert_non_null(strstr(f->log, "launch (9 counts as 4)"));
}

static void test_rows_are_in_order(void **state)
{
    fixture *f = *state;
    const char *devices[] = {"beta", "alpha"};
    nitro_dataset *dataset = NULL;
    assert_ok(f->context, nitro_dataset_load(f->store, "toy", devices, 2, &dataset));
    assert_int_equal(dataset->num_rows, 80);
    assert_int_equal(dataset->num_inputs, 60);
    for (size_t row = 1; row < dataset->num_rows; row++) {
        assert_true(dataset->row_input[row] >= dataset->row_input[row - 1]);
        if (dataset->row_input[row] == dataset->row_input[row - 1])
            assert_true(dataset->row_device[row] > dataset->row_device[row - 1]);
    }
    nitro_dataset_free(dataset);
}

/* The times of this sample in a dataset. */
static void load_times(fixture *f, const nitro_sample *sample, double times_ms[SYNTHETIC_VARIANTS])
{
    const char *devices[] = {"beta"};
    nitro_dataset *dataset = NULL;
    const nitro_sample *samples[] = {sample};
    assert_ok(f->context, nitro_store_put_samples(f->store, "toy", "beta", samples, 1, true));
    assert_ok(f->context, nitro_dataset_load(f->store, "toy", devices, 1, &dataset));
    size_t row = 0;
    while (strcmp(dataset->inputs[dataset->row_input[row]], sample->input) != 0)
        row++;
    memcpy(times_ms, dataset->times_ms + row * SYNTHETIC_VARIANTS,
           SYNTHETIC_VARIANTS * sizeof(*times_ms));
    nitro_dataset_free(dataset);
}

/* How many variants have the best time, 1 ms, in a dataset with this sample. */
static size_t count_best(fixture *f, const nitro_sample *sample)
{
    double times_ms[SYNTHETIC_VARIANTS];
    size_t count = 0;
    load_times(f, sample, times_ms);
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        count += times_ms[v] == 1;
    return count;
}

/* What ran until then, and as if another were drawn. */
static void test_failed_runs_take_time(void **state)
{
    fixture *f = *state;
    double features[SYNTHETIC_FEATURES] = {0}, times_ms[SYNTHETIC_VARIANTS] = {3, 0.5, 1};
    nitro_sample *sample = synthetic_sample(f->context, "broken", features, times_ms);
    sample->entries[1].outcome = NITRO_OUTCOME_BREAKDOWN;
    load_times(f, sample, times_ms);
    assert_true(times_ms[0] == 3 && times_ms[1] == 2.5 && times_ms[2] == 1);
    sample->entries[1].median_ms = NAN; /* unknown */
    load_times(f, sample, times_ms);
    assert_true(times_ms[0] == 3 && isnan(times_ms[1]));
    sample->entries[1].outcome = NITRO_OUTCOME_FAILED;
    sample->entries[1].median_ms = 0.5; /* of another failure: refused */
    const nitro_sample *samples[] = {sample};
    assert_fails(f->context, nitro_store_put_samples(f->store, "toy", "beta", samples, 1, true),
                 NITRO_ERR_ARGUMENT, "has a time, but is not 'measured'");
    nitro_sample_free(sample);
}

/* What two tunes cannot tell apart teaches as a tie. */
static void test_variants_within_the_spread_are_tied(void **state)
{
    fixture *f = *state;
    double features[SYNTHETIC_FEATURES] = {0}, times_ms[SYNTHETIC_VARIANTS];
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        times_ms[v] = v == 0 ? 1.02 : v == 1 ? 1 : 1.2;
    nitro_sample *sample = synthetic_sample(f->context, "tied", features, times_ms);
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++) {
        sample->entries[v].spread = 0.03;
        sample->entries[v].blocks = 2;
    }
    assert_int_equal(count_best(f, sample), 2);
    sample->entries[0].median_ms = 1.04;
    assert_int_equal(count_best(f, sample), 1); /* beyond the spread */
    sample->entries[0].spread = 0.5;
    assert_int_equal(count_best(f, sample), 2); /* within 5 % */
    sample->entries[0].median_ms = 1.06;
    assert_int_equal(count_best(f, sample), 1);
    sample->entries[0].median_ms = 1.02;
    for (size_t v = 0; v < sample->num_entries; v++)
        sample->entries[v].blocks = 0;
    assert_int_equal(count_best(f, sample), 1); /* a spread within one block */
    nitro_sample_free(sample);
}

/* A device of this machine needs no record in the store. */
static void test_target_of_this_machine(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    assert_ok(f->context,
              nitro_tune_from_source(f->context, f->store, "toy", "host", &f->options, &model));
    assert_int_equal(nitro_model_num_variants(model), 3);
    nitro_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_but_the_target_train, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_same_bytes, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_records_have_a_digest, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_own_samples, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_without_options, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_a_variant_that_ran_nowhere_is_not_ranked, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_what_the_target_ran_is_ranked, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_never_slower_than_one_variant, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_progress, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_missing_values_are_logged, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_extrapolation_is_logged, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_rows_are_in_order, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_failed_runs_take_time, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_variants_within_the_spread_are_tied, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_target_of_this_machine, setup, learning_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
