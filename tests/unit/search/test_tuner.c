/* Tuners: asking and telling, worker processes, and calls of an application that tune. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/faulty_store.h"
#include "unit/temporary.h"

/* An application whose calls move the clock: the optimum is a = 7, b = 3. */
typedef struct application {
    double now_ms;
    double scale;        /* of the input */
    double result;       /* of the last run on the application's own data */
    double invalid_from; /* a from here on fails */
    double wrong_b;      /* this b computes a wrong result */
    size_t num_runs, num_copies;
} application;

typedef struct argument {
    application *app;
    double result;
    bool is_copy;
} argument;

static double time_of(const double *values)
{
    return 1 + (values[0] - 7) * (values[0] - 7) + (values[1] - 3) * (values[1] - 3);
}

static int run(void *given, const double *values, void *user)
{
    argument *a = given;
    application *app = a->app;
    (void)user;
    app->num_runs++;
    app->now_ms += app->scale * time_of(values);
    a->result = values[1] == app->wrong_b ? -1 : 42;
    return values[0] >= app->invalid_from;
}

static int check(void *given, char *why, size_t size, void *user)
{
    (void)user;
    snprintf(why, size, "it is %g", ((argument *)given)->result);
    return ((argument *)given)->result != 42;
}

static void *copy(const void *given, void *user)
{
    argument *made = malloc(sizeof(*made));
    (void)user;
    *made = *(const argument *)given;
    made->is_copy = true;
    made->app->num_copies++;
    made->app->now_ms += 0.5;
    return made;
}

static void discard(void *given, void *user)
{
    (void)user;
    free(given);
}

static double now(void *state)
{
    return ((const application *)state)->now_ms;
}

static const char space[] = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                            "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"range(1, 21)\"},"
                            "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"range(1, 21)\"}],"
                            "\"Conditions\": [\"a * b <= 100\"]}}";

typedef struct fixture {
    nitro_context *context;
    application app;
    nitro_clock clock;
    nitro_tunable tunable;
    nitro_tuner_options options;
    nitro_online_options online;
    nitro_tuner *tuner;
    nitro_computation *computation;
    char log[1024];
} fixture;

static void keep_log(void *user, nitro_log_level level, const char *message)
{
    (void)level;
    snprintf(((fixture *)user)->log, sizeof(((fixture *)user)->log), "%s", message);
}

static void begin(fixture *all)
{
    *all = (fixture){.context = unit_context(),
                     .app = {.scale = 1, .invalid_from = 1000},
                     .tunable = {.name = "app",
                                 .space = space,
                                 .run = run,
                                 .check = check,
                                 .copy = copy,
                                 .discard = discard,
                                 .repeatable = true}};
    all->clock = (nitro_clock){.wall_ms = now, .thread_cpu_ms = now, .state = &all->app};
    nitro_context_set_clock(all->context, &all->clock);
    nitro_context_set_log(all->context, NITRO_LOG_INFO, keep_log, all);
    nitro_tuner_options_init(&all->options);
    nitro_online_options_init(&all->online);
}

static void add(fixture *all)
{
    assert_ok(all->context,
              nitro_tuner_create(all->context, &all->tunable, &all->options, &all->tuner));
    assert_ok(all->context, nitro_computation_create(all->context, "called", &all->computation));
    assert_ok(all->context,
              nitro_computation_add_tunable(all->computation, all->tuner, &all->online));
}

static void end_with(fixture *all, nitro_store *store)
{
    nitro_computation_free(all->computation);
    nitro_tuner_free(all->tuner);
    nitro_store_close(store);
    nitro_context_free(all->context);
}

static void end(fixture *all)
{
    end_with(all, NULL);
}

static nitro_tuner_statistics statistics_of(const fixture *all)
{
    nitro_tuner_statistics statistics;
    assert_ok(all->context, nitro_tuner_get_statistics(all->tuner, &statistics));
    return statistics;
}

/* Calls on fresh arguments; each must have the right result. */
static void call(fixture *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        argument own = {.app = &all->app};
        assert_ok(all->context, nitro_run(all->computation, &own, NULL));
        assert_near(own.result, 42, 0);
    }
}

static void assert_best(const fixture *all, double a, double b, double time_ms)
{
    double values[2], best_ms;
    assert_ok(all->context, nitro_tuner_best(all->tuner, values, &best_ms));
    assert_near(values[0], a, 0);
    assert_near(values[1], b, 0);
    assert_near(best_ms, time_ms, 1e-9);
}

