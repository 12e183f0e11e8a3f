/* Tunes while an application runs: some calls of a variant try another configuration. */
#include <math.h>
#include <unistd.h>

#include "nitro/backend/statistics.h"
#include "nitro/base/require.h"
#include "nitro/base/thread_start.h"
#include "nitro/runtime/computation.h"
#include "nitro/search/tuner.h"

/* A first run of so many times the best time is not repeated. */
#define GIVEN_UP 1.2

/* What a try took, in ms. */
typedef struct try_costs {
    double tried, choosing, checking, copying;
    double lost; /* of them, by what the call was delayed */
} try_costs;

void nitro_online_options_init(nitro_online_options *options)
{
    if (options)
        *options = (nitro_online_options){.share = 0.1, .repetitions = 3};
}

static double now_ms(const nitro_tuner *tuner)
{
    return nitro_clock_wall_ms(tuner->context);
}

static int run_best(const nitro_tuner *tuner, void *argument)
{
    const tuned_configuration *best = atomic_load(&tuner->best);
    return best ? tuner->tunable->run(argument, best->values, tuner->tunable->user) : -1;
}

bool tuner_is_of_parent(const nitro_tuner *tuner)
{
    return tuner->has_thread && tuner->process != getpid();
}

static bool wants_try(const nitro_tuner *tuner)
{
    if (atomic_load(&tuner->is_finished) && !atomic_load(&tuner->restarts))
        return false;
    if (!atomic_load(&tuner->best))
        return true;
    return !tuner_is_of_parent(tuner) &&
           (double)atomic_load(&tuner->num_tries) <
               tuner->online.share * (double)atomic_load(&tuner->num_calls);
}

/* ---- One configuration ----------------------------------------------------------------------- */

static void log_end(const nitro_tuner *tuner)
{
    nitro_tuner_statistics at;
    if (nitro_tuner_get_statistics(tuner, &at) == NITRO_OK)
        nitro_log(tuner->context, isnan(at.best_ms) ? NITRO_LOG_WARNING : NITRO_LOG_INFO,
                  "tunable '%s': tuned by %llu of %llu calls: %llu configurations, %llu invalid; "
                  "best %g ms, first %g ms; the calls lost %.4g ms and saved %.4g ms so far",
                  tuner->tunable->name, (unsigned long long)at.num_tries,
                  (unsigned long long)at.num_calls, (unsigned long long)at.num_evaluated,
                  (unsigned long long)at.num_invalid, at.best_ms, at.first_ms, at.lost_ms,
                  at.saved_ms);
}

static void warn(const nitro_tuner *tuner, const char *what)
{
    char why[1024];
    nitro_context_last_error(tuner->context, why, sizeof(why));
    nitro_log(tuner->context, NITRO_LOG_WARNING, "tunable '%s' %s: %s", tuner->tunable->name, what,
              why);
}

/* An error ends the tuning, not the call. */
static void note_status(nitro_tuner *tuner, nitro_status status)
{
    if (status == NITRO_OK)
        return;
    warn(tuner, "is tuned no further");
    atomic_store(&tuner->is_finished, true);
}

/* Is there a configuration to try? Chooses one unless it still has runs to come. */
static bool begin_try(nitro_tuner *tuner, try_costs *costs)
{
    tuner_try *trying = &tuner->trying;
    if (atomic_load(&tuner->restarts))
        trying->configuration = NITRO_NO_CONFIGURATION;
    if (trying->configuration != NITRO_NO_CONFIGURATION)
        return true;
    double start_ms = now_ms(tuner);
    *trying =
        (tuner_try){.configuration = NITRO_NO_CONFIGURATION, .outcome = NITRO_OUTCOME_MEASURED};
    note_status(tuner, tuner_next(tuner, &trying->configuration));
    costs->choosing += now_ms(tuner) - start_ms;
    if (trying->configuration == NITRO_NO_CONFIGURATION)
        return false;
    tuner_values(tuner, trying->configuration, trying->values);
    return true;
}

/* Run once, and check the first result. 0: success. */
static int try_once(nitro_tuner *tuner, void *argument, try_costs *costs)
{
    const nitro_tunable *tunable = tuner->tunable;
    tuner_try *trying = &tuner->trying;
    char why[256] = "";
    double start_ms = now_ms(tuner);
    int failure = tunable->run(argument, trying->values, tunable->user);
    double time_ms = now_ms(tuner) - start_ms;
    costs->tried += time_ms;
    trying->cost_ms += time_ms;
    trying->times_ms[trying->count++] = fmax(time_ms, 1e-6);
    if (failure) {
        trying->outcome = NITRO_OUTCOME_FAILED;
    } else if (tunable->check && trying->count == 1) {
        start_ms = now_ms(tuner);
        failure = tunable->check(argument, why, sizeof(why), tunable->user);
        costs->checking += now_ms(tuner) - start_ms;
        if (failure)
            trying->outcome = NITRO_OUTCOME_WRONG_RESULT;
    }
    if (failure)
        nitro_log(tuner->context, NITRO_LOG_INFO, "tunable '%s': a configuration %s%s%s",
                  tunable->name,
                  trying->outcome == NITRO_OUTCOME_FAILED ? "failed" : "gave a wrong result",
                  why[0] ? ": " : "", why);
    return failure;
}

