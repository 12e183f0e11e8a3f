/* Formulas: the grammar of formula.h, values against arithmetic, where they are
 * undefined, and what every refusal says. */
#include <float.h>
#include <math.h>

#include "nitro/records/formula_set.h"
#include "unit/unit.h"

static char *names[] = {"rows", "cols", "nnz", "row-max", "device.peak_gbps", "min", "2nd"};
static const nitro_string_list variables = {.items = names, .count = 7, .capacity = 7};
static const double values[] = {1000, 500, 20000, 64, 208.5, -3, 7};

static nitro_expression *parsed(nitro_context *context, const char *text)
{
    nitro_expression *formula = NULL;
    assert_ok(context, nitro_formula_parse(context, "f", text, &variables, &formula));
    return formula;
}

static double value_of(const char *text)
{
    nitro_context *context = unit_context();
    nitro_expression *formula = parsed(context, text);
    double value = nitro_expression_evaluate(formula, values);
    nitro_expression_free(formula);
    nitro_context_free(context);
    return value;
}

static void assert_value(const char *text, double expected)
{
    double value = value_of(text);
    if (!(value == expected))
        fail_msg("%s is %.17g, not %.17g", text, value, expected);
}

static void assert_undefined(const char *text)
{
    double value = value_of(text);
    if (!isnan(value))
        fail_msg("%s is %.17g, not undefined", text, value);
}

static void assert_refused(const char *text, const char *error)
{
    nitro_context *context = unit_context();
    nitro_expression *formula = NULL;
    nitro_status status = nitro_formula_parse(context, "f", text, &variables, &formula);
    if (status == NITRO_OK)
        fail_msg("'%s' was taken", text);
    assert_null(formula);
    assert_fails(context, status, NITRO_ERR_FORMAT, error);
    nitro_context_free(context);
}

static void test_precedence(void **state)
{
    (void)state;
    assert_value("1 + 2 * 3", 7);
    assert_value("(1 + 2) * 3", 9);
    assert_value("10 - 3 - 2", 5);
    assert_value("64 / 4 / 2", 8);
    assert_value("2 * 6 / 3 * 2", 8);
    assert_value("2 + 3 - 4 * 5 / 10", 3);
    assert_value("-2 * -3", 6);
    assert_value("-2 + 3", 1);
    assert_value("1 - -1", 2);
    assert_value("- - + -5", -5);
    assert_value("-(1 + 2) * 2", -6);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_value("12", 12);
    assert_value(".5", 0.5);
    assert_value("3.", 3);
    assert_value("1e-3", 1e-3);
    assert_value("2.5E+6", 2.5e6);
    assert_value("0.1", 0.1);
    assert_value("1e-999", 0);
    assert_value("1.7976931348623157e308", DBL_MAX);
}

static void test_names(void **state)
{
    (void)state;
    assert_value("rows", 1000);
    assert_value("`rows`", 1000);
    assert_value("`row-max`", 64);
    assert_value("`2nd`", 7);
    assert_value("device.peak_gbps", 208.5);
    assert_value("rows-cols", 500);
    assert_value("rows\n\t- cols\r\n", 500);
    /* A variable may have a function's name. */
    assert_value("min", -3);
    assert_value("min (min, `min`) + min", -6);
}

static void test_functions(void **state)
{
    (void)state;
    assert_value("ln(nnz)", log(20000));
    assert_value("log(nnz)", log(20000));
    assert_value("log2(8)", 3);
    assert_value("sqrt(cols + 76)", 24);
    assert_value("min(3, 1, 2)", 1);
    assert_value("max(3, 1, 2)", 3);
    assert_value("max(1, min(5, 4), -2)", 4);
    assert_value("signed_log(rows)", log1p(1000));
    assert_value("signed_log(-rows)", -log1p(1000));
    assert_value("signed_log(0)", 0);
    assert_value("ln(1 + (12 * nnz + 12 * rows) / (1000 * device.peak_gbps) / 5)",
                 log(1 + (12 * 20000. + 12 * 1000.) / (1000 * 208.5) / 5));
}

static void test_undefined(void **state)
{
    (void)state;
    assert_undefined("1 / 0");
    assert_undefined("0 / 0");
    assert_undefined("ln(0)");
    assert_undefined("ln(-1)");
    assert_undefined("log2(-1)");
    assert_undefined("sqrt(-1)");
    assert_undefined("1e308 * 10");
    assert_undefined("1e308 + 1e308");
    /* Nothing brings a number back from there. */
    assert_undefined("max(ln(0), 0)");
    assert_undefined("min(sqrt(-1), 0)");
    assert_undefined("1 / (1 / 0)");
    assert_undefined("0 * (1 / 0)");
}

static void test_undefined_variables(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_expression *formula = parsed(context, "max(rows, cols)");
    double missing_values[] = {1, NAN, NAN, NAN, NAN, NAN, NAN};
    assert_true(isnan(nitro_expression_evaluate(formula, missing_values)));
    missing_values[1] = INFINITY;
    assert_true(isnan(nitro_expression_evaluate(formula, missing_values)));
    missing_values[1] = 2;
    assert_true(nitro_expression_evaluate(formula, missing_values) == 2);
    nitro_expression_free(formula);
    nitro_context_free(context);
}

