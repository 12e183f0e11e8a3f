/* Models: what they decide and why, their files, and every way in which a file can be wrong. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "nitro/model.h"
#include "nitro/model_file.h"
#include "unit/synthetic.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *dataset;
    nitro_device *target;
    nitro_string_list device_features;
    nitro_model *model;
    char *text; /* of the model's file */
    size_t size;
} fixture;

static nitro_status train(fixture *f, unsigned num_threads, nitro_model **model)
{
    nitro_lesson lesson = {.sources = f->dataset,
                           .target = f->target,
                           .device_features = &f->device_features,
                           .seed = 3,
                           .num_threads = num_threads};
    assert_ok(f->context, nitro_strategy_find(f->context, "svm", &lesson.strategy));
    nitro_status status = nitro_model_train(f->context, &lesson, model);
    if (status == NITRO_OK)
        (*model)->provenance = json_pack("{s:s}", "made", "for tests");
    return status;
}

static int setup_sized(void **state, size_t num_inputs)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_device *devices[] = {synthetic_device(f->context, "old", 4.0),
                               synthetic_device(f->context, "new", 1.0)};
    f->dataset = synthetic_dataset(f->context, devices, 2, num_inputs);
    f->target = synthetic_device(f->context, "next", 2.0);
    assert_ok(f->context, nitro_string_list_add(f->context, &f->device_features, "launch"));
    assert_ok(f->context, nitro_string_list_add(f->context, &f->device_features, "sockets"));
    assert_ok(f->context, train(f, 1, &f->model));
    assert_ok(f->context, nitro_model_format(f->model, &f->text, &f->size));
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return setup_sized(state, 150);
}

static int setup_small(void **state)
{
    return setup_sized(state, 8);
}

static int teardown(void **state)
{
    fixture *f = *state;
    free(f->text);
    nitro_model_free(f->model);
    nitro_string_list_free(&f->device_features);
    nitro_device_free(f->target);
    nitro_dataset_free(f->dataset);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* ---- Decisions ---------------------------------------------------------------------------- */

static void test_it_learns(void **state)
{
    fixture *f = *state;
    double quality = 0.0;
    size_t num_inside = 0;
    for (size_t i = 1000; i < 1300; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        synthetic_times(features, 2.0, times_ms);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, NULL));
        assert_true(decision.confidence >= 0.0 && decision.confidence <= 1.0);
        num_inside += decision.reason == NITRO_REASON_MODEL;
        quality += nitro_times_quality(times_ms, SYNTHETIC_VARIANTS, decision.variant) / 300.0;
    }
    assert_true(quality > 0.95);
    assert_true(num_inside > 290);
}

static void test_ranking_follows_scores(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < 50; i++) {
        double features[SYNTHETIC_FEATURES], scores[SYNTHETIC_VARIANTS];
        size_t ranking[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, ranking, scores));
        assert_int_equal(decision.variant, ranking[0]);
        assert_string_equal(decision.variant_name, nitro_model_variant_name(f->model, ranking[0]));
        for (size_t r = 1; r < SYNTHETIC_VARIANTS; r++)
            assert_true(scores[ranking[r - 1]] >= scores[ranking[r]]);
    }
}

static void test_bad_features(void **state)
{
    fixture *f = *state;
    nitro_decision decision = {.variant = 77};
    const double nan_features[] = {NAN, 0.5}, infinite[] = {10.0, INFINITY};
    assert_fails(f->context, nitro_model_predict(f->model, nan_features, &decision, NULL, NULL),
                 NITRO_ERR_BAD_FEATURE, "feature size");
    assert_fails(f->context, nitro_model_predict(f->model, infinite, &decision, NULL, NULL),
                 NITRO_ERR_BAD_FEATURE, "feature skew");
    assert_int_equal(nitro_model_decide(f->model, infinite, 7, 0.0, &decision),
                     NITRO_ERR_BAD_FEATURE);
    assert_int_equal(decision.variant, 77);
}