/* A loop of one's own finds what nitro_search finds. */
static void test_ask_and_tell(void **state)
{
    (void)state;
    fixture all;
    double values[2];
    bool is_finished = false;
    begin(&all);
    all.options.budget = "60";
    assert_ok(all.context, nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner));
    assert_int_equal(nitro_tuner_num_parameters(all.tuner), 2);
    assert_string_equal(nitro_tuner_parameter_name(all.tuner, 1), "b");
    assert_null(nitro_tuner_parameter_name(all.tuner, 2));
    assert_fails(all.context, nitro_tuner_best(all.tuner, values, NULL), NITRO_ERR_NO_DATA,
                 "no valid configuration");
    size_t count = 0;
    for (;; count++) {
        assert_ok(all.context, nitro_tuner_ask(all.tuner, values, &is_finished));
        if (is_finished)
            break;
        assert_true(values[0] * values[1] <= 100);
        assert_ok(all.context, nitro_tuner_tell(all.tuner, values,
                                                values[1] == 13 ? (double)NAN : time_of(values)));
    }
    assert_int_equal(count, 60);
    assert_best(&all, 7, 3, 1);
    assert_int_equal(statistics_of(&all).num_evaluated, 60);
    assert_true(statistics_of(&all).is_finished);
    end(&all);
}

/* Several questions before an answer count towards the budget. */
static void test_asks_ahead(void **state)
{
    (void)state;
    fixture all;
    double values[8][2], other[2] = {1, 1};
    bool is_finished = false;
    begin(&all);
    all.options.budget = "8";
    all.options.starts = other;
    all.options.num_starts = 1;
    assert_ok(all.context, nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner));
    for (size_t i = 0; i < 8; i++) {
        assert_ok(all.context, nitro_tuner_ask(all.tuner, values[i], &is_finished));
        assert_false(is_finished);
    }
    assert_near(values[0][0], 1, 0); /* the start */
    assert_ok(all.context, nitro_tuner_ask(all.tuner, other, &is_finished));
    assert_true(is_finished); /* all are awaited */
    assert_false(statistics_of(&all).is_finished);
    for (size_t i = 0; i < 8; i++)
        assert_ok(all.context, nitro_tuner_tell(all.tuner, values[i], time_of(values[i])));
    assert_true(statistics_of(&all).is_finished);
    end(&all);
}

static void test_bad_tuners(void **state)
{
    (void)state;
    fixture all;
    double values[2] = {20, 20};
    begin(&all);
    nitro_tunable other = all.tunable;
    other.name = "a b";
    assert_fails(all.context, nitro_tuner_create(all.context, &other, NULL, &all.tuner),
                 NITRO_ERR_ARGUMENT, "needs a name");
    other = all.tunable;
    other.version = "1 2";
    assert_fails(all.context, nitro_tuner_create(all.context, &other, NULL, &all.tuner),
                 NITRO_ERR_ARGUMENT, "'1 2' is not a valid version");
    other = all.tunable;
    other.space = "{}";
    assert_fails(all.context, nitro_tuner_create(all.context, &other, NULL, &all.tuner),
                 NITRO_ERR_FORMAT, "ConfigurationSpace");
    all.options.searcher = "fastest";
    assert_fails(all.context,
                 nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner),
                 NITRO_ERR_ARGUMENT, "no searcher 'fastest'");
    all.options.searcher = "profile";
    assert_fails(all.context,
                 nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner),
                 NITRO_ERR_ARGUMENT, "needs performance counters");
    all.options.searcher = NULL;
    all.options.starts = values;
    all.options.num_starts = 1;
    assert_fails(all.context,
                 nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner),
                 NITRO_ERR_ARGUMENT, "excluded by its constraints");
    all.options.starts = NULL;
    assert_fails(all.context,
                 nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner),
                 NITRO_ERR_ARGUMENT, "starts is NULL, and num_starts is 1");
    all.options.num_starts = 0;
    add(&all);
    assert_fails(all.context, nitro_tuner_tell(all.tuner, values, 1), NITRO_ERR_ARGUMENT,
                 "excluded by its constraints");
    values[0] = 0.5;
    assert_fails(all.context, nitro_tuner_tell(all.tuner, values, 1), NITRO_ERR_ARGUMENT,
                 "parameter 'a' has no value 0.5");
    assert_fails(all.context, nitro_tuner_tell(all.tuner, values, -1), NITRO_ERR_ARGUMENT,
                 "a time of -1 ms");
    assert_fails(all.context, nitro_computation_add_tunable(all.computation, all.tuner, NULL),
                 NITRO_ERR_ARGUMENT, "added to a computation before");
    assert_fails(all.context, nitro_computation_add_tunable(all.computation, NULL, NULL),
                 NITRO_ERR_ARGUMENT, "NULL");
    assert_fails(all.context, nitro_tuner_search(all.tuner, NULL, NULL), NITRO_ERR_ARGUMENT,
                 "no input and no load");
    end(&all);
}

