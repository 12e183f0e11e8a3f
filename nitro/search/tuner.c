/* Searches in the space of a tunable: by asking and telling, and in worker processes. */
#include "nitro/search/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/base/require.h"

void nitro_tuner_options_init(nitro_tuner_options *options)
{
    if (options)
        *options = (nitro_tuner_options){.seed = 1};
}

void tuner_values(const nitro_tuner *tuner, uint64_t configuration, double *values)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_space_indices(tuner->space, configuration, indices);
    for (size_t p = 0; p < tuner->num_parameters; p++)
        values[p] = nitro_space_parameter(tuner->space, p)->values[indices[p]].number;
}

static nitro_status find_configuration(const nitro_tuner *tuner, const double *values,
                                       uint64_t *configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (size_t p = 0; p < tuner->num_parameters; p++) {
        const nitro_parameter *parameter = nitro_space_parameter(tuner->space, p);
        size_t v = 0;
        while (v < parameter->num_values && parameter->values[v].number != values[p])
            v++;
        if (v == parameter->num_values)
            return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                              "tunable '%s': parameter '%s' has no value %g", tuner->tunable->name,
                              parameter->name, values[p]);
        indices[p] = (uint16_t)v;
    }
    uint64_t found = nitro_space_find(tuner->space, indices);
    if (found == NITRO_NO_CONFIGURATION)
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "tunable '%s': these values are excluded by its constraints",
                          tuner->tunable->name);
    *configuration = found;
    return NITRO_OK;
}

/* ---- Creating -------------------------------------------------------------------------------- */

static nitro_status read_searcher(nitro_tuner *tuner, const char *given)
{
    if (!given)
        return NITRO_OK;
    size_t length = strcspn(given, ":");
    char *name = nitro_strdup(tuner->context, given);
    if (!name)
        return NITRO_ERR_NO_MEMORY;
    name[length] = '\0';
    const nitro_searcher *searcher = nitro_searcher_find(name);
    free(name);
    if (!searcher)
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "there is no searcher '%.*s'; 'nitro help search' lists them",
                          (int)length, given);
    if (searcher->wants_counters)
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "searcher '%s' needs performance counters, which a tuner does not have",
                          searcher->name);
    tuner->options.searcher = searcher;
    if (given[length])
        tuner->searcher_options = nitro_strdup(tuner->context, given + length + 1);
    tuner->options.searcher_options = tuner->searcher_options;
    return given[length] && !tuner->searcher_options ? NITRO_ERR_NO_MEMORY : NITRO_OK;
}

static nitro_status read_starts(nitro_tuner *tuner, const nitro_tuner_options *options)
{
    if (options->num_starts > 0 && !options->starts)
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "tunable '%s': starts is NULL, and num_starts is %zu: give the "
                          "configurations",
                          tuner->tunable->name, options->num_starts);
    tuner->starts = nitro_calloc(tuner->context, options->num_starts + 1, sizeof(*tuner->starts));
    nitro_status status = tuner->starts ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < options->num_starts; i++)
        status = find_configuration(tuner, options->starts + i * tuner->num_parameters,
                                    &tuner->starts[i]);
    tuner->options.starts = tuner->starts;
    tuner->options.num_starts = options->num_starts;
    return status;
}

static nitro_status read_store(nitro_tuner *tuner, const nitro_tuner_options *options)
{
    tuner->options.store = options->store;
    tuner->options.name = tuner->tunable->name;
    tuner->options.version = tuner->tunable->version;
    nitro_status status = NITRO_OK;
    if (options->store)
        status = nitro_device_find(tuner->context, "host", false, &tuner->device, NULL);
    tuner->options.device = tuner->device;
    return status;
}

