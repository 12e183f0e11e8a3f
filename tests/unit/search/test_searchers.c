/* Every built-in searcher keeps the family's contract: the same seed and answers give the same
 * questions, inside the space and never twice, until everything is evaluated; whatever fails,
 * however late answers come, and after a resumption by tells. */
#include "unit/failing_malloc.h"
#include "unit/unit.h"

enum { NUM_COUNTERS = 30 };

/* Counters of Volta and later that the profile-based searcher asks for, and sizes. */
static const char *const counter_names[NUM_COUNTERS] = {
    "dram__sectors_read.sum",
    "dram__sectors_write.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__thread_inst_executed_per_inst_executed.pct",
    "global_x",
    "global_y",
    "global_z",
    "local_x",
    "local_y",
    "local_z"};

/* 5 x 4 x 3 x 2 combinations of which those with a tile of 8 and no unrolling are left out. */
static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[16, 32, 64, 128, 256]\"},"
    "{\"Name\": \"tile\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8]\"},"
    "{\"Name\": \"unroll\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\"},"
    "{\"Name\": \"layout\", \"Type\": \"string\", \"Values\": \"['rows', 'columns']\"}],"
    "\"Conditions\": [{\"Expression\": \"tile < 8 or unroll > 0\","
    "\"Parameters\": [\"tile\", \"unroll\"]}]}}";

enum { SPACE_SIZE = 5 * 4 * 3 * 2 - 5 * 2 };

typedef enum behaviour { ALL_VALID, SOME_INVALID, ALL_INVALID } behaviour;

typedef struct fixture {
    nitro_context *context;
    nitro_space *space;
    nitro_counter_model *model;
    behaviour behaviour;
    double counters[SPACE_SIZE][NUM_COUNTERS];
} fixture;

static nitro_search_answer answer_to(fixture *f, uint64_t configuration)
{
    uint16_t at[NITRO_MAX_PARAMETERS];
    nitro_space_indices(f->space, configuration, at);
    double time_ms = 1 + fabs(at[0] - 2.0) + 0.5 * fabs(at[1] - 1.0) + 0.1 * at[2] + 0.3 * at[3];
    bool valid =
        f->behaviour == ALL_VALID || (f->behaviour == SOME_INVALID && !(at[0] == 4 && at[1] >= 2));
    nitro_search_answer answer = {.configuration = configuration,
                                  .outcome = valid ? NITRO_OUTCOME_MEASURED : NITRO_OUTCOME_FAILED,
                                  .time_ms = valid ? time_ms : NAN,
                                  .spread = NAN,
                                  .cost_ms = NAN,
                                  .counters = f->counters[configuration]};
    return answer;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    nitro_search_answer answers[SPACE_SIZE];
    f->context = unit_context();
    assert_ok(f->context,
              nitro_space_parse(f->context, "test", space_text, sizeof(space_text) - 1, &f->space));
    assert_int_equal(nitro_space_size(f->space), SPACE_SIZE);
    for (uint64_t c = 0; c < SPACE_SIZE; c++) {
        uint16_t at[NITRO_MAX_PARAMETERS];
        nitro_space_indices(f->space, c, at);
        for (size_t k = 0; k < NUM_COUNTERS; k++)
            f->counters[c][k] = 1 + (double)((k + 1) * (at[0] + 1)) + 0.5 * (double)(k * at[1]);
        answers[c] = answer_to(f, c);
    }
    assert_ok(f->context,
              nitro_counter_model_fit(f->context, f->space, answers, SPACE_SIZE, counter_names,
                                      NUM_COUNTERS, NITRO_COUNTERS_TREES, 1, &f->model));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_counter_model_free(f->model);
    nitro_space_free(f->space);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_search_task task_of(const fixture *f, uint64_t seed)
{
    return (nitro_search_task){.space = f->space,
                               .budget = SPACE_SIZE,
                               .seed = seed,
                               .counter_model = f->model,
                               .counter_names = counter_names,
                               .num_counters = NUM_COUNTERS};
}

static void *open_searcher(fixture *f, const nitro_searcher *searcher,
                           const nitro_search_task *task)
{
    void *state = NULL;
    assert_ok(f->context, searcher->open(f->context, task, &state));
    return state;
}

/* Questions until it ends, or `most` of them, each told at once; returns how many. */
static size_t follow(fixture *f, const nitro_searcher *searcher, void *state, size_t most,
                     bool *asked, uint64_t *questions)
{
    size_t count = 0;
    while (count < most) {
        nitro_search_question question;
        assert_ok(f->context, searcher->ask(state, &question));
        if (question.configuration == NITRO_NO_CONFIGURATION)
            break;
        assert_true(question.configuration < SPACE_SIZE);
        if (asked[question.configuration] && !question.profiled)
            fail_msg("%s asks for configuration %d again", searcher->name,
                     (int)question.configuration);
        asked[question.configuration] = true;
        questions[count++] = question.configuration;
        nitro_search_answer answer = answer_to(f, question.configuration);
        if (!question.profiled)
            answer.counters = NULL;
        assert_ok(f->context, searcher->tell(state, &answer));
    }
    return count;
}

static size_t num_distinct(const bool *asked)
{
    size_t count = 0;
    for (size_t c = 0; c < SPACE_SIZE; c++)
        count += asked[c];
    return count;
}

static double best_of(fixture *f, const uint64_t *questions, size_t count)
{
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        best = fmin(best, answer_to(f, questions[i]).time_ms);
    return best;
}

static void test_same_seed_same_questions(void **state)
{
    fixture *f = *state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++)
        for (behaviour b = ALL_VALID; b <= ALL_INVALID; b++) {
            uint64_t questions[2][2 * SPACE_SIZE];
            size_t counts[2];
            f->behaviour = b;
            for (int i = 0; i < 2; i++) {
                bool asked[SPACE_SIZE] = {false};
                nitro_search_task task = task_of(f, 5);
                void *searcher = open_searcher(f, *s, &task);
                counts[i] = follow(f, *s, searcher, 2 * SPACE_SIZE, asked, questions[i]);
                (*s)->close(searcher);
            }
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(questions[0], questions[1], counts[0] * sizeof(uint64_t));
            assert_true(counts[0] >= 20);
            if (b != ALL_INVALID)
                assert_near(best_of(f, questions[0], counts[0]), 1, 0.61);
        }
}

