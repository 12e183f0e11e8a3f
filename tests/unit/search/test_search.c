/* Searches: evaluators, budgets, what is evaluated once, what a store keeps. */
#include "nitro/search/search.h"
#include "unit/temporary.h"

static const char *const description =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"range(1, 21)\"},"
    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"range(1, 21)\"},"
    "{\"Name\": \"mode\", \"Type\": \"string\", \"Values\": \"['x', 'y']\"}],"
    "\"Conditions\": [\"a * b <= 100\"]}}";

/* An evaluator with a known optimum, a = 7 and b = 3, that counts its calls; b = 13 is invalid. */
typedef struct counted {
    const nitro_space *space;
    size_t calls, fails_after; /* 0: never */
    nitro_context *context;
} counted;

static double time_of(const nitro_space *space, uint64_t configuration)
{
    uint16_t indices[3];
    nitro_space_indices(space, configuration, indices);
    double a = indices[0] + 1.0, b = indices[1] + 1.0;
    return b == 13 ? (double)NAN : 1 + (a - 7) * (a - 7) + (b - 3) * (b - 3) + indices[2];
}

static nitro_status evaluate_counted(void *state, const nitro_search_question *question,
                                     nitro_search_answer *answer)
{
    counted *self = state;
    if (self->fails_after > 0 && self->calls == self->fails_after)
        return nitro_fail(self->context, NITRO_ERR_IO, "the device is gone");
    self->calls++;
    answer->time_ms = time_of(self->space, question->configuration);
    answer->outcome = isnan(answer->time_ms) ? NITRO_OUTCOME_CRASHED : NITRO_OUTCOME_MEASURED;
    answer->cost_ms = 500;
    return NITRO_OK;
}

typedef struct fixture {
    nitro_context *context;
    nitro_space *space;
    counted state;
    nitro_evaluator evaluator;
    nitro_search_options options;
    nitro_search_result *result;
} fixture;

static void begin(fixture *all, const char *searcher)
{
    *all = (fixture){.context = unit_context()};
    assert_ok(all->context,
              nitro_space_parse(all->context, "s", description, strlen(description), &all->space));
    all->state = (counted){.space = all->space, .context = all->context};
    all->evaluator =
        (nitro_evaluator){.name = "counted", .evaluate = evaluate_counted, .state = &all->state};
    nitro_search_options_init(&all->options);
    all->options.searcher = nitro_searcher_find(searcher);
    assert_non_null(all->options.searcher);
}

static nitro_status search(fixture *all)
{
    nitro_search_result_free(all->result);
    all->result = NULL;
    return nitro_search(all->context, all->space, &all->evaluator, &all->options, &all->result);
}

static void end(fixture *all)
{
    nitro_search_result_free(all->result);
    nitro_space_free(all->space);
    nitro_context_free(all->context);
}

/* No configuration twice, and the best one is the fastest. */
static void assert_sound(const fixture *all)
{
    const nitro_search_result *result = all->result;
    for (size_t i = 0; i < result->num_answers; i++) {
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(result->answers[i].configuration,
                                 result->answers[j].configuration);
        if (result->answers[i].outcome == NITRO_OUTCOME_MEASURED)
            assert_true(result->answers[result->best].time_ms <= result->answers[i].time_ms);
    }
}

static void test_searchers(void **state)
{
    (void)state;
    for (const nitro_searcher *const *each = nitro_builtin_searchers(); *each; each++) {
        fixture all;
        if ((*each)->wants_counters)
            continue;
        begin(&all, (*each)->name);
        all.options.budget.evaluations = 120;
        assert_ok(all.context, search(&all));
        assert_true(all.state.calls <= 120);
        assert_int_equal(all.state.calls, all.result->num_answers);
        assert_sound(&all);
        assert_true(all.result->answers[all.result->best].time_ms < 20);
        end(&all);
    }
}