static nitro_status open_tuner(nitro_tuner *tuner, const nitro_tuner_options *options)
{
    nitro_context *context = tuner->context;
    const nitro_tunable *tunable = tuner->tunable;
    if (!nitro_name_is_valid(tunable->name) || !tunable->space)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a tunable needs a name of 1 to 63 of [A-Za-z0-9_.+-], and a space");
    if (tunable->version && !nitro_name_is_valid(tunable->version))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "tunable '%s': '%.80s' is not a valid version: use 1 to 63 of "
                          "[A-Za-z0-9_.+-]",
                          tunable->name, tunable->version);
    nitro_status status = nitro_space_parse(context, tunable->name, tunable->space,
                                            strlen(tunable->space), &tuner->space);
    if (status != NITRO_OK)
        return status;
    tuner->num_parameters = nitro_space_num_parameters(tuner->space);
    tuner->options.seed = options->seed;
    tuner->progress = options->progress;
    tuner->progress_user = options->progress_user;
    status = read_searcher(tuner, options->searcher);
    if (status == NITRO_OK && options->budget)
        status = nitro_search_budget_parse(context, options->budget, &tuner->options.budget);
    if (status == NITRO_OK)
        status = read_starts(tuner, options);
    if (status == NITRO_OK)
        status = read_store(tuner, options);
    if (status == NITRO_OK)
        status =
            search_session_open(context, tuner->space, &tuner->options, NULL, 0, &tuner->session);
    return status;
}

nitro_status nitro_tuner_create(nitro_context *context, const nitro_tunable *tunable,
                                const nitro_tuner_options *options, nitro_tuner **tuner)
{
    NITRO_REQUIRE(context, context && tunable && tuner);
    nitro_tuner_options defaults;
    nitro_tuner_options_init(&defaults);
    nitro_tuner *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    made->tunable = tunable;
    made->trying.configuration = NITRO_NO_CONFIGURATION;
    made->statistics.first_ms = made->statistics.best_ms = (double)NAN;
    pthread_cond_init(&made->changed, NULL);
    made->owner = getpid();
    nitro_status status = open_tuner(made, options ? options : &defaults);
    if (status == NITRO_OK)
        *tuner = made;
    else
        nitro_tuner_free(made);
    return status;
}

void nitro_tuner_free(nitro_tuner *tuner)
{
    if (!tuner)
        return;
    tuner_stop_thread(tuner);
    tuner_lock(tuner); /* in a forked child this replaces the condition, which may have waiters */
    tuner_unlock(tuner);
    if (tuner->session.searcher)
        search_session_close(&tuner->session);
    for (tuned_configuration *at = atomic_load(&tuner->best), *older; at; at = older) {
        older = at->older;
        free(at);
    }
    pthread_cond_destroy(&tuner->changed);
    nitro_device_free(tuner->device);
    nitro_space_free(tuner->space);
    free(tuner->searcher_options);
    free(tuner->starts);
    free(tuner);
}

size_t nitro_tuner_num_parameters(const nitro_tuner *tuner)
{
    return tuner ? tuner->num_parameters : 0;
}

const char *nitro_tuner_parameter_name(const nitro_tuner *tuner, size_t index)
{
    return tuner && index < tuner->num_parameters ? nitro_space_parameter(tuner->space, index)->name
                                                  : NULL;
}

/* ---- The search ------------------------------------------------------------------------------ */

void tuner_lock(nitro_tuner *tuner)
{
    nitro_lock_acquire(&tuner->lock);
    if (tuner->owner == getpid())
        return;
    pthread_cond_init(&tuner->changed, NULL);
    if (tuner->busy) {
        tuner->session = (search_session){.best = NITRO_NONE};
        tuner->trying.configuration = NITRO_NO_CONFIGURATION;
        atomic_store(&tuner->restarts, true);
    }
    tuner->busy = false;
    tuner->owner = getpid();
}

void tuner_unlock(nitro_tuner *tuner)
{
    nitro_lock_release(&tuner->lock);
}

bool tuner_acquire(nitro_tuner *tuner, bool waits)
{
    tuner_lock(tuner);
    while (tuner->busy && waits)
        pthread_cond_wait(&tuner->changed, &tuner->lock.mutex);
    bool is_free = !tuner->busy;
    tuner->busy = true;
    tuner_unlock(tuner);
    return is_free;
}

void tuner_release(nitro_tuner *tuner)
{
    tuner_lock(tuner);
    tuner->busy = false;
    pthread_cond_broadcast(&tuner->changed);
    tuner_unlock(tuner);
}

/* Adds the calls since the last time to what the best configuration saved. Under the lock. */
static void count_saved(nitro_tuner *tuner)
{
    nitro_tuner_statistics *statistics = &tuner->statistics;
    uint64_t calls = atomic_load(&tuner->num_calls);
    if (statistics->best_ms > 0)
        statistics->saved_ms +=
            (double)(calls - tuner->saved_calls) * (statistics->first_ms - statistics->best_ms);
    tuner->saved_calls = calls;
}

