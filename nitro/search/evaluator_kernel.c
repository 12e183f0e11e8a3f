/* Evaluates configurations of kernels that are compiled at run time: workers inherit the values. */
#include <stdlib.h>

#include "nitro/kernels.h"
#include "nitro/measure/measure_input.h"
#include "nitro/search/evaluator_measured.h"

typedef struct kernel_state {
    nitro_context *context;
    const nitro_space *space;
    nitro_computation *computation;
    size_t variant;
    const nitro_kernel *kernel;
    nitro_input input;
    const char *device;
    nitro_measure_options options;
    evaluator_inputs inputs;
} kernel_state;

static nitro_status evaluate(void *place, const nitro_search_question *question,
                             nitro_search_answer *answer)
{
    kernel_state *state = place;
    uint16_t indices[NITRO_MAX_PARAMETERS];
    const char *values[NITRO_MAX_PARAMETERS];
    nitro_space_indices(state->space, question->configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(state->space); p++)
        values[p] = nitro_space_parameter(state->space, p)->values[indices[p]].text;
    double start_ms = nitro_clock_wall_ms(state->context);
    nitro_status status = nitro_kernel_configure(state->context, state->kernel, values);
    if (status == NITRO_OK)
        status = evaluator_measure(state->computation, &state->input, state->device, state->variant,
                                   &state->options, &state->inputs, answer);
    answer->cost_ms = nitro_clock_wall_ms(state->context) - start_ms;
    return status;
}

static void close_kernel(void *place)
{
    kernel_state *state = place;
    nitro_kernel_configure(state->context, state->kernel, NULL);
    free(state);
}

nitro_status nitro_evaluator_kernel(nitro_context *context, const nitro_space *space,
                                    nitro_computation *computation, size_t variant,
                                    const nitro_input *input, const char *device,
                                    const nitro_measure_options *options,
                                    nitro_evaluator *evaluator)
{
    const nitro_kernel *kernel = nitro_kernel_of(computation, variant);
    if (!kernel)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "variant %zu of %s is not a kernel compiled at run time", variant,
                          nitro_computation_name(computation));
    kernel_state *state = nitro_calloc(context, 1, sizeof(*state));
    if (!state)
        return NITRO_ERR_NO_MEMORY;
    *state = (kernel_state){.context = context,
                            .space = space,
                            .computation = computation,
                            .variant = variant,
                            .kernel = kernel,
                            .input = *input,
                            .device = device};
    nitro_measure_options_init(&state->options);
    if (options)
        state->options = *options;
    *evaluator = (nitro_evaluator){
        .name = "kernel", .evaluate = evaluate, .close = close_kernel, .state = state};
    return NITRO_OK;
}
