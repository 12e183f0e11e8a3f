/* Runs a search with an evaluator. */
#include <math.h>
#include <stdlib.h>

#include "nitro/search/search.h"

static double seconds_left(const search_session *session)
{
    double limit = session->budget.seconds, done = (double)session->num_evaluations;
    double spent = session->spent_ms / 1000;
    double left = done > 0 ? spent / done * ((double)session->task.budget - done) : (double)NAN;
    return limit > 0 && !(left < limit - spent) ? limit - spent : left;
}

/* False: the user stops the search. */
static bool report(const search_session *session, const nitro_search_options *options)
{
    const search_memo *memo = &session->memo;
    nitro_search_progress progress = {.done = session->num_evaluations,
                                      .total = session->task.budget,
                                      .resumed = session->num_stored,
                                      .seconds = session->spent_ms / 1000,
                                      .seconds_left = seconds_left(session),
                                      .last =
                                          memo->count > 0 ? &memo->answers[memo->count - 1] : NULL,
                                      .best = search_session_best(session)};
    return !options->progress || options->progress(options->progress_user, &progress);
}

/* Asks, evaluates and tells until finished, or the options' `progress` stops it. */
static nitro_status run(search_session *session, nitro_evaluator *evaluator,
                        const nitro_search_options *options, bool *is_interrupted)
{
    *is_interrupted = false;
    while (!*is_interrupted) {
        nitro_search_question question;
        bool is_known;
        nitro_status status = search_session_ask(session, &question, &is_known);
        if (status != NITRO_OK || question.configuration == NITRO_NO_CONFIGURATION)
            return status;
        if (!is_known) {
            nitro_search_answer answer = nitro_search_unanswered(question.configuration);
            status = evaluator->evaluate(evaluator->state, &question, &answer);
            if (status == NITRO_OK)
                status = search_session_tell(session, &answer);
            if (status != NITRO_OK)
                return status;
        }
        *is_interrupted = !report(session, options);
    }
    return NITRO_OK;
}

nitro_status nitro_search(nitro_context *context, const nitro_space *space,
                          nitro_evaluator *evaluator, const nitro_search_options *options,
                          nitro_search_result **result)
{
    search_session session;
    nitro_search_result *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = search_session_open(context, space, options, evaluator->counter_names,
                                              evaluator->num_counters, &session);
    if (status == NITRO_OK)
        status = run(&session, evaluator, options, &made->interrupted);
    if (status == NITRO_OK) {
        made->num_answers = session.memo.count;
        made->answers = session.memo.answers;
        made->seconds = session.seconds;
        made->evaluations = session.evaluations;
        made->best = session.best;
        made->resumed = session.num_stored;
        made->searcher_cpu_ms = session.searcher_cpu_ms;
        session.memo.answers = NULL;
        session.seconds = NULL;
        session.evaluations = NULL;
        *result = made;
    } else {
        free(made);
    }
    search_session_close(&session);
    return status;
}

void nitro_search_result_free(nitro_search_result *result)
{
    if (!result)
        return;
    free(result->answers);
    free(result->seconds);
    free(result->evaluations);
    free(result);
}