/* A new search that begins with the best configuration so far, whose time no longer counts. */
static nitro_status begin_anew(nitro_tuner *tuner)
{
    const tuned_configuration *best = atomic_load(&tuner->best);
    search_session_close(&tuner->session);
    tuner->options.store = NULL;
    if (best) {
        tuner->options.num_starts = 1;
        tuner->starts[0] = best->configuration;
    }
    atomic_store(&tuner->restarts, false);
    tuner_lock(tuner);
    count_saved(tuner);
    tuner->statistics.first_ms = tuner->statistics.best_ms = (double)NAN;
    tuner_unlock(tuner);
    return search_session_open(tuner->context, tuner->space, &tuner->options, NULL, 0,
                               &tuner->session);
}

/* What calls run from now on: the best of the search, or what they ran before a restart. */
static nitro_status publish(nitro_tuner *tuner, const nitro_search_answer *answer)
{
    const search_session *session = &tuner->session;
    const nitro_search_answer *best = search_session_best(session);
    tuned_configuration *before = atomic_load(&tuner->best);
    bool improves = best && best->configuration == answer->configuration;
    if (improves) {
        tuned_configuration *made = nitro_calloc(
            tuner->context, 1, sizeof(*made) + tuner->num_parameters * sizeof(made->values[0]));
        if (!made)
            return NITRO_ERR_NO_MEMORY;
        made->older = before;
        made->configuration = best->configuration;
        made->time_ms = best->time_ms;
        tuner_values(tuner, best->configuration, made->values);
        atomic_store(&tuner->best, made);
    }
    atomic_store(&tuner->is_finished, search_session_is_finished(session));
    tuner_lock(tuner);
    nitro_tuner_statistics *statistics = &tuner->statistics;
    count_saved(tuner);
    statistics->num_evaluated++;
    statistics->num_invalid += answer->outcome != NITRO_OUTCOME_MEASURED;
    statistics->num_stored = session->num_stored;
    if (improves)
        statistics->best_ms = best->time_ms;
    if (improves && isnan(statistics->first_ms))
        statistics->first_ms = best->time_ms;
    tuner_unlock(tuner);
    return NITRO_OK;
}

nitro_status tuner_next(nitro_tuner *tuner, uint64_t *configuration)
{
    nitro_status status = atomic_load(&tuner->restarts) ? begin_anew(tuner) : NITRO_OK;
    nitro_search_question question = {NITRO_NO_CONFIGURATION, false};
    for (bool is_known = true; status == NITRO_OK && is_known;) {
        search_session *session = &tuner->session;
        status = search_session_ask(session, &question, &is_known);
        if (status == NITRO_OK && is_known)
            status = publish(tuner, &session->memo.answers[session->memo.count - 1]);
    }
    if (status != NITRO_OK)
        return status;
    *configuration = question.configuration;
    atomic_store(&tuner->is_finished, search_session_is_finished(&tuner->session));
    return NITRO_OK;
}

nitro_status tuner_note(nitro_tuner *tuner, const nitro_search_answer *answer)
{
    nitro_status status = search_session_tell(&tuner->session, answer);
    return status == NITRO_OK ? publish(tuner, answer) : status;
}

nitro_status nitro_tuner_ask(nitro_tuner *tuner, double *values, bool *is_finished)
{
    NITRO_REQUIRE(tuner ? tuner->context : NULL, tuner && values && is_finished);
    uint64_t next;
    tuner_acquire(tuner, true);
    nitro_status status = tuner_next(tuner, &next);
    tuner_release(tuner);
    if (status != NITRO_OK)
        return status;
    *is_finished = next == NITRO_NO_CONFIGURATION;
    if (!*is_finished)
        tuner_values(tuner, next, values);
    return NITRO_OK;
}

