/* Models' files, and every way in which one can be wrong. */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>

#include "nitro/models/c_export.h"
#include "nitro/models/model_file.h"
#include "unit/model_fixture.h"
#include "unit/temporary.h"

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

/** Range ends and costs of preparing by hand, each number another one. */
static void set_optional_parts(fixture *f)
{
    nitro_model *model = f->model;
    model->ends = calloc(2 * SYNTHETIC_FEATURES + 1, sizeof *model->ends);
    assert_non_null(model->ends);
    for (size_t e = 0; e < 2 * SYNTHETIC_FEATURES; e++) {
        model->ends[e] = (nitro_range_end){(double)e + 0.5,
                                           0.5 + 0.0625 * (double)e,
                                           0.25 + 0.03125 * (double)e,
                                           {-0.125 * (double)e, -0.0625 * (double)e, -1.0}};
    }
    assert_ok(f->context, nitro_prepare_costs_create(f->context, model->num_seen,
                                                     SYNTHETIC_VARIANTS, &model->prepare_costs));
    nitro_prepare_costs *costs = model->prepare_costs;
    costs->prepared = 5; /* the second one has no cost */
    for (size_t i = 0; i < (model->num_seen + 1) * SYNTHETIC_VARIANTS; i++)
        costs->weights[i] = i / (model->num_seen + 1) == 1 ? 0.0 : (double)i + 0.75;
    costs->few_feature = 0;
    costs->num_few = 3;
    costs->few[0] = (nitro_few_uses){10.5, 2.0, 2, 0.5};
    costs->few[1] = (nitro_few_uses){20.5, 3.0, 1, 0.625};
    costs->few[2] = (nitro_few_uses){INFINITY, 4.0, 0, 0.75};
}

static void test_optional_parts_come_back(void **state)
{
    fixture *f = *state;
    nitro_model *read = NULL;
    char *text = NULL, *again = NULL, *summary = NULL;
    size_t size = 0, again_size = 0;
    set_optional_parts(f);
    f->model->untried = 5;
    f->model->calibration.num_knots = NITRO_CALIBRATION_MAX_KNOTS;
    for (size_t k = 0; k < NITRO_CALIBRATION_MAX_KNOTS; k++) {
        f->model->calibration.margins[k] = (double)k;
        f->model->calibration.confidences[k] = (double)k / NITRO_CALIBRATION_MAX_KNOTS;
    }
    assert_ok(f->context, nitro_model_format(f->model, &text, &size));
    assert_ok(f->context, nitro_model_parse(f->context, "m", text, size, &read));
    assert_int_equal(read->untried, 5);
    assert_int_equal(nitro_model_num_ranked(read), 1);
    assert_int_equal(read->calibration.num_knots, NITRO_CALIBRATION_MAX_KNOTS);
    for (size_t e = 0; e < 2 * SYNTHETIC_FEATURES; e++) {
        const nitro_range_end *made = &f->model->ends[e], *end = &read->ends[e];
        assert_true(end->reach == made->reach && end->confidence == made->confidence &&
                    end->fallback_confidence == made->fallback_confidence);
        assert_memory_equal(end->fallback_scores, made->fallback_scores,
                            SYNTHETIC_VARIANTS * sizeof(double));
    }
    const nitro_prepare_costs *made = f->model->prepare_costs, *costs = read->prepare_costs;
    assert_int_equal(costs->prepared, 5);
    assert_memory_equal(costs->weights, made->weights,
                        (read->num_seen + 1) * SYNTHETIC_VARIANTS * sizeof(double));
    assert_int_equal(costs->few_feature, 0);
    assert_int_equal(costs->num_few, 3);
    assert_memory_equal(costs->few, made->few, 3 * sizeof costs->few[0]);
    assert_ok(f->context, nitro_model_format(read, &again, &again_size));
    assert_string_equal(again, text);
    assert_ok(f->context, nitro_model_summary(read, &summary));
    json_t *top = json_loads(summary, 0, NULL),
           *expected =
               json_pack("[{s:f, s:s, s:s, s:f}, {s:f, s:s, s:s, s:f, s:f}, {s:f, s:s, s:s, s:f}]",
                         "uses", 2.0, "variant", "even", "feature", "size", "up_to", 10.5, "uses",
                         3.0, "variant", "wide", "feature", "size", "above", 10.5, "up_to", 20.5,
                         "uses", 4.0, "variant", "simple", "feature", "size", "above", 20.5);
    assert_true(
        json_equal(json_object_get(json_object_get(top, "preparing"), "few_uses"), expected));
    json_decref(top);
    json_decref(expected);
    assert_fails(f->context, nitro_model_save(read, NULL), NITRO_ERR_ARGUMENT, "path");
    free(summary);
    free(again);
    free(text);
    nitro_model_free(read);
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

#define CALIBRATION(margins, confidences)                                                          \
    "{\"margins\":[" margins "],\"confidences\":[" confidences "]},\"rest\":{"

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
        {"\"variants\"", "\"variants\"", "\"untried\":[\"dense\"],\n\"variants\"",
         "field untried is not a list of variants"},
        {"\"variants\"", "\"variants\"", "\"untried\":{},\n\"variants\"", "field untried"},
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
        {"\"provenance\"", "{", "{\"x\":[{\"y\":\"\\u001b[31m\"}],", "control characters"},
        {"\"provenance\"", "{", "{\"\\u001b[31m\":0,", "control characters"},
        {"\"strategy\"", "\"svm\"", "\"oracle\"", "unknown strategy 'oracle'"},
        {"\"calibration\"", "\"confidences\":[", "\"confidences\":[1.0,",
         "calibration.confidences"},
        {"\"calibration\"", "\"confidences\":[", "\"confidences\":[-", "confidences may not fall"},
        {"\"calibration\"", "\"margins\":[", "\"margins\":[],\"m\":[", "calibration.margins has 0"},
        {"\"calibration\"", "{", CALIBRATION("0.0, 1.0", "0.5, 1.5"), "lie in [0, 1]"},
        {"\"calibration\"", "{", CALIBRATION("1.0, 1.0", "0.5, 0.6"), "margins must ascend"},
        {"\"calibration\"", "{", CALIBRATION("0.0, 1.0, 2.0", "0.5, 0.9, 0.6"), "may not fall"},
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

/* A computation may have no features; few uses then cannot depend on one. */
static void test_few_uses_by_no_feature(void **state)
{
    fixture *f = *state;
    static const char *const few[] = {"0", "1", "1000000"};
    for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++) {
        char text[2048];
        nitro_model *model = NULL;
        snprintf(
            text, sizeof(text),
            NITRO_MODEL_CHECKSUM
            ", \"format\": \"nitro-model\", \"version\": 3, \"computation\": \"toy\", "
            "\"target\": {\"id\": \"next\", \"kind\": \"host\"}, \"variants\": [\"a\", \"b\"], "
            "\"default\": \"a\", \"features\": [], \"device_features\": [], \"strategy\": "
            "\"forest\", \"predictor\": {\"trees\": [{\"columns\": [-1], \"thresholds\": [], "
            "\"outputs\": [0.0, 0.0]}]}, \"calibration\": {\"margins\": [0.0], \"confidences\": "
            "[0.5]}, \"provenance\": {}, \"preparing\": {\"variants\": [], \"weights\": [], "
            "\"few_feature\": %s, \"few_uses\": [{\"up_to\": 1.0, \"uses\": 2.0, \"variant\": 1, "
            "\"confidence\": 0.5}, {\"uses\": 2.0, \"variant\": 1, \"confidence\": 0.5}]}}",
            UINT64_C(0), few[i]);
        uint64_t checksum = nitro_model_checksum(text, strlen(text));
        char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
        snprintf(field, sizeof(field), NITRO_MODEL_CHECKSUM, checksum);
        memcpy(text, field, NITRO_MODEL_CHECKSUM_SIZE);
        assert_fails(f->context, nitro_model_parse(f->context, "m", text, strlen(text), &model),
                     NITRO_ERR_FORMAT, "preparing.few_feature is ");
        assert_null(model);
    }
}

