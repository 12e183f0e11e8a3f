/* Recorded evaluations of tuning spaces, read from files of each format. */
#include "unit/temporary.h"

static nitro_recording *parse(nitro_context *context, const char *text, const nitro_space *space)
{
    nitro_recording *recording = NULL;
    assert_ok(context, nitro_recording_parse(context, "r", text, strlen(text), space, &recording));
    return recording;
}

static const nitro_search_answer *answer_of(const nitro_recording *recording,
                                            const uint16_t *indices)
{
    uint64_t configuration = nitro_space_find(recording->space, indices);
    assert_int_not_equal(configuration, NITRO_NO_CONFIGURATION);
    assert_int_equal(recording->answers[configuration].configuration, configuration);
    return &recording->answers[configuration];
}

static void test_csv(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *recording = parse(context,
                                       "a,mode,time_ms,status,time_sd_ms,total_ms,regs\n"
                                       "16,x,2.5,ok,0.25,100,32\n"
                                       "2,y,,compile_error,,50,\n"
                                       "16,y,1.5,ok,,70,40\n",
                                       NULL);
    assert_int_equal(nitro_space_size(recording->space), 3);
    assert_string_equal(nitro_space_parameter(recording->space, 0)->values[0].text, "2");
    assert_int_equal(nitro_space_parameter(recording->space, 1)->type, NITRO_PARAMETER_STRING);
    const nitro_search_answer *first = answer_of(recording, (uint16_t[]){1, 0});
    assert_int_equal(first->outcome, NITRO_OUTCOME_MEASURED);
    assert_near(first->time_ms, 2.5, 0);
    assert_near(first->spread, 0.1, 1e-15);
    assert_near(first->cost_ms, 100, 0);
    assert_near(first->counters[0], 32, 0);
    const nitro_search_answer *failed = answer_of(recording, (uint16_t[]){0, 1});
    assert_int_equal(failed->outcome, NITRO_OUTCOME_FAILED);
    assert_true(isnan(failed->time_ms));
    assert_null(failed->counters);
    nitro_recording_free(recording);
    nitro_context_free(context);
}

static void assert_refused(const char *text, const nitro_space *space, nitro_status status,
                           const char *message)
{
    nitro_context *context = unit_context();
    nitro_recording *recording = NULL;
    assert_fails(context,
                 nitro_recording_parse(context, "r", text, strlen(text), space, &recording), status,
                 message);
    assert_null(recording);
    nitro_context_free(context);
}

