/* Tuning-parameter spaces: counts, ranks, neighbours, bad descriptions. */
#include "unit/unit.h"

static nitro_space *parse(nitro_context *context, const char *text)
{
    nitro_space *space = NULL;
    assert_ok(context, nitro_space_parse(context, "space.json", text, strlen(text), &space));
    return space;
}

#define PARAMETER(name, type, values)                                                              \
    "{\"Name\": \"" name "\", \"Type\": \"" type "\", \"Values\": \"" values "\"}"
#define SPACE(parameters, conditions)                                                              \
    "{\"ConfigurationSpace\": {\"TuningParameters\": [" parameters                                 \
    "], \"Conditions\": [" conditions "]}}"
#define CONDITION(text) "{\"Expression\": \"" text "\", \"Parameters\": []}"

/* Every configuration has a rank of its own, and its value indices give it back. */
static void assert_ranks(const nitro_space *space, uint64_t stride)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (uint64_t c = 0; c < nitro_space_size(space); c += stride) {
        nitro_space_indices(space, c, indices);
        assert_int_equal(nitro_space_find(space, indices), c);
    }
}

static void assert_count(const char *text, uint64_t expected)
{
    nitro_context *context = unit_context();
    nitro_space *space = parse(context, text);
    assert_int_equal(nitro_space_size(space), expected);
    assert_ranks(space, 1);
    nitro_space_free(space);
    nitro_context_free(context);
}

static void test_counts(void **state)
{
    (void)state;
    assert_count(SPACE(PARAMETER("a", "int", "[1, 2]"), ""), 2);
    assert_count(SPACE(PARAMETER("a", "int", "[1, 2, 3]") "," PARAMETER("b", "int", "[1, 2, 3]"),
                       CONDITION("a * b <= 3")),
                 5);
    assert_count(SPACE(PARAMETER("a", "int", "list(range(1, 11))") "," PARAMETER(
                           "b", "int", "[2**i for i in range(0, 4)] + [16]"),
                       CONDITION("2 < a <= 4 and not b % 4")),
                 2 * 3);
    assert_count(SPACE(PARAMETER("s", "string", "['x', 'y']") "," PARAMETER(
                           "f", "float", "[0.5, 1.5]") "," PARAMETER("u", "bool", "[True, False]"),
                       CONDITION("s == 'x' or f > 1 and u")),
                 4 + 1);
    assert_count(
        SPACE(PARAMETER("a", "int", "range(0, 4)") "," PARAMETER("b", "int", "range(0, 4)"),
              "\"a != 0\", " CONDITION("b % a == 0")),
        4 + 2 + 2); /* a = 1: all; 2: 0, 2; 3: 0, 3 */
}

/* What a chain of constraints links is one group with a small diagram. */
static void test_chain(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char text[4096] = "{\"ConfigurationSpace\": {\"TuningParameters\": [";
    for (int p = 0; p < 12; p++)
        sprintf(text + strlen(text), "%s" PARAMETER("p%d", "int", "list(range(100))"), p ? "," : "",
                p);
    strcat(text, "], \"Conditions\": [");
    for (int p = 1; p < 12; p++)
        sprintf(text + strlen(text), "%s\"p%d == p%d or p%d == p%d + 1\"", p > 1 ? "," : "", p,
                p - 1, p, p - 1);
    strcat(text, "]}}");
    nitro_space *space = parse(context, text);
    double expected = 0; /* choose which of the 11 steps rise: i rises leave 100 - i starts */
    double ways = 1;
    for (int rises = 0; rises <= 11; rises++) {
        expected += ways * (100 - rises);
        ways = ways * (11 - rises) / (rises + 1);
    }
    assert_near((double)nitro_space_size(space), expected, 0.1);
    assert_ranks(space, 101);
    nitro_space_free(space);
    nitro_context_free(context);
}

