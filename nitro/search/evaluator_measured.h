/* evaluator_measured.h - evaluations in worker processes, as variants are measured. Internal. */
#ifndef NITRO_SEARCH_EVALUATOR_MEASURED_H
#define NITRO_SEARCH_EVALUATOR_MEASURED_H

#include "nitro/nitro_backend.h"

/**
 * Measure variant `run` of a computation on an input, on a device (NULL: the first).
 * @param[in,out] answer  its outcome, time, spread and cost are set.
 * @return NITRO_OK; an error: the input cannot be loaded, or the machine cannot measure.
 */
nitro_status evaluator_measure(nitro_computation *computation, const nitro_input *input,
                               const char *device, size_t run, const nitro_measure_options *options,
                               nitro_search_answer *answer);

#endif
