/* Conformance of strategies: their predictors in model files, and files that are damaged. */
#include <jansson.h>

#include "unit/learn/strategy_fixture.h"

static void check_round_trip(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(150, 4);
    trained made = train(f, strategy), back = {strategy, NULL, NULL};
    char *text = text_of(f, &made);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_ok(f->context,
              strategy->decode(f->context, "m.json", json, COLUMNS, VARIANTS, &back.predictor));
    double *scores = scores_of(&made, f), *back_scores = scores_of(&back, f);
    assert_memory_equal(scores, back_scores, 150 * VARIANTS * sizeof(double));
    char *back_text = text_of(f, &back);
    assert_string_equal(text, back_text);
    free(scores);
    free(back_scores);
    free(text);
    free(back_text);
    json_decref(json);
    discard(&made);
    discard(&back);
    free_fixture(f);
}

static void test_round_trip(void **state)
{
    (void)state;
    for_each(check_round_trip);
}

/* Decode a possibly damaged file: an error that names it, or a predictor that scores. */
static void decode_damaged(fixture *f, const nitro_strategy *strategy, const json_t *json)
{
    const double far_away[COLUMNS] = {1000.0, -1000.0, 0.25};
    void *predictor = NULL;
    double scores[VARIANTS];
    nitro_status status =
        strategy->decode(f->context, "m.json", json, COLUMNS, VARIANTS, &predictor);
    if (status == NITRO_OK) {
        strategy->score(predictor, far_away, scores);
        strategy->free(predictor);
        return;
    }
    char message[4096];
    nitro_context_last_error(f->context, message, sizeof(message));
    assert_int_equal(status, NITRO_ERR_FORMAT);
    assert_non_null(strstr(message, "m.json: field "));
    assert_null(predictor);
}

static json_t *strange_value(size_t kind)
{
    switch (kind) {
    case 0:
        return json_null();
    case 1:
        return json_integer(-1);
    case 2:
        return json_integer(1000000007);
    case 3:
        return json_real(1e308);
    case 4:
        return json_string("nan");
    case 5:
        return json_array();
    default:
        return json_object();
    }
}

enum { NUM_STRANGE = 7 };

static void damage(fixture *f, const nitro_strategy *strategy, const json_t *whole, json_t *part);

static void damage_member(fixture *f, const nitro_strategy *strategy, const json_t *whole,
                          json_t *object, const char *key)
{
    json_t *value = json_incref(json_object_get(object, key));
    void *predictor = NULL;
    for (size_t kind = 0; kind < NUM_STRANGE; kind++) {
        json_object_set_new(object, key, strange_value(kind));
        decode_damaged(f, strategy, whole);
    }
    json_object_del(object, key);
    /* Absent where there is nothing to hold out; an ensemble's other members are one, too. */
    if (strcmp(key, "held_out_quality") == 0 || (strategy->num_members > 0 && object == whole))
        decode_damaged(f, strategy, whole);
    else
        assert_fails(f->context,
                     strategy->decode(f->context, "m.json", whole, COLUMNS, VARIANTS, &predictor),
                     NITRO_ERR_FORMAT, key);
    json_object_set(object, key, value);
    damage(f, strategy, whole, value);
    json_decref(value);
}

static void damage_item(fixture *f, const nitro_strategy *strategy, const json_t *whole,
                        json_t *array, size_t index)
{
    json_t *value = json_incref(json_array_get(array, index));
    for (size_t kind = 0; kind < NUM_STRANGE; kind++) {
        json_array_set_new(array, index, strange_value(kind));
        decode_damaged(f, strategy, whole);
    }
    json_array_remove(array, index);
    decode_damaged(f, strategy, whole);
    json_array_insert(array, index, value);
    damage(f, strategy, whole, value);
    json_decref(value);
}

/* Replace or remove each value of the tree in turn, a few of each array, and decode the whole. */
static void damage(fixture *f, const nitro_strategy *strategy, const json_t *whole, json_t *part)
{
    const char *keys[16], *key;
    size_t num_keys = 0;
    json_t *value;
    json_object_foreach(part, key, value) if (num_keys < 16) keys[num_keys++] = strdup(key);
    for (size_t i = 0; i < num_keys; i++) {
        damage_member(f, strategy, whole, part, keys[i]);
        free((void *)(uintptr_t)keys[i]);
    }
    for (size_t i = 0; i < json_array_size(part); i += 1 + 3 * i)
        damage_item(f, strategy, whole, part, i);
}

static void check_damaged(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(40, 4);
    trained made = train(f, strategy);
    json_t *json = encode(f, &made), *copy = json_deep_copy(json);
    damage(f, strategy, json, json);
    assert_true(json_equal(json, copy));
    /* Whole, but of another model: more columns or variants than it has. */
    void *predictor = NULL;
    assert_fails(f->context, strategy->decode(f->context, "m.json", json, COLUMNS, 1, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field ");
    assert_null(predictor);
    json_decref(json);
    json_decref(copy);
    discard(&made);
    free_fixture(f);
}

static void test_damaged_files(void **state)
{
    (void)state;
    for_each(check_damaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
