/* Evaluates tunables: functions that read parameter values, timed and checked as variants. */
#include <math.h>
#include <stdlib.h>

#include "nitro/measure/measure_input.h"
#include "nitro/runtime/computation.h"
#include "nitro/search/evaluator_measured.h"

typedef struct tunable_state {
    nitro_context *context;
    const nitro_space *space;
    const nitro_tunable *tunable;
    nitro_input input;
    nitro_measure_options options;
    nitro_computation *computation;
    evaluator_inputs inputs;
    double values[NITRO_MAX_PARAMETERS]; /* of the configuration that is measured */
} tunable_state;

static int run_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

nitro_status evaluator_declare(nitro_context *context, const char *name, const nitro_variant *run,
                               const nitro_hooks *hooks, nitro_computation **computation)
{
    static const nitro_variant reference = {.name = "reference", .run = run_nothing};
    nitro_computation *made = NULL;
    nitro_status status = nitro_computation_create(context, name, &made);
    if (status == NITRO_OK)
        status = nitro_computation_add_variant(made, &reference);
    if (status == NITRO_OK)
        status = nitro_computation_add_variant(made, run);
    if (status == NITRO_OK)
        status = nitro_computation_set_hooks(made, hooks);
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}

nitro_status evaluator_measure(nitro_computation *computation, const nitro_input *input,
                               const char *device, size_t run, const nitro_measure_options *options,
                               evaluator_inputs *inputs, nitro_search_answer *answer)
{
    nitro_sample *sample = NULL;
    nitro_status status =
        nitro_measure_variants(computation, input, device, options, UINT64_C(1) << run, &sample);
    bool failed =
        status == NITRO_ERR_FORMAT || status == NITRO_ERR_NO_MEMORY || status == NITRO_ERR_IO;
    if (failed && (inputs->vary || inputs->made)) {
        char why[512];
        nitro_context *context = computation->context;
        nitro_context_last_error(context, why, sizeof(why));
        nitro_log(context, inputs->warned ? NITRO_LOG_INFO : NITRO_LOG_WARNING,
                  "a configuration failed: %s", why);
        inputs->warned = true;
        answer->outcome = NITRO_OUTCOME_FAILED;
        return NITRO_OK;
    }
    if (status != NITRO_OK)
        return status;
    inputs->made = true;
    const nitro_entry *entry = &sample->entries[run];
    answer->outcome = entry->outcome;
    answer->time_ms = entry->outcome == NITRO_OUTCOME_MEASURED ? entry->median_ms : (double)NAN;
    answer->spread = entry->spread;
    nitro_sample_free(sample);
    return NITRO_OK;
}

static int run_tunable(void *argument, void *user)
{
    const tunable_state *state = user;
    return state->tunable->run(argument, state->values, state->tunable->user);
}

static int check_tunable(void *argument, char *why, size_t size, void *user)
{
    const tunable_state *state = user;
    return state->tunable->check(argument, why, size, state->tunable->user);
}

static nitro_status load_tunable(nitro_context *context, void *place, void **argument)
{
    const tunable_state *state = place;
    if (state->tunable->load)
        return state->tunable->load(context, state->tunable->user, argument);
    return nitro_fail(context, NITRO_ERR_ARGUMENT, "tunable '%s' has no input and no function load",
                      state->tunable->name);
}

static nitro_status evaluate_tunable(void *place, const nitro_search_question *question,
                                     nitro_search_answer *answer)
{
    tunable_state *state = place;
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_space_indices(state->space, question->configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(state->space); p++)
        state->values[p] = nitro_space_parameter(state->space, p)->values[indices[p]].number;
    double start_ms = nitro_clock_wall_ms(state->context);
    nitro_status status = evaluator_measure(state->computation, &state->input, NULL, EVALUATOR_RUN,
                                            &state->options, &state->inputs, answer);
    answer->cost_ms = nitro_clock_wall_ms(state->context) - start_ms;
    return status;
}

static void close_tunable(void *place)
{
    tunable_state *state = place;
    nitro_computation_free(state->computation);
    free(state);
}

static nitro_status declare(tunable_state *state)
{
    const nitro_tunable *tunable = state->tunable;
    const nitro_variant run = {
        .name = "run", .version = tunable->version, .run = run_tunable, .user = state};
    const nitro_hooks hooks = {.check_result = tunable->check ? check_tunable : NULL,
                               .user = state};
    nitro_status status =
        evaluator_declare(state->context, tunable->name, &run, &hooks, &state->computation);
    return status == NITRO_OK
               ? nitro_computation_set_problem(state->computation, tunable->problem, tunable->user)
               : status;
}

nitro_status nitro_evaluator_tunable(nitro_context *context, const nitro_space *space,
                                     const nitro_tunable *tunable, const nitro_input *input,
                                     const nitro_measure_options *options,
                                     nitro_evaluator *evaluator)
{
    tunable_state *state = nitro_calloc(context, 1, sizeof(*state));
    if (!state)
        return NITRO_ERR_NO_MEMORY;
    *state = (tunable_state){.context = context, .space = space, .tunable = tunable};
    state->input = input ? *input
                         : (nitro_input){.name = tunable->name,
                                         .load = load_tunable,
                                         .unload = tunable->unload,
                                         .state = state};
    nitro_measure_options_init(&state->options);
    if (options)
        state->options = *options;
    nitro_status status = declare(state);
    if (status != NITRO_OK) {
        close_tunable(state);
        return status;
    }
    *evaluator = (nitro_evaluator){
        .name = "tunable", .evaluate = evaluate_tunable, .close = close_tunable, .state = state};
    return NITRO_OK;
}