/* Annealing and the genetic algorithm end by themselves; the others go on to the last one. */
static void test_ends(void **state)
{
    fixture *f = *state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++)
        for (behaviour b = ALL_VALID; b <= ALL_INVALID; b++) {
            uint64_t questions[2 * SPACE_SIZE];
            bool asked[SPACE_SIZE] = {false};
            bool ends_early = strcmp((*s)->name, "annealing") == 0 ||
                              strcmp((*s)->name, "genetic") == 0 || strcmp((*s)->name, "pso") == 0;
            nitro_search_task task = task_of(f, 9);
            f->behaviour = b;
            void *searcher = open_searcher(f, *s, &task);
            size_t count = follow(f, *s, searcher, 2 * SPACE_SIZE, asked, questions);
            assert_true(count < 2 * SPACE_SIZE);
            if (!ends_early)
                assert_int_equal(num_distinct(asked), SPACE_SIZE);
            nitro_search_question question = {.configuration = 0};
            assert_ok(f->context, (*s)->ask(searcher, &question));
            assert_true(question.configuration == NITRO_NO_CONFIGURATION);
            (*s)->close(searcher);
        }
}

static void test_several_asks_before_a_tell(void **state)
{
    fixture *f = *state;
    f->behaviour = SOME_INVALID;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        bool asked[SPACE_SIZE] = {false};
        nitro_search_task task = task_of(f, 3);
        void *searcher = open_searcher(f, *s, &task);
        for (size_t round = 0; round < 12; round++) {
            nitro_search_question questions[4];
            size_t count = 0;
            for (size_t i = 0; i < 4; i++) {
                assert_ok(f->context, (*s)->ask(searcher, &questions[count]));
                uint64_t c = questions[count].configuration;
                if (c == NITRO_NO_CONFIGURATION)
                    break;
                assert_true(c < SPACE_SIZE);
                assert_true(!asked[c] || questions[count].profiled);
                asked[c] = true;
                count++;
            }
            while (count-- > 0) { /* in another order than asked */
                nitro_search_answer answer = answer_to(f, questions[count].configuration);
                assert_ok(f->context, (*s)->tell(searcher, &answer));
            }
        }
        (*s)->close(searcher);
    }
}