static void test_outside_takes_the_default(void **state)
{
    fixture *f = *state;
    const double probes[][2] = {{1e9, 0.5}, {0.0, 0.5}, {-5.0, 0.5}, {1000.0, 1.5}, {1000.0, -9}};
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        nitro_decision decision;
        assert_ok(f->context, nitro_model_predict(f->model, probes[i], &decision, NULL, NULL));
        assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
        assert_int_equal(decision.variant, f->model->schema->default_variant);
        assert_true(decision.confidence == 0.0);
    }
    /* A tenth of the range is near enough. */
    const double near[] = {1000.0, 1.05};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_predict(f->model, near, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_MODEL);
}

static void test_constraints(void **state)
{
    fixture *f = *state;
    f->model->schema->default_variant = 1;
    for (size_t i = 0; i < 50; i++) {
        double features[SYNTHETIC_FEATURES], scores[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, scores));
        assert_ok(f->context, nitro_model_decide(f->model, features, 5, 0.0, &decision));
        assert_int_equal(decision.variant, scores[2] > scores[0] ? 2 : 0);
    }
    /* The default variant is not allowed: the first allowed one. */
    const double outside[] = {1e9, 0.5};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_decide(f->model, outside, 6, 0.0, &decision));
    assert_int_equal(decision.variant, 1);
    assert_ok(f->context, nitro_model_decide(f->model, outside, 5, 0.0, &decision));
    assert_int_equal(decision.variant, 0);
    assert_ok(f->context, nitro_model_decide(f->model, outside, 4, 0.0, &decision));
    assert_int_equal(decision.variant, 2);
}

static void test_low_confidence(void **state)
{
    fixture *f = *state;
    const double features[] = {100.0, 0.5};
    nitro_decision sure, unsure;
    assert_ok(f->context, nitro_model_decide(f->model, features, 7, 0.0, &sure));
    assert_int_equal(sure.reason, NITRO_REASON_MODEL);
    assert_ok(f->context, nitro_model_decide(f->model, features, 7, sure.confidence, &unsure));
    assert_int_equal(unsure.reason, NITRO_REASON_MODEL);
    assert_ok(f->context, nitro_model_decide(f->model, features, 7, 1.0, &unsure));
    assert_int_equal(unsure.reason, NITRO_REASON_LOW_CONFIDENCE);
    assert_int_equal(unsure.variant, f->model->schema->default_variant);
    assert_true(unsure.confidence == sure.confidence);
}

/* ---- What is learnt from ------------------------------------------------------------------ */

static void test_default_is_the_best_fixed(void **state)
{
    fixture *f = *state;
    assert_int_equal(f->model->schema->default_variant, nitro_dataset_best_fixed(f->dataset));
    f->dataset->schema->default_variant = 2;
    nitro_model *model = NULL;
    assert_ok(f->context, train(f, 1, &model));
    assert_int_equal(model->schema->default_variant, 2);
    nitro_model_free(model);
}

static void test_rows_that_do_not_teach(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    for (size_t row = 0; row < f->dataset->num_rows; row++)
        f->dataset->times_ms[row * 3] = f->dataset->times_ms[row * 3 + 1] = NAN;
    assert_fails(f->context, train(f, 1, &model), NITRO_ERR_NO_DATA, "at least two variants");
    assert_null(model);
    f->dataset->times_ms[0] = 1.0;
    assert_ok(f->context, train(f, 1, &model));
    nitro_model_free(model);
}

static void keep_message(void *user, nitro_log_level level, const char *message)
{
    if (level == NITRO_LOG_WARNING)
        snprintf(user, 512, "%s", message);
}

