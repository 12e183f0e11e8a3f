/* Conformance of strategies: what every member of nitro_builtin_strategies() keeps. */
#include <jansson.h>
#include <math.h>

#include "nitro/dataset.h"
#include "nitro/model.h"
#include "unit/unit.h"

enum { MAX_ROWS = 480, COLUMNS = 3, VARIANTS = 4 };

/* Rows in a cube; which of four variants is fastest, and by how much, depends on where. */
typedef struct fixture {
    nitro_context *context;
    double columns[MAX_ROWS * COLUMNS];
    double times_ms[MAX_ROWS * VARIANTS];
    size_t row_input[MAX_ROWS];
    size_t row_device[MAX_ROWS];
    nitro_training_set set;
} fixture;

static void true_times(const double *x, double *times)
{
    times[0] = exp(x[0] + 0.5 * x[1]);
    times[1] = exp(-x[0]);
    times[2] = exp(sin(3.0 * x[2]));
    times[3] = exp(0.3 + x[0] * x[1]);
}

static fixture *make_fixture(size_t num_rows, uint64_t seed)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, seed);
    for (size_t row = 0; row < num_rows; row++) {
        double *x = f->columns + row * COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            x[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        true_times(x, f->times_ms + row * VARIANTS);
        f->row_input[row] = row / 2;
        f->row_device[row] = row % 2;
    }
    f->set = (nitro_training_set){.num_rows = num_rows,
                                  .num_columns = COLUMNS,
                                  .num_variants = VARIANTS,
                                  .columns = f->columns,
                                  .times_ms = f->times_ms,
                                  .row_input = f->row_input,
                                  .row_device = f->row_device,
                                  .seed = 5,
                                  .num_threads = 2};
    return f;
}

static void free_fixture(fixture *f)
{
    nitro_context_free(f->context);
    free(f);
}

/* One trained predictor with its held-out scores. */
typedef struct trained {
    const nitro_strategy *strategy;
    void *predictor;
    double *held_out; /* shape [num_rows x num_variants] */
} trained;

static trained train(fixture *f, const nitro_strategy *strategy)
{
    trained made = {strategy, NULL, calloc(f->set.num_rows * f->set.num_variants, sizeof(double))};
    assert_non_null(made.held_out);
    assert_ok(f->context, strategy->train(f->context, &f->set, &made.predictor, made.held_out));
    assert_non_null(made.predictor);
    return made;
}

static void discard(trained *made)
{
    made->strategy->free(made->predictor);
    free(made->held_out);
}

/* Each test runs for every strategy. */
typedef void (*strategy_test)(const nitro_strategy *strategy);

static void for_each(strategy_test test)
{
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        print_message("  %s\n", (*s)->name);
        test(*s);
    }
}

/* ---- Who they are ------------------------------------------------------------------------- */

static void check_identity(const nitro_strategy *strategy)
{
    nitro_context *context = unit_context();
    const nitro_strategy *found = NULL;
    assert_true(nitro_name_is_clean(strategy->name) || strchr(strategy->name, '-'));
    assert_ok(context, nitro_strategy_find(context, strategy->name, &found));
    assert_ptr_equal(found, strategy);
    assert_true(strlen(strategy->description) > 10 && !strchr(strategy->description, '\n'));
    bool known = false;
    for (const nitro_dfs_kind *const *d = nitro_builtin_dfs_kinds(); *d; d++)
        known = known || strcmp((*d)->name, strategy->dfs) == 0;
    assert_true(known);
    strategy->free(NULL);
    nitro_context_free(context);
}

static void test_identity(void **state)
{
    (void)state;
    for_each(check_identity);
}

/* ---- What they learn ---------------------------------------------------------------------- */

static double mean_quality(const fixture *f, const double *scores)
{
    double sum = 0.0;
    for (size_t row = 0; row < f->set.num_rows; row++)
        sum += nitro_times_quality(f->set.times_ms + row * VARIANTS, VARIANTS,
                                   nitro_scores_best(scores + row * VARIANTS, VARIANTS));
    return sum / (double)f->set.num_rows;
}

static double *scores_of(const trained *made, const fixture *f)
{
    size_t num_variants = f->set.num_variants;
    double *scores = calloc(f->set.num_rows * num_variants, sizeof(double));
    assert_non_null(scores);
    for (size_t row = 0; row < f->set.num_rows; row++)
        made->strategy->score(made->predictor, f->set.columns + row * f->set.num_columns,
                              scores + row * num_variants);
    return scores;
}

/* The best fixed variant has a quality of 0.5 here. */
static void check_learns(const nitro_strategy *strategy)
{
    fixture *seen = make_fixture(MAX_ROWS, 1), *unseen = make_fixture(200, 2);
    trained made = train(seen, strategy);
    double *scores = scores_of(&made, unseen);
    assert_true(mean_quality(unseen, scores) > 0.92);
    assert_true(mean_quality(seen, made.held_out) > 0.92);
    free(scores);
    discard(&made);
    free_fixture(seen);
    free_fixture(unseen);
}