static void test_refused(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const char *text = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                       "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 2]\"},"
                       "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"[1, 2]\"},"
                       "{\"Name\": \"c\", \"Type\": \"int\", \"Values\": \"[7]\"}],"
                       "\"Conditions\": [\"a + b < 4\"]}}";
    nitro_space *space = NULL;
    assert_ok(context, nitro_space_parse(context, "s", text, strlen(text), &space));
    nitro_recording *recording = parse(context, "b,a,time_ms\n1,2,3.5\n", space);
    assert_int_equal(nitro_space_size(recording->space), 3);
    assert_near(answer_of(recording, (uint16_t[]){1, 0, 0})->time_ms, 3.5, 0);
    assert_int_equal(answer_of(recording, (uint16_t[]){0, 0, 0})->outcome, NITRO_OUTCOME_MISSING);
    nitro_recording_free(recording);
    assert_refused("", NULL, NITRO_ERR_FORMAT, "r");
    assert_refused("a,b\n1,2\n", NULL, NITRO_ERR_FORMAT, "no column time_ms");
    assert_refused("a,time_ms\n", NULL, NITRO_ERR_FORMAT, "holds no evaluation");
    assert_refused("a,time_ms\n1,\n", NULL, NITRO_ERR_FORMAT, "r: line 2: the time is missing");
    assert_refused("a,time_ms\n1,-1\n", NULL, NITRO_ERR_FORMAT,
                   "zero or negative, but no status says that the configuration failed");
    assert_refused("a,time_ms\n1,nan\n", NULL, NITRO_ERR_FORMAT, "r:2");
    assert_refused("a,time_ms,total_ms\n1,1,-2\n", NULL, NITRO_ERR_FORMAT,
                   "r: line 2: the time that the evaluation took, with compiling, is negative");
    assert_refused("a,time_ms,status\n1,1,fine\n", NULL, NITRO_ERR_FORMAT, "unknown status 'fine'");
    assert_refused("a,time_ms\n1,1\n2,1\n1,2\n", NULL, NITRO_ERR_FORMAT,
                   "r: line 4: the configuration stands also in line 2");
    assert_refused("a,time_ms\n1,1\n", space, NITRO_ERR_MISMATCH, "no parameter 'b' of the space");
    assert_refused("a,b,time_ms\n1,3,1\n", space, NITRO_ERR_FORMAT,
                   "r: line 2: parameter 'b' has the value 3, which the space does not have");
    assert_refused("a,b,time_ms\n2,2,1\n", space, NITRO_ERR_FORMAT, "violates the space's");
    assert_refused("a,b,d,time_ms\n1,1,1,1\n1,2,2,1\n", space, NITRO_ERR_MISMATCH,
                   "parameter 'd' varies");
    assert_refused("{\"metadata\": {\"timeunit\": \"fortnights\"}, \"results\": []}", NULL,
                   NITRO_ERR_FORMAT, "r: metadata has the unknown timeunit 'fortnights'");
    /* A first record without parameters does not set their number: rows had room for none. */
    assert_refused("{\"results\": [{\"configuration\": {}, \"invalidity\": \"compile\"},"
                   "{\"configuration\": {\"a\": 1, \"b\": 2}, \"invalidity\": \"compile\"}]}",
                   NULL, NITRO_ERR_FORMAT, "r: record 1: has no configuration");
    assert_refused("{\"Metadata\": {\"TimeUnit\": \"us\"}, \"Results\": ["
                   "{\"Status\": \"CompilationFailed\"},"
                   "{\"Status\": \"CompilationFailed\","
                   " \"Configuration\": [{\"Name\": \"a\", \"Value\": 1}]}]}",
                   NULL, NITRO_ERR_FORMAT, "r: record 1: has no configuration");
    nitro_space_free(space);
    nitro_context_free(context);
}

/* Strings of a space are those of the file, also where they look like numbers. */
static void test_strings(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const char *text =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"a\", \"Type\": \"string\", \"Values\": [\"1\", \"01\", \"1.0\"]}]}}";
    nitro_space *space = NULL;
    assert_ok(context, nitro_space_parse(context, "s", text, strlen(text), &space));
    nitro_recording *recording = parse(context, "a,time_ms\n1,3\n01,4\n1.0,5\n", space);
    for (uint16_t v = 0; v < 3; v++)
        assert_near(answer_of(recording, &v)->time_ms, 3 + v, 0);
    nitro_recording_free(recording);
    nitro_space_free(space);
    nitro_context_free(context);
}

/* Number of configurations with a time, and the least time. */
static size_t count_valid(const nitro_recording *recording, double *best)
{
    size_t valid = 0;
    *best = INFINITY;
    for (uint64_t c = 0; c < nitro_space_size(recording->space); c++) {
        valid += recording->answers[c].outcome == NITRO_OUTCOME_MEASURED;
        if (recording->answers[c].time_ms < *best)
            *best = recording->answers[c].time_ms;
    }
    return valid;
}