static void test_bad_online_options(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.tunable.copy = NULL;
    assert_ok(all.context, nitro_tuner_create(all.context, &all.tunable, &all.options, &all.tuner));
    assert_ok(all.context, nitro_computation_create(all.context, "called", &all.computation));
    all.online.data = NITRO_ONLINE_COPY;
    assert_fails(all.context,
                 nitro_computation_add_tunable(all.computation, all.tuner, &all.online),
                 NITRO_ERR_ARGUMENT, "no function copy");
    all.online = (nitro_online_options){.share = 1.5, .repetitions = 1};
    assert_fails(all.context,
                 nitro_computation_add_tunable(all.computation, all.tuner, &all.online),
                 NITRO_ERR_ARGUMENT, "a share of 1.5");
    end(&all);
}

/* What was refused changes nothing of a tuner that serves a computation. */
static void test_serves_one_computation(void **state)
{
    (void)state;
    fixture all;
    nitro_computation *other = NULL;
    begin(&all);
    all.online = (nitro_online_options){.share = 1, .repetitions = 1};
    add(&all);
    assert_ok(all.context, nitro_computation_create(all.context, "other", &other));
    all.online = (nitro_online_options){.share = 0.001, .repetitions = 100};
    for (size_t i = 0; i < 2; i++)
        assert_fails(all.context, nitro_computation_add_tunable(other, all.tuner, &all.online),
                     NITRO_ERR_ARGUMENT, "was added to a computation before");
    call(&all, 10);
    assert_int_equal(statistics_of(&all).num_tries, 10);
    assert_int_equal(statistics_of(&all).num_evaluated, 10);
    nitro_computation_free(other);
    end(&all);
}

/* On the application's own data: every result is right, one call in ten tries, and the costs are
 * those that the application saw. */
static void test_own_data(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.options.budget = "50";
    all.app.invalid_from = 15;
    all.app.wrong_b = 5;
    add(&all);
    double plain_ms = 0;
    call(&all, 2000);
    nitro_tuner_statistics at = statistics_of(&all);
    assert_int_equal(at.num_calls, 2000);
    assert_true(at.is_finished);
    assert_int_equal(at.num_evaluated, 50);
    assert_true(at.num_invalid > 0);
    assert_true(at.num_tries >= 50 && at.num_tries <= 150);
    assert_best(&all, 7, 3, 1);
    assert_near(at.best_ms, 1, 1e-9);
    assert_true(at.first_ms > 1 && at.copying_ms == 0);
    /* All time is that of tries and of the best configuration known then. */
    plain_ms = all.app.now_ms - at.lost_ms;
    assert_true(plain_ms > 2000 && plain_ms < 2000 * at.first_ms);
    assert_near(at.saved_ms, 2000 * at.first_ms - plain_ms, 0.02 * at.saved_ms);
    assert_non_null(strstr(all.log, "tunable 'app': tuned by"));
    size_t runs = all.app.num_runs;
    call(&all, 100);
    assert_int_equal(all.app.num_runs, runs + 100);
    assert_int_equal(statistics_of(&all).num_tries, at.num_tries);
    end(&all);
}

/* At most the stated share of the calls tries, once something is known. */
static void test_share(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.online.share = 0.02;
    all.online.repetitions = 1;
    add(&all);
    for (size_t calls = 1; calls <= 1000; calls++) {
        call(&all, 1);
        assert_true((double)statistics_of(&all).num_tries <= 1 + 0.02 * (double)calls);
    }
    assert_int_equal(statistics_of(&all).num_tries, 20);
    end(&all);
}

