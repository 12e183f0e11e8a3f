/* Counter models: exact where they repeat, close where they generalise, known by the parameters'
 * names, and equal after writing and reading. */
#include "unit/unit.h"

enum { NUM_COUNTERS = 3, MAX_SIZE = 64 };

static const char *const counter_names[] = {"reads", "writes", "instructions"};

static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[16, 32, 64, 128]\"},"
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[1, 2, 3]\"},"
    "{\"Name\": \"layout\", \"Type\": \"string\", \"Values\": \"['rows', 'columns']\"}]}}";

/* The same kernel elsewhere: parameters in another order, one value less. */
static const char other_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"layout\", \"Type\": \"string\", \"Values\": \"['columns', 'rows']\"},"
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[1, 2, 3]\"},"
    "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[16, 32, 128]\"}]}}";

typedef struct fixture {
    nitro_context *context;
    nitro_space *space, *other;
    size_t size, other_size;
    uint64_t configurations[MAX_SIZE];
    double counters[MAX_SIZE * NUM_COUNTERS];
    nitro_search_answer answers[MAX_SIZE];
} fixture;

/* Quadratic in block and tile, of its own for each layout. */
static void count(const nitro_space *space, uint64_t configuration, double *counters)
{
    uint16_t at[NITRO_MAX_PARAMETERS];
    nitro_space_indices(space, configuration, at);
    size_t b = nitro_space_find_parameter(space, "block");
    size_t t = nitro_space_find_parameter(space, "tile");
    size_t l = nitro_space_find_parameter(space, "layout");
    double block = nitro_space_parameter(space, b)->values[at[b]].number;
    double tile = nitro_space_parameter(space, t)->values[at[t]].number;
    bool rows = strcmp(nitro_space_parameter(space, l)->values[at[l]].text, "rows") == 0;
    counters[0] = 1000 + 3 * block * tile;
    counters[1] = (rows ? 2 : 5) * tile * tile + block;
    counters[2] = rows ? 7 * block : 9 * block + tile;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    assert_ok(f->context, nitro_space_parse(f->context, "space", space_text, sizeof(space_text) - 1,
                                            &f->space));
    assert_ok(f->context, nitro_space_parse(f->context, "other", other_text, sizeof(other_text) - 1,
                                            &f->other));
    f->size = (size_t)nitro_space_size(f->space);
    f->other_size = (size_t)nitro_space_size(f->other);
    assert_true(f->size == 24 && f->other_size == 18);
    for (size_t c = 0; c < f->size; c++) {
        count(f->space, c, f->counters + c * NUM_COUNTERS);
        f->answers[c] = (nitro_search_answer){.configuration = c,
                                              .outcome = NITRO_OUTCOME_MEASURED,
                                              .time_ms = 1,
                                              .counters = f->counters + c * NUM_COUNTERS};
    }
    for (size_t c = 0; c < MAX_SIZE; c++)
        f->configurations[c] = c;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_space_free(f->space);
    nitro_space_free(f->other);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_counter_model *fit(fixture *f, nitro_counter_model_kind kind)
{
    nitro_counter_model *model = NULL;
    assert_ok(f->context, nitro_counter_model_fit(f->context, f->space, f->answers, f->size,
                                                  counter_names, NUM_COUNTERS, kind, 3, &model));
    return model;
}

/* Greatest relative error of the predictions over a space. */
static double error_on(fixture *f, const nitro_counter_model *model, const nitro_space *space)
{
    double predicted[MAX_SIZE * NUM_COUNTERS], expected[NUM_COUNTERS], greatest = 0;
    size_t size = (size_t)nitro_space_size(space);
    assert_ok(f->context, nitro_counter_model_predict(f->context, model, space, f->configurations,
                                                      size, predicted));
    for (size_t c = 0; c < size; c++) {
        count(space, c, expected);
        for (size_t k = 0; k < NUM_COUNTERS; k++)
            greatest =
                fmax(greatest, fabs(predicted[c * NUM_COUNTERS + k] - expected[k]) / expected[k]);
    }
    return greatest;
}

static void test_fits(void **state)
{
    fixture *f = *state;
    nitro_counter_model *exact = fit(f, NITRO_COUNTERS_EXACT);
    nitro_counter_model *squares = fit(f, NITRO_COUNTERS_LEAST_SQUARES);
    nitro_counter_model *trees = fit(f, NITRO_COUNTERS_TREES);
    assert_near(error_on(f, exact, f->space), 0, 1e-12);
    assert_near(error_on(f, squares, f->space), 0, 1e-4);
    double error = error_on(f, trees, f->space); /* from one half of 24 */
    assert_true(error > 0 && error < 2);
    assert_near(error_on(f, exact, f->other), 0, 1e-12);
    assert_near(error_on(f, squares, f->other), 0, 1e-4);
    nitro_counter_model_free(exact);
    nitro_counter_model_free(squares);
    nitro_counter_model_free(trees);
}

static void test_is_equal_after_writing_and_reading(void **state)
{
    fixture *f = *state;
    for (nitro_counter_model_kind kind = NITRO_COUNTERS_TREES; kind <= NITRO_COUNTERS_EXACT;
         kind++) {
        nitro_counter_model *model = fit(f, kind), *again = NULL;
        double before[MAX_SIZE * NUM_COUNTERS], after[MAX_SIZE * NUM_COUNTERS];
        char *text = NULL;
        assert_ok(f->context, nitro_counter_model_format(f->context, model, &text));
        assert_ok(f->context,
                  nitro_counter_model_parse(f->context, "text", text, strlen(text), &again));
        assert_int_equal(nitro_counter_model_num_counters(again), NUM_COUNTERS);
        assert_string_equal(nitro_counter_model_counter(again, 1), "writes");
        assert_ok(f->context, nitro_counter_model_predict(f->context, model, f->space,
                                                          f->configurations, f->size, before));
        assert_ok(f->context, nitro_counter_model_predict(f->context, again, f->space,
                                                          f->configurations, f->size, after));
        assert_memory_equal(before, after, f->size * NUM_COUNTERS * sizeof(double));
        for (size_t cut = 0; cut < strlen(text); cut += 7) { /* a file that was cut off */
            nitro_counter_model *none = NULL;
            assert_int_equal(nitro_counter_model_parse(f->context, "cut", text, cut, &none),
                             NITRO_ERR_FORMAT);
        }
        nitro_counter_model_free(model);
        nitro_counter_model_free(again);
        free(text);
    }
}

static void test_refuses_what_it_cannot_use(void **state)
{
    fixture *f = *state;
    static const char missing[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[16, 32]\"}]}}";
    nitro_counter_model *model = NULL, *exact = fit(f, NITRO_COUNTERS_EXACT);
    nitro_space *space = NULL;
    double predicted[MAX_SIZE * NUM_COUNTERS];
    assert_ok(f->context,
              nitro_space_parse(f->context, "space", missing, sizeof(missing) - 1, &space));
    assert_fails(
        f->context,
        nitro_counter_model_predict(f->context, exact, space, f->configurations, 2, predicted),
        NITRO_ERR_MISMATCH, "'tile'");
    for (size_t c = 0; c < f->size; c++)
        f->answers[c].counters = NULL;
    assert_fails(f->context,
                 nitro_counter_model_fit(f->context, f->space, f->answers, f->size, counter_names,
                                         NUM_COUNTERS, NITRO_COUNTERS_TREES, 1, &model),
                 NITRO_ERR_NO_DATA, "profiled");
    static const char later[] = "{\"format\": \"nitro-counter-model\", \"version\": 2}";
    assert_fails(f->context,
                 nitro_counter_model_parse(f->context, "later", later, sizeof(later) - 1, &model),
                 NITRO_ERR_NEWER, "later");
    nitro_space_free(space);
    nitro_counter_model_free(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_is_equal_after_writing_and_reading, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_what_it_cannot_use, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
