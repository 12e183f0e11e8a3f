/* A search in progress: asks the searcher, knows what was evaluated, stores new answers, counts the
 * budget. */
#include <math.h>
#include <stdlib.h>

#include "nitro/search/search.h"

/* Questions in a row whose answers are known: the searcher has nothing new to ask. */
#define MAX_REPEATED 10000

nitro_status search_session_open(nitro_context *context, const nitro_space *space,
                                 const nitro_search_options *options,
                                 const char *const *counter_names, size_t num_counters,
                                 search_session *session)
{
    *session = (search_session){.context = context,
                                .space = space,
                                .budget = options->budget,
                                .best = NITRO_NONE,
                                .searcher = options->searcher ? options->searcher
                                                              : nitro_searcher_default()};
    if (!session->searcher)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT, "this build has no searchers");
    session->task =
        (nitro_search_task){.space = space,
                            .budget = search_budget_evaluations(&options->budget, space),
                            .seed = options->seed,
                            .starts = options->starts,
                            .num_starts = options->num_starts,
                            .counter_model = options->counter_model,
                            .device = options->device,
                            .counter_names = counter_names,
                            .num_counters = num_counters};
    nitro_status status =
        search_options_parse(context, session->searcher, options->searcher_options,
                             &session->option_values, &session->option_text);
    session->task.options = session->option_values;
    if (status == NITRO_OK)
        status = search_archive_open(context, space, options, &session->archive, &session->stored);
    if (status == NITRO_OK)
        status = session->searcher->open(context, &session->task, &session->state);
    if (status != NITRO_OK)
        search_session_close(session);
    return status;
}

void search_session_close(search_session *session)
{
    if (session->state)
        session->searcher->close(session->state);
    search_archive_close(&session->archive);
    search_memo_free(&session->stored);
    search_memo_free(&session->memo);
    free(session->option_values);
    free(session->option_text);
    free(session->seconds);
    free(session->evaluations);
    free(session->awaited);
    *session = (search_session){.best = NITRO_NONE};
}

const nitro_search_answer *search_session_best(const search_session *session)
{
    return session->best == NITRO_NONE ? NULL : &session->memo.answers[session->best];
}

bool search_session_is_finished(const search_session *session)
{
    const nitro_search_budget *budget = &session->budget;
    const nitro_search_answer *best = search_session_best(session);
    return session->is_exhausted || session->num_evaluations >= session->task.budget ||
           (budget->seconds > 0 && session->spent_ms >= 1000 * budget->seconds) ||
           (budget->good_ms > 0 && best && best->time_ms <= budget->good_ms);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Count what an evaluation cost. */
static void note_cost(search_session *session, const nitro_search_answer *answer)
{
    double cost = isnan(answer->cost_ms) ? answer->time_ms : answer->cost_ms;
    session->spent_ms += isnan(cost) ? 0 : cost;
    session->num_evaluations++;
}

static nitro_status note_answer(search_session *session, const nitro_search_answer *answer)
{
    size_t at = session->memo.count;
    if (at == session->capacity) {
        size_t capacity = session->capacity ? 2 * session->capacity : 256;
        double *seconds = realloc(session->seconds, capacity * sizeof(*seconds));
        session->seconds = seconds ? seconds : session->seconds;
        uint64_t *evaluations = realloc(session->evaluations, capacity * sizeof(*evaluations));
        session->evaluations = evaluations ? evaluations : session->evaluations;
        if (!seconds || !evaluations)
            return nitro_fail(session->context, NITRO_ERR_NO_MEMORY, "out of memory: evaluations");
        session->capacity = capacity;
    }
    session->seconds[at] = session->spent_ms / 1000;
    session->evaluations[at] = session->num_evaluations;
    nitro_status status = search_memo_add(session->context, &session->memo, answer);
    const nitro_search_answer *best = search_session_best(session);
    if (status == NITRO_OK && answer->outcome == NITRO_OUTCOME_MEASURED &&
        (!best || answer->time_ms < best->time_ms))
        session->best = at;
    return status;
}

static nitro_status tell(search_session *session, const nitro_search_answer *answer)
{
    double start_ms = nitro_clock_thread_cpu_ms(session->context);
    nitro_status status = session->searcher->tell(session->state, answer);
    session->searcher_cpu_ms += nitro_clock_thread_cpu_ms(session->context) - start_ms;
    return status;
}

/* ---- Asking and telling ---------------------------------------------------------------------- */

static nitro_status ask(search_session *session, nitro_search_question *question)
{
    *question = (nitro_search_question){NITRO_NO_CONFIGURATION, false};
    double start_ms = nitro_clock_thread_cpu_ms(session->context);
    nitro_status status = session->searcher->ask(session->state, question);
    session->searcher_cpu_ms += nitro_clock_thread_cpu_ms(session->context) - start_ms;
    if (status == NITRO_OK && question->configuration != NITRO_NO_CONFIGURATION &&
        question->configuration >= nitro_space_size(session->space))
        return nitro_fail(session->context, NITRO_ERR_ARGUMENT,
                          "searcher '%s' asked for a configuration outside the space",
                          session->searcher->name);
    return status;
}

static nitro_status await(search_session *session, uint64_t configuration)
{
    uint64_t *grown =
        realloc(session->awaited, (session->num_awaited + 1) * sizeof(*session->awaited));
    if (!grown)
        return nitro_fail(session->context, NITRO_ERR_NO_MEMORY, "out of memory: a search");
    session->awaited = grown;
    session->awaited[session->num_awaited++] = configuration;
    return NITRO_OK;
}

nitro_status search_session_ask(search_session *session, nitro_search_question *question,
                                bool *is_known)
{
    *question = (nitro_search_question){NITRO_NO_CONFIGURATION, false};
    *is_known = false;
    if (search_session_is_finished(session) ||
        session->num_evaluations + session->num_awaited >= session->task.budget)
        return NITRO_OK;
    for (int repeated = 0; repeated <= MAX_REPEATED; repeated++) {
        nitro_status status = ask(session, question);
        if (status != NITRO_OK)
            return status;
        uint64_t configuration = question->configuration;
        if (configuration == NITRO_NO_CONFIGURATION)
            break;
        const nitro_search_answer *known = search_memo_find(&session->memo, configuration);
        if (question->profiled || !known) {
            known = search_memo_find(&session->stored, configuration);
            if (question->profiled || !known)
                return await(session, configuration);
            const nitro_search_answer answer = *known;
            *is_known = true;
            session->num_stored++;
            note_cost(session, &answer);
            status = note_answer(session, &answer);
            return status == NITRO_OK ? tell(session, &answer) : status;
        }
        const nitro_search_answer answer = *known;
        status = tell(session, &answer);
        if (status != NITRO_OK)
            return status;
    }
    session->is_exhausted = session->num_awaited == 0;
    question->configuration = NITRO_NO_CONFIGURATION;
    return NITRO_OK;
}

nitro_status search_session_tell(search_session *session, const nitro_search_answer *answer)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < session->num_awaited; i++)
        if (session->awaited[i] == answer->configuration) {
            session->awaited[i] = session->awaited[--session->num_awaited];
            break;
        }
    bool is_new = !search_memo_find(&session->memo, answer->configuration);
    if (is_new)
        status = search_archive_put(&session->archive, answer);
    if (status != NITRO_OK)
        return status;
    note_cost(session, answer);
    if (is_new)
        status = note_answer(session, answer);
    return status == NITRO_OK ? tell(session, answer) : status;
}
