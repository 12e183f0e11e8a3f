/* Input features that cost more than they gain are dropped from models of a device's own samples,
 * by costs that samples record. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "nitro/runtime/model/model.h"
#include "unit/temporary.h"
#include "unit/unit.h"

enum { SIZE, ECHO, NOISE, NUM_FEATURES, NUM_INPUTS = 120 };

/** Costs in runs of the fastest variant; NaN: evaluated with the feature before. */
typedef struct costs {
    double of[NUM_FEATURES];
} costs;

/** Up to input 60 "small" is twice as fast, then "large". ECHO repeats SIZE, NOISE says nothing. */
static void put_sample(nitro_store *store, size_t i, const costs *known)
{
    nitro_context *context = nitro_store_context(store);
    nitro_sample *sample = NULL;
    char input[32];
    double best_ms = 0.1 * (double)(1 + i % 3), costs_ms[NUM_FEATURES];
    snprintf(input, sizeof input, "input %03zu", i);
    assert_ok(context, nitro_sample_create(context, input, NUM_FEATURES, 2, &sample));
    sample->features[SIZE] = (double)(i + 1);
    sample->features[ECHO] = 3.0 * (double)(i + 1);
    sample->features[NOISE] = (double)(1 + i * 7919 % 101);
    for (size_t v = 0; v < 2; v++) {
        sample->entries[v].outcome = NITRO_OUTCOME_MEASURED;
        sample->entries[v].median_ms = (i < NUM_INPUTS / 2) == (v == 0) ? best_ms : 2 * best_ms;
    }
    for (size_t f = 0; known && f < NUM_FEATURES; f++)
        costs_ms[f] = known->of[f] * best_ms;
    if (known)
        assert_ok(context, nitro_sample_set_feature_costs(context, sample, costs_ms, NUM_FEATURES));
    const nitro_sample *samples[] = {sample};
    assert_ok(context, nitro_store_put_samples(store, "costly", "here", samples, 1, false));
    nitro_sample_free(sample);
}

static nitro_model *learn(nitro_context *context, const costs *known)
{
    static const char *const names[NUM_FEATURES] = {"size", "echo", "noise"};
    temporary folder = temporary_make();
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_store *store = NULL;
    nitro_model *model = NULL;
    nitro_learn_options options;
    assert_ok(context, nitro_schema_create(context, "costly", &schema));
    for (size_t f = 0; f < NUM_FEATURES; f++)
        assert_ok(context,
                  nitro_schema_add_feature(context, schema, names[f], NULL, NITRO_SCALE_LOG));
    assert_ok(context, nitro_schema_add_variant(context, schema, "small"));
    assert_ok(context, nitro_schema_add_variant(context, schema, "large"));
    assert_ok(context, nitro_device_create(context, "here", "recorded", &device));
    assert_ok(context, nitro_store_open(context, temporary_path(&folder, "store.db"),
                                        NITRO_STORE_WRITE, &store));
    assert_ok(context, nitro_store_put_schema(store, schema));
    assert_ok(context, nitro_store_put_device(store, device));
    for (size_t i = 0; i < NUM_INPUTS; i++)
        put_sample(store, i, known);
    nitro_learn_options_init(&options);
    options.strategy = "forest";
    assert_ok(context, nitro_learn_own(context, store, "costly", "here", &options, &model));
    nitro_store_close(store);
    nitro_device_free(device);
    nitro_schema_free(schema);
    temporary_remove(&folder);
    return model;
}

static bool uses(const nitro_model *model, size_t feature)
{
    return nitro_model_used_features(model) >> feature & 1;
}

static void assert_decides_well(const nitro_model *model)
{
    const double low[] = {11, 0, 0}, high[] = {111, 0, 0}; /* the others are not evaluated */
    nitro_decision made;
    assert_ok(model->context, nitro_model_predict(model, low, &made, NULL, NULL));
    assert_string_equal(made.variant_name, "small");
    assert_ok(model->context, nitro_model_predict(model, high, &made, NULL, NULL));
    assert_string_equal(made.variant_name, "large");
}

/** Counts its calls. */
static int evaluate(const void *argument, double *values, void *user)
{
    ++*(size_t *)user;
    values[0] = *(const double *)argument;
    return 0;
}

