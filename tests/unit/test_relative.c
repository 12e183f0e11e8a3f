/* Relative features: declared, stored, columns of a model, in model files; what is refused. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "nitro/model.h"
#include "nitro/model_file.h"
#include "unit/store_records.h"
#include "unit/synthetic.h"
#include "unit/temporary.h"

static const nitro_relative_feature work = {.name = "work",
                                            .unit = "rows/ms",
                                            .scale = NITRO_SCALE_LOG,
                                            .formula = "size / device.launch",
                                            .replaces = "size"};

/* ---- Declaring ---------------------------------------------------------------------------- */

static void test_declaration(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = synthetic_schema(context), *copy = NULL;
    nitro_string_list needs = {0};
    const nitro_relative_feature more = {.name = "balance",
                                         .formula = "skew * device.launch / `device.a-b`",
                                         .replaces = "size,skew"};
    assert_ok(context, nitro_schema_add_relative(context, schema, &work));
    assert_ok(context, nitro_schema_add_relative(context, schema, &more));
    assert_ok(context, nitro_schema_copy(context, schema, &copy));
    nitro_schema_free(schema);
    assert_int_equal(copy->num_relative, 2);
    assert_string_equal(copy->relative[0].unit, "rows/ms");
    assert_int_equal(copy->relative[0].scale, NITRO_SCALE_LOG);
    assert_string_equal(copy->relative[1].unit, "1");
    assert_true(nitro_relative_info_replaces(&copy->relative[0], "size"));
    assert_false(nitro_relative_info_replaces(&copy->relative[0], "siz"));
    assert_false(nitro_relative_info_replaces(&copy->relative[0], "size,skew"));
    assert_true(nitro_relative_info_replaces(&copy->relative[1], "skew"));
    assert_ok(context, nitro_schema_relative_needs(context, copy, &needs));
    assert_int_equal(needs.count, 2);
    assert_string_equal(needs.items[0], "launch");
    assert_string_equal(needs.items[1], "a-b");
    nitro_schema_keep_relative(copy, (const bool[]){false, true});
    assert_int_equal(copy->num_relative, 1);
    assert_string_equal(copy->relative[0].name, "balance");
    nitro_string_list_free(&needs);
    nitro_schema_free(copy);
    nitro_context_free(context);
}