static void test_learns(void **state)
{
    (void)state;
    for_each(check_learns);
}

/* Rows of an input are twins, and times are noise: who saw one of them knows the other. */
static void check_held_out(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(300, 1);
    nitro_random random;
    nitro_random_seed(&random, 9);
    for (size_t row = 0; row < 300; row += 2) {
        size_t best = nitro_random_below(&random, VARIANTS);
        memcpy(f->columns + (row + 1) * COLUMNS, f->columns + row * COLUMNS,
               COLUMNS * sizeof(double));
        for (size_t v = 0; v < VARIANTS; v++)
            f->times_ms[row * VARIANTS + v] = f->times_ms[(row + 1) * VARIANTS + v] =
                v == best ? 1.0 : 10.0;
    }
    trained made = train(f, strategy);
    assert_true(mean_quality(f, made.held_out) < 0.5); /* chance: 0.325 */
    discard(&made);
    free_fixture(f);
}

static void test_held_out_inputs_are_not_seen(void **state)
{
    (void)state;
    for_each(check_held_out);
}

/* ---- Always the same ---------------------------------------------------------------------- */

static json_t *encode(fixture *f, const trained *made)
{
    json_t *json = NULL;
    assert_ok(f->context, made->strategy->encode(f->context, made->predictor, &json));
    assert_true(json_is_object(json));
    return json;
}

static char *text_of(fixture *f, const trained *made)
{
    json_t *json = encode(f, made);
    char *text = json_dumps(json, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    assert_non_null(text);
    json_decref(json);
    return text;
}

static void check_threads(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(160, 3);
    f->set.num_threads = 1;
    trained one = train(f, strategy);
    char *text = text_of(f, &one);
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        f->set.num_threads = threads;
        trained other = train(f, strategy);
        char *other_text = text_of(f, &other);
        assert_string_equal(text, other_text);
        assert_memory_equal(one.held_out, other.held_out, 160 * VARIANTS * sizeof(double));
        free(other_text);
        discard(&other);
    }
    free(text);
    discard(&one);
    free_fixture(f);
}

static void test_does_not_depend_on_threads(void **state)
{
    (void)state;
    for_each(check_threads);
}

/* Held-out scores are extra: the predictor is the same without. */
static void check_without_held_out(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(100, 3);
    trained with = train(f, strategy), without = {strategy, NULL, NULL};
    assert_ok(f->context, strategy->train(f->context, &f->set, &without.predictor, NULL));
    char *text = text_of(f, &with), *other_text = text_of(f, &without);
    assert_string_equal(text, other_text);
    free(text);
    free(other_text);
    discard(&with);
    discard(&without);
    free_fixture(f);
}

static void test_predictor_without_held_out_scores(void **state)
{
    (void)state;
    for_each(check_without_held_out);
}

/* ---- To a model file and back ------------------------------------------------------------- */

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

/* ---- Hyper-parameters --------------------------------------------------------------------- */

/* Every recipe makes another predictor of the same kind. */
static void check_recipes(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(150, 4);
    trained usual = train(f, strategy);
    double *scores = scores_of(&usual, f);
    assert_true(strategy->num_recipes != 1); /* nothing to choose */
    for (size_t r = 0; r < strategy->num_recipes; r++) {
        f->set.recipes[0] = r;
        trained other = train(f, strategy);
        double *own = scores_of(&other, f);
        bool is_same = memcmp(scores, own, 150 * VARIANTS * sizeof(double)) == 0;
        assert_true(is_same == (r == 0));
        for (size_t i = 0; i < 150 * VARIANTS; i++)
            assert_true(isfinite(own[i]));
        assert_true(strlen(strategy->recipes[r]) > 0);
        discard(&other);
        free(own);
    }
    discard(&usual);
    free(scores);
    free_fixture(f);
}

/* A strategy that averages others hands each its own. */
static void check_member_recipes(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(150, 4);
    trained usual = train(f, strategy);
    for (size_t m = 0; m < strategy->num_members; m++) {
        if (strategy->members[m]->num_recipes == 0)
            continue;
        memset(f->set.recipes, 0, sizeof(f->set.recipes));
        f->set.recipes[m] = 1;
        trained other = train(f, strategy);
        double before[NITRO_MAX_MEMBERS * VARIANTS], after[NITRO_MAX_MEMBERS * VARIANTS];
        strategy->score_members(usual.predictor, f->columns, before);
        strategy->score_members(other.predictor, f->columns, after);
        for (size_t i = 0; i < strategy->num_members; i++) {
            bool is_same =
                memcmp(before + i * VARIANTS, after + i * VARIANTS, VARIANTS * sizeof(double)) == 0;
            assert_true(is_same == (i != m));
        }
        discard(&other);
    }
    discard(&usual);
    free_fixture(f);
}