/* A failure that cannot be repeated is the call's; nothing else is. */
static void test_not_repeatable(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.tunable.repeatable = false;
    all.app.invalid_from = 15;
    all.options.budget = "100";
    add(&all);
    size_t failed = 0;
    for (size_t i = 0; i < 1500; i++) {
        argument own = {.app = &all.app};
        failed += nitro_run(all.computation, &own, NULL) != NITRO_OK;
    }
    nitro_tuner_statistics at = statistics_of(&all);
    assert_true(at.is_finished && at.num_invalid > 0);
    assert_int_equal(failed, at.num_invalid);
    assert_best(&all, 7, 3, 1);
    end(&all);
}

/* On copies, the application's data see the best configuration only. */
static void test_copies(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.online.data = NITRO_ONLINE_COPY;
    all.online.share = 0.5;
    all.options.budget = "100,time<=2";
    all.app.wrong_b = 5;
    all.app.invalid_from = 15;
    all.tunable.repeatable = false;
    add(&all);
    call(&all, 500);
    nitro_tuner_statistics at = statistics_of(&all);
    assert_true(at.is_finished && at.best_ms <= 2);
    assert_true(at.num_evaluated < 100); /* good enough */
    assert_near(at.copying_ms, 0.5 * (double)all.app.num_copies, 1e-9);
    assert_near(at.lost_ms, at.tried_ms + at.choosing_ms + at.checking_ms + at.copying_ms, 1e-9);
    assert_int_equal(all.app.num_runs, 500 + all.app.num_copies);
    end(&all);
}

/* Without any valid configuration calls fail, and the search ends. */
static void test_all_invalid(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.options.budget = "10";
    all.app.invalid_from = 0;
    add(&all);
    argument own = {.app = &all.app};
    assert_fails(all.context, nitro_run(all.computation, &own, NULL), NITRO_ERR_VARIANT_FAILED,
                 "app");
    assert_int_equal(statistics_of(&all).num_invalid, 10);
    assert_non_null(strstr(all.log, "10 invalid"));
    end(&all);
}

/* Another size of input: the search begins anew, from the best configuration so far. */
static void test_restart(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    all.options.budget = "40";
    add(&all);
    call(&all, 1500);
    assert_best(&all, 7, 3, 1);
    all.app.scale = 3;
    assert_ok(all.context, nitro_tuner_restart(all.tuner));
    call(&all, 2000);
    assert_best(&all, 7, 3, 3);
    assert_near(statistics_of(&all).first_ms, 3, 1e-9);
    assert_int_equal(statistics_of(&all).num_evaluated, 80);
    end(&all);
}

/* A full disk, say, ends what is stored, not the tuning: calls go on to have a configuration. */
static void test_store_refuses(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    temporary folder = temporary_make();
    all.options.budget = "40";
    faulty_begin();
    assert_ok(all.context,
              nitro_store_open_kind(all.context, &faulty_kind, temporary_path(&folder, "store"),
                                    NITRO_STORE_WRITE, &all.options.store));
    add(&all);
    faulty->mode = FAULTY_READ_ONLY;
    call(&all, all.online.repetitions);
    assert_non_null(strstr(all.log, "'app' is tuned on, but evaluations are not stored any more: "
                                    "faulty: READONLY"));
    size_t num_writes = faulty->num_writes;
    call(&all, 1500);
    assert_int_equal(faulty->num_writes, num_writes);
    assert_int_equal(statistics_of(&all).num_evaluated, 40);
    assert_best(&all, 7, 3, 1);
    end_with(&all, all.options.store);
    faulty_end();
    temporary_remove(&folder);
}

/* ---- With the system's clock, threads and worker processes ----------------------------------- */

static int run_anywhere(void *given, const double *values, void *user)
{
    atomic_size_t *calls = user;
    atomic_fetch_add(calls, 1);
    *(double *)given = values[0] + 100 * values[1];
    return values[0] > 18;
}

static void *copy_number(const void *given, void *user)
{
    double *made = malloc(sizeof(*made));
    (void)user;
    *made = *(const double *)given;
    return made;
}

static void *call_often(void *given)
{
    nitro_computation *computation = given;
    for (size_t i = 0; i < 2000; i++) {
        double own = 0;
        if (nitro_run(computation, &own, NULL) != NITRO_OK || own < 101)
            return given;
    }
    return NULL;
}