static void test_resumes_by_tells(void **state)
{
    fixture *f = *state;
    f->behaviour = SOME_INVALID;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        uint64_t whole[SPACE_SIZE], rest[SPACE_SIZE];
        bool asked[SPACE_SIZE] = {false}, told[SPACE_SIZE] = {false};
        nitro_search_task task = task_of(f, 4);
        void *searcher = open_searcher(f, *s, &task);
        size_t count = follow(f, *s, searcher, 60, asked, whole);
        (*s)->close(searcher);
        searcher = open_searcher(f, *s, &task);
        for (size_t i = 0; i < 40 && i < count; i++) {
            nitro_search_answer answer = answer_to(f, whole[i]);
            answer.counters = NULL;
            assert_ok(f->context, (*s)->tell(searcher, &answer));
            told[whole[i]] = true;
        }
        size_t more = follow(f, *s, searcher, count - 40, told, rest);
        (*s)->close(searcher);
        bool by_process = strcmp((*s)->name, "auto") == 0 || (*s)->wants_counters;
        if (by_process) /* what it had proposed is not known any more */
            continue;
        assert_int_equal(more, count - 40);
        assert_memory_equal(rest, whole + 40, more * sizeof(uint64_t));
    }
}

static void test_begins_with_the_starts(void **state)
{
    fixture *f = *state;
    const uint64_t starts[] = {17, 3, 99};
    f->behaviour = ALL_VALID;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        uint64_t questions[3];
        bool asked[SPACE_SIZE] = {false};
        nitro_search_task task = task_of(f, 2);
        task.starts = starts;
        task.num_starts = 3;
        void *searcher = open_searcher(f, *s, &task);
        follow(f, *s, searcher, 3, asked, questions);
        (*s)->close(searcher);
        assert_int_equal(questions[0], starts[0]);
        if (!(*s)->wants_counters)
            assert_memory_equal(questions, starts, sizeof(starts));
    }
}

static void test_refuses_bad_options(void **state)
{
    fixture *f = *state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        size_t count = 0;
        while ((*s)->options && (*s)->options[count].name)
            count++;
        for (size_t i = 0; i < count; i++) {
            const char *values[16] = {NULL};
            assert_true(count <= 16);
            for (size_t k = 0; k < count; k++)
                values[k] = k == i ? "nonsense" : (*s)->options[k].value;
            nitro_search_task task = task_of(f, 2);
            task.options = values;
            void *searcher = NULL;
            assert_fails(f->context, (*s)->open(f->context, &task, &searcher), NITRO_ERR_ARGUMENT,
                         (*s)->options[i].name);
        }
    }
}

static void test_refuses_an_answer_from_another_space(void **state)
{
    fixture *f = *state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        nitro_search_task task = task_of(f, 2);
        nitro_search_answer answer = {.configuration = SPACE_SIZE, .time_ms = 1};
        void *searcher = open_searcher(f, *s, &task);
        assert_fails(f->context, (*s)->tell(searcher, &answer), NITRO_ERR_ARGUMENT,
                     "another space");
        (*s)->close(searcher);
    }
}

/* So many parameters that adjacent configurations cannot be listed. */
static void test_many_parameters(void **state)
{
    fixture *f = *state;
    nitro_space *space = NULL;
    char text[4096] = "{\"ConfigurationSpace\": {\"TuningParameters\": [";
    for (int p = 0; p < 22; p++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "%s{\"Name\": \"p%d\", \"Type\": \"bool\", \"Values\": [false, true]}",
                 p > 0 ? "," : "", p);
    strcat(text, "]}}");
    assert_ok(f->context, nitro_space_parse(f->context, "many", text, strlen(text), &space));
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        if ((*s)->wants_counters)
            continue;
        nitro_search_task task = {.space = space, .budget = 30, .seed = 1};
        void *searcher = open_searcher(f, *s, &task);
        for (int i = 0; i < 20; i++) {
            nitro_search_question question;
            assert_ok(f->context, (*s)->ask(searcher, &question));
            uint64_t asked = question.configuration;
            assert_true(asked < nitro_space_size(space));
            nitro_search_answer answer = {.configuration = asked,
                                          .outcome = NITRO_OUTCOME_MEASURED,
                                          .time_ms = 1 + (double)(asked % 1000),
                                          .spread = NAN,
                                          .cost_ms = NAN};
            assert_ok(f->context, (*s)->tell(searcher, &answer));
        }
        (*s)->close(searcher);
    }
    nitro_space_free(space);
}

/* Random configurations beyond the budget are not drawn: a million of them took minutes. The next
 * question is then the method's own, near the best one. */