static void test_budgets(void **state)
{
    (void)state;
    fixture all;
    begin(&all, "random");
    uint64_t size = nitro_space_size(all.space);
    assert_ok(all.context, search(&all));
    assert_int_equal(all.result->num_answers, 220);
    all.options.budget = (nitro_search_budget){.fraction = 0.1};
    assert_ok(all.context, search(&all));
    assert_int_equal(all.result->num_answers, (size + 9) / 10);
    all.options.budget = (nitro_search_budget){.seconds = 10}; /* 0.5 s each */
    assert_ok(all.context, search(&all));
    assert_int_equal(all.result->num_answers, 20);
    assert_near(all.result->seconds[19], 10, 1e-9);
    all.options.budget = (nitro_search_budget){.evaluations = 1000000};
    assert_ok(all.context, search(&all)); /* all of the space, once */
    assert_int_equal(all.result->num_answers, size);
    assert_near(all.result->answers[all.result->best].time_ms, 1, 0);
    all.options.budget.good_ms = 40;
    assert_ok(all.context, search(&all));
    assert_true(all.result->num_answers < size);
    assert_true(all.result->answers[all.result->num_answers - 1].time_ms <= 40);
    end(&all);
}

static void test_budget_texts(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_search_budget budget;
    assert_ok(context, nitro_search_budget_parse(context, "220,60s,time<=1.5", &budget));
    assert_int_equal(budget.evaluations, 220);
    assert_near(budget.seconds, 60, 0);
    assert_near(budget.good_ms, 1.5, 0);
    assert_ok(context, nitro_search_budget_parse(
                           context, "5,6,3,2s,1s,4s,0.5,0.25,time<=1,time<=2,time<=1.5", &budget));
    assert_int_equal(budget.evaluations, 3); /* of each kind the one that is reached first */
    assert_near(budget.seconds, 1, 0);
    assert_near(budget.fraction, 0.25, 0);
    assert_near(budget.good_ms, 2, 0);
    assert_ok(context, nitro_search_budget_parse(context, "0.1", &budget));
    assert_near(budget.fraction, 0.1, 0);
    static const char *const wrong[] = {"0", "-1", "1.5", "x", "s", "60 s", "time<=0", "1e400"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_fails(context, nitro_search_budget_parse(context, wrong[i], &budget),
                     NITRO_ERR_ARGUMENT, wrong[i]);
    nitro_context_free(context);
}

static void test_searcher_options(void **state)
{
    (void)state;
    fixture all;
    begin(&all, "genetic");
    all.options.searcher_options = "population=10";
    all.options.budget.evaluations = 30;
    assert_ok(all.context, search(&all));
    all.options.searcher_options = "populaton=10";
    assert_fails(all.context, search(&all), NITRO_ERR_ARGUMENT,
                 "searcher 'genetic' has no option 'populaton'; it has: preset, population");
    all.options.searcher_options = "population";
    assert_fails(all.context, search(&all), NITRO_ERR_ARGUMENT, "write NAME=VALUE");
    end(&all);
}

static bool stop_at_10(void *user, const nitro_search_progress *progress)
{
    *(uint64_t *)user = progress->done;
    return progress->done < 10;
}

/* What is stored is not evaluated again: a search that broke off goes on to the same result. */
static void test_resume(void **state)
{
    (void)state;
    fixture all, whole;
    temporary folder = temporary_make();
    char url[128];
    nitro_device *device = NULL;
    snprintf(url, sizeof(url), "sqlite:%s/store.db", folder.folder);
    begin(&whole, "auto");
    whole.options.budget.evaluations = 60;
    assert_ok(whole.context, search(&whole));
    begin(&all, "auto");
    assert_ok(all.context, nitro_device_create(all.context, "here", "host", &device));
    assert_ok(all.context,
              nitro_store_open(all.context, url, NITRO_STORE_WRITE, &all.options.store));
    all.options.device = device;
    all.options.name = "test";
    all.options.budget.evaluations = 60;
    uint64_t done = 0;
    all.options.progress = stop_at_10;
    all.options.progress_user = &done;
    assert_ok(all.context, search(&all));
    assert_true(all.result->interrupted);
    assert_int_equal(done, 10);
    all.options.progress = NULL;
    all.state.fails_after = 25;
    assert_fails(all.context, search(&all), NITRO_ERR_IO, "the device is gone");
    assert_int_equal(all.state.calls, 25);
    all.state.fails_after = 0;
    assert_ok(all.context, search(&all));
    assert_int_equal(all.result->resumed, 25);
    assert_int_equal(all.state.calls, 60);
    assert_int_equal(all.result->num_answers, whole.result->num_answers);
    for (size_t i = 0; i < whole.result->num_answers; i++)
        assert_int_equal(all.result->answers[i].configuration,
                         whole.result->answers[i].configuration);
    all.options.version = "2"; /* of the code: older evaluations do not count */
    all.options.budget.evaluations = 5;
    assert_ok(all.context, search(&all));
    assert_int_equal(all.result->resumed, 0);
    nitro_store_close(all.options.store);
    nitro_device_free(device);
    end(&all);
    end(&whole);
    temporary_remove(&folder);
}

/* Search a space of other values with the store of the test before. */
static void search_other(fixture *all, const char *values, uint64_t expected_resumed)
{
    char text[1024];
    nitro_space_free(all->space);
    snprintf(text, sizeof(text), "{\"ConfigurationSpace\": {\"TuningParameters\": [%s]}}", values);
    assert_ok(all->context, nitro_space_parse(all->context, "s", text, strlen(text), &all->space));
    all->state.space = all->space;
    assert_ok(all->context, search(all));
    assert_int_equal(all->result->num_answers, nitro_space_size(all->space));
    assert_int_equal(all->result->resumed, expected_resumed);
}

#define SIZE(values) "{\"Name\": \"size\", \"Type\": \"int\", \"Values\": " values "}"
#define MODE(values) "{\"Name\": \"mode\", \"Type\": \"string\", \"Values\": " values "}"
#define FLAG         "{\"Name\": \"flag\", \"Type\": \"int\", \"Values\": [0]}"

/* Evaluations of another constant, or of strings in another order, are not taken for these; any
 * configuration can be stored. */
static void test_resume_in_changed_space(void **state)
{
    (void)state;
    fixture all;
    temporary folder = temporary_make();
    char url[128], long_text[800];
    nitro_device *device = NULL;
    snprintf(url, sizeof(url), "sqlite:%s/store.db", folder.folder);
    begin(&all, "random");
    assert_ok(all.context, nitro_device_create(all.context, "here", "host", &device));
    assert_ok(all.context,
              nitro_store_open(all.context, url, NITRO_STORE_WRITE, &all.options.store));
    all.options.device = device;
    all.options.name = "strings";
    search_other(&all, SIZE("[1]") "," MODE("[\"x\", \"y\"]") "," FLAG, 0);
    search_other(&all, SIZE("[1]") "," MODE("[\"x\", \"y\"]") "," FLAG, 2);
    search_other(&all, SIZE("[1]") "," MODE("[\"y\", \"x\"]") "," FLAG, 0);
    search_other(&all, SIZE("[2]") "," MODE("[\"y\", \"x\"]") "," FLAG, 0);
    all.options.name = "one";
    search_other(&all, SIZE("[1]") "," MODE("[\"x\"]") "," FLAG, 0);
    search_other(&all, SIZE("[1]") "," MODE("[\"x\"]") "," FLAG, 1);
    all.options.name = "long";
    snprintf(long_text, sizeof(long_text), SIZE("[1, 2]") "," FLAG "," MODE("[\"%0520d\"]"), 0);
    search_other(&all, long_text, 0);
    search_other(&all, long_text, 2);
    nitro_store_close(all.options.store);
    nitro_device_free(device);
    end(&all);
    temporary_remove(&folder);
}

static nitro_status make_argument(nitro_context *context, void *user, void **argument)
{
    (void)user;
    *argument = nitro_calloc(context, 1, sizeof(double));
    return *argument ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/* Crashes for a = 2, fails for a = 3, is wrong for a = 4. */
static int run_tunable(void *argument, const double *values, void *user)
{
    (void)user;
    if (values[0] == 2)
        abort();
    *(double *)argument = values[0];
    return values[0] == 3;
}

static int check_tunable(void *argument, char *why, size_t size, void *user)
{
    (void)user;
    snprintf(why, size, "it is 4");
    return *(double *)argument == 4;
}

static const nitro_tunable tunable = {
    .name = "tunable",
    .space = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
             "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": [1, 2, 3, 4]}]}}",
    .run = run_tunable,
    .check = check_tunable,
    .load = make_argument,
    .unload = free};