/* The recorded spaces: alone, and as configurations of their descriptions. */
static void test_recorded(void **state)
{
    (void)state;
    static const struct {
        const char *space, *device;
        size_t size, valid;
        double best;
    } cases[] = {{"convolution", "rtx_titan", 6768, 5256, 0.8783},
                 {"gemm", "rtx_2080_ti", 17956, 17956, 11.48},
                 {"ktt_convolution", "rtx_2080_ti", 6768, 5280, 0.7061},
                 {"ktt_coulomb3d", "gtx_1070", 210, 210, 5.096},
                 {"pnpoly", "rtx_titan", 4092, 3750, 13.52}};
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[128], description[128];
        nitro_space *space = NULL;
        snprintf(name, sizeof(name), "search/spaces/%s/%s.csv.gz", cases[i].space, cases[i].device);
        snprintf(description, sizeof(description), "search/descriptions/%s.json", cases[i].space);
        assert_ok(context, nitro_space_read(context, unit_shared_data(description), &space));
        for (int described = 0; described < 2; described++) {
            nitro_recording *recording = NULL;
            double best;
            assert_ok(context, nitro_recording_read(context, unit_shared_data(name),
                                                    described ? space : NULL, &recording));
            assert_int_equal(nitro_space_size(recording->space), cases[i].size);
            assert_int_equal(count_valid(recording, &best), cases[i].valid);
            assert_near(best / cases[i].best, 1, 1e-3);
            nitro_recording_free(recording);
        }
        nitro_space_free(space);
    }
    nitro_context_free(context);
}

/* A seed of the fuzz target: a small file of a format. */
static nitro_recording *read_seed(nitro_context *context, const char *name)
{
    nitro_recording *recording = NULL;
    char path[512];
    snprintf(path, sizeof(path), "%s/tests/fuzz/seeds/recording/%s", SOURCE_DIR, name);
    assert_ok(context, nitro_recording_read(context, path, NULL, &recording));
    return recording;
}

static void test_json_formats(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_recording *recording = read_seed(context, "kernel_tuner_unclosed");
    assert_string_equal(recording->device, "X");
    const nitro_search_answer *answer = answer_of(recording, (uint16_t[]){0, 0});
    assert_near(answer->time_ms, 2.5, 0);
    assert_near(answer->spread, 0.04, 1e-12);
    assert_near(answer->cost_ms, 320.3, 1e-9);
    assert_int_equal(answer_of(recording, (uint16_t[]){1, 0})->outcome, NITRO_OUTCOME_FAILED);
    nitro_recording_free(recording);
    recording = read_seed(context, "t4");
    answer = answer_of(recording, (uint16_t[]){0, 0});
    assert_near(answer->time_ms, 2.5, 0);
    assert_near(answer->cost_ms, 320.3, 1e-9);
    assert_string_equal(recording->counter_names[0], "regs");
    assert_near(answer->counters[0], 22, 0);
    assert_int_equal(answer_of(recording, (uint16_t[]){1, 0})->outcome, NITRO_OUTCOME_FAILED);
    nitro_recording_free(recording);
    recording = read_seed(context, "ktt");
    answer = answer_of(recording, (uint16_t[]){0}); /* the time without a profile */
    assert_near(answer->time_ms, 0.09, 1e-15);
    assert_string_equal(recording->counter_names[0], "global_x");
    assert_near(answer->counters[0], 8, 0);
    nitro_recording_free(recording);
    nitro_context_free(context);
}

/* The same evaluations in other files: configuration, outcome and time agree; times of `scaled` are
 * to be multiplied. */
static void assert_same(nitro_context *context, const char *name, const char *csv_name,
                        const char *space_name, double factor)
{
    nitro_recording *recording = NULL, *csv = NULL;
    nitro_space *space = NULL;
    char path[256];
    snprintf(path, sizeof(path), "search/descriptions/%s.json", space_name);
    assert_ok(context, nitro_space_read(context, unit_shared_data(path), &space));
    assert_ok(context, nitro_recording_read(context, unit_shared_data(csv_name), space, &csv));
    assert_ok(context, nitro_recording_read(context, unit_shared_data(name), space, &recording));
    for (uint64_t c = 0; c < nitro_space_size(space); c++) {
        const nitro_search_answer *a = &recording->answers[c], *b = &csv->answers[c];
        assert_int_equal(a->outcome == NITRO_OUTCOME_MEASURED,
                         b->outcome == NITRO_OUTCOME_MEASURED);
        if (a->outcome == NITRO_OUTCOME_MEASURED)
            assert_near(a->time_ms * factor / b->time_ms, 1, 1e-5);
    }
    nitro_recording_free(recording);
    nitro_recording_free(csv);
    nitro_space_free(space);
}

