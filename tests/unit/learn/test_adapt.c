/* Adaptation to a few measured inputs: their choice, their effect, and the model file. */
#include <math.h>

#include "nitro/learn/adapt.h"
#include "nitro/learn/correction.h"
#include "nitro/models/model_file.h"
#include "nitro/models/score_json.h"
#include "unit/synthetic_store.h"

enum { INPUTS = 120, UNKNOWN = 400 };

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_learn_options options;
    size_t num_measured; /* inputs that the library had measured */
    char log[UNIT_LOG_BYTES];
} fixture;

static double launch_of(const char *device)
{
    return strcmp(device, "far") == 0 ? 90.0 : strcmp(device, "a") == 0 ? 1.0 : 1.2;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    f->folder = temporary_make();
    f->store = synthetic_store(f->context, &f->folder);
    nitro_learn_options_init(&f->options);
    f->options.strategy = "auto";
    synthetic_put_measured(f->store, "a", launch_of("a"), 0, INPUTS);
    synthetic_put_measured(f->store, "b", launch_of("b"), 0, INPUTS);
    synthetic_put_device(f->store, "far", launch_of("far"));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_model *learn(fixture *f)
{
    nitro_model *model = NULL;
    assert_ok(f->context,
              nitro_tune_from_source(f->context, f->store, "toy", "far", &f->options, &model));
    return model;
}

/* Mean quality on unmeasured inputs. */
static double quality(fixture *f, const nitro_model *model)
{
    double sum = 0.0;
    for (size_t i = INPUTS; i < INPUTS + UNKNOWN; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        synthetic_times(features, launch_of("far"), times_ms);
        assert_ok(f->context, nitro_model_predict(model, features, &decision, NULL, NULL));
        sum += nitro_times_quality(times_ms, SYNTHETIC_VARIANTS, decision.variant);
    }
    return sum / UNKNOWN;
}

static void test_a_common_error_is_learnt_at_once(void **state)
{
    fixture *f = *state;
    enum { COUNT = 10, COLUMNS = 2 };
    double columns[COUNT * COLUMNS], errors[COUNT * 2];
    for (size_t i = 0; i < COUNT; i++) {
        columns[i * COLUMNS] = (double)i / 5.0 - 0.9;
        columns[i * COLUMNS + 1] = i % 2 ? 0.5 : -0.5;
        errors[i * 2] = 1.0;
        errors[i * 2 + 1] = -2.0;
    }
    nitro_kernel_pair *correction = NULL, *again = NULL;
    assert_ok(f->context,
              nitro_correction_fit(f->context, columns, errors, COUNT, COLUMNS, 2, 2, &correction));
    double scores[2] = {5.0, 5.0}, same[2] = {5.0, 5.0};
    const double place[COLUMNS] = {0.1, 0.2};
    nitro_kernel_pair_add(correction, 1.0, place, scores);
    assert_true(scores[0] > 5.7 && scores[0] < 6.05);
    assert_true(scores[1] < 3.6 && scores[1] > 2.9);
    struct json_t *json = NULL;
    const nitro_json_place at = {f->context, "file", "correction"};
    assert_ok(f->context, nitro_kernel_pair_encode(f->context, correction, &json));
    assert_ok(f->context, nitro_kernel_pair_decode(&at, json, COLUMNS, 2, &again));
    nitro_kernel_pair_add(again, 1.0, place, same);
    assert_true(same[0] == scores[0] && same[1] == scores[1]);
    nitro_kernel_pair *wrong = NULL;
    assert_fails(f->context, nitro_kernel_pair_decode(&at, json, COLUMNS + 1, 2, &wrong),
                 NITRO_ERR_FORMAT, "correction");
    json_object_del(json, "narrow");
    assert_fails(f->context, nitro_kernel_pair_decode(&at, json, COLUMNS, 2, &wrong),
                 NITRO_ERR_FORMAT, "correction.narrow");
    json_decref(json);
    nitro_kernel_pair_free(correction);
    nitro_kernel_pair_free(again);
}

/* Root mean square of the correction elsewhere by ten inputs with these errors. */
static double correction_elsewhere(fixture *f, double common, double noise)
{
    enum { COUNT = 10, ELSEWHERE = 50, COLUMNS = 8 };
    double columns[COUNT * COLUMNS], errors[COUNT], square = 0.0;
    nitro_random random;
    nitro_random_seed(&random, 5);
    for (size_t i = 0; i < COUNT; i++)
        errors[i] = common + noise * (2.0 * nitro_random_uniform(&random) - 1.0);
    for (size_t i = 0; i < COUNT * COLUMNS; i++)
        columns[i] = 2.0 * nitro_random_uniform(&random) - 1.0;
    nitro_kernel_pair *correction = NULL;
    assert_ok(f->context,
              nitro_correction_fit(f->context, columns, errors, COUNT, COLUMNS, 1, 1, &correction));
    for (size_t i = 0; i < ELSEWHERE; i++) {
        double place[COLUMNS], score = 0.0;
        for (size_t c = 0; c < COLUMNS; c++)
            place[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        nitro_kernel_pair_add(correction, 1.0, place, &score);
        square += score * score / ELSEWHERE;
    }
    nitro_kernel_pair_free(correction);
    return sqrt(square);
}

/* Ten inputs with independent errors change little elsewhere; ten with a common error change
 * everything, at any scale. */
static void test_noise_is_not_learnt(void **state)
{
    fixture *f = *state;
    double noise = correction_elsewhere(f, 0.0, 1.0);
    assert_true(noise < 0.1);
    assert_true(correction_elsewhere(f, 1.0, 0.1) > 0.9);
    assert_true(fabs(correction_elsewhere(f, 0.0, 0.01) - 0.01 * noise) < 1e-9);
    assert_true(correction_elsewhere(f, 0.0, 0.0) == 0.0);
}

static void test_plan(void **state)
{
    fixture *f = *state;
    /* Three clusters: one input of each comes before any second one. */
    enum { COUNT = 12 };
    double columns[COUNT], weights[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        columns[i] = i < 6 ? -1.0 : i < 9 ? 0.0 : 1.0;
        weights[i] = 1.0;
    }
    size_t chosen[COUNT];
    assert_ok(f->context,
              nitro_correction_plan(f->context, columns, weights, COUNT, 1, COUNT, chosen));
    bool clusters[3] = {false}, seen[COUNT] = {false};
    for (size_t k = 0; k < 3; k++)
        clusters[chosen[k] < 6 ? 0 : chosen[k] < 9 ? 1 : 2] = true;
    assert_true(clusters[0] && clusters[1] && clusters[2]);
    for (size_t k = 0; k < COUNT; k++) {
        assert_false(seen[chosen[k]]);
        seen[chosen[k]] = true;
    }
    weights[10] = weights[11] = weights[9] = 100.0; /* uncertain inputs come first */
    assert_ok(f->context, nitro_correction_plan(f->context, columns, weights, COUNT, 1, 1, chosen));
    assert_int_equal(chosen[0], 9);
}

static void test_few_inputs_help(void **state)
{
    fixture *f = *state;
    nitro_model *model = learn(f);
    double without = quality(f, model);
    nitro_model_free(model);
    for (size_t i = 0; i < INPUTS; i++)
        synthetic_put_input(f->store, "far", launch_of("far"), i);
    f->options.num_measured = 15;
    model = learn(f);
    double with = quality(f, model);
    assert_true(without < 0.80);
    assert_true(with > 0.90);
    nitro_model_free(model);
    f->options.num_measured = 100;
    model = learn(f);
    assert_true(quality(f, model) > 0.95);
    nitro_model_free(model);
}

/* A device with a source's features that behaves like it on every other input only. */
static double odd_launch(size_t index)
{
    return index % 2 ? launch_of("far") : launch_of("b");
}

/* Count the confident decisions on unmeasured inputs, and the wrong ones among them. */
static void count_confident(fixture *f, size_t num_measured, size_t *num_confident,
                            size_t *num_wrong)
{
    *num_confident = *num_wrong = 0;
    f->options.num_measured = num_measured;
    nitro_model *model = learn(f);
    for (size_t i = INPUTS; i < INPUTS + UNKNOWN; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        synthetic_times(features, odd_launch(i), times_ms);
        assert_ok(f->context, nitro_model_predict(model, features, &decision, NULL, NULL));
        if (decision.confidence < 0.9)
            continue;
        double quality = nitro_times_quality(times_ms, SYNTHETIC_VARIANTS, decision.variant);
        *num_confident += 1;
        *num_wrong += quality < 0.95 ? 1 : 0;
    }
    nitro_model_free(model);
}

static void test_few_inputs_lower_confidence(void **state)
{
    fixture *f = *state;
    size_t num_confident, num_wrong;
    synthetic_put_device(f->store, "far", launch_of("b"));
    for (size_t i = 0; i < INPUTS; i++)
        synthetic_put_input(f->store, "far", odd_launch(i), i);
    count_confident(f, 0, &num_confident, &num_wrong);
    assert_true(num_confident > UNKNOWN / 2 &&
                num_wrong > num_confident / 5); /* nothing shows the difference */
    count_confident(f, 9, &num_confident, &num_wrong);
    assert_true(num_wrong <= num_confident / 5);
}

static void test_a_file_keeps_the_correction(void **state)
{
    fixture *f = *state;
    char *texts[2] = {NULL};
    size_t size = 0;
    for (size_t i = 0; i < INPUTS; i++)
        synthetic_put_input(f->store, "far", launch_of("far"), i);
    f->options.num_measured = 20;
    for (size_t i = 0; i < 2; i++) {
        f->options.num_threads = (unsigned)i + 1;
        nitro_model *model = learn(f);
        assert_ok(f->context, nitro_model_format(model, &texts[i], &size));
        nitro_model_free(model);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_non_null(strstr(texts[0], "\"version\": 2"));
    assert_non_null(strstr(texts[0], "\"measured\":[\"input"));
    nitro_model *model = learn(f), *again = NULL;
    assert_ok(f->context, nitro_model_parse(f->context, "m", texts[0], size, &again));
    for (size_t i = 0; i < 50; i++) {
        double features[SYNTHETIC_FEATURES], scores[2][SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(INPUTS + i, NULL, features);
        assert_ok(f->context, nitro_model_predict(model, features, &decision, NULL, scores[0]));
        assert_ok(f->context, nitro_model_predict(again, features, &decision, NULL, scores[1]));
        assert_memory_equal(scores[0], scores[1], sizeof(scores[0]));
    }
    nitro_model_free(model);
    nitro_model_free(again);
    free(texts[0]);
    free(texts[1]);
}

static nitro_status measure(void *user, const char *const *inputs, size_t count)
{
    fixture *f = user;
    for (size_t i = 0; i < count; i++) {
        size_t index = strtoul(inputs[i] + strlen("input"), NULL, 10);
        assert_true(index < 40); /* only measurable ones */
        synthetic_put_input(f->store, "far", launch_of("far"), index);
    }
    f->num_measured += count;
    return NITRO_OK;
}

static nitro_status interrupt(void *user, const char *const *inputs, size_t count)
{
    fixture *f = user;
    (void)inputs;
    (void)count;
    return nitro_fail(f->context, NITRO_ERR_INTERRUPTED, "not now");
}

static void test_measuring_on_demand(void **state)
{
    fixture *f = *state;
    nitro_string_list names = {0};
    for (size_t i = 0; i < 40; i++) {
        char name[16];
        double features[SYNTHETIC_FEATURES];
        synthetic_input(i, name, features);
        assert_ok(f->context, nitro_string_list_add(f->context, &names, name));
    }
    f->options.measurable = (const char *const *)names.items;
    f->options.num_measurable = names.count;
    f->options.measure = measure;
    f->options.measure_user = f;
    f->options.num_measured = 10;
    nitro_model *model = learn(f);
    assert_int_equal(f->num_measured, 10);
    assert_true(quality(f, model) > 0.85);
    nitro_model_free(model);
    f->options.num_measured = 100; /* more than there are */
    model = learn(f);
    assert_int_equal(f->num_measured, 50);
    assert_non_null(strstr(f->log, "only 40"));
    nitro_model_free(model);
    f->options.measure = interrupt;
    assert_fails(f->context,
                 nitro_tune_from_source(f->context, f->store, "toy", "far", &f->options, &model),
                 NITRO_ERR_INTERRUPTED, "not now");
    nitro_string_list_free(&names);
}

static void test_what_cannot_be_measured(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    const char *unknown[] = {"no-such-input"};
    f->options.num_measured = 5;
    assert_fails(f->context,
                 nitro_tune_from_source(f->context, f->store, "toy", "far", &f->options, &model),
                 NITRO_ERR_NO_DATA, "import samples of the target");
    f->options.measurable = unknown;
    f->options.num_measurable = 1;
    assert_fails(f->context,
                 nitro_tune_from_source(f->context, f->store, "toy", "far", &f->options, &model),
                 NITRO_ERR_NO_DATA, "name inputs of the sources");
    f->options.measurable = NULL;
    synthetic_put_input(f->store, "far", launch_of("far"), 3);
    f->options.strategy = "svm";
    assert_fails(f->context,
                 nitro_tune_from_source(f->context, f->store, "toy", "far", &f->options, &model),
                 NITRO_ERR_ARGUMENT, "strategy svm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_common_error_is_learnt_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_noise_is_not_learnt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_inputs_help, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_inputs_lower_confidence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_file_keeps_the_correction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_measuring_on_demand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_measured, setup, teardown),
    };
    return cmocka_run_group_tests_name("adapt", tests, NULL, NULL);
}