static void initial_within_the_budget(fixture *f, uint64_t seed)
{
    const nitro_searcher *mcmc = nitro_searcher_find("mcmc");
    const char *values[] = {"5000", "0"};
    nitro_search_task task = {.space = f->space, .budget = 4, .seed = seed, .options = values};
    uint16_t at[NITRO_MAX_PARAMETERS], of_best[NITRO_MAX_PARAMETERS];
    size_t different = 0;
    double best_ms = INFINITY;
    void *searcher = open_searcher(f, mcmc, &task);
    nitro_search_question question;
    for (int i = 0; i < 4; i++) {
        assert_ok(f->context, mcmc->ask(searcher, &question));
        nitro_search_answer answer = answer_to(f, question.configuration);
        assert_ok(f->context, mcmc->tell(searcher, &answer));
        if (answer.time_ms < best_ms)
            nitro_space_indices(f->space, question.configuration, of_best);
        best_ms = fmin(best_ms, answer.time_ms);
    }
    assert_ok(f->context, mcmc->ask(searcher, &question));
    nitro_space_indices(f->space, question.configuration, at);
    for (size_t p = 0; p < nitro_space_num_parameters(f->space); p++)
        different += at[p] != of_best[p];
    assert_in_range(different, 1, 2);
    mcmc->close(searcher);
}

static void test_initial_within_the_budget(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        initial_within_the_budget(*state, seed);
}

/* A star: its centre has more neighbours than are listed. */
static void test_too_many_neighbours(void **state)
{
    enum { NUM_ARMS = 17, NUM_VALUES = 60000 };
    fixture *f = *state;
    const nitro_searcher *mls = nitro_searcher_find("mls");
    nitro_parameter_value *values = calloc(NUM_VALUES, sizeof(*values));
    nitro_parameter parameters[NUM_ARMS];
    size_t count = 1 + NUM_ARMS * (NUM_VALUES - 1);
    uint16_t *star = calloc(count * NUM_ARMS, sizeof(*star));
    nitro_space *space = NULL;
    for (size_t v = 0; v < NUM_VALUES; v++)
        values[v] = (nitro_parameter_value){.number = (double)v, .text = "value"};
    for (size_t p = 0; p < NUM_ARMS; p++) {
        parameters[p] =
            (nitro_parameter){.name = "arm", .values = values, .num_values = NUM_VALUES};
        for (size_t v = 1; v < NUM_VALUES; v++)
            star[(p * (NUM_VALUES - 1) + v) * NUM_ARMS + p] = (uint16_t)v;
    }
    assert_ok(f->context, nitro_space_list(f->context, parameters, NUM_ARMS, star, count, &space));
    const uint64_t centre = 0;
    nitro_search_task task = {
        .space = space, .budget = 9, .seed = 1, .starts = &centre, .num_starts = 1};
    void *searcher = open_searcher(f, mls, &task);
    nitro_search_question question;
    assert_ok(f->context, mls->ask(searcher, &question));
    assert_int_equal(question.configuration, centre);
    assert_ok(f->context,
              mls->tell(searcher, &(nitro_search_answer){.configuration = centre,
                                                         .outcome = NITRO_OUTCOME_MEASURED,
                                                         .time_ms = 1}));
    assert_fails(f->context, mls->ask(searcher, &question), NITRO_ERR_UNSUPPORTED,
                 "too many to list");
    mls->close(searcher);
    nitro_space_free(space);
    free(star);
    free(values);
}

/* Most children violate the constraint, so that a generation has fewer than 20, and is filled up.
 * What is already evaluated is not asked for again: at most 20 are new. */
static void test_generations_that_are_filled_up(void **state)
{
    fixture *f = *state;
    const nitro_searcher *searcher = nitro_searcher_find("genetic");
    nitro_space *space = NULL;
    char text[2048] = "{\"ConfigurationSpace\": {\"TuningParameters\": [";
    for (int p = 0; p < 10; p++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "%s{\"Name\": \"p%d\", \"Type\": \"int\", \"Values\": [0, 1, 2, 3]}",
                 p > 0 ? "," : "", p);
    strcat(text,
           "], \"Conditions\": [{\"Expression\": \"(p0 + 3*p1 + 7*p2 + 17*p3 + 31*p4 + 61*p5"
           " + 101*p6 + 149*p7 + 199*p8 + 251*p9) % 400 == 0\", \"Parameters\": [\"p0\"]}]}}");
    assert_ok(f->context, nitro_space_parse(f->context, "sparse", text, strlen(text), &space));
    const char *options[] = {"kernel-tuner-0.4.2", NULL, NULL, NULL, NULL};
    uint64_t starts[10];
    for (uint64_t i = 0; i < 10; i++)
        starts[i] = i * (nitro_space_size(space) / 10);
    nitro_search_task task = task_of(f, 1);
    task.space = space;
    task.budget = 1000;
    task.options = options;
    task.starts = starts;
    task.num_starts = 10;
    void *genetic = open_searcher(f, searcher, &task);
    size_t count = 0;
    for (; count < 1000; count++) {
        nitro_search_question question;
        assert_ok(f->context, searcher->ask(genetic, &question));
        if (question.configuration == NITRO_NO_CONFIGURATION)
            break;
        nitro_search_answer answer = answer_to(f, question.configuration % SPACE_SIZE);
        answer.configuration = question.configuration;
        assert_ok(f->context, searcher->tell(genetic, &answer));
    }
    assert_true(count > 20 && count <= 50 * 20);
    searcher->close(genetic);
    nitro_space_free(space);
}