nitro_status nitro_tuner_tell(nitro_tuner *tuner, const double *values, double time_ms)
{
    NITRO_REQUIRE(tuner ? tuner->context : NULL, tuner && values);
    bool is_valid = !isnan(time_ms);
    nitro_search_answer answer = {.outcome =
                                      is_valid ? NITRO_OUTCOME_MEASURED : NITRO_OUTCOME_FAILED,
                                  .time_ms = time_ms,
                                  .spread = (double)NAN,
                                  .cost_ms = (double)NAN};
    if (is_valid && (time_ms <= 0 || isinf(time_ms)))
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "tunable '%s': a time of %g ms: tell a positive one, or NaN for an "
                          "invalid configuration",
                          tuner->tunable->name, time_ms);
    nitro_status status = find_configuration(tuner, values, &answer.configuration);
    if (status != NITRO_OK)
        return status;
    tuner_acquire(tuner, true);
    if (!search_memo_find(&tuner->session.memo, answer.configuration))
        status = tuner_note(tuner, &answer);
    tuner_release(tuner);
    return status;
}

nitro_status nitro_tuner_best(const nitro_tuner *tuner, double *values, double *time_ms)
{
    NITRO_REQUIRE(tuner ? tuner->context : NULL, tuner && values);
    const tuned_configuration *best = atomic_load(&tuner->best);
    if (!best)
        return nitro_fail(tuner->context, NITRO_ERR_NO_DATA,
                          "tunable '%s': no valid configuration is known yet",
                          tuner->tunable->name);
    memcpy(values, best->values, tuner->num_parameters * sizeof(*values));
    if (time_ms)
        *time_ms = best->time_ms;
    return NITRO_OK;
}

nitro_status nitro_tuner_restart(nitro_tuner *tuner)
{
    NITRO_REQUIRE(NULL, tuner);
    atomic_store(&tuner->restarts, true);
    return NITRO_OK;
}

nitro_status nitro_tuner_get_statistics(const nitro_tuner *tuner,
                                        nitro_tuner_statistics *statistics)
{
    NITRO_REQUIRE(tuner ? tuner->context : NULL, tuner && statistics);
    nitro_tuner *counted = (nitro_tuner *)tuner; /* its lock, and what is counted lazily */
    tuner_lock(counted);
    count_saved(counted);
    *statistics = counted->statistics;
    tuner_unlock(counted);
    statistics->num_calls = atomic_load(&counted->num_calls);
    statistics->num_tries = atomic_load(&counted->num_tries);
    statistics->is_finished = atomic_load(&counted->is_finished);
    return NITRO_OK;
}

/* ---- In worker processes --------------------------------------------------------------------- */

static bool keep_on(nitro_tuner *tuner)
{
    nitro_tuner_statistics statistics;
    return !tuner->progress || (nitro_tuner_get_statistics(tuner, &statistics) == NITRO_OK &&
                                tuner->progress(tuner->progress_user, &statistics));
}

static nitro_status evaluate_all(nitro_tuner *tuner, nitro_evaluator *evaluator)
{
    for (;;) {
        nitro_search_question question = {NITRO_NO_CONFIGURATION, false};
        nitro_status status = tuner_next(tuner, &question.configuration);
        if (status != NITRO_OK || question.configuration == NITRO_NO_CONFIGURATION)
            return status;
        nitro_search_answer answer = nitro_search_unanswered(question.configuration);
        status = evaluator->evaluate(evaluator->state, &question, &answer);
        if (status == NITRO_OK)
            status = tuner_note(tuner, &answer);
        if (status != NITRO_OK)
            return status;
        if (!keep_on(tuner))
            return nitro_fail(tuner->context, NITRO_ERR_INTERRUPTED,
                              "the search for tunable '%s' was stopped", tuner->tunable->name);
    }
}

nitro_status nitro_tuner_search(nitro_tuner *tuner, const nitro_input *input,
                                const nitro_measure_options *measure)
{
    NITRO_REQUIRE(NULL, tuner);
    if (!tuner->tunable->run || (!input && !tuner->tunable->load))
        return nitro_fail(tuner->context, NITRO_ERR_ARGUMENT,
                          "tunable '%s' has no run, or no input and no load to make one",
                          tuner->tunable->name);
    nitro_evaluator evaluator;
    nitro_status status = nitro_evaluator_tunable(tuner->context, tuner->space, tuner->tunable,
                                                  input, measure, &evaluator);
    if (status != NITRO_OK)
        return status;
    tuner_acquire(tuner, true);
    status = evaluate_all(tuner, &evaluator);
    tuner_release(tuner);
    nitro_evaluator_close(&evaluator);
    return status;
}