static void test_recipes(void **state)
{
    (void)state;
    for_each(check_recipes);
    for_each(check_member_recipes);
}

/* ---- Strategies that average others ------------------------------------------------------- */

/* A predictor of some members, in and out of a file: it says the same multiple of their sum, row by
 * row. */
static void check_mix(const nitro_strategy *strategy, uint64_t mix)
{
    fixture *f = make_fixture(150, 4);
    trained all = train(f, strategy);
    f->set.members = mix;
    trained some = train(f, strategy), back = {strategy, NULL, NULL};
    char *text = text_of(f, &some);
    json_t *json = json_loads(text, 0, NULL);
    assert_ok(f->context,
              strategy->decode(f->context, "m.json", json, COLUMNS, VARIANTS, &back.predictor));
    double *scores = scores_of(&some, f), *back_scores = scores_of(&back, f);
    assert_memory_equal(scores, back_scores, 150 * VARIANTS * sizeof(double));
    double multiple = NAN;
    for (size_t row = 0; row < 150; row++) {
        double own[NITRO_MAX_MEMBERS * VARIANTS];
        strategy->score_members(all.predictor, f->columns + row * COLUMNS, own);
        for (size_t v = 0; v < VARIANTS; v++) {
            double sum = 0.0;
            for (size_t m = 0; m < strategy->num_members; m++)
                sum += mix >> m & 1 ? own[m * VARIANTS + v] : 0.0;
            if (isnan(multiple))
                multiple = sum / scores[row * VARIANTS + v];
            assert_true(fabs(multiple * scores[row * VARIANTS + v] - sum) < 1e-9);
        }
    }
    assert_true(multiple > 0.0);
    free(scores);
    free(back_scores);
    free(text);
    json_decref(json);
    discard(&all);
    discard(&some);
    discard(&back);
    free_fixture(f);
}