static void test_uses(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char text[] = "ln(nnz) / device.peak_gbps";
    nitro_expression *formula = parsed(context, text);
    memset(text, 'x', sizeof(text) - 1); /* which is no longer needed */
    const bool used[] = {false, false, true, false, true, false, false, false};
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
        assert_int_equal(nitro_expression_uses(formula, i), used[i]);
    assert_false(nitro_expression_uses(formula, NITRO_NONE));
    nitro_expression_free(formula);
    nitro_expression_free(NULL);
    nitro_context_free(context);
}

enum { SET_FORMULAS = 14, NUM_OPEN = 3, NUM_POINTS = 8 };

static const char *const set_texts[SET_FORMULAS] = {
    "rows / (2048 * device.peak_gbps)",
    "(12 * nnz + 12 * rows + 8 * cols) / (1024 * device.peak_gbps)",
    "1 + (12 * nnz + 12 * rows + 8 * cols) / (1000 * device.peak_gbps) / 5",
    "ln(rows) - log2(nnz) * sqrt(cols)",
    "min(rows, cols, nnz) / max(rows, `row-max`)",
    "max(ln(rows), 0)",
    "min(1 / cols, `2nd`)",
    "signed_log(-nnz) + -rows",
    "rows - cols",
    "cols - rows",
    "sqrt(min)",
    "max(1, sqrt(min))",
    "device.peak_gbps * `2nd` - 1",
    "rows"};

static const double set_points[NUM_POINTS][NUM_OPEN] = {
    {1000, 500, 20000}, {0, 0, 0},         {-1, 1e308, 1e-308}, {3, NAN, 5},
    {INFINITY, 1, 2},   {-0.0, 7.5, 1e18}, {1, 1, 1},           {1e-300, -4, -1e300}};

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void test_sets_give_the_same_numbers(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_expression *formulas[SET_FORMULAS];
    nitro_formula_set *set = NULL;
    for (size_t i = 0; i < SET_FORMULAS; i++)
        formulas[i] = parsed(context, set_texts[i]);
    assert_ok(context, nitro_formula_set_create(context, formulas, SET_FORMULAS, NUM_OPEN,
                                                values + NUM_OPEN, &set));
    assert_non_null(set);
    for (size_t p = 0; p < NUM_POINTS; p++) {
        double all[7], together[SET_FORMULAS];
        memcpy(all, values, sizeof all);
        memcpy(all, set_points[p], sizeof set_points[p]);
        nitro_formula_set_evaluate(set, set_points[p], together);
        for (size_t i = 0; i < SET_FORMULAS; i++) {
            double alone = nitro_expression_evaluate(formulas[i], all);
            if (!same_number(together[i], alone))
                fail_msg("%s at point %zu: %.17g together, %.17g alone", set_texts[i], p,
                         together[i], alone);
        }
    }
    for (size_t i = 0; i < SET_FORMULAS; i++)
        nitro_expression_free(formulas[i]);
    nitro_formula_set_free(set);
    nitro_formula_set_free(NULL);
    nitro_context_free(context);
}

static void test_sets_are_bounded(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char text[4000] = "rows";
    for (size_t i = 1; strlen(text) < sizeof text - 10; i++)
        sprintf(text + strlen(text), "+%zu", i); /* a different constant and sum each time */
    nitro_expression *formula = parsed(context, text);
    nitro_formula_set *set = NULL;
    assert_ok(context, nitro_formula_set_create(context, &formula, 1, 7, NULL, &set));
    assert_null(set);
    assert_ok(context, nitro_formula_set_create(context, &formula, 0, 7, NULL, &set));
    nitro_formula_set_evaluate(set, values, NULL);
    nitro_formula_set_free(set);
    nitro_expression_free(formula);
    nitro_context_free(context);
}

static void test_unknown_names(void **state)
{
    (void)state;
    assert_refused("1 + row", "f: line 1, column 5: unknown name 'row'; did you mean 'rows'?");
    assert_refused("ln(rows)\n  / nzn",
                   "line 2, column 5: unknown name 'nzn'; did you mean 'nnz'?");
    assert_refused("`rowmax`", "column 2: unknown name 'rowmax'; did you mean `row-max`?");
    assert_refused("device.peak", "did you mean 'device.peak_gbps'?");
    assert_refused("lnn(2)", "column 1: unknown function 'lnn'; available: ln, log,");
    assert_refused("2 * ln", "column 5: ln is a function and needs an argument");
    assert_refused("rows (2)", "column 1: 'rows' is not a function: is an operator missing");
    nitro_context *context = unit_context();
    nitro_expression *formula = NULL;
    nitro_string_list none = {0};
    assert_fails(context, nitro_formula_parse(context, "f", "x", &none, &formula), NITRO_ERR_FORMAT,
                 "unknown name 'x'");
    nitro_context_free(context);
}