/* In a space that is too large to be listed, what was profiled is hardly ever a candidate; its
 * counters guide the draws all the same: here they fall with the first parameter. */
static void test_profiles_guide_in_large_spaces(void **state)
{
    fixture *f = *state;
    const nitro_searcher *searcher = nitro_searcher_find("profile");
    nitro_space *space = NULL;
    const char *conditions = strstr(space_text, "],\"Conditions\"");
    char text[2048];
    double sum = 0;
    snprintf(text, sizeof(text),
             "%.*s,{\"Name\": \"more\", \"Type\": \"int\", \"Values\": \"list(range(2000))\"}%s",
             (int)(conditions - space_text), space_text, conditions);
    assert_ok(f->context, nitro_space_parse(f->context, "large", text, strlen(text), &space));
    uint64_t last = nitro_space_size(space) - 1;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        nitro_search_task task = task_of(f, seed);
        task.space = space;
        task.starts = &last;
        task.num_starts = 1;
        void *guided = open_searcher(f, searcher, &task);
        for (int i = 0; i < 6; i++) {
            nitro_search_question question;
            uint16_t at[NITRO_MAX_PARAMETERS];
            assert_ok(f->context, searcher->ask(guided, &question));
            assert_true(question.profiled == (i == 0));
            nitro_search_answer answer = answer_to(f, SPACE_SIZE - 1);
            answer.configuration = question.configuration;
            assert_ok(f->context, searcher->tell(guided, &answer));
            nitro_space_indices(space, question.configuration, at);
            sum += i > 0 ? at[0] : 0;
        }
        searcher->close(guided);
    }
    assert_true(sum / (8 * 5) < 1); /* 2 at random */
    nitro_space_free(space);
}

/* Sanitizers have a malloc of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { NUM_STEPS = 10 };

/** Opens a searcher and takes the first steps. */
static nitro_status take_steps(fixture *f, const nitro_searcher *searcher, uint64_t *questions)
{
    void *state = NULL;
    const nitro_search_task task = task_of(f, 5);
    nitro_status status = searcher->open(f->context, &task, &state);
    for (size_t i = 0; i < NUM_STEPS && status == NITRO_OK; i++) {
        nitro_search_question question = {0};
        status = searcher->ask(state, &question);
        if (status != NITRO_OK)
            break;
        questions[i] = question.configuration;
        nitro_search_answer answer = answer_to(f, question.configuration);
        if (!question.profiled)
            answer.counters = NULL;
        status = searcher->tell(state, &answer);
    }
    searcher->close(state);
    return status;
}

static void test_without_memory_the_same_questions_or_none(void **state)
{
    fixture *f = *state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++) {
        uint64_t expected[NUM_STEPS], questions[NUM_STEPS];
        size_t num_failed = 0;
        assert_ok(f->context, take_steps(f, *s, expected));
        for (bool has_failed = true; has_failed; num_failed += has_failed) {
            num_left = num_failed;
            nitro_status status = take_steps(f, *s, questions);
            has_failed = num_left == SIZE_MAX;
            num_left = SIZE_MAX;
            if (status == NITRO_OK)
                assert_memory_equal(questions, expected, sizeof expected);
            else
                assert_int_equal(status, NITRO_ERR_NO_MEMORY);
        }
        assert_true(num_failed > 0);
    }
}

#endif

static void test_one_default(void **state)
{
    const nitro_searcher *first = NULL;
    (void)state;
    for (const nitro_searcher *const *s = nitro_builtin_searchers(); *s; s++)
        if (!first || (*s)->priority > first->priority)
            first = *s;
    assert_string_equal(first->name, "auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_seed_same_questions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several_asks_before_a_tell, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resumes_by_tells, setup, teardown),
        cmocka_unit_test_setup_teardown(test_begins_with_the_starts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_bad_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_an_answer_from_another_space, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_many_neighbours, setup, teardown),
        cmocka_unit_test_setup_teardown(test_initial_within_the_budget, setup, teardown),
        cmocka_unit_test_setup_teardown(test_generations_that_are_filled_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_profiles_guide_in_large_spaces, setup, teardown),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test_setup_teardown(test_without_memory_the_same_questions_or_none, setup,
                                        teardown),
#endif
        cmocka_unit_test(test_one_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
