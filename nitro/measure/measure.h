/* measure.h - measuring one input, as nitro/ itself uses it. */
#ifndef NITRO_MEASURE_MEASURE_H
#define NITRO_MEASURE_MEASURE_H

#include "nitro/nitro_backend.h"

struct nitro_profile_transfer;

/** The defaults of nitro_tune_options_init. */
void nitro_measure_options_init(nitro_measure_options *options);

/** NITRO_OK, or NITRO_ERR_ARGUMENT naming the option and its value. */
nitro_status nitro_measure_options_check(nitro_context *context,
                                         const nitro_measure_options *options);

/**
 * Can variants be timed so on the computation's kind of device?
 * @return NITRO_OK; NITRO_ERR_NOT_BUILT (there is no such kind); NITRO_ERR_ARGUMENT (it has no
 * clock of its own, or its caches cannot be flushed).
 */
nitro_status nitro_measure_device_check(const nitro_computation *computation,
                                        const nitro_measure_options *options);

/**
 * nitro_measure_variants, or without: all is checked already.
 * @param[in] device  its id; NULL: none, so the input is loaded and its features are evaluated, and
 *                    all entries stay missing.
 * @param[out] input_failed  on error: true when this input is to blame (it cannot be loaded, its
 *                           features not evaluated) and the next one is worth a try.
 */
nitro_status nitro_measure_input(nitro_computation *computation, const nitro_input *input,
                                 const char *device, const nitro_measure_options *options,
                                 uint64_t variants, nitro_sample **sample, bool *input_failed);

/**
 * Check some variants as measuring does, and have each profiled that may run and runs well. What
 * was collected is in `profiling`; entries say what became of the others.
 * @param[in] variants  bit v: variant v. The reference variant runs in any case.
 * @return as nitro_measure_input; what made the profiler unavailable, `*input_failed` then is
 *         false.
 */
nitro_status nitro_measure_profiles(nitro_computation *computation, const nitro_input *input,
                                    const nitro_measure_options *options, uint64_t variants,
                                    struct nitro_profile_transfer *profiling, nitro_sample **sample,
                                    bool *input_failed);

#endif
