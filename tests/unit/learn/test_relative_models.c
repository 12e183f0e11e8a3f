/* Relative features in models: they carry over to other devices, and are in model files. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "nitro/learn/select.h"
#include "nitro/models/model_file.h"
#include "unit/relative_work.h"

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *dataset;
    nitro_device *target;
    char log[UNIT_LOG_BYTES];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    nitro_device *devices[] = {synthetic_device(f->context, "old", 4.0),
                               synthetic_device(f->context, "new", 1.0)};
    f->dataset = synthetic_dataset(f->context, devices, 2, 150);
    f->target = synthetic_device(f->context, "next", 16.0);
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &work));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_device_free(f->target);
    nitro_dataset_free(f->dataset);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_status train(fixture *f, bool use_relative, nitro_model **model)
{
    nitro_string_list no_device_features = {0};
    nitro_training_task task = {.sources = f->dataset,
                                .target = f->target,
                                .device_features = &no_device_features,
                                .use_relative = use_relative,
                                .seed = 3,
                                .num_threads = 1};
    assert_ok(f->context, nitro_strategy_find(f->context, "svm", &task.strategy));
    nitro_status status = nitro_model_train(f->context, &task, model);
    if (status == NITRO_OK)
        nitro_model_set_provenance(*model, json_pack("{s:s}", "made", "for tests"));
    return status;
}

static double quality(fixture *f, const nitro_model *model, double launch)
{
    double sum = 0;
    for (size_t i = 1000; i < 1200; i++) {
        double features[SYNTHETIC_FEATURES], times[SYNTHETIC_VARIANTS], scores[SYNTHETIC_VARIANTS];
        synthetic_input(i, NULL, features);
        synthetic_times(features, launch, times);
        nitro_model_score(model, features, scores);
        sum += nitro_times_quality(times, SYNTHETIC_VARIANTS,
                                   nitro_scores_best(scores, SYNTHETIC_VARIANTS));
    }
    (void)f;
    return sum / 200;
}

/* The best variant depends only on size over launch cost: known of a device far from all sources,
 * where a model of sizes can but take the sources' middle. */
static void test_they_carry_over(void **state)
{
    fixture *f = *state;
    nitro_model *plain = NULL, *relative = NULL;
    assert_ok(f->context, train(f, false, &plain));
    assert_ok(f->context, train(f, true, &relative));
    assert_int_equal(plain->schema->num_relative, 0);
    assert_int_equal(plain->num_seen, 2);
    assert_int_equal(relative->num_seen, 2); /* skew and work; size is replaced */
    assert_int_equal(relative->seen[0], 1);
    assert_int_equal(relative->seen[1], 2);
    assert_true(quality(f, relative, 16) > 0.97);
    assert_true(quality(f, plain, 16) < 0.9);
    assert_string_equal(f->log, "");
    nitro_model_free(plain);
    nitro_model_free(relative);
}

static void test_values_are_cut_to_the_range(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    assert_ok(f->context, train(f, true, &model));
    const nitro_scaler_column *column = &model->columns[2];
    /* Sizes from 10 to 10^5, launches 1 and 4. */
    assert_true(exp(column->low) < 5 && exp(column->high) > 5e4);
    assert_true(nitro_model_scale(model, 2, 1e-9) == -1);
    assert_true(nitro_model_scale(model, 2, 1e19) == 1);
    assert_true(nitro_model_scale(model, 2, NAN) == -1);
    assert_true(fabs(nitro_model_scale(model, 2, 1000)) < 1);
    assert_true(nitro_model_scale(model, 0, 1e19) > 1); /* input features are not */
    nitro_model_free(model);
}

/* What is prepared for a target gives the same columns, bit by bit: in the range, far outside, and
 * where the relative feature is undefined. */
static void test_prepared_columns_are_the_same(void **state)
{
    fixture *f = *state;
    nitro_model *plain = NULL, *prepared = NULL;
    nitro_random random;
    nitro_random_seed(&random, 23);
    assert_ok(f->context, train(f, true, &plain));
    assert_ok(f->context, train(f, true, &prepared));
    assert_ok(f->context, nitro_model_prepare_columns(prepared));
    for (size_t i = 0; i < 2000; i++) {
        double expected[4], columns[4];
        double features[] = {pow(10.0, 40.0 * nitro_random_uniform(&random) - 20.0),
                             3.0 * nitro_random_uniform(&random) - 1.0};
        if (i % 100 == 0)
            features[0] = i % 200 ? 0.0 : -1.0;
        assert_int_equal(nitro_model_columns(prepared, features, columns),
                         nitro_model_columns(plain, features, expected));
        assert_memory_equal(columns, expected, plain->num_seen * sizeof *columns);
    }
    nitro_model_free(plain);
    nitro_model_free(prepared);
}

