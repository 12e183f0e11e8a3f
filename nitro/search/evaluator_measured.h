/* evaluator_measured.h - evaluations in worker processes, as variants are measured. Internal. */
#ifndef NITRO_SEARCH_EVALUATOR_MEASURED_H
#define NITRO_SEARCH_EVALUATOR_MEASURED_H

#include "nitro/nitro_backend.h"

/** What is known of the inputs of a search. */
typedef struct evaluator_inputs {
    bool vary;   /* each configuration makes its own: where one fails, others may not */
    bool made;   /* one was */
    bool warned; /* that one could not be made */
} evaluator_inputs;

/** Position of the variant that is measured in evaluator_declare's computation. */
#define EVALUATOR_RUN 1

/** A computation of the variant `run`, whose results are checked without a reference. */
nitro_status evaluator_declare(nitro_context *context, const char *name, const nitro_variant *run,
                               const nitro_hooks *hooks, nitro_computation **computation);

/**
 * Measure variant `run` of a computation on an input, on a device (NULL: the first).
 * @param[in,out] inputs  zeros but for `vary` before the first call.
 * @param[in,out] answer  its outcome, time and spread are set.
 * @return NITRO_OK, also if this configuration's input cannot be made but another's may be: the
 *         configuration is invalid, and the first one is warned of. An error: no input can be
 *         made, or the machine cannot measure.
 */
nitro_status evaluator_measure(nitro_computation *computation, const nitro_input *input,
                               const char *device, size_t run, const nitro_measure_options *options,
                               evaluator_inputs *inputs, nitro_search_answer *answer);

#endif
