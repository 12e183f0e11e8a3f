/* measure_input.h - measures one input in blocks, or profiles its variants. */
#ifndef NITRO_MEASURE_MEASURE_INPUT_H
#define NITRO_MEASURE_MEASURE_INPUT_H

#include "nitro/nitro_backend.h"

struct nitro_received_profiles;

/** The defaults of nitro_tune_options_init. */
void nitro_measure_options_init(nitro_measure_options *options);

/** NITRO_OK, or NITRO_ERR_ARGUMENT naming the option and its value. */
nitro_status nitro_measure_options_check(nitro_context *context,
                                         const nitro_measure_options *options);

/**
 * Does the computation's kind of device support these options?
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (unknown kind of device); NITRO_ERR_ARGUMENT (it has no
 * clock of its own, or its caches cannot be flushed).
 */
nitro_status nitro_measure_device_check(const nitro_computation *computation,
                                        const nitro_measure_options *options);

/** Blocks of repetitions of one input, in one worker process while nothing breaks it. */
typedef struct nitro_measuring nitro_measuring;

/**
 * Prepare to measure an input.
 * @param[in] device   its id; NULL: only load the input and evaluate its features; all entries stay
 *                     missing. Borrowed, as all arguments, until nitro_measuring_free.
 * @param[in] repeats  keep the input in memory for further blocks.
 */
nitro_status nitro_measuring_create(nitro_computation *computation, const nitro_input *input,
                                    const char *device, const nitro_measure_options *options,
                                    bool repeats, nitro_measuring **measuring);

/**
 * Measure a block. A new worker also measures the reference variant.
 * @param[in] variants  a bit for each to be measured.
 * @param[out] sample   of this block; entries of the others are missing.
 * @param[out] input_failed  on error: true if the input cannot be loaded or evaluated, so that
 * others may succeed.
 */
nitro_status nitro_measuring_run(nitro_measuring *measuring, uint64_t variants,
                                 nitro_sample **sample, bool *input_failed);

/** Memory that its input takes between blocks; 0 if it is not kept. */
size_t nitro_measuring_memory(const nitro_measuring *measuring);

/** Unload the input, and free. NULL is allowed. */
void nitro_measuring_free(nitro_measuring *measuring);

/**
 * Check some variants as for timing, and profile those that pass. Results are in `profiles`;
 * entries describe the others.
 * @param[in] variants  bit v: variant v. The reference variant always runs.
 * @return as nitro_measuring_run; or why the profiler is unavailable, with `*input_failed` false.
 */
nitro_status nitro_measure_profiles(nitro_computation *computation, const nitro_input *input,
                                    const nitro_measure_options *options, uint64_t variants,
                                    struct nitro_received_profiles *profiles, nitro_sample **sample,
                                    bool *input_failed);

#endif
