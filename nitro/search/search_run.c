/* Runs a search: asks the searcher, evaluates what it does not know yet, stores the answer, tells
 * the searcher. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/search.h"

/* Questions in a row whose answers are known: the searcher has nothing new to ask. */
#define MAX_REPEATED 10000

typedef struct search_run {
    nitro_context *context;
    const nitro_space *space;
    nitro_evaluator *evaluator;
    const nitro_search_options *options;
    const nitro_searcher *searcher;
    void *state;
    nitro_search_task task;
    search_memo stored; /* answers of earlier searches */
    search_memo memo;   /* answers of this one */
    search_archive archive;
    nitro_search_result *result;
    uint64_t num_evaluations; /* profiled runs of known configurations included */
    double spent_ms;
    size_t repeated, capacity; /* of the result's arrays */
} search_run;

/* Count what an evaluation cost. */
static void note_cost(search_run *run, const nitro_search_answer *answer)
{
    double cost = isnan(answer->cost_ms) ? answer->time_ms : answer->cost_ms;
    run->spent_ms += isnan(cost) ? 0 : cost;
    run->num_evaluations++;
}

static nitro_status note_answer(search_run *run, const nitro_search_answer *answer)
{
    nitro_search_result *result = run->result;
    size_t at = run->memo.count;
    if (at == run->capacity) {
        size_t capacity = run->capacity ? 2 * run->capacity : 256;
        double *seconds = realloc(result->seconds, capacity * sizeof(*seconds));
        result->seconds = seconds ? seconds : result->seconds;
        uint64_t *evaluations = realloc(result->evaluations, capacity * sizeof(*evaluations));
        result->evaluations = evaluations ? evaluations : result->evaluations;
        if (!seconds || !evaluations)
            return nitro_fail(run->context, NITRO_ERR_NO_MEMORY, "out of memory: evaluations");
        run->capacity = capacity;
    }
    result->seconds[at] = run->spent_ms / 1000;
    result->evaluations[at] = run->num_evaluations;
    if (answer->outcome == NITRO_OUTCOME_MEASURED &&
        (result->best == NITRO_NONE || answer->time_ms < run->memo.answers[result->best].time_ms))
        result->best = at;
    return search_memo_add(run->context, &run->memo, answer);
}

/* The answer to a question: known, stored, or evaluated and made durable. */
static nitro_status answer_question(search_run *run, const nitro_search_question *question,
                                    nitro_search_answer *answer)
{
    const nitro_search_answer *known = search_memo_find(&run->memo, question->configuration);
    bool is_new = !known;
    if (!known && !question->profiled) {
        known = search_memo_find(&run->stored, question->configuration);
        run->result->resumed += known != NULL;
    }
    if (known && !question->profiled) {
        *answer = *known;
        run->repeated = is_new ? 0 : run->repeated + 1;
        if (is_new)
            note_cost(run, answer);
        return is_new ? note_answer(run, answer) : NITRO_OK;
    }
    *answer = (nitro_search_answer){.configuration = question->configuration,
                                    .outcome = NITRO_OUTCOME_MISSING,
                                    .time_ms = (double)NAN,
                                    .spread = (double)NAN,
                                    .cost_ms = (double)NAN};
    nitro_status status = run->evaluator->evaluate(run->evaluator->state, question, answer);
    if (status == NITRO_OK && is_new)
        status = search_archive_put(&run->archive, answer);
    run->repeated = 0;
    note_cost(run, answer);
    return status == NITRO_OK && is_new ? note_answer(run, answer) : status;
}

static double seconds_left(const search_run *run)
{
    double limit = run->options->budget.seconds, done = (double)run->num_evaluations;
    double spent = run->spent_ms / 1000;
    double left = done > 0 ? spent / done * ((double)run->task.budget - done) : (double)NAN;
    return limit > 0 && !(left < limit - spent) ? limit - spent : left;
}