/* Membership agrees with the constraints, over the whole product. */
static void test_find(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_space *space =
        parse(context, SPACE(PARAMETER("a", "int", "[1, 2, 3, 4]") "," PARAMETER(
                                 "c", "int", "[7]") "," PARAMETER("b", "int", "[1, 2, 4, 8]"),
                             CONDITION("b % a == 0")));
    size_t found = 0;
    for (uint16_t a = 0; a < 4; a++)
        for (uint16_t b = 0; b < 4; b++) {
            uint16_t indices[] = {a, 0, b};
            bool is_inside = (1 << b) % (a + 1) == 0;
            assert_int_equal(nitro_space_find(space, indices) != NITRO_NO_CONFIGURATION, is_inside);
            found += is_inside;
        }
    assert_int_equal(found, nitro_space_size(space));
    assert_int_equal(nitro_space_find(space, (uint16_t[]){4, 0, 0}), NITRO_NO_CONFIGURATION);
    assert_int_equal(nitro_space_find(space, (uint16_t[]){0, 1, 0}), NITRO_NO_CONFIGURATION);
    assert_int_equal(nitro_space_find_parameter(space, "b"), 2);
    assert_int_equal(nitro_space_find_parameter(space, "d"), NITRO_NONE);
    assert_string_equal(nitro_space_parameter(space, 2)->values[3].text, "8");
    nitro_space *copy = NULL;
    assert_ok(context, nitro_space_copy(context, space, &copy));
    nitro_space_free(space);
    assert_int_equal(nitro_space_size(copy), found);
    assert_ranks(copy, 1);
    nitro_space_free(copy);
    nitro_context_free(context);
}

static void test_undefined(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    static char log[UNIT_LOG_BYTES];
    log[0] = '\0';
    nitro_context_set_log(context, NITRO_LOG_WARNING, unit_keep_log, log);
    nitro_space *space =
        parse(context, SPACE(PARAMETER("a", "int", "[0, 1, 2]"), CONDITION("4 // a >= 0")));
    assert_int_equal(nitro_space_size(space), 2);
    assert_non_null(strstr(log, "space.json: the constraint '4 // a >= 0' has no value"));
    nitro_space_free(space);
    log[0] = '\0'; /* what is not evaluated is not undefined */
    space =
        parse(context, SPACE(PARAMETER("a", "int", "[0, 1, 2]"), CONDITION("a == 0 or 4 / a > 2")));
    assert_int_equal(nitro_space_size(space), 2);
    assert_string_equal(log, "");
    nitro_space_free(space);
    nitro_context_free(context);
}

static void assert_neighbours(nitro_context *context, const nitro_space *space,
                              const uint16_t *indices, nitro_neighbourhood kind,
                              const uint16_t *expected, size_t expected_count)
{
    uint64_t *neighbours = NULL;
    size_t count, width = nitro_space_num_parameters(space);
    assert_ok(context, nitro_space_neighbours(context, space, indices, kind, &neighbours, &count));
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        bool is_listed = false;
        uint16_t found[NITRO_MAX_PARAMETERS];
        nitro_space_indices(space, neighbours[i], found);
        for (size_t e = 0; e < expected_count; e++)
            is_listed |= memcmp(found, expected + e * width, width * sizeof(*found)) == 0;
        assert_true(is_listed);
        assert_true(i == 0 || neighbours[i - 1] < neighbours[i]);
    }
    free(neighbours);
}