/* Threads that call while another one tunes; the calls' results are right all the time. */
static void call_from_threads(nitro_online_data data)
{
    nitro_context *context = unit_context();
    atomic_size_t calls = 0;
    const nitro_tunable tunable = {.name = "app",
                                   .space = space,
                                   .run = run_anywhere,
                                   .copy = copy_number,
                                   .discard = discard,
                                   .repeatable = true,
                                   .user = &calls};
    nitro_tuner_options options;
    nitro_tuner *tuner = NULL;
    nitro_computation *computation = NULL;
    nitro_tuner_options_init(&options);
    options.searcher = "random";
    options.budget = "30";
    const nitro_online_options online = {.share = 0.5, .data = data, .repetitions = 2};
    assert_ok(context, nitro_tuner_create(context, &tunable, &options, &tuner));
    assert_ok(context, nitro_computation_create(context, "called", &computation));
    assert_ok(context, nitro_computation_add_tunable(computation, tuner, &online));
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, computation), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    double values[2];
    assert_ok(context, nitro_tuner_best(tuner, values, NULL));
    assert_true(values[0] <= 18);
    nitro_computation_free(computation);
    nitro_tuner_free(tuner);
    nitro_context_free(context);
}

static void test_threads(void **state)
{
    (void)state;
    call_from_threads(NITRO_ONLINE_OWN);
    call_from_threads(NITRO_ONLINE_COPY);
    call_from_threads(NITRO_ONLINE_BACKGROUND);
}

/* A forked child lacks the thread, and neither hands it a copy nor waits for it. */
static void test_forked_child(void **state)
{
    (void)state;
    fixture all;
    double own = 0;
    atomic_size_t calls = 0;
    begin(&all);
    nitro_context_set_clock(all.context, NULL);
    all.tunable.run = run_anywhere;
    all.tunable.check = NULL;
    all.tunable.copy = copy_number;
    all.tunable.user = &calls;
    all.online = (nitro_online_options){1, NITRO_ONLINE_BACKGROUND, 1};
    add(&all);
    assert_ok(all.context, nitro_run(all.computation, &own, NULL));
    nitro_tuner_statistics before = statistics_of(&all);
    pid_t child = fork();
    if (child == 0) {
        alarm(10); /* it hangs */
        bool good = nitro_run(all.computation, &own, NULL) == NITRO_OK &&
                    statistics_of(&all).num_tries == before.num_tries;
        end(&all);
        _exit(good ? 0 : 1);
    }
    int ending = -1;
    assert_int_equal(waitpid(child, &ending, 0), child);
    assert_int_equal(ending, 0);
    end(&all);
}

/* Runs that stay until the gate is open. */
typedef struct gate {
    atomic_size_t num_entered;
    atomic_bool is_open;
    nitro_computation *computation;
} gate;

static int run_behind(void *given, const double *values, void *user)
{
    gate *own = user;
    atomic_fetch_add(&own->num_entered, 1);
    while (!atomic_load(&own->is_open))
        usleep(1000);
    *(double *)given = values[0] + 100 * values[1];
    return 0;
}

static void *call_once(void *given)
{
    double own = 0;
    return nitro_run(((gate *)given)->computation, &own, NULL) == NITRO_OK ? NULL : given;
}

/* The parent's threads, one in its first try and one that waits for it, are not in a child: its
 * calls begin a search of their own. */
static void test_forked_during_the_first_try(void **state)
{
    (void)state;
    fixture all;
    gate own = {0};
    double given = 0;
    pthread_t threads[2];
    begin(&all);
    nitro_context_set_clock(all.context, NULL);
    all.tunable.run = run_behind;
    all.tunable.check = NULL;
    all.tunable.user = &own;
    add(&all);
    own.computation = all.computation;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_once, &own), 0);
    while (atomic_load(&own.num_entered) == 0 || statistics_of(&all).num_calls < 2)
        usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        alarm(20); /* it hangs */
        atomic_store(&own.is_open, true);
        bool good = true;
        for (int i = 0; i < 20; i++)
            good = good && nitro_run(all.computation, &given, NULL) == NITRO_OK && given > 0;
        good = good && statistics_of(&all).best_ms > 0;
        end(&all);
        _exit(good ? 0 : 1);
    }
    int ending = -1;
    assert_int_equal(waitpid(child, &ending, 0), child);
    assert_int_equal(ending, 0);
    atomic_store(&own.is_open, true);
    for (size_t i = 0; i < 2; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    end(&all);
}

static atomic_int num_signals;