static void test_tunable(void **state)
{
    (void)state;
    static const nitro_outcome expected[] = {NITRO_OUTCOME_MEASURED, NITRO_OUTCOME_CRASHED,
                                             NITRO_OUTCOME_FAILED, NITRO_OUTCOME_WRONG_RESULT};
    nitro_context *context = unit_context();
    nitro_space *space = NULL;
    nitro_evaluator evaluator = {0};
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    tune.measure.max_repetitions = tune.measure.min_repetitions = 1;
    assert_ok(context,
              nitro_space_parse(context, "s", tunable.space, strlen(tunable.space), &space));
    assert_ok(context,
              nitro_evaluator_tunable(context, space, &tunable, NULL, &tune.measure, &evaluator));
    for (uint64_t c = 0; c < 4; c++) {
        nitro_search_question question = {c, false};
        nitro_search_answer answer = {.configuration = c};
        assert_ok(context, evaluator.evaluate(evaluator.state, &question, &answer));
        assert_int_equal(answer.outcome, expected[c]);
        assert_int_equal(answer.time_ms > 0, expected[c] == NITRO_OUTCOME_MEASURED);
        assert_true(answer.cost_ms > 0);
    }
    nitro_evaluator_close(&evaluator);
    nitro_space_free(space);
    nitro_context_free(context);
}