static void check_mixes(const nitro_strategy *strategy)
{
    if (strategy->num_members == 0)
        return;
    assert_true(strategy->num_members <= NITRO_MAX_MEMBERS);
    for (uint64_t mix = 1; mix < UINT64_C(1) << strategy->num_members; mix++)
        check_mix(strategy, mix);
    nitro_context *context = unit_context();
    json_t *nobody = json_object(),
           *strangers = json_pack("{s:[s,s]}", "members", "forest", "oracle");
    void *predictor = NULL;
    assert_fails(context,
                 strategy->decode(context, "m.json", nobody, COLUMNS, VARIANTS, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field predictor.kernel-ridge is missing");
    assert_fails(context,
                 strategy->decode(context, "m.json", strangers, COLUMNS, VARIANTS, &predictor),
                 NITRO_ERR_FORMAT, "m.json: field predictor.members[1] is neither");
    json_decref(nobody);
    json_decref(strangers);
    nitro_context_free(context);
}

static void test_mixes(void **state)
{
    (void)state;
    for_each(check_mixes);
}

/* Decode what may be damaged: an error that names the file, or a predictor that can be asked. */
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
    if (strcmp(key, "held_out_quality") == 0) /* left out where there is nothing to hold out */
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

/* ---- Sets that teach little --------------------------------------------------------------- */

/* Train, and ask at a few points: finite scores, and `expected` the best, or anything that is not
 * `forbidden`. */
static void probe(fixture *f, const nitro_strategy *strategy, size_t expected, size_t forbidden)
{
    trained made = train(f, strategy);
    const double probes[][COLUMNS] = {
        {0, 0, 0}, {-1, 1, 0.5}, {0.9, -0.9, -0.9}, {1000, -1000, 1000}};
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        double scores[NITRO_MAX_VARIANTS];
        strategy->score(made.predictor, probes[i], scores);
        for (size_t v = 0; v < f->set.num_variants; v++)
            assert_true(isfinite(scores[v]));
        size_t best = nitro_scores_best(scores, f->set.num_variants);
        if (expected != NITRO_NONE)
            assert_int_equal(best, expected);
        assert_true(best != forbidden);
    }
    char *text = text_of(f, &made);
    free(text);
    discard(&made);
}

static void check_one_class(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(50, 6);
    for (size_t row = 0; row < 50; row++)
        f->times_ms[row * VARIANTS + 2] = 0.001;
    probe(f, strategy, 2, NITRO_NONE);
    f->set.num_rows = 1;
    probe(f, strategy, 2, NITRO_NONE);
    free_fixture(f);
}

static void check_few_rows(const nitro_strategy *strategy)
{
    for (size_t num_rows = 1; num_rows <= 12; num_rows++) {
        fixture *f = make_fixture(num_rows, 6);
        probe(f, strategy, NITRO_NONE, NITRO_NONE);
        free_fixture(f);
    }
}

static void check_columns_that_say_nothing(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    memset(f->columns, 0, sizeof(f->columns));
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    f->set.num_columns = 0;
    f->set.row_device = NULL;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

/* Ten thousand copies of two rows that disagree: the more frequent one wins. */
static void check_identical_rows(const nitro_strategy *strategy)
{
    enum { COPIES = 10000 };
    fixture *f = make_fixture(2, 6);
    double *columns = calloc(COPIES * COLUMNS, sizeof(double));
    double *times = calloc(COPIES * VARIANTS, sizeof(double));
    size_t *inputs = calloc(COPIES, sizeof(size_t));
    for (size_t row = 0; row < COPIES; row++) {
        inputs[row] = row;
        for (size_t v = 0; v < VARIANTS; v++)
            times[row * VARIANTS + v] = v == (row % 4 == 0 ? 1u : 3u) ? 1.0 : 2.0;
    }
    f->set.num_rows = COPIES;
    f->set.columns = columns;
    f->set.times_ms = times;
    f->set.row_input = inputs;
    f->set.row_device = NULL;
    void *predictor = NULL;
    double scores[VARIANTS];
    assert_ok(f->context, strategy->train(f->context, &f->set, &predictor, NULL));
    strategy->score(predictor, columns, scores);
    assert_int_equal(nitro_scores_best(scores, VARIANTS), 3);
    strategy->free(predictor);
    free(columns);
    free(times);
    free(inputs);
    free_fixture(f);
}

static void check_variant_never_measured(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(100, 6);
    for (size_t row = 0; row < 100; row++)
        f->times_ms[row * VARIANTS] = NAN;
    probe(f, strategy, NITRO_NONE, 0);
    free_fixture(f);
}

/* All times missing but two a row, at random. */
static void check_holes(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(200, 6);
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (size_t row = 0; row < 200; row++)
        for (size_t missing = 0; missing < 2; missing++)
            f->times_ms[row * VARIANTS + nitro_random_below(&random, VARIANTS)] = NAN;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

/* As many variants as there may be: two that matter, and 62 that are worse. */
static void check_most_variants(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(24, 6);
    double *times = calloc(24 * NITRO_MAX_VARIANTS, sizeof(double));
    for (size_t row = 0; row < 24; row++)
        for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
            times[row * NITRO_MAX_VARIANTS + v] =
                v >= 62 ? f->times_ms[row * VARIANTS + v - 62] : 20.0 + (double)v;
    f->set.num_variants = NITRO_MAX_VARIANTS;
    f->set.times_ms = times;
    trained made = train(f, strategy);
    double *scores = scores_of(&made, f);
    for (size_t row = 0; row < 24; row++)
        assert_true(nitro_scores_best(scores + row * NITRO_MAX_VARIANTS, NITRO_MAX_VARIANTS) >= 62);
    free(scores);
    free(times);
    discard(&made);
    free_fixture(f);
}

static void check_two_variants(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    double times[60 * 2];
    for (size_t row = 0; row < 60; row++)
        memcpy(times + row * 2, f->times_ms + row * VARIANTS, 2 * sizeof(double));
    f->set.num_variants = 2;
    f->set.times_ms = times;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

static void check_extreme_times(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    for (size_t row = 0; row < 60; row++) {
        f->times_ms[row * VARIANTS + 1] = 1e300;
        f->times_ms[row * VARIANTS + 3] = 1e-300;
    }
    probe(f, strategy, 3, NITRO_NONE);
    free_fixture(f);
}

static void test_sets_that_teach_little(void **state)
{
    (void)state;
    for_each(check_one_class);
    for_each(check_few_rows);
    for_each(check_columns_that_say_nothing);
    for_each(check_identical_rows);
    for_each(check_variant_never_measured);
    for_each(check_holes);
    for_each(check_most_variants);
    for_each(check_two_variants);
    for_each(check_extreme_times);
}

static void check_row_without_times(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(10, 6);
    for (size_t v = 0; v < VARIANTS; v++)
        f->times_ms[3 * VARIANTS + v] = NAN;
    void *predictor = NULL;
    assert_fails(f->context, strategy->train(f->context, &f->set, &predictor, NULL),
                 NITRO_ERR_ARGUMENT, "row 3 has no time");
    assert_null(predictor);
    free_fixture(f);
}

static void test_a_row_without_times_is_refused(void **state)
{
    (void)state;
    for_each(check_row_without_times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_held_out_inputs_are_not_seen),
        cmocka_unit_test(test_does_not_depend_on_threads),
        cmocka_unit_test(test_predictor_without_held_out_scores),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_mixes),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_sets_that_teach_little),
        cmocka_unit_test(test_a_row_without_times_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