static void count_signal(int number)
{
    (void)number;
    num_signals++;
}

/* The application's handlers run in its own threads only. */
static void test_signals(void **state)
{
    (void)state;
    fixture all;
    sigset_t one, waiting;
    begin(&all);
    all.online.data = NITRO_ONLINE_BACKGROUND;
    add(&all);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    void (*before)(int) = signal(SIGUSR1, count_signal);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    end(&all); /* waits for the thread */
    assert_int_equal(num_signals, 0);
    assert_int_equal(sigpending(&waiting), 0);
    assert_true(sigismember(&waiting, SIGUSR1));
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    assert_int_equal(num_signals, 1);
    signal(SIGUSR1, before);
}

/* It tries, but must not use its parent's connection to the store. */
static void test_store_of_parent(void **state)
{
    (void)state;
    fixture all;
    begin(&all);
    temporary folder = temporary_make();
    all.online.repetitions = 1;
    faulty_begin();
    assert_ok(all.context,
              nitro_store_open_kind(all.context, &faulty_kind, temporary_path(&folder, "store"),
                                    NITRO_STORE_WRITE, &all.options.store));
    add(&all);
    call(&all, 1);
    size_t num_calls = faulty->num_calls;
    pid_t child = fork();
    if (child == 0) {
        call(&all, 15);
        bool warns = strstr(all.log, "a forked child cannot use its parent's connection");
        call(&all, 100);
        _exit(warns && statistics_of(&all).num_tries > 5 && faulty->num_calls == num_calls ? 0 : 1);
    }
    int ending = -1;
    assert_int_equal(waitpid(child, &ending, 0), child);
    assert_int_equal(ending, 0);
    call(&all, 100);
    assert_true(faulty->num_calls > num_calls);
    end_with(&all, all.options.store);
    faulty_end();
    temporary_remove(&folder);
}

static nitro_status load_number(nitro_context *context, void *user, void **given)
{
    (void)user;
    *given = nitro_calloc(context, 1, sizeof(double));
    return *given ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static bool stop_at_4(void *user, const nitro_tuner_statistics *statistics)
{
    (void)user;
    return statistics->num_evaluated < 4;
}

/* Worker processes evaluate; the store has what was evaluated when the next tuner begins. */
static void test_workers(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    char url[128];
    atomic_size_t calls = 0;
    const nitro_tunable tunable = {.name = "app",
                                   .space = space,
                                   .run = run_anywhere,
                                   .load = load_number,
                                   .unload = free,
                                   .user = &calls};
    nitro_tuner_options options;
    nitro_tuner *tuner = NULL;
    nitro_tune_options measure;
    nitro_tuner_statistics at;
    nitro_tuner_options_init(&options);
    nitro_tune_options_init(&measure);
    measure.measure.min_repetitions = measure.measure.max_repetitions = 1;
    snprintf(url, sizeof(url), "sqlite:%s/store.db", folder.folder);
    options.budget = "6";
    options.progress = stop_at_4;
    assert_ok(context, nitro_store_open(context, url, NITRO_STORE_WRITE, &options.store));
    assert_ok(context, nitro_tuner_create(context, &tunable, &options, &tuner));
    assert_fails(context, nitro_tuner_search(tuner, NULL, &measure.measure), NITRO_ERR_INTERRUPTED,
                 "was stopped");
    nitro_tuner_free(tuner);
    options.progress = NULL;
    assert_ok(context, nitro_tuner_create(context, &tunable, &options, &tuner));
    assert_ok(context, nitro_tuner_search(tuner, NULL, &measure.measure));
    assert_ok(context, nitro_tuner_get_statistics(tuner, &at));
    assert_int_equal(at.num_stored, 4);
    assert_int_equal(at.num_evaluated, 6);
    assert_int_equal(calls, 0); /* none here */
    nitro_tuner_free(tuner);
    nitro_store_close(options.store);
    temporary_remove(&folder);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask_and_tell),
        cmocka_unit_test(test_asks_ahead),
        cmocka_unit_test(test_bad_tuners),
        cmocka_unit_test(test_bad_online_options),
        cmocka_unit_test(test_serves_one_computation),
        cmocka_unit_test(test_own_data),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_not_repeatable),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_all_invalid),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_store_refuses),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_forked_child),
        cmocka_unit_test(test_forked_during_the_first_try),
        cmocka_unit_test(test_store_of_parent),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
