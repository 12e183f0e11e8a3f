/* Quality and total time on held-out inputs, by hand. */
#include <jansson.h>
#include <math.h>

#include "nitro/learn/held_out.h"
#include "unit/synthetic.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void test_numbers(void **state)
{
    (void)state;
    double times_ms[] = {1, 2, 4, 8, 2, NAN, 3, 3, 1, 5, 5, 5};
    double scores[] = {0, -1, -1, -1, -1, 0, -1, 0, -1, NAN, NAN, NAN};
    nitro_context *context = unit_context();
    nitro_schema *schema = synthetic_schema(context);
    nitro_model *model = NULL;
    nitro_held_out found;
    schema->default_variant = 0;
    assert_ok(context, nitro_model_create(context, schema, "here", "host", &model));
    model->calibration =
        (nitro_calibration){.num_knots = 2, .margins = {0.0, 0.5}, .confidences = {0.5, 1.0}};
    const nitro_training_rows rows = {.num_rows = 4, .num_columns = 0, .times_ms = times_ms};
    nitro_held_out_judge(&rows, scores, model, &found);
    assert_int_equal(found.num_rows, 3); /* the last one was not held out */
    /* Row 1: simple, the best. Row 2: the best score has no time; a tie, so the first of the
     * others. Row 3: wide, three times the best. */
    assert_true(is_near(found.model.quality, 100.0 * (1.0 + 0.25 + 1.0 / 3.0) / 3.0));
    assert_true(is_near(found.model.time, (1.0 + 8.0 + 3.0) / 4.0));
    assert_true(is_near(found.usual.quality, 100.0 * (1.0 + 0.25 + 1.0 / 3.0) / 3.0));
    assert_true(is_near(found.usual.time, 12.0 / 4.0));
    assert_int_equal(found.fixed, 1);
    assert_true(is_near(found.best_fixed.time, (2.0 + 2.0 + 3.0) / 4.0));
    assert_true(is_near(found.best_fixed.quality, 100.0 * (0.5 + 1.0 + 1.0 / 3.0) / 3.0));
    assert_true(is_near(found.confident, 200.0 / 3.0)); /* margins 1, -1, 1 */
    assert_true(is_near(found.precision, 50.0));
    json_t *json = nitro_held_out_json(&found, schema);
    assert_string_equal(json_string_value(json_object_get(json, "best_fixed_variant")), "wide");
    assert_true(is_near(json_number_value(json_object_get(json, "precision")), 50.0));
    json_decref(json);
    model->calibration.confidences[1] = 0.5; /* no decision is confident */
    nitro_held_out_judge(&rows, scores, model, &found);
    json = nitro_held_out_json(&found, schema);
    assert_null(json_object_get(json, "precision"));
    json_decref(json);
    /* One row: what has no time runs as the default, or, where that has none either, as the first.
     */
    nitro_training_rows one = rows;
    one.num_rows = 1;
    schema->default_variant = 2;
    model->schema->default_variant = 2;
    times_ms[0] = NAN;
    nitro_held_out_judge(&one, scores, model, &found);
    assert_int_equal(found.num_rows, 1);
    assert_int_equal(found.fixed, 1);
    assert_true(is_near(found.usual.time, 2.0));
    times_ms[2] = NAN;
    nitro_held_out_judge(&one, scores, model, &found);
    assert_int_equal(found.fixed, 0); /* all run as "wide": the first declared */
    assert_true(is_near(found.usual.time, 1.0));
    for (size_t i = 0; i < 9; i++)
        scores[i] = NAN;
    nitro_held_out_judge(&rows, scores, model, &found);
    assert_int_equal(found.num_rows, 0);
    assert_null(nitro_held_out_json(&found, schema));
    nitro_model_free(model);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