static void report(search_run *run)
{
    size_t best = run->result->best;
    nitro_search_progress progress = {
        .done = run->num_evaluations,
        .total = run->task.budget,
        .resumed = run->result->resumed,
        .seconds = run->spent_ms / 1000,
        .seconds_left = seconds_left(run),
        .last = run->memo.count > 0 ? &run->memo.answers[run->memo.count - 1] : NULL,
        .best = best == NITRO_NONE ? NULL : &run->memo.answers[best]};
    if (run->options->progress && !run->options->progress(run->options->progress_user, &progress))
        run->result->interrupted = true;
}

static bool is_finished(const search_run *run)
{
    const nitro_search_budget *budget = &run->options->budget;
    const nitro_search_result *result = run->result;
    return result->interrupted || run->num_evaluations >= run->task.budget ||
           run->repeated > MAX_REPEATED ||
           (budget->seconds > 0 && run->spent_ms >= 1000 * budget->seconds) ||
           (budget->good_ms > 0 && result->best != NITRO_NONE &&
            run->memo.answers[result->best].time_ms <= budget->good_ms);
}

static nitro_status run_steps(search_run *run)
{
    nitro_context *context = run->context;
    while (!is_finished(run)) {
        nitro_search_question question = {NITRO_NO_CONFIGURATION, false};
        nitro_search_answer answer;
        uint64_t before = run->num_evaluations;
        double start_ms = nitro_clock_thread_cpu_ms(context);
        nitro_status status = run->searcher->ask(run->state, &question);
        double asked_ms = nitro_clock_thread_cpu_ms(context) - start_ms;
        if (status != NITRO_OK || question.configuration == NITRO_NO_CONFIGURATION)
            return status;
        if (question.configuration >= nitro_space_size(run->space))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "searcher '%s' asked for a configuration outside the space",
                              run->searcher->name);
        status = answer_question(run, &question, &answer);
        if (status != NITRO_OK)
            return status;
        start_ms = nitro_clock_thread_cpu_ms(context);
        status = run->searcher->tell(run->state, &answer);
        asked_ms += nitro_clock_thread_cpu_ms(context) - start_ms;
        run->result->searcher_cpu_ms += asked_ms;
        if (status != NITRO_OK)
            return status;
        if (run->num_evaluations > before)
            report(run);
    }
    return NITRO_OK;
}

static nitro_status open_and_run(search_run *run)
{
    const char **values = NULL;
    char *text = NULL;
    nitro_status status = search_options_parse(run->context, run->searcher,
                                               run->options->searcher_options, &values, &text);
    if (status != NITRO_OK)
        return status;
    run->task.options = values;
    status =
        search_archive_open(run->context, run->space, run->options, &run->archive, &run->stored);
    if (status == NITRO_OK)
        status = run->searcher->open(run->context, &run->task, &run->state);
    if (status == NITRO_OK) {
        status = run_steps(run);
        run->searcher->close(run->state);
    }
    search_archive_close(&run->archive);
    search_memo_free(&run->stored);
    free(values);
    free(text);
    return status;
}

nitro_status nitro_search(nitro_context *context, const nitro_space *space,
                          nitro_evaluator *evaluator, const nitro_search_options *options,
                          nitro_search_result **result)
{
    search_run run = {.context = context,
                      .space = space,
                      .evaluator = evaluator,
                      .options = options,
                      .searcher = options->searcher ? options->searcher : nitro_searcher_default()};
    if (!run.searcher)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT, "this build has no searchers");
    run.task = (nitro_search_task){.space = space,
                                   .budget = search_budget_evaluations(&options->budget, space),
                                   .seed = options->seed,
                                   .starts = options->starts,
                                   .num_starts = options->num_starts,
                                   .counter_model = options->counter_model,
                                   .device = options->device,
                                   .counter_names = evaluator->counter_names,
                                   .num_counters = evaluator->num_counters};
    run.result = nitro_calloc(context, 1, sizeof(*run.result));
    if (!run.result)
        return NITRO_ERR_NO_MEMORY;
    run.result->best = NITRO_NONE;
    nitro_status status = open_and_run(&run);
    run.result->num_answers = run.memo.count;
    run.result->answers = run.memo.answers;
    free(run.memo.slots);
    if (status == NITRO_OK)
        *result = run.result;
    else
        nitro_search_result_free(run.result);
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