static void test_wrong_declarations(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = synthetic_schema(context);
    assert_ok(context, nitro_schema_add_relative(context, schema, &work));
    const struct {
        const char *name, *formula, *replaces;
        nitro_status status;
        const char *error;
    } cases[] = {
        {NULL, "size", NULL, NITRO_ERR_ARGUMENT, "no name"},
        {"a b", "size", NULL, NITRO_ERR_ARGUMENT, "'a b'"},
        {"size", "skew", NULL, NITRO_ERR_EXISTS, "name of an input feature"},
        {"work", "skew", NULL, NITRO_ERR_EXISTS, "declared twice"},
        {"x", NULL, NULL, NITRO_ERR_ARGUMENT, "no formula"},
        {"x", "", NULL, NITRO_ERR_FORMAT, "line 1, column 1"},
        {"x", "size / (2 * sise)", NULL, NITRO_ERR_FORMAT,
         "toy: relative feature x: line 1, column 13: unknown name 'sise'; the closest known name "
         "is size"},
        {"x", "size /\n device.", NULL, NITRO_ERR_FORMAT, "line 2, column 2"},
        {"x", "size", "size,", NITRO_ERR_ARGUMENT, ""},
        {"x", "size", "rows", NITRO_ERR_FORMAT, "replaces 'rows', which is no input feature"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const nitro_relative_feature feature = {
            .name = cases[i].name, .formula = cases[i].formula, .replaces = cases[i].replaces};
        assert_fails(context, nitro_schema_add_relative(context, schema, &feature), cases[i].status,
                     cases[i].error);
        assert_int_equal(schema->num_relative, 1);
    }
    assert_fails(context,
                 nitro_schema_add_feature(context, schema, "work", "1", NITRO_SCALE_LINEAR),
                 NITRO_ERR_EXISTS, "name of a relative feature");
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static void test_limits(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = synthetic_schema(context);
    char name[16], formula[2048] = "size";
    for (size_t i = 0; i < 65; i++)
        snprintf(formula + strlen(formula), 32, " + device.d%zu", i);
    const nitro_relative_feature many = {.name = "many", .formula = formula};
    assert_fails(context, nitro_schema_add_relative(context, schema, &many), NITRO_ERR_FORMAT,
                 "more than 64 device features");
    const nitro_relative_feature one = {.name = name, .formula = "size"};
    for (size_t i = 0; i < NITRO_MAX_FEATURES; i++) {
        snprintf(name, sizeof(name), "r%zu", i);
        assert_ok(context, nitro_schema_add_relative(context, schema, &one));
    }
    snprintf(name, sizeof(name), "last");
    assert_fails(context, nitro_schema_add_relative(context, schema, &one), NITRO_ERR_ARGUMENT,
                 "64 is the limit");
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static int run_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

static int evaluate_nothing(const void *argument, double *values, void *user)
{
    (void)argument;
    (void)user;
    values[0] = 1;
    return 0;
}

/* A builder's formula on a device where all it names is 2 and on an input where n = 6: its value.
 */
static double value_of(nitro_context *context, const char *formula)
{
    nitro_schema *schema = NULL;
    nitro_relative *relative = NULL;
    double value = NAN;
    const double two[NITRO_RELATIVE_MAX_DEVICE_VALUES] = {2, 2, 2, 2}, six = 6;
    assert_ok(context, nitro_schema_create(context, "c", &schema));
    assert_ok(context, nitro_schema_add_feature(context, schema, "n", "1", NITRO_SCALE_LOG));
    assert_ok(context,
              nitro_schema_add_relative(
                  context, schema, &(nitro_relative_feature){.name = "built", .formula = formula}));
    assert_ok(context, nitro_relative_compile(context, schema, &relative));
    nitro_relative_evaluate(relative, &six, two, &value);
    nitro_relative_free(relative);
    nitro_schema_free(schema);
    return value;
}

static void test_builders(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char text[256];
    nitro_formula_per_thread(text, sizeof(text), "n + n");
    assert_true(value_of(context, text) == 12.0 / 4096);
    nitro_formula_per_core(text, sizeof(text), "n + n");
    assert_true(value_of(context, text) == 6);
    nitro_formula_per_l2(text, sizeof(text), "n + n");
    assert_true(value_of(context, text) == 12.0 / 2048);
    nitro_formula_streaming_time(text, sizeof(text), "n + n", 2.5);
    assert_true(value_of(context, text) == 1 + 12.0 / 2000 / 2.5);
    nitro_formula_imbalance(text, sizeof(text), "n - 1", "n + n");
    assert_true(value_of(context, text) == 5.0 / (12.0 / 2));
    nitro_formula_machine_balance(text, sizeof(text), "n + n", "n - 2");
    assert_true(value_of(context, text) == 3);

    /* Cut anywhere, none is a formula. */
    size_t length = nitro_formula_imbalance(text, sizeof(text), "n - 1", "n + n");
    assert_int_equal(length, strlen(text));
    nitro_schema *schema = NULL;
    assert_ok(context, nitro_schema_create(context, "c", &schema));
    assert_ok(context, nitro_schema_add_feature(context, schema, "n", "1", NITRO_SCALE_LOG));
    for (size_t size = 1; size <= length; size++) {
        const nitro_relative_feature cut = {.name = "cut", .formula = text};
        assert_int_equal(nitro_formula_imbalance(text, size, "n - 1", "n + n"), length);
        assert_int_equal(nitro_schema_add_relative(context, schema, &cut), NITRO_ERR_FORMAT);
    }
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static void test_computation_declares(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    nitro_schema *schema = NULL;
    const nitro_feature size = {"size", "rows", NITRO_SCALE_LOG, 0};
    const nitro_variant variant = {.name = "simple", .run = run_nothing};
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    assert_fails(context, nitro_computation_add_relative_feature(computation, &work),
                 NITRO_ERR_FORMAT, "size");
    assert_ok(context, nitro_computation_add_variant(computation, &variant));
    assert_ok(context,
              nitro_computation_add_features(computation, &size, 1, evaluate_nothing, NULL));
    assert_ok(context, nitro_computation_add_relative_feature(computation, &work));
    assert_ok(context, nitro_schema_of(computation, &schema));
    assert_int_equal(schema->num_relative, 1);
    assert_string_equal(schema->relative[0].formula, work.formula);
    nitro_schema_free(schema);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* ---- Stored ------------------------------------------------------------------------------- */

static void assert_stored(nitro_context *context, nitro_store *store, size_t count,
                          const char *formula)
{
    nitro_schema *schema = NULL;
    assert_ok(context, nitro_store_get_schema(store, "spmv", &schema));
    assert_int_equal(schema->num_relative, count);
    if (count > 0) {
        assert_string_equal(schema->relative[0].name, "rows_per_thread");
        assert_string_equal(schema->relative[0].unit, "rows");
        assert_int_equal(schema->relative[0].scale, NITRO_SCALE_SIGNED_LOG);
        assert_string_equal(schema->relative[0].formula, formula);
        assert_string_equal(schema->relative[0].replaces, "rows,fill");
    }
    nitro_schema_free(schema);
}

static void put_relative(nitro_context *context, nitro_store *store, const char *formula)
{
    nitro_schema *schema = records_schema(context, "spmv");
    if (formula)
        assert_ok(context,
                  nitro_schema_add_relative(context, schema,
                                            &(nitro_relative_feature){"rows_per_thread", "rows",
                                                                      NITRO_SCALE_SIGNED_LOG,
                                                                      formula, "rows,fill"}));
    assert_ok(context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
}

static void test_store_round_trip(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_store *store = NULL, *other = NULL;
    nitro_copy_report report;
    store = temporary_store(context, &folder, "s.db");
    put_relative(context, store, NULL);
    assert_stored(context, store, 0, NULL);
    put_relative(context, store, "rows / device.sm_count");
    assert_stored(context, store, 1, "rows / device.sm_count");
    /* A declaration without says nothing; a newer one replaces. */
    put_relative(context, store, NULL);
    assert_stored(context, store, 1, "rows / device.sm_count");
    put_relative(context, store, "rows /\n(2048 * device.sm_count)");
    assert_stored(context, store, 1, "rows /\n(2048 * device.sm_count)");
    assert_ok(context, nitro_store_verify(store, NULL, NULL));

    other = temporary_store(context, &folder, "t.db");
    assert_ok(context, nitro_store_copy(store, other, &report));
    assert_stored(context, other, 1, "rows /\n(2048 * device.sm_count)");
    size_t removed;
    assert_ok(context, nitro_store_remove(store, "spmv", NULL, &removed));
    put_relative(context, store, NULL);
    assert_stored(context, store, 0, NULL);
    nitro_store_close(other);
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_store_refuses(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    nitro_schema *schema = records_schema(context, "spmv");
    store = temporary_store(context, &folder, "s.db");
    assert_ok(context,
              nitro_schema_add_relative(context, schema,
                                        &(nitro_relative_feature){.name = "x", .formula = "rows"}));
    schema->relative[0].formula[0] = '/';
    assert_fails(context, nitro_store_put_schema(store, schema), NITRO_ERR_ARGUMENT, "column 1");
    schema->relative[0].formula[0] = 'r';
    schema->relative[0].unit[0] = '\x01';
    assert_fails(context, nitro_store_put_schema(store, schema), NITRO_ERR_ARGUMENT, "unit");
    schema->relative[0].unit[0] = '1';
    assert_ok(context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* ---- In models ---------------------------------------------------------------------------- */

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
    nitro_lesson lesson = {.sources = f->dataset,
                           .target = f->target,
                           .device_features = &no_device_features,
                           .use_relative = use_relative,
                           .seed = 3,
                           .num_threads = 1};
    assert_ok(f->context, nitro_strategy_find(f->context, "svm", &lesson.strategy));
    nitro_status status = nitro_model_train(f->context, &lesson, model);
    if (status == NITRO_OK)
        (*model)->provenance = json_pack("{s:s}", "made", "for tests");
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

/* The best variant depends on size over launch cost alone: known of a device far from all sources,
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
    assert_non_null(strstr(f->log, "relative feature work is left out for target next: device "
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

static void test_undefined_rows_do_not_teach(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL, *all = NULL;
    const nitro_relative_feature hole = {.name = "hole",
                                         .scale = NITRO_SCALE_LINEAR,
                                         .formula = "1 / (skew - skew) + device.launch"};
    const nitro_relative_feature root = {
        .name = "root", .scale = NITRO_SCALE_LINEAR, .formula = "sqrt(size - 100)"};
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &root));
    assert_ok(f->context, train(f, true, &model));
    assert_non_null(strstr(f->log, "samples are left out, for a relative feature is undefined "
                                   "there: the first is feature root of input input"));
    /* What did not teach is not known either: the default, and why. */
    const double small[] = {50, 0.5}, large[] = {5000, 0.5};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_predict(model, large, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_MODEL);
    assert_ok(f->context, nitro_model_predict(model, small, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
    assert_int_equal(decision.variant, model->schema->default_variant);
    nitro_model_free(model);

    assert_ok(f->context, nitro_schema_add_relative(f->context, f->dataset->schema, &hole));
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
        {"size / device.launch", "((((((((((((((((((((((((((((((((((size", "nested more than 32"},
        {"size / device.launch", "rows", "unknown name 'rows'"},
        {"size / device.launch", "size / device.other", "relative_values.other is missing"},
        {"\"name\":\"work\"", "\"name\":\"size\"", "name of an input feature"},
        {"\"name\":\"work\"", "\"name\":\"\"", "no name"},
        {"\"replaces\":\"size\"", "\"replaces\":\"nothing\"", "no input feature"},
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
        cmocka_unit_test(test_declaration),
        cmocka_unit_test(test_wrong_declarations),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_builders),
        cmocka_unit_test(test_computation_declares),
        cmocka_unit_test(test_store_round_trip),
        cmocka_unit_test(test_store_refuses),
        MODEL_TEST(test_they_carry_over),
        MODEL_TEST(test_values_are_cut_to_the_range),
        MODEL_TEST(test_prepared_columns_are_the_same),
        MODEL_TEST(test_missing_device_features),
        MODEL_TEST(test_undefined_rows_do_not_teach),
        MODEL_TEST(test_model_file_round_trip),
        MODEL_TEST(test_hostile_model_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