static void test_newer_and_altered(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    char *text = forge(f, "\"version\"", "1", "4");
    assert_fails(f->context, nitro_model_parse(f->context, "m", text, strlen(text), &model),
                 NITRO_ERR_NEWER, "format version 4");
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

/* The same bytes under any rounding mode, in all formats, and they read back. */
static void test_rounding_modes(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        char *text = NULL, *source = NULL, *expected = NULL;
        size_t size = 0, source_size = 0, expected_size = 0;
        nitro_model *again = NULL;
        assert_ok(f->context, nitro_source_format(f->model, &expected, &expected_size));
        fesetround(modes[i]);
        nitro_status status = nitro_model_format(f->model, &text, &size);
        if (status == NITRO_OK)
            status = nitro_source_format(f->model, &source, &source_size);
        if (status == NITRO_OK)
            status = nitro_model_parse(f->context, "model", text, size, &again);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_ok(f->context, status);
        assert_int_equal(mode, modes[i]); /* the application's own */
        assert_int_equal(size, f->size);
        assert_memory_equal(text, f->text, size);
        assert_int_equal(source_size, expected_size);
        assert_memory_equal(source, expected, source_size);
        free(text);
        assert_ok(f->context, nitro_model_format(again, &text, &size));
        assert_memory_equal(text, f->text, size);
        nitro_model_free(again);
        free(text);
        free(source);
        free(expected);
    }
}

/* Refused before it is parsed: 20 MB of values would take 20 times as much. */
static void test_too_many_values(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *repeated, *error;
    } files[] = {{"0,", "more than 8388608 values"}, {"{", "or 524288 objects"}};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        temporary folder = temporary_make();
        const char *path = temporary_path(&folder, "many.json");
        nitro_model *model = NULL;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("{\"x\": [", file);
        for (size_t k = 0; k < 9000000; k++)
            fputs(files[i].repeated, file);
        fclose(file);
        assert_fails(f->context, nitro_model_load(f->context, path, &model), NITRO_ERR_FORMAT,
                     files[i].error);
        assert_null(model);
        temporary_remove(&folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_optional_parts_come_back, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_rounding_modes, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_no_file, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_too_many_values, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_cut_at_every_byte, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_every_byte_altered, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_uses_by_no_feature, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_newer_and_altered, setup_small, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