static nitro_status make_nothing(nitro_context *context, void *user, void **argument)
{
    (void)user;
    (void)argument;
    return nitro_fail(context, NITRO_ERR_IO, "there are no numbers here");
}

static void test_tunable_without_input(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_space *space = NULL;
    nitro_evaluator evaluator = {0};
    nitro_tunable without = tunable;
    without.load = make_nothing;
    assert_ok(context,
              nitro_space_parse(context, "s", tunable.space, strlen(tunable.space), &space));
    assert_ok(context, nitro_evaluator_tunable(context, space, &without, NULL, NULL, &evaluator));
    nitro_search_options options;
    nitro_search_result *result = NULL;
    nitro_search_options_init(&options);
    assert_fails(context, nitro_search(context, space, &evaluator, &options, &result), NITRO_ERR_IO,
                 "there are no numbers here");
    assert_null(result);
    nitro_evaluator_close(&evaluator);
    nitro_space_free(space);
    nitro_context_free(context);
}

/* C source: one configuration works, one does not compile, one crashes, one is wrong. */
static void test_source(void **state)
{
    (void)state;
    static const char code[] =
        "#include <stdlib.h>\n"
        "#if A == 2\n#error no\n#endif\n"
        "void *f_create(void) { return calloc(1, 4); }\n"
        "int f(void *p) { if (A == 3) abort(); *(int *)p = A; return 0; }\n"
        "int f_check(void *p, char *w, size_t s) { return *(int *)p == 4; }\n"
        "void f_free(void *p) { free(p); }\n";
    static const char space_text[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"A\", \"Type\": \"int\", \"Values\": [1, 2, 3, 4]}]},"
        "\"KernelSpecification\": {\"Language\": \"C\", \"KernelName\": \"f\", \"KernelFile\": "
        "\"f.c\", \"CompilerOptions\": [\"-O0\"]}}";
    static const nitro_outcome expected[] = {NITRO_OUTCOME_MEASURED, NITRO_OUTCOME_FAILED,
                                             NITRO_OUTCOME_CRASHED, NITRO_OUTCOME_WRONG_RESULT};
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_space *space = NULL;
    nitro_tunable_description *about = NULL;
    nitro_evaluator evaluator = {0};
    char path[128], source[128];
    snprintf(path, sizeof(path), "%s/f.json", folder.folder);
    snprintf(source, sizeof(source), "%s/f.c", folder.folder);
    assert_ok(context, nitro_file_write(context, path, space_text, strlen(space_text)));
    assert_ok(context, nitro_file_write(context, source, code, strlen(code)));
    assert_ok(context, nitro_space_read(context, path, &space));
    assert_ok(context, nitro_tunable_description_read(context, path, &about));
    assert_string_equal(about->path, source);
    const nitro_tunable_source given = {.language = about->language,
                                        .name = about->name,
                                        .path = about->path,
                                        .compiler_options =
                                            (const char *const *)about->compiler_options};
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    tune.measure.max_repetitions = tune.measure.min_repetitions = 1;
    assert_ok(context, nitro_evaluator_source(context, space, &given, &tune.measure, &evaluator));
    for (uint64_t c = 0; c < 4; c++) {
        nitro_search_question question = {c, false};
        nitro_search_answer answer = {.configuration = c, .time_ms = (double)NAN};
        assert_ok(context, evaluator.evaluate(evaluator.state, &question, &answer));
        assert_int_equal(answer.outcome, expected[c]);
        assert_int_equal(answer.time_ms > 0, expected[c] == NITRO_OUTCOME_MEASURED);
    }
    nitro_evaluator_close(&evaluator);
    nitro_tunable_source other = given;
    other.language = "Fortran";
    assert_fails(context, nitro_evaluator_source(context, space, &other, NULL, &evaluator),
                 NITRO_ERR_NOT_FOUND, "no evaluator for code in 'Fortran'");
    other = given;
    other.path = "/nowhere.c";
    assert_fails(context, nitro_evaluator_source(context, space, &other, NULL, &evaluator),
                 NITRO_ERR_NOT_FOUND, "/nowhere.c: no such source file");
    const char *options[66] = {NULL};
    for (size_t i = 0; i < 65; i++)
        options[i] = "-g0";
    other = given;
    other.compiler_options = options;
    assert_fails(context, nitro_evaluator_source(context, space, &other, NULL, &evaluator),
                 NITRO_ERR_ARGUMENT, "65 compiler options; at most 64 are possible");
    nitro_tunable_description_free(about);
    nitro_space_free(space);
    temporary_remove(&folder);
    nitro_context_free(context);
}

/* Code makes its input by itself: where a configuration's fails, others may not. */
static void test_source_without_input(void **state)
{
    (void)state;
    static const char code[] = "void *f_create(void) { return 0; }\nint f(void *p) { return a; }\n";
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_space *space = NULL;
    nitro_evaluator evaluator = {0};
    char path[128], log[UNIT_LOG_BYTES] = "";
    snprintf(path, sizeof(path), "%s/f.c", folder.folder);
    assert_ok(context, nitro_file_write(context, path, code, strlen(code)));
    assert_ok(context,
              nitro_space_parse(context, "s", tunable.space, strlen(tunable.space), &space));
    nitro_context_set_log(context, NITRO_LOG_WARNING, unit_keep_log, log);
    const nitro_tunable_source given = {.language = "C", .name = "f", .path = path};
    assert_ok(context, nitro_evaluator_source(context, space, &given, NULL, &evaluator));
    for (uint64_t c = 0; c < 2; c++) {
        nitro_search_question question = {c, false};
        nitro_search_answer answer = {.configuration = c};
        assert_ok(context, evaluator.evaluate(evaluator.state, &question, &answer));
        assert_int_equal(answer.outcome, NITRO_OUTCOME_FAILED);
    }
    const char *first = strstr(log, "f_create() returned NULL");
    assert_non_null(first);
    assert_null(strstr(first + 1, "f_create() returned NULL"));
    nitro_evaluator_close(&evaluator);
    nitro_space_free(space);
    temporary_remove(&folder);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searchers),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_budget_texts),
        cmocka_unit_test(test_searcher_options),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_tunable),
        cmocka_unit_test(test_tunable_without_input),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_source_without_input),
        cmocka_unit_test(test_resume_in_changed_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