/** Also where their cost is not declared, and far outside what they were. */
static void assert_dropped_are_not_evaluated(nitro_model *model)
{
    static const char *const names[NUM_FEATURES] = {"size", "echo", "noise"};
    nitro_context *context = model->context;
    nitro_computation *computation = NULL;
    size_t num_calls[NUM_FEATURES] = {0};
    double argument = 111;
    nitro_decision made;
    assert_ok(context, nitro_computation_create(context, "costly", &computation));
    for (size_t f = 0; f < NUM_FEATURES; f++)
        assert_ok(context,
                  nitro_computation_add_features(computation, &(nitro_feature){.name = names[f]}, 1,
                                                 evaluate, &num_calls[f]));
    assert_ok(context, nitro_computation_add_variant(
                           computation, &(nitro_variant){.name = "small", .run = run_nothing}));
    assert_ok(context, nitro_computation_add_variant(
                           computation, &(nitro_variant){.name = "large", .run = run_nothing}));
    assert_ok(context, nitro_computation_attach_model(computation, model));
    assert_ok(context, nitro_run(computation, &argument, &made));
    assert_string_equal(made.variant_name, "large");
    assert_int_equal(made.reason, NITRO_REASON_MODEL);
    assert_true(num_calls[SIZE] == 1 && num_calls[ECHO] == 0 && num_calls[NOISE] == 0);
    const double odd[] = {111, -1e9, 1e9};
    assert_ok(context, nitro_select_features(computation, odd, NUM_FEATURES, &made));
    assert_int_equal(made.reason, NITRO_REASON_MODEL);
    nitro_computation_free(computation);
}

static void test_features_that_do_not_pay_are_dropped(void **state)
{
    const costs known = {{0.1, 20, 30}}; /* 0.1 %, 20 % and 30 % of a run in 100 */
    nitro_context *context = unit_context();
    nitro_model *model = learn(context, &known);
    (void)state;
    assert_true(uses(model, SIZE) && !uses(model, ECHO) && !uses(model, NOISE));
    assert_decides_well(model);
    json_t *report = json_object_get(model->provenance, "features");
    assert_int_equal(json_array_size(report), NUM_FEATURES);
    json_t *size = json_array_get(report, SIZE), *echo = json_array_get(report, ECHO);
    assert_string_equal(json_string_value(json_array_get(json_object_get(size, "features"), 0)),
                        "size");
    assert_true(json_is_true(json_object_get(size, "used")));
    assert_true(json_is_false(json_object_get(echo, "used")));
    assert_true(fabs(json_number_value(json_object_get(echo, "cost_percent")) - 20) < 1e-9);
    assert_dropped_are_not_evaluated(model);
    nitro_context_free(context);
}

/** Choosing saves half of the time of every other run: much more than 20 %. */
static void test_a_costly_feature_that_pays_is_kept(void **state)
{
    const costs known = {{20, NAN, 0.001}}; /* the first two are evaluated together */
    nitro_context *context = unit_context();
    nitro_model *model = learn(context, &known);
    (void)state;
    assert_true(uses(model, SIZE) || uses(model, ECHO));
    json_t *report = json_object_get(model->provenance, "features");
    assert_int_equal(json_array_size(report), 2);
    json_t *both = json_array_get(report, 0);
    assert_int_equal(json_array_size(json_object_get(both, "features")), 2);
    assert_true(json_is_true(json_object_get(both, "used")));
    assert_true(json_number_value(json_object_get(both, "gain_percent")) > 20);
    assert_true(json_is_null(json_object_get(json_array_get(report, 1), "gain_percent")));
    nitro_model_free(model);
    nitro_context_free(context);
}

/** One that costs more than twice what choices gain, half of a run in 100, leaves a model that
 *  always decides alike; one that costs a little more than they gain may be worth it elsewhere. */
static void test_without_a_feature_that_pays_the_model_is_constant(void **state)
{
    static const double costs_of_all[] = {200, 120, 70};
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const costs known = {{costs_of_all[i], NAN, NAN}};
        nitro_model *model = learn(context, &known);
        assert_int_equal(nitro_model_used_features(model) != 0, costs_of_all[i] < 100);
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

static void test_without_costs_nothing_is_dropped(void **state)
{
    nitro_context *context = unit_context();
    nitro_model *model = learn(context, NULL);
    (void)state;
    assert_true(uses(model, ECHO) || uses(model, SIZE));
    assert_null(json_object_get(model->provenance, "features"));
    nitro_model_free(model);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_that_do_not_pay_are_dropped),
        cmocka_unit_test(test_a_costly_feature_that_pays_is_kept),
        cmocka_unit_test(test_without_a_feature_that_pays_the_model_is_constant),
        cmocka_unit_test(test_without_costs_nothing_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