static void test_neighbours(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_space *space = parse(
        context, SPACE(PARAMETER("a", "int", "[0, 1, 2, 3]") "," PARAMETER("b", "int", "[0, 1, 2]"),
                       CONDITION("a != 1") "," CONDITION("a + b <= 4")));
    assert_int_equal(nitro_space_size(space), 3 + 3 + 2);
    const uint16_t inside[] = {2, 1}, outside[] = {1, 1};
    assert_neighbours(context, space, inside, NITRO_NEIGHBOURS_HAMMING,
                      (uint16_t[]){0, 1, 3, 1, 2, 0, 2, 2}, 4);
    assert_neighbours(context, space, inside, NITRO_NEIGHBOURS_STRICTLY_ADJACENT,
                      (uint16_t[]){3, 1, 3, 0, 2, 0, 2, 2}, 4);
    assert_neighbours(context, space, inside, NITRO_NEIGHBOURS_ADJACENT,
                      (uint16_t[]){3, 1, 3, 0, 2, 0, 2, 2, 0, 0, 0, 1, 0, 2}, 7);
    assert_neighbours(context, space, outside, NITRO_NEIGHBOURS_HAMMING,
                      (uint16_t[]){0, 1, 2, 1, 3, 1}, 3);
    assert_neighbours(context, space, outside, NITRO_NEIGHBOURS_STRICTLY_ADJACENT,
                      (uint16_t[]){0, 0, 0, 1, 0, 2, 2, 0, 2, 1, 2, 2}, 6);
    nitro_space_free(space);
    space = parse(context, SPACE(PARAMETER("a", "int", "[5]"), ""));
    assert_neighbours(context, space, (uint16_t[]){0}, NITRO_NEIGHBOURS_ADJACENT, NULL, 0);
    nitro_space_free(space);
    nitro_context_free(context);
}

static void test_list(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_parameter_value values[] = {{1, "1"}, {2, "2"}, {3, "3"}};
    nitro_parameter parameters[] = {{"a", NITRO_PARAMETER_INTEGER, 3, values},
                                    {"b", NITRO_PARAMETER_INTEGER, 2, values}};
    const uint16_t rows[] = {2, 1, 0, 0, 2, 0, 0, 0};
    nitro_space *space = NULL;
    assert_ok(context, nitro_space_list(context, parameters, 2, rows, 3, &space));
    assert_int_equal(nitro_space_size(space), 3);
    assert_ranks(space, 1);
    assert_int_equal(nitro_space_find(space, rows + 2), 0);
    assert_int_equal(nitro_space_find(space, rows), 2);
    assert_int_equal(nitro_space_find(space, (uint16_t[]){1, 0}), NITRO_NO_CONFIGURATION);
    nitro_space_free(space);
    assert_fails(context, nitro_space_list(context, parameters, 2, rows, 4, &space),
                 NITRO_ERR_ARGUMENT, "configurations 1 and 3 of the list are equal");
    assert_fails(context, nitro_space_list(context, parameters, 2, rows, 0, &space),
                 NITRO_ERR_ARGUMENT, "0 listed");
    assert_fails(context, nitro_space_list(context, parameters, 2, (uint16_t[]){0, 2}, 1, &space),
                 NITRO_ERR_ARGUMENT, "value 2 of the 2 of parameter 'b'");
    nitro_context_free(context);
}

static void assert_refused(const char *text, nitro_status status, const char *message)
{
    nitro_context *context = unit_context();
    nitro_space *space = NULL;
    assert_fails(context, nitro_space_parse(context, "s.json", text, strlen(text), &space), status,
                 message);
    assert_null(space);
    nitro_context_free(context);
}