static void test_missing_device_features(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    assert_ok(f->context,
              nitro_device_set(f->context, f->target, "launch", NAN, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, train(f, true, &model));
    assert_int_equal(model->schema->num_relative, 0);
    assert_int_equal(model->num_seen, 2);
    assert_int_equal(model->seen[0], 0); /* nothing replaces size now */
    assert_non_null(strstr(f->log, "relative feature work is not used for target next: device "
                                   "feature launch is not known of next"));
    nitro_model_free(model);
    f->log[0] = '\0';
    assert_ok(f->context,
              nitro_device_set(f->context, f->target, "launch", 2, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, nitro_device_set(f->context, f->dataset->devices[1], "launch", NAN,
                                           NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, train(f, true, &model));
    assert_int_equal(model->schema->num_relative, 0);
    assert_non_null(strstr(f->log, "is not known of new"));
    nitro_model_free(model);
}

static nitro_device *device_of_stack(fixture *f, const char *id, double launch,
                                     const char *software)
{
    nitro_device *device = synthetic_device(f->context, id, launch);
    assert_ok(f->context, nitro_device_set_label(f->context, device, "software", software));
    return device;
}

static nitro_model *train_weighted(fixture *f)
{
    nitro_string_list no_device_features = {0};
    nitro_model *model = NULL;
    nitro_training_task task = {.sources = f->dataset,
                                .target = f->target,
                                .device_features = &no_device_features,
                                .use_relative = true,
                                .lodo = true,
                                .weighs_sources = true,
                                .seed = 3,
                                .num_threads = 1};
    assert_ok(f->context, nitro_strategy_find(f->context, "auto", &task.strategy));
    assert_ok(f->context, nitro_model_train(f->context, &task, &model));
    return model;
}

/* A source that lacks a device feature takes no relative feature from the others: it is not used
 * with them, unless it is the one that is most like the target. */
static void test_a_source_that_lacks_device_features(void **state)
{
    fixture *f = *state;
    nitro_dataset_free(f->dataset);
    nitro_device *devices[] = {
        device_of_stack(f, "a1", 1.0, "lib v1"), device_of_stack(f, "a2", 2.0, "lib v1"),
        device_of_stack(f, "a3", 4.0, "lib v1"), device_of_stack(f, "b", 8.0, "other v1")};
    f->dataset = synthetic_dataset(f->context, devices, 4, 150);
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &work));
    nitro_device_free(f->target);
    f->target = device_of_stack(f, "next", 3.0, "lib v1");
    assert_ok(f->context,
              nitro_device_set(f->context, devices[3], "launch", NAN, NITRO_VALUE_RECORDED, 0));
    nitro_model *model = train_weighted(f);
    assert_int_equal(model->schema->num_relative, 1);
    assert_int_equal(model->predicted->num_sources, 4);
    for (size_t i = 0; i < 4; i++) {
        const nitro_predicted_quality_source *source = &model->predicted->sources[i];
        assert_int_equal(source->weight == 0.0, source->device == 3);
        assert_int_equal(isnan(source->lodo_quality), source->device == 3);
    }
    assert_true(quality(f, model, 3) > 0.97);
    assert_string_equal(f->log, "");
    nitro_model_free(model);
    assert_ok(f->context, nitro_device_set_label(f->context, f->target, "software", "other v1"));
    model = train_weighted(f);
    assert_int_equal(model->schema->num_relative, 0);
    assert_non_null(strstr(f->log, "relative feature work is not used for target next: device "
                                   "feature launch is not known of b"));
    nitro_model_free(model);
}

static void test_undefined_rows_are_not_usable(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL, *all = NULL;
    const nitro_relative_feature missing = {.name = "missing",
                                            .scale = NITRO_SCALE_LINEAR,
                                            .formula = "1 / (skew - skew) + device.launch"};
    const nitro_relative_feature root = {
        .name = "root", .scale = NITRO_SCALE_LINEAR, .formula = "sqrt(size - 100)"};
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &root));
    assert_ok(f->context, train(f, true, &model));
    assert_non_null(strstr(f->log, "samples are not used, for a relative feature is undefined "
                                   "there: the first is feature root of input input"));
    /* Skipped inputs are unknown to the model: the default variant, with the reason. */
    const double small[] = {50, 0.5}, large[] = {5000, 0.5};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_predict(model, large, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_MODEL);
    assert_ok(f->context, nitro_model_predict(model, small, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
    assert_int_equal(decision.variant, model->schema->default_variant);
    nitro_model_free(model);

    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &missing));
    assert_fails(f->context, train(f, true, &all), NITRO_ERR_NO_DATA, "all relative features");
}