static void test_a_log_scale_takes_positive_values(void **state)
{
    fixture *f = *state;
    char message[512] = "";
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_message, message);
    f->dataset->schema->features[0].scale = NITRO_SCALE_LOG;
    f->dataset->features[5 * SYNTHETIC_FEATURES] = 0.0;
    f->dataset->features[9 * SYNTHETIC_FEATURES] = -1.0;
    nitro_model *model = NULL;
    assert_ok(f->context, train(f, 1, &model));
    assert_non_null(strstr(message, "2 samples are left out"));
    assert_non_null(strstr(message, "feature size of input input0002 on device new"));
    nitro_model_free(model);
}

static void test_a_constant_device_feature_is_ignored(void **state)
{
    fixture *f = *state;
    const double features[] = {700.0, 0.3};
    double scores[SYNTHETIC_VARIANTS], changed[SYNTHETIC_VARIANTS];
    nitro_model_score(f->model, features, scores);
    f->model->device_values[1] = 1e6; /* sockets: 1 on all sources */
    nitro_model_scale_device(f->model);
    nitro_model_score(f->model, features, changed);
    assert_memory_equal(scores, changed, sizeof(scores));
    f->model->device_values[0] = 4.0; /* launch is not constant */
    nitro_model_scale_device(f->model);
    nitro_model_score(f->model, features, changed);
    assert_memory_not_equal(scores, changed, sizeof(scores));
}

static void test_same_bytes_whatever_the_threads(void **state)
{
    fixture *f = *state;
    for (unsigned num_threads = 2; num_threads <= 4; num_threads += 2) {
        nitro_model *model = NULL;
        char *text = NULL;
        size_t size = 0;
        assert_ok(f->context, train(f, num_threads, &model));
        assert_ok(f->context, nitro_model_format(model, &text, &size));
        assert_int_equal(size, f->size);
        assert_memory_equal(text, f->text, size);
        free(text);
        nitro_model_free(model);
    }
}

/* ---- Files -------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    fixture *f = *state;
    temporary folder = temporary_make();
    const char *path = temporary_path(&folder, "toy.model");
    nitro_model *read = NULL;
    char *text = NULL, *summary = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_model_save(f->model, path));
    assert_ok(f->context, nitro_model_load(f->context, path, &read));
    assert_ok(f->context, nitro_model_format(read, &text, &size));
    assert_int_equal(size, f->size);
    assert_memory_equal(text, f->text, size);
    assert_string_equal(nitro_model_computation(read), "toy");
    assert_string_equal(nitro_model_target(read), "next");
    assert_string_equal(nitro_model_strategy(read), "svm");
    assert_int_equal(nitro_model_num_variants(read), 3);
    assert_int_equal(nitro_model_num_features(read), 2);
    assert_string_equal(nitro_model_feature_name(read, 0), "size");
    assert_null(nitro_model_feature_name(read, 2));
    assert_null(nitro_model_variant_name(read, 3));
    for (size_t i = 0; i < 300; i++) {
        double features[SYNTHETIC_FEATURES], a[SYNTHETIC_VARIANTS], b[SYNTHETIC_VARIANTS];
        nitro_decision da, db;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &da, NULL, a));
        assert_ok(f->context, nitro_model_predict(read, features, &db, NULL, b));
        assert_memory_equal(a, b, sizeof(a));
        assert_true(da.confidence == db.confidence);
    }
    assert_ok(f->context, nitro_model_summary(read, &summary));
    assert_non_null(strstr(summary, "\"num_vectors\""));
    assert_non_null(strstr(summary, "\"gamma\""));
    assert_null(strstr(summary, "\"coefficients\""));
    free(summary);
    free(text);
    nitro_model_free(read);
    temporary_remove(&folder);
}

static void test_no_file(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    assert_fails(f->context, nitro_model_load(f->context, "/no/such/file", &model),
                 NITRO_ERR_NOT_FOUND, "/no/such/file");
    assert_fails(f->context, nitro_model_save(f->model, "/no/such/folder/m"), NITRO_ERR_IO,
                 "/no/such/folder/m");
    assert_null(model);
}

static void test_cut_at_every_byte(void **state)
{
    fixture *f = *state;
    for (size_t size = 0; size < f->size; size++) {
        nitro_model *model = NULL;
        assert_int_equal(nitro_model_parse(f->context, "m", f->text, size, &model),
                         NITRO_ERR_FORMAT);
        assert_null(model);
    }
}

static void test_every_byte_altered(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < f->size; i++)
        for (int bit = 0; bit < 8; bit++) {
            nitro_model *model = NULL;
            f->text[i] = (char)(f->text[i] ^ (1 << bit));
            nitro_status status = nitro_model_parse(f->context, "m", f->text, f->size, &model);
            f->text[i] = (char)(f->text[i] ^ (1 << bit));
            assert_true(status == NITRO_ERR_FORMAT || status == NITRO_ERR_NEWER);
            assert_null(model);
        }
}

/* Replace the first `from` after `field` by `to`, and make the checksum right again. */
static char *forge(const fixture *f, const char *field, const char *from, const char *to)
{
    char *at = strstr(f->text, field);
    at = at ? strstr(at, from) : NULL;
    if (!at)
        fail_msg("the model's file has no '%s' after '%s'", from, field);
    size_t before = (size_t)(at - f->text), head = strlen("{\"checksum\": \"0123456789abcdef\"");
    size_t size = f->size + strlen(to) + 1;
    char *forged = calloc(1, size);
    assert_non_null(forged);
    snprintf(forged, size, "%.*s%s%s", (int)before, f->text, to, at + strlen(from));
    char checksum[17];
    snprintf(checksum, sizeof(checksum), "%016" PRIx64,
             nitro_hash(forged + head, strlen(forged) - head, 0));
    memcpy(forged + strlen("{\"checksum\": \""), checksum, 16);
    return forged;
}

