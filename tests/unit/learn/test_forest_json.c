/* Forests to JSON and back. */
#include <math.h>

#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "unit/learn/forest_fixture.h"

static void test_round_trip(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data->view, &options, 7), *back = NULL;
    char *text = encoded(context, forest);
    json_t *json = json_loads(text, 0, NULL);
    nitro_json_place place = {context, "model.json", "predictor"};
    assert_ok(context, nitro_forest_decode(&place, json, COLUMNS, OUTPUTS, &back));
    json_decref(json);
    char *again = encoded(context, back);
    assert_string_equal(text, again);
    assert_same_bytes(predictions(forest, &data->view), predictions(back, &data->view),
                      ROWS * OUTPUTS);
    free(text);
    free(again);
    nitro_forest_free(forest);
    nitro_forest_free(back);
    free(data);
    nitro_context_free(context);
}

static nitro_status decode_text(nitro_context *context, const char *text, nitro_forest **forest)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    nitro_json_place place = {context, "model.json", "predictor"};
    nitro_status status = nitro_forest_decode(&place, json, 2, 1, forest);
    json_decref(json);
    return status;
}

static void test_decoded_tree_decides(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_forest *forest = NULL;
    assert_ok(context, decode_text(context,
                                   "{\"trees\": [{\"columns\": [0, -1, 1, -1, -1], "
                                   "\"thresholds\": [0.5, 10], \"outputs\": [1, 2, 3.5]}]}",
                                   &forest));
    const double rows[][3] = {{0.5, 99, 1}, {0.6, 10, 2}, {0.6, 10.1, 3.5}, {NAN, NAN, 3.5}};
    for (size_t i = 0; i < 4; i++) {
        double predicted;
        nitro_forest_predict(forest, rows[i], &predicted);
        assert_true(predicted == rows[i][2]);
    }
    nitro_forest_free(forest);
    nitro_context_free(context);
}

static void test_hostile_json_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *error;
    } cases[] = {
        {"3", "model.json: field predictor.trees is missing"},
        {"{\"trees\": 3}", "field predictor.trees must be an array"},
        {"{\"trees\": []}", "field predictor.trees has 0 items"},
        {"{\"trees\": [1]}", "field predictor.trees[0].columns is missing"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": []}]}", "trees[0].outputs is missing"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [1]}, {}]}",
         "field predictor.trees[1].columns is missing"},
        {"{\"trees\": [{\"columns\": [], \"thresholds\": [], \"outputs\": []}]}",
         "trees[0].columns is not a tree"},
        {"{\"trees\": [{\"columns\": [2, -1, -1], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "trees[0].columns[0] must be -1 or the index of one of 2 columns"},
        {"{\"trees\": [{\"columns\": [-2], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        {"{\"trees\": [{\"columns\": [0.0], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        {"{\"trees\": [{\"columns\": [4294967295], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        /* Too few leaves, too many leaves, and nodes that would be their own children. */
        {"{\"trees\": [{\"columns\": [0, 0, -1], \"thresholds\": [1, 2], \"outputs\": [1]}]}",
         "is not a tree"},
        {"{\"trees\": [{\"columns\": [-1, -1], \"thresholds\": [], \"outputs\": [1, 2]}]}",
         "is not a tree"},
        {"{\"trees\": [{\"columns\": [-1, 0, -1], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "is not a tree"},
        {"{\"trees\": [{\"columns\": [-1, -1, 0], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "is not a tree"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [], \"outputs\": [1, 2]}]}",
         "trees[0].thresholds must be an array of 1 numbers"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [1], \"outputs\": [1]}]}",
         "trees[0].outputs has 1 numbers, but must have 1 for each of 2 leaves"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [null]}]}",
         "trees[0].outputs contains a value that is not a finite number"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [-1e101]}]}",
         "trees[0].outputs holds a number that is too large"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [\"x\"], \"outputs\": [1, 2]}]}",
         "trees[0].thresholds contains a value that is not a finite number"},
    };
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_forest *forest = NULL;
        assert_fails(context, decode_text(context, cases[i].text, &forest), NITRO_ERR_FORMAT,
                     cases[i].error);
        assert_null(forest);
    }
    nitro_forest_free(NULL);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_decoded_tree_decides),
        cmocka_unit_test(test_hostile_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
