/* A tune that is killed at random moments while its store comes and goes: in the end every sample
 * is stored once, and the model equals that of an undisturbed tune. NITRO_FAULT_ROUNDS and
 * NITRO_FAULT_INPUTS set the numbers of rounds and inputs. */
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store/journal/journal_internal.h"
#include "unit/faulty_store.h"
#include "unit/redis_server.h"
#include "unit/temporary.h"

extern const nitro_store_kind nitro_store_redis_unix;

enum { MOST_INPUTS = 2000 };

/* ---- A computation whose times are exact: workers live on a clock of their own -----------------
 */

static pid_t tuner;
static double fake_ms = 1000;

static double read_clock(void *state)
{
    struct timespec now;
    (void)state;
    if (getpid() != tuner)
        return fake_ms;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

typedef struct toy_input {
    char name[32];
    double rows;
} toy_input;

static toy_input toys[MOST_INPUTS];
static nitro_input inputs[MOST_INPUTS];
static size_t num_inputs, num_rounds;

static nitro_status load_toy(nitro_context *context, void *state, void **argument)
{
    (void)context;
    *argument = state;
    return NITRO_OK;
}

static int evaluate_toy(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = ((const toy_input *)argument)->rows;
    return 0;
}

static int run_plain(void *argument, void *user)
{
    (void)user;
    fake_ms += ((toy_input *)argument)->rows;
    return 0;
}

static int run_blocked(void *argument, void *user)
{
    (void)user;
    fake_ms += 20 + ((toy_input *)argument)->rows / 2;
    return 0;
}

static nitro_computation *declare(nitro_context *context)
{
    nitro_computation *made = NULL;
    const nitro_feature feature = {.name = "rows"};
    const nitro_variant plain = {.name = "plain", .run = run_plain};
    const nitro_variant blocked = {.name = "blocked", .run = run_blocked};
    assert_ok(context, nitro_computation_create(context, "toy", &made));
    assert_ok(context, nitro_computation_add_features(made, &feature, 1, evaluate_toy, NULL));
    assert_ok(context, nitro_computation_add_variant(made, &plain));
    assert_ok(context, nitro_computation_add_variant(made, &blocked));
    return made;
}

static size_t from_environment(const char *name, size_t otherwise, size_t most)
{
    const char *text = getenv(name);
    size_t value = text ? strtoul(text, NULL, 10) : otherwise;
    return value < 1 ? 1 : value > most ? most : value;
}

static void make_inputs(void)
{
    num_inputs = from_environment("NITRO_FAULT_INPUTS", 80, MOST_INPUTS);
    num_rounds = from_environment("NITRO_FAULT_ROUNDS", 12, 10000);
    for (size_t i = 0; i < num_inputs; i++) {
        snprintf(toys[i].name, sizeof(toys[i].name), "toy-%04zu", i);
        toys[i].rows = 2 + (double)(i * 37 % 101);
        inputs[i] = (nitro_input){toys[i].name, load_toy, NULL, &toys[i]};
    }
}

static nitro_context *toy_context(void)
{
    nitro_context *context = unit_context();
    const nitro_clock clock = {read_clock, read_clock, NULL};
    tuner = getpid();
    nitro_context_set_clock(context, &clock);
    return context;
}

typedef struct place {
    const char *name;
    const nitro_store_kind *kind;
    bool (*begin)(void);
    void (*end)(void);
    void (*harm)(size_t sort); /* of four; 0: none */
    void (*heal)(void);
    char address[128];
} place;

static temporary folder;
static redis_server server;

static bool begin_faulty(void)
{
    faulty_begin();
    return true;
}

static void harm_faulty(size_t sort)
{
    faulty->mode = (faulty_mode)sort;
}

static void heal_faulty(void)
{
    faulty->mode = FAULTY_WELL;
}

static bool begin_redis(void)
{
    static const char *const options[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};
    if (!redis_server_possible())
        return false;
    redis_server_make(&server, options, false);
    return true;
}

static void end_redis(void)
{
    redis_server_remove(&server);
}

static void heal_redis(void)
{
    if (server.process == 0) {
        redis_server_start(&server);
        return;
    }
    kill(server.process, SIGCONT);
    redis_server_say(&server, "CONFIG SET maxmemory 0");
    redis_server_say(&server, "REPLICAOF NO ONE");
}

/* Killed, stopped, full, or a replica of nobody. */
static void harm_redis(size_t sort)
{
    heal_redis();
    if (sort == 1)
        redis_server_kill(&server);
    else if (sort == 2)
        kill(server.process, SIGSTOP);
    else if (sort == 3)
        redis_server_say(&server, "CONFIG SET maxmemory 1");
    else if (sort == 4)
        redis_server_say(&server, "REPLICAOF 127.0.0.1 1");
}

static place places[] = {
    {"SQLite behind a switch", &faulty_kind, begin_faulty, faulty_end, harm_faulty, heal_faulty,
     ""},
    {"a Redis server", &nitro_store_redis_unix, begin_redis, end_redis, harm_redis, heal_redis, ""},
};
static place *current;

static nitro_tune_progress last_progress;

static bool note_progress(void *user, const nitro_tune_progress *progress)
{
    (void)user;
    last_progress = *progress;
    return true;
}

static nitro_status tune_into(nitro_context *context, nitro_store *store)
{
    nitro_computation *computation = declare(context);
    nitro_tune_options options;
    nitro_tune_options_init(&options);
    options.measure.warmups = 0;
    options.measure.min_repetitions = options.measure.max_repetitions = 2;
    options.measure.memory_limit_bytes = 0;
    options.progress = note_progress;
    nitro_status status = nitro_tune(computation, store, "host", inputs, num_inputs, &options);
    nitro_computation_free(computation);
    return status;
}

static nitro_status tune_once(void)
{
    nitro_context *context = toy_context();
    nitro_store *store = NULL;
    nitro_status status = nitro_journal_open(context, current->kind, current->address,
                                             temporary_path(&folder, "journal"), &store);
    if (status == NITRO_OK)
        status = tune_into(context, store);
    if (status != NITRO_OK) {
        char message[2048];
        nitro_context_last_error(context, message, sizeof(message));
        fprintf(stderr, "tune: %s\n", message);
    }
    nitro_store_close(store);
    nitro_context_free(context);
    return status;
}

/* A server that was healed may still be busy starting: the tune's patience is short, a user's not.
 */
static void tune_the_rest(void)
{
    nitro_context *context = toy_context();
    nitro_store *store = NULL;
    size_t waiting = 1;
    assert_int_equal(tune_once(), NITRO_OK);
    tuner = getpid();
    nitro_tune_progress first = last_progress;
    assert_ok(context, nitro_journal_open(context, current->kind, current->address,
                                          temporary_path(&folder, "journal"), &store));
    assert_ok(context, nitro_store_flush(store, 30000, &waiting));
    assert_int_equal(waiting, 0);
    nitro_store_close(store);
    nitro_context_free(context);
    last_progress = first;
}

static void pause_ms(uint64_t ms)
{
    const struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
                                   .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

/* A tune in a process of its own, killed after a while. @return was it killed? */
static bool tune_and_kill(nitro_random *random)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(tune_once() == NITRO_OK ? 0 : 1);
    for (uint64_t i = nitro_random_below(random, 4); i > 0; i--) {
        pause_ms(nitro_random_below(random, 150));
        current->harm(nitro_random_below(random, current->kind == &faulty_kind ? 4 : 5));
    }
    pause_ms(nitro_random_below(random, 300));
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* ---- What came of it ---------------------------------------------------------------------------
 */

static nitro_status check_toy(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    double rows = sample->features[0];
    char expected[32];
    snprintf(expected, sizeof(expected), "toy-%04zu", *count);
    assert_string_equal(sample->input, expected); /* in order, so each is there once */
    assert_true(rows == toys[*count].rows);
    assert_true(fabs(sample->entries[0].median_ms - rows) < 1e-9);
    assert_true(fabs(sample->entries[1].median_ms - (20 + rows / 2)) < 1e-9);
    ++*count;
    return NITRO_OK;
}

/* Text of the model learnt from a store; free() it. */
static char *learn(nitro_context *context, nitro_store *store, const char *file)
{
    nitro_learn_options options;
    nitro_model *model = NULL;
    char *text = NULL;
    size_t size = 0;
    const char *path = temporary_path(&folder, file);
    nitro_learn_options_init(&options);
    assert_ok(context, nitro_learn_own(context, store, "toy", "host", &options, &model));
    assert_ok(context, nitro_model_save(model, path));
    assert_ok(context, nitro_file_read(context, path, 1 << 24, &text, &size));
    nitro_model_free(model);
    return text;
}

static void fail_on_problem(void *user, const char *problem)
{
    (void)user;
    fail_msg("verify: %s", problem);
}

static void check_store(nitro_context *context, nitro_store *store)
{
    nitro_string_list ids = {0};
    size_t count = 0;
    assert_ok(context, nitro_store_list_devices(store, "toy", &ids));
    assert_int_equal(ids.count, 1);
    assert_ok(context, nitro_store_each_sample(store, "toy", ids.items[0], check_toy, &count));
    assert_int_equal(count, num_inputs);
    assert_ok(context, nitro_store_verify(store, fail_on_problem, NULL));
    nitro_string_list_free(&ids);
}

static void test_a_tune_survives(void **state)
{
    nitro_context *context = toy_context();
    nitro_store *store = NULL, *undisturbed = NULL;
    nitro_random random;
    size_t kills = 0, rounds;
    (void)state;
    if (!current->begin())
        skip();
    snprintf(current->address, sizeof(current->address), "%s%s",
             current->kind == &faulty_kind ? "" : "//",
             current->kind == &faulty_kind ? temporary_path(&folder, "remote") : server.socket);
    if (current->kind != &faulty_kind)
        strcat(current->address, "?timeout=0.2");
    nitro_random_seed(&random, 20240612);
    for (rounds = 0; rounds < num_rounds; rounds++)
        kills += tune_and_kill(&random);
    current->heal();
    tune_the_rest();
    print_message("%s: %zu inputs, %zu rounds, %zu of them killed; %zu inputs were left then\n",
                  current->name, num_inputs, rounds, kills, num_inputs - last_progress.resumed);
    assert_true(last_progress.resumed > 0);
    assert_ok(context, nitro_store_open_kind(context, current->kind, current->address,
                                             NITRO_STORE_READ, &store));
    check_store(context, store);
    undisturbed = temporary_store(context, &folder, "undisturbed");
    assert_ok(context, tune_into(context, undisturbed));
    char *expected = learn(context, undisturbed, "a.json"), *made = learn(context, store, "b.json");
    assert_string_equal(made, expected);
    free(expected);
    free(made);
    nitro_store_close(undisturbed);
    nitro_store_close(store);
    nitro_context_free(context);
    current->end();
}

static int setup(void **state)
{
    (void)state;
    folder = temporary_make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temporary_remove(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_tune_survives, setup, teardown),
    };
    int failed = 0;
    make_inputs();
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        current = &places[i];
        failed += cmocka_run_group_tests_name(places[i].name, tests, NULL, NULL);
    }
    return failed;
}