static void test_malformed(void **state)
{
    (void)state;
    assert_refused("", "column 1: expected a number, a name or '(', but the text ends here");
    assert_refused("  ", "column 3: expected a number, a name or '(', but the text ends here");
    assert_refused("1 +", "column 4: expected a number");
    assert_refused("* 2", "column 1: expected a number, a name or '(', but found '*'");
    assert_refused("2 rows", "column 3: expected an operator, but found 'r'");
    assert_refused("2rows", "column 2: expected an operator, but found 'r'");
    assert_refused("0x10", "column 2: expected an operator, but found 'x'");
    assert_refused("2 ^ 3", "column 3: expected an operator, but found '^'");
    assert_refused("(1 + 2", "column 7: expected an operator or ')', but the text ends here");
    assert_refused("1)", "column 2: expected an operator, but found ')'");
    assert_refused("()", "column 2: expected a number");
    assert_refused("ln()", "column 4: expected a number");
    assert_refused("ln(1; 2)", "column 5: expected an operator, ',' or ')', but found ';'");
    assert_refused("1 + min(2)", "column 5: min takes two or more arguments, not one");
    assert_refused("sqrt(1, 2, 3)", "column 1: sqrt takes one argument, not 3");
    assert_refused("min(1,)", "column 7: expected a number");
    assert_refused("1e999", "column 1: '1e999' is not a finite number");
    assert_refused(".", "column 1: expected a number");
    assert_refused("1 + \xC3\xA9", "column 5: expected a number, a name or '(', but found the byte "
                                   "0xC3");
    assert_refused("``", "column 1: expected a name");
    assert_refused("`rows", "column 1: expected a name");
    assert_refused("`rows cols`", "column 2: unknown name 'rows cols'");
    assert_refused("2 // 3", "column 4: expected a number");
    assert_refused("2 ** 3", "column 3: expected an operator, but found '*'");
    assert_refused("2 % 3", "column 3: expected an operator, but found '%'");
    assert_refused("rows < cols", "column 6: expected an operator, but found '<'");
    assert_refused("'rows'", "column 1: expected a number");
    assert_refused("abs(2)", "unknown function 'abs'");
}

/* `count` copies of a text, a middle, and `count` copies of another; free() it. */
static char *wrapped(const char *before, const char *middle, const char *after, size_t count)
{
    char *text = calloc(1, count * (strlen(before) + strlen(after)) + strlen(middle) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        strcat(text, before);
    strcat(text, middle);
    for (size_t i = 0; i < count; i++)
        strcat(text, after);
    return text;
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    /* Every level of this one leaves three values behind: the most that a stack must hold. */
    char *text = wrapped("1 + 2 * min(3, ", "1 + 2 * 3", ")", NITRO_EXPRESSION_MAX_NESTING);
    assert_value(text, 7);
    free(text);
    text = wrapped("(", "1", ")", NITRO_EXPRESSION_MAX_NESTING + 1);
    assert_refused(text, "nested more than 64 deep");
    free(text);
    text = wrapped("ln(", "", "", 1000);
    assert_refused(text, "nested more than 64 deep");
    free(text);
}

static void test_length_is_bounded(void **state)
{
    (void)state;
    char *text = wrapped("-", "1", "", NITRO_FORMULA_MAX_BYTES - 1);
    assert_value(text, -1);
    free(text);
    text = wrapped("1+", "1", "", NITRO_FORMULA_MAX_BYTES / 2 - 1);
    assert_value(text, NITRO_FORMULA_MAX_BYTES / 2);
    free(text);
    text = wrapped(" ", "1", "", NITRO_FORMULA_MAX_BYTES);
    assert_refused(text, "f: a formula of 4097 bytes; 4096 is the limit");
    free(text);
    text = wrapped("1", "", "", 64);
    assert_refused(text, "a number of 64 characters; 63 is the limit");
    free(text);
    text = wrapped("a", "", "", 200);
    assert_refused(text, "name 'aaaa");
    free(text);
}

static void test_closest(void **state)
{
    (void)state;
    const char *const known[] = {"rows", "cols", "columns", "device.peak_gbps"};
    assert_string_equal(nitro_closest_name(known, 4, "rows"), "rows");
    assert_string_equal(nitro_closest_name(known, 4, "rwos"), "rows");
    assert_string_equal(nitro_closest_name(known, 4, "device"), "device.peak_gbps");
    assert_string_equal(nitro_closest_name(known, 4, "column"), "columns");
    assert_null(nitro_closest_name(known, 4, "nothing-like-it"));
    assert_null(nitro_closest_name(known, 4, "rest"));
    assert_null(nitro_closest_name(known, 0, "rows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_undefined_variables),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_sets_give_the_same_numbers),
        cmocka_unit_test(test_sets_are_bounded),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_length_is_bounded),
        cmocka_unit_test(test_closest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