static void test_raw_files(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const char *pnpoly = "search/raw/kernel_tuner-cache-pnpoly-rtx_2080_ti.json.gz";
    assert_same(context, pnpoly, "search/spaces/pnpoly/rtx_2080_ti.csv.gz", "pnpoly", 1000);
    assert_same(context, "search/raw/kernel_tuner-t4-convolution_milo-a100.json.gz",
                "search/spaces/convolution_milo/a100.csv.gz", "convolution_milo", 1);
    const char *coulomb = "search/spaces/ktt_coulomb3d/rtx_2080_ti.csv.gz";
    assert_same(context, "search/raw/ktt-coulomb3d-rtx_2080_ti.json.gz", coulomb, "ktt_coulomb3d",
                1);
    assert_same(context, "search/raw/ktt-t4-coulomb3d-rtx_2080_ti.json.gz", coulomb,
                "ktt_coulomb3d", 1);
    nitro_recording *recording = NULL;
    assert_fails(context,
                 nitro_recording_read(context,
                                      unit_shared_data("search/raw/kernel_tuner-t4-small.json.gz"),
                                      NULL, &recording),
                 NITRO_ERR_FORMAT, "the objective 'score' is no time");
    nitro_context_free(context);
}

/* What is written is read back. */
static void test_write(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_recording *recording = read_seed(context, "csv");
    char path[128], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof(path), "%s/file", folder.folder);
    const nitro_evaluations evaluations = {.space = recording->space,
                                           .answers = recording->answers,
                                           .num_answers = nitro_space_size(recording->space),
                                           .name = "k",
                                           .device = "X",
                                           .counter_names =
                                               (const char *const *)recording->counter_names,
                                           .num_counters = recording->num_counters};
    for (int format = 0; format < 2; format++) {
        nitro_recording *again = NULL;
        assert_ok(context, nitro_evaluations_write(context, path, (nitro_evaluations_format)format,
                                                   &evaluations));
        assert_ok(context, nitro_recording_read(context, path, recording->space, &again));
        for (uint64_t c = 0; c < evaluations.num_answers; c++) {
            const nitro_search_answer *a = &recording->answers[c], *b = &again->answers[c];
            assert_int_equal(a->outcome, b->outcome);
            assert_true(a->time_ms == b->time_ms || isnan(a->time_ms));
            assert_near(a->cost_ms, b->cost_ms, 1e-9);
            assert_true(format > 0 || !a->counters || a->counters[0] == b->counters[0]);
        }
        nitro_recording_free(again);
    }
    /* In T4, as Kernel Tuner writes it, only a correct evaluation has correctness 1. */
    assert_ok(context, nitro_evaluations_write(context, path, NITRO_EVALUATIONS_T4, &evaluations));
    assert_ok(context, nitro_file_read(context, path, 1 << 20, &text, &size));
    assert_non_null(strstr(text, "\"invalidity\":\"compile\",\"correctness\":0.0"));
    assert_non_null(strstr(text, "\"invalidity\":\"correct\",\"correctness\":1.0"));
    free(text);
    nitro_recording_free(recording);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* Files cut at any byte are refused, or hold a part of the evaluations. */
static void test_cut(void **state)
{
    (void)state;
    static const char *const seeds[] = {"csv", "kernel_tuner_unclosed", "t4", "ktt"};
    nitro_context *context = unit_context();
    for (size_t s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++) {
        char path[512], *text;
        size_t size;
        snprintf(path, sizeof(path), "%s/tests/fuzz/seeds/recording/%s", SOURCE_DIR, seeds[s]);
        assert_ok(context, nitro_file_read(context, path, 1 << 20, &text, &size));
        for (size_t cut = 0; cut < size; cut++) {
            nitro_recording *recording = NULL;
            nitro_status status = nitro_recording_parse(context, "r", text, cut, NULL, &recording);
            assert_int_equal(status == NITRO_OK, recording != NULL);
            assert_true(status == NITRO_OK || status == NITRO_ERR_FORMAT);
            nitro_recording_free(recording);
        }
        free(text);
    }
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recorded),  cmocka_unit_test(test_json_formats),
        cmocka_unit_test(test_raw_files), cmocka_unit_test(test_write),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