static void test_wrong_fields(void **state)
{
    fixture *f = *state;
    const struct {
        const char *field, *from, *to, *error;
    } wrong[] = {
        {"\"format\"", "nitro-model", "other-model", "field format is 'other-model'"},
        {"\"format\"", "\"format\"", "\"form\"", "field format is missing"},
        {"\"version\"", "1", "0", "field version is 0"},
        {"\"version\"", "1", "\"1\"", "field version must be an integer, not a string"},
        {"\"computation\"", "toy", "no/name", "field computation: 'no/name'"},
        {"\"target\"", "next", "ne xt", "field target: 'ne xt'"},
        {"\"target\"", "\"id\"", "\"di\"", "field target.id is missing"},
        {"\"target\"", "{\"id\"", "3,\"x\":{\"id\"", "field target must be an object"},
        {"\"variants\"", "\"wide\"", "\"simple\"", "field variants: toy: variant 'simple'"},
        {"\"variants\"", "\"wide\"", "7", "field variants"},
        {"\"variants\"", "\"simple\",\"wide\",\"even\"", "", "none of the variants"},
        {"\"default\"", "\"", "\"x", "field"},
        {"\"default\": \"", "\": \"", "\": \"x", "which is none of the variants"},
        {"\"features\"", "\"size\"", "\"skew\"", "field features: toy: feature 'skew'"},
        {"\"features\"", "\"log\"", "\"auto\"", "field features.scale is 'auto'"},
        {"\"features\"", "\"log\"", "\"cubic\"", "field features.scale is 'cubic'"},
        {"\"features\"", "\"low\":", "\"low\":1e300,\"lo\":", "field features.low is above"},
        {"\"features\"",
         "\"low\":", "\"low\":\"0\",\"lo\":", "field features.low must be a finite"},
        {"\"features\"", "\"high\":", "\"high\":null,\"hi\":", "field features.high must be"},
        {"\"device_features\"", "\"launch\"", "\"sockets\"", "field device_features.name"},
        {"\"device_features\"", "\"value\"", "\"valu\"", "field device_features.value is missing"},
        {"\"provenance\"", "{", "[{", "m:"},
        {"\"strategy\"", "\"svm\"", "\"oracle\"", "there is no strategy 'oracle'"},
        {"\"calibration\"", "\"confidences\":[", "\"confidences\":[1.0,",
         "calibration.confidences"},
        {"\"calibration\"", "\"confidences\":[", "\"confidences\":[-", "confidences may not fall"},
        {"\"calibration\"", "\"margins\":[", "\"margins\":[],\"m\":[", "calibration.margins has 0"},
        {"\"predictor\"", "\"gamma\":", "\"gamma\":-", "predictor.gamma is -"},
        {"\"predictor\"", "\"gamma\":", "\"gamma\":[],\"g\":", "predictor.gamma must be a finite"},
        {"\"predictor\"", "\"classes\":[0,1", "\"classes\":[1,0",
         "ascending indices of 3 variants"},
        {"\"predictor\"", "\"classes\":[", "\"classes\":[],\"k\":[", "predictor.classes has 0"},
        {"\"predictor\"", "\"classes\":[", "\"classes\":[-1,", "field predictor."},
        {"\"predictor\"", "\"class_vectors\":[", "\"class_vectors\":[1000000000,", "add up"},
        {"\"predictor\"", "\"rho\":[", "\"rho\":[1.0,", "predictor.rho must be an array of"},
        {"\"predictor\"", "\"coefficients\":[[", "\"coefficients\":[[1.0,", "arrays of"},
        {"\"predictor\"", "\"vectors\":[[", "\"vectors\":[[1.0,", "arrays of"},
        {"\"predictor\"", "\"vectors\":[[", "\"vectors\":[[],[", "arrays of"},
        {"\"predictor\"", "\"vectors\":[", "\"vectors\":[[null,0,0,0],", "arrays of"},
        {"\"predictor\"", "\"predictor\": {", "\"predictor\": {\"c\":1,", "duplicate"},
        {"\"predictor\"", "\"vectors\":[[", "\"vectors\":[[1e999,", "m:"},
        {"\"predictor\"", "\"vectors\"", "\"victors\"", "field predictor.vectors is missing"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *text = forge(f, wrong[i].field, wrong[i].from, wrong[i].to);
        nitro_model *model = NULL;
        nitro_status status = nitro_model_parse(f->context, "m", text, strlen(text), &model);
        char error[2048];
        nitro_context_last_error(f->context, error, sizeof(error));
        if (status != NITRO_ERR_FORMAT || !strstr(error, wrong[i].error) || error[0] != 'm')
            fail_msg("'%s' for '%s' in %s: %s: %s", wrong[i].to, wrong[i].from, wrong[i].field,
                     nitro_status_name(status), error);
        assert_null(model);
        free(text);
    }
}

static void test_newer_and_altered(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    char *text = forge(f, "\"version\"", "1", "3");
    assert_fails(f->context, nitro_model_parse(f->context, "m", text, strlen(text), &model),
                 NITRO_ERR_NEWER, "format version 3");
    free(text);
    /* Values may be as good as before: a file that was edited by hand is refused all the same. */
    char *space = strstr(f->text, "\"format\": ") + strlen("\"format\":");
    *space = '\t';
    assert_fails(f->context, nitro_model_parse(f->context, "m", f->text, f->size, &model),
                 NITRO_ERR_FORMAT, "altered");
    *space = ' ';
    const char *others[] = {"", "[]", "{}", "null", "\xff\xfe", "PK\x03\x04", "{\"checksum\": 5}"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_fails(f->context,
                     nitro_model_parse(f->context, "m", others[i], strlen(others[i]), &model),
                     NITRO_ERR_FORMAT, "m:");
    assert_null(model);
}

/* ---- Attached to a computation ------------------------------------------------------------ */

static int run_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

static int read_features(const void *argument, double *values, void *user)
{
    (void)user;
    memcpy(values, argument, SYNTHETIC_FEATURES * sizeof(*values));
    return 0;
}

static nitro_computation *make_computation(nitro_context *context, const char *last_variant)
{
    nitro_computation *computation = NULL;
    const char *names[] = {"simple", "wide", last_variant};
    const nitro_feature features[] = {{"size", "rows", NITRO_SCALE_AUTO, 0},
                                      {"skew", "1", NITRO_SCALE_LINEAR, 0}};
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    for (size_t v = 0; v < 3; v++) {
        nitro_variant variant = {.name = names[v], .run = run_nothing};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    assert_ok(context,
              nitro_computation_add_features(computation, features, 2, read_features, NULL));
    return computation;
}

static void test_attached(void **state)
{
    fixture *f = *state;
    temporary folder = temporary_make();
    const char *path = temporary_path(&folder, "toy.model");
    assert_ok(f->context, nitro_model_save(f->model, path));
    nitro_computation *computation = make_computation(f->context, "even");
    nitro_computation *other = make_computation(f->context, "odd");
    assert_ok(f->context, nitro_computation_load_model(computation, path));
    assert_fails(f->context, nitro_computation_load_model(other, path), NITRO_ERR_MISMATCH, "odd");
    for (size_t i = 0; i < 100; i++) {
        double features[SYNTHETIC_FEATURES];
        nitro_decision selected, predicted;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_select(computation, features, &selected));
        assert_ok(f->context, nitro_model_predict(f->model, features, &predicted, NULL, NULL));
        assert_int_equal(selected.variant, predicted.variant);
        assert_int_equal(selected.reason, NITRO_REASON_MODEL);
    }
    nitro_computation_free(computation);
    nitro_computation_free(other);
    temporary_remove(&folder);
}

/* ---- Confidence --------------------------------------------------------------------------- */

static void test_calibration(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    enum { ROWS = 2000 };
    double *times = calloc(ROWS * 2, sizeof(double)), *scores = calloc(ROWS * 2, sizeof(double));
    nitro_random random;
    nitro_random_seed(&random, 4);
    for (size_t row = 0; row < ROWS; row++) {
        double margin = nitro_random_uniform(&random);
        bool right = nitro_random_uniform(&random) < 0.5 + 0.5 * margin;
        scores[row * 2] = margin;
        times[row * 2] = right ? 1.0 : 2.0;
        times[row * 2 + 1] = right ? 2.0 : 1.0;
    }
    nitro_calibration calibration;
    assert_ok(context, nitro_calibration_fit(context, times, scores, NULL, ROWS, 2, &calibration));
    for (double margin = 0.1; margin < 0.95; margin += 0.1)
        assert_true(fabs(nitro_calibration_confidence(&calibration, 2.0 * margin) -
                         (0.5 + 0.5 * margin)) <= 0.08);
    double last = 0.0;
    for (double margin = -1.0; margin < 2.0; margin += 0.01) {
        double confidence = nitro_calibration_confidence(&calibration, margin);
        assert_true(confidence >= last && confidence <= 1.0);
        last = confidence;
    }
    for (size_t i = 0; i < ROWS * 2; i++)
        scores[i] = NAN;
    assert_ok(context, nitro_calibration_fit(context, times, scores, NULL, ROWS, 2, &calibration));
    assert_true(nitro_calibration_confidence(&calibration, 3.0) == 0.5);
    free(times);
    free(scores);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_learns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ranking_follows_scores, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_features, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outside_takes_the_default, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constraints, setup, teardown),
        cmocka_unit_test_setup_teardown(test_low_confidence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_default_is_the_best_fixed, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_rows_that_do_not_teach, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_a_log_scale_takes_positive_values, setup_small,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_constant_device_feature_is_ignored, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_bytes_whatever_the_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_file, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_cut_at_every_byte, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_every_byte_altered, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(test_newer_and_altered, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_attached, setup, teardown),
        cmocka_unit_test(test_calibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