static bool is_judged(const nitro_tuner *tuner)
{
    const tuner_try *trying = &tuner->trying;
    const tuned_configuration *best = atomic_load(&tuner->best);
    return trying->outcome != NITRO_OUTCOME_MEASURED ||
           trying->count >= tuner->online.repetitions ||
           (best && trying->times_ms[trying->count - 1] > GIVEN_UP * best->time_ms);
}

/* A store that refuses an evaluation gets no further ones: the search goes on without it, since
 * calls need a valid configuration. */
static nitro_status note_answer(nitro_tuner *tuner, const nitro_search_answer *answer)
{
    nitro_status status = tuner_note(tuner, answer);
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY || !tuner->session.archive.store)
        return status;
    warn(tuner, "is tuned on, but evaluations are not stored any more");
    search_archive_close(&tuner->session.archive);
    return tuner_note(tuner, answer);
}

static void end_try(nitro_tuner *tuner, try_costs *costs)
{
    tuner_try *trying = &tuner->trying;
    bool is_valid = trying->outcome == NITRO_OUTCOME_MEASURED;
    double start_ms = now_ms(tuner);
    nitro_sort(trying->times_ms, trying->count);
    const nitro_search_answer answer = {
        .configuration = trying->configuration,
        .outcome = trying->outcome,
        .time_ms = is_valid ? nitro_median(trying->times_ms, trying->count) : (double)NAN,
        .spread = (double)NAN,
        .cost_ms = trying->cost_ms};
    trying->configuration = NITRO_NO_CONFIGURATION;
    note_status(tuner, note_answer(tuner, &answer));
    costs->choosing += now_ms(tuner) - start_ms;
}

static void add_costs(nitro_tuner *tuner, const try_costs *costs)
{
    nitro_tuner_statistics *statistics = &tuner->statistics;
    tuner_lock(tuner);
    bool was_finished = statistics->is_finished;
    statistics->tried_ms += costs->tried;
    statistics->choosing_ms += costs->choosing;
    statistics->checking_ms += costs->checking;
    statistics->copying_ms += costs->copying;
    statistics->lost_ms += costs->lost;
    statistics->is_finished = atomic_load(&tuner->is_finished);
    bool ends = statistics->is_finished && !was_finished;
    tuner_unlock(tuner);
    if (ends)
        log_end(tuner);
}

/* ---- On the call's own argument -------------------------------------------------------------- */

static int try_on_own(nitro_tuner *tuner, void *argument)
{
    int failure = 0;
    bool has_run = false;
    do {
        const tuned_configuration *best = atomic_load(&tuner->best);
        try_costs costs = {0};
        bool begun = begin_try(tuner, &costs);
        if (begun) {
            failure = try_once(tuner, argument, &costs);
            has_run = !failure;
            costs.lost = failure ? costs.tried : best ? costs.tried - best->time_ms : 0;
            if (is_judged(tuner))
                end_try(tuner, &costs);
        }
        costs.lost += costs.choosing + costs.checking;
        add_costs(tuner, &costs);
        if (!begun)
            break;
    } while (!has_run && tuner->tunable->repeatable && !atomic_load(&tuner->best));
    bool runs_best = !has_run && (!failure || tuner->tunable->repeatable);
    return runs_best ? run_best(tuner, argument) : failure;
}

/* ---- On copies ------------------------------------------------------------------------------- */

static void *make_copy(nitro_tuner *tuner, const void *argument, try_costs *costs)
{
    double start_ms = now_ms(tuner);
    void *copy = tuner->tunable->copy(argument, tuner->tunable->user);
    costs->copying += now_ms(tuner) - start_ms;
    if (!copy)
        nitro_log(tuner->context, NITRO_LOG_INFO, "tunable '%s': an argument cannot be copied",
                  tuner->tunable->name);
    return copy;
}

/* Runs as many times as the copy serves for, and frees it. False: there is nothing to try. */
static bool try_on(nitro_tuner *tuner, void *copy, try_costs *costs)
{
    bool begun = begin_try(tuner, costs), is_done = false;
    while (begun && !is_done) {
        try_once(tuner, copy, costs);
        is_done = is_judged(tuner);
        if (is_done)
            end_try(tuner, costs);
        else if (!tuner->tunable->repeatable)
            break;
    }
    double start_ms = now_ms(tuner);
    if (tuner->tunable->discard)
        tuner->tunable->discard(copy, tuner->tunable->user);
    costs->copying += now_ms(tuner) - start_ms;
    return begun;
}

static void try_on_copies(nitro_tuner *tuner, const void *argument)
{
    bool begun = true;
    do {
        try_costs costs = {0};
        void *copy = make_copy(tuner, argument, &costs);
        begun = copy && try_on(tuner, copy, &costs);
        costs.lost = costs.tried + costs.choosing + costs.checking + costs.copying;
        add_costs(tuner, &costs);
    } while (begun && !atomic_load(&tuner->best));
}

