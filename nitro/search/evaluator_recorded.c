/* Evaluates configurations from a recording. */
#include "nitro/nitro_backend.h"

static nitro_status evaluate_recorded(void *state, const nitro_search_question *question,
                                      nitro_search_answer *answer)
{
    const nitro_recording *recording = state;
    *answer = recording->answers[question->configuration];
    if (!question->profiled)
        answer->counters = NULL;
    return NITRO_OK;
}

static void close_nothing(void *state)
{
    (void)state;
}

nitro_evaluator nitro_evaluator_recorded(const nitro_recording *recording)
{
    return (nitro_evaluator){.name = "recorded",
                             .evaluate = evaluate_recorded,
                             .close = close_nothing,
                             .state = (void *)recording,
                             .counter_names = (const char *const *)recording->counter_names,
                             .num_counters = recording->num_counters};
}

void nitro_evaluator_close(nitro_evaluator *evaluator)
{
    if (evaluator->close)
        evaluator->close(evaluator->state);
    *evaluator = (nitro_evaluator){0};
}