#define A PARAMETER("block", "int", "[1, 2]")

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "s.json: line 1"},
        {"[]", "s.json: no JSON object"},
        {"{}", "ConfigurationSpace"},
        {SPACE("", ""), "no TuningParameters"},
        {SPACE(A "," A, ""), "two tuning parameters are named 'block'"},
        {SPACE(PARAMETER("a", "int", "[]"), ""), "parameter 'a' has 0 values"},
        {SPACE(PARAMETER("a", "int", "[1, 2, 1]"), ""), "value 1 is listed twice"},
        {SPACE(PARAMETER("a", "int", "[1.5]"), ""), "value 1.5 is not a whole number"},
        {SPACE(PARAMETER("a", "uint", "[-1]"), ""), "value -1 is negative, and its type is uint"},
        {SPACE(PARAMETER("a", "bool", "[2]"), ""), "value 2 is neither true nor false"},
        {SPACE(PARAMETER("a", "int", "['x']"), ""), "value x is not of its type"},
        {SPACE(PARAMETER("a", "vector", "[1]"), ""), "unknown type 'vector'"},
        {SPACE(PARAMETER("a", "int", "open('/etc/passwd')"), ""), "expected '[', list( or range("},
        {SPACE(PARAMETER("a", "int", "[1/0]"), ""), "column 2: the value is undefined"},
        {SPACE(PARAMETER("a", "int", "list(range(1, 9, 0))"), ""), "step of range() is 0"},
        {SPACE(PARAMETER("a", "int", "range(1000000)"), ""), "more than 65535 values"},
        {SPACE(A, CONDITION("blok > 1")), "unknown name 'blok'; did you mean 'block'?"},
        {SPACE(A, CONDITION("block >")),
         "condition 1: line 1, column 8: expected a number, a name"},
        {SPACE(A, CONDITION("block == 'x'")), "compares a string with a number"},
        {SPACE(A, CONDITION("block = 1")), "column 7: expected an operator"},
        {SPACE(A, CONDITION("system(1)")), "unknown function 'system'"},
        {SPACE(A, CONDITION("block > 2")), "the space is empty"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_refused(cases[i].text, NITRO_ERR_FORMAT, cases[i].message);
    char text[4096] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [" A "], \"Conditions\": [\"";
    memset(text + strlen(text), '(', 2000);
    strcat(text, "1\"]}}");
    assert_refused(text, NITRO_ERR_FORMAT, "nested more than 64 deep");
}

/* 10^30 products: too many to number, and constraints that no search could finish. */
static void test_too_large(void **state)
{
    (void)state;
    char text[8192] = "{\"ConfigurationSpace\": {\"TuningParameters\": [";
    for (int p = 0; p < 10; p++)
        sprintf(text + strlen(text), "%s" PARAMETER("p%d", "int", "list(range(1000))"),
                p ? "," : "", p);
    strcat(text, "]}}");
    assert_refused(text, NITRO_ERR_UNSUPPORTED, "2^64 configurations or more");
}

static const struct {
    const char *name;
    uint64_t size;
} descriptions[] = {
    {"convolution", 6768},
    {"convolution_milo", 4362},
    {"dedispersion_milo", 11130},
    {"enumerate-big-24m", 24277440},
    {"enumerate-big-6m", 6450180},
    {"enumerate-gemm_cltune", 241600},
    {"enumerate-gemm_milo", 116928},
    {"enumerate-hotspot_milo", 82984},
    {"enumerate-trees", 4083 * 4083},
    {"gemm", 17956},
    {"ktt_convolution", 6768},
    {"ktt_coulomb3d", 210},
    {"pnpoly", 4092},
};

static void test_descriptions(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
        char name[128];
        nitro_space *space = NULL;
        snprintf(name, sizeof(name), "search/descriptions/%s.json", descriptions[i].name);
        assert_ok(context, nitro_space_read(context, unit_shared_data(name), &space));
        if (nitro_space_size(space) != descriptions[i].size)
            fail_msg("%s: %llu configurations", name, (unsigned long long)nitro_space_size(space));
        assert_ranks(space, 1 + nitro_space_size(space) / 100000);
        nitro_space_free(space);
    }
    nitro_context_free(context);
}

/* The community's T1 files of the same spaces. */
static void test_t1_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t size;
    } inputs[] = {{"hub-t1-convolution", 6768},
                  {"hub-t1-convolution_milo", 4362},
                  {"hub-t1-dedispersion_milo", 11130},
                  {"hub-t1-gemm_milo", 116928},
                  {"hub-t1-hotspot_milo", 82984},
                  {"hub-t1-pnpoly", 4092},
                  {"ktt-t1-coulomb3d", 210}};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        char name[128];
        nitro_space *space = NULL;
        snprintf(name, sizeof(name), "search/raw/%s.json.gz", inputs[i].name);
        assert_ok(context, nitro_space_read(context, unit_shared_data(name), &space));
        assert_int_equal(nitro_space_size(space), inputs[i].size);
        nitro_space_free(space);
    }
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),       cmocka_unit_test(test_chain),
        cmocka_unit_test(test_find),         cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_neighbours),   cmocka_unit_test(test_list),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_descriptions), cmocka_unit_test(test_t1_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
