/* Relative features: how they are declared, and that stores keep them. */
#include <math.h>

#include "nitro/records/relative.h"
#include "unit/relative_work.h"
#include "unit/store_records.h"
#include "unit/temporary.h"

static void test_declaration(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = synthetic_schema(context), *copy = NULL;
    nitro_relative *compiled;
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
    assert_ok(context, nitro_relative_compile(context, copy, &compiled));
    assert_int_equal(nitro_relative_num_device_values(compiled), 2);
    assert_string_equal(nitro_relative_device_feature(compiled, 0), "launch");
    assert_string_equal(nitro_relative_device_feature(compiled, 1), "a-b");
    nitro_relative_free(compiled);
    nitro_schema_keep_relative(copy, (const bool[]){false, true});
    assert_int_equal(copy->num_relative, 1);
    assert_string_equal(copy->relative[0].name, "balance");
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
        {NULL, "size", NULL, NITRO_ERR_ARGUMENT, "not a valid relative feature name"},
        {"a b", "size", NULL, NITRO_ERR_ARGUMENT, "'a b'"},
        {"size", "skew", NULL, NITRO_ERR_EXISTS, "name of an input feature"},
        {"work", "skew", NULL, NITRO_ERR_EXISTS, "declared twice"},
        {"x", NULL, NULL, NITRO_ERR_ARGUMENT, "no formula"},
        {"x", "", NULL, NITRO_ERR_FORMAT, "line 1, column 1"},
        {"x", "size / (2 * sise)", NULL, NITRO_ERR_FORMAT,
         "toy: relative feature x: line 1, column 13: unknown name 'sise'; did you mean "
         "'size'?"},
        {"x", "size /\n device.", NULL, NITRO_ERR_FORMAT, "line 2, column 2"},
        {"x", "size", "size,", NITRO_ERR_ARGUMENT, ""},
        {"x", "size", "rows", NITRO_ERR_FORMAT, "replaces 'rows', which is not an input feature"},
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