static void test_model_file_round_trip(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL, *read = NULL;
    char *text = NULL, *again = NULL, *summary = NULL;
    size_t size = 0, again_size = 0;
    assert_ok(f->context, train(f, true, &model));
    assert_ok(f->context, nitro_model_format(model, &text, &size));
    assert_ok(f->context, nitro_model_parse(f->context, "m.json", text, size, &read));
    assert_ok(f->context, nitro_model_format(read, &again, &again_size));
    assert_string_equal(text, again);
    assert_int_equal(read->num_seen, 2);
    assert_true(read->relative_values[0] == 16);
    for (size_t i = 1000; i < 1050; i++) {
        double features[SYNTHETIC_FEATURES], a[SYNTHETIC_VARIANTS], b[SYNTHETIC_VARIANTS];
        synthetic_input(i, NULL, features);
        nitro_model_score(model, features, a);
        nitro_model_score(read, features, b);
        assert_memory_equal(a, b, sizeof(a));
    }
    assert_ok(f->context, nitro_model_summary(read, &summary));
    assert_non_null(strstr(summary, "size / device.launch"));
    free(summary);
    free(again);
    free(text);
    nitro_model_free(read);
    nitro_model_free(model);
}

/* Replace the first `from` by `to`, and make the checksum right again. */
static char *forge(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("the model's file has no '%s'", from);
    size_t before = (size_t)(at - text);
    size_t size = strlen(text) + strlen(to) + 1;
    char *forged = calloc(1, size);
    assert_non_null(forged);
    snprintf(forged, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
    char checksum[17];
    snprintf(checksum, sizeof(checksum), "%016" PRIx64,
             nitro_model_checksum(forged, strlen(forged)));
    memcpy(forged + strlen("{\"checksum\": \""), checksum, 16);
    return forged;
}

static void test_hostile_model_files(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL, *read = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, train(f, true, &model));
    assert_ok(f->context, nitro_model_format(model, &text, &size));
    static const struct {
        const char *from, *to, *error;
    } cases[] = {
        {"size / device.launch", "size / device.launch)",
         "m.json: field relative_features: toy: relative feature work: line 1, column 21"},
        {"size / device.launch",
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((size",
         "nested more than 64"},
        {"size / device.launch", "rows", "unknown name 'rows'"},
        {"size / device.launch", "size / device.other", "relative_values.other is missing"},
        {"\"name\":\"work\"", "\"name\":\"size\"", "name of an input feature"},
        {"\"name\":\"work\"", "\"name\":\"\"", "not a valid relative feature name"},
        {"\"replaces\":\"size\"", "\"replaces\":\"nothing\"", "not an input feature"},
        {"\"replaces\":\"size\"", "\"replaces\":\"\"", "predictor"}, /* one column more */
        {"\"replaces\":\"size\"", "\"replaces\":5", "relative_features.replaces must be a string"},
        {"\"relative_values\": {\"launch\":16.0}", "\"relative_values\": {\"launch\":\"16\"}",
         "relative_values.launch must be a finite number"},
        {"\"relative_values\": {\"launch\":16.0}", "\"relative_values\": []", "must be an object"},
        {"\"relative_features\": [", "\"relative_features\": [5,", "relative_features.name"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *forged = forge(text, cases[i].from, cases[i].to);
        assert_fails(f->context,
                     nitro_model_parse(f->context, "m.json", forged, strlen(forged), &read),
                     NITRO_ERR_FORMAT, cases[i].error);
        assert_null(read);
        free(forged);
    }
    free(text);
    nitro_model_free(model);
}

#define MODEL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL_TEST(test_they_carry_over),
        MODEL_TEST(test_values_are_cut_to_the_range),
        MODEL_TEST(test_prepared_columns_are_the_same),
        MODEL_TEST(test_missing_device_features),
        MODEL_TEST(test_a_source_that_lacks_device_features),
        MODEL_TEST(test_undefined_rows_are_not_usable),
        MODEL_TEST(test_model_file_round_trip),
        MODEL_TEST(test_hostile_model_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