/* The thread gives the session back. */
static void hand_copy(nitro_tuner *tuner, const void *argument)
{
    try_costs costs = {0};
    void *copy = make_copy(tuner, argument, &costs);
    costs.lost = costs.copying;
    add_costs(tuner, &costs);
    if (!copy) {
        tuner_release(tuner);
        return;
    }
    tuner_lock(tuner);
    tuner->handed = copy;
    pthread_cond_broadcast(&tuner->changed);
    tuner_unlock(tuner);
}

static void *run_thread(void *user)
{
    nitro_tuner *tuner = user;
    tuner_lock(tuner);
    for (;;) {
        while (!tuner->handed && !tuner->stops)
            pthread_cond_wait(&tuner->changed, &tuner->lock.mutex);
        void *copy = tuner->handed;
        tuner->handed = NULL;
        tuner_unlock(tuner);
        if (!copy)
            return NULL;
        try_costs costs = {0};
        try_on(tuner, copy, &costs);
        add_costs(tuner, &costs);
        tuner_release(tuner);
        tuner_lock(tuner);
    }
}

void tuner_stop_thread(nitro_tuner *tuner)
{
    if (!tuner->has_thread || tuner_is_of_parent(tuner))
        return;
    tuner_lock(tuner);
    tuner->stops = true;
    pthread_cond_broadcast(&tuner->changed);
    tuner_unlock(tuner);
    pthread_join(tuner->thread, NULL);
    tuner->has_thread = false;
}

/* ---- The variant ----------------------------------------------------------------------------- */

static int run_online(void *argument, void *user)
{
    nitro_tuner *tuner = user;
    atomic_fetch_add(&tuner->num_calls, 1);
    if (!wants_try(tuner) || !tuner_acquire(tuner, !atomic_load(&tuner->best)))
        return run_best(tuner, argument);
    if (!wants_try(tuner)) { /* another thread has found what it waited for */
        tuner_release(tuner);
        return run_best(tuner, argument);
    }
    atomic_fetch_add(&tuner->num_tries, 1);
    if (tuner->online.data == NITRO_ONLINE_BACKGROUND && atomic_load(&tuner->best)) {
        hand_copy(tuner, argument);
        return run_best(tuner, argument);
    }
    int failure = 0;
    bool is_own = tuner->online.data == NITRO_ONLINE_OWN;
    if (is_own)
        failure = try_on_own(tuner, argument);
    else
        try_on_copies(tuner, argument);
    tuner_release(tuner);
    return is_own ? failure : run_best(tuner, argument);
}

static nitro_status check_options(nitro_context *context, const nitro_tuner *tuner,
                                  const nitro_online_options *options)
{
    const char *name = tuner->tunable->name;
    if (!tuner->tunable->run || tuner->is_added)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "tunable '%s' %s", name,
                          tuner->is_added ? "was added to a computation before: make another tuner"
                                          : "has no run");
    if (!(options->share > 0) || options->share > 1 || options->repetitions < 1 ||
        options->repetitions > TUNER_MAX_REPETITIONS || options->data > NITRO_ONLINE_BACKGROUND)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "tunable '%s': a share of %g, %u repetitions and data %d are not all "
                          "possible: the share is above 0 and at most 1, there are 1 to %d "
                          "repetitions, and data is one of nitro_online_data",
                          name, options->share, options->repetitions, (int)options->data,
                          TUNER_MAX_REPETITIONS);
    if (options->data != NITRO_ONLINE_OWN && !tuner->tunable->copy)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "tunable '%s' has no function copy: configurations can only be tried on "
                          "the application's own data (NITRO_ONLINE_OWN)",
                          name);
    return NITRO_OK;
}

nitro_status nitro_computation_add_tunable(nitro_computation *computation, nitro_tuner *tuner,
                                           const nitro_online_options *options)
{
    NITRO_REQUIRE(tuner         ? tuner->context
                  : computation ? computation->context
                                : NULL,
                  computation && tuner);
    const nitro_variant variant = {.name = tuner->tunable->name,
                                   .version = tuner->tunable->version,
                                   .run = run_online,
                                   .fails_cleanly = tuner->tunable->repeatable,
                                   .user = tuner};
    nitro_online_options online;
    nitro_online_options_init(&online);
    if (options)
        online = *options;
    nitro_status status = check_options(tuner->context, tuner, &online);
    if (status != NITRO_OK)
        return status;
    tuner->online = online;
    if (online.data == NITRO_ONLINE_BACKGROUND && !tuner->has_thread) {
        tuner->process = getpid();
        tuner->has_thread = nitro_thread_start(&tuner->thread, run_thread, tuner);
        if (!tuner->has_thread)
            status = nitro_fail(tuner->context, NITRO_ERR_NO_MEMORY,
                                "tunable '%s': no thread could be created", tuner->tunable->name);
    }
    if (status == NITRO_OK)
        status = nitro_computation_add_variant(computation, &variant);
    tuner->is_added = status == NITRO_OK;
    return status;
}
