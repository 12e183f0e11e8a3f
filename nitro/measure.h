/* measure.h - measuring one input, as nitro/ itself uses it. */
#ifndef NITRO_MEASURE_H
#define NITRO_MEASURE_H

#include "nitro/nitro_backend.h"

/** How much of an input's work is wanted. */
typedef enum nitro_measure_extent {
    NITRO_MEASURE_ALL,          /* features, and a time for every variant */
    NITRO_MEASURE_FEATURES_ONLY /* load the input and evaluate its features; entries stay missing */
} nitro_measure_extent;

/** The defaults of nitro_tune_options_init. */
void nitro_measure_options_init(nitro_measure_options *options);

/** NITRO_OK, or NITRO_ERR_ARGUMENT naming the option and its value. */
nitro_status nitro_measure_options_check(nitro_context *context,
                                         const nitro_measure_options *options);

/**
 * nitro_measure_variants with a choice of extent. `options` are checked already.
 * @param[out] input_failed  on error: true when this input is to blame (it cannot be loaded, its
 *                           features not evaluated) and the next one is worth a try.
 */
nitro_status nitro_measure_input(nitro_computation *computation, const nitro_input *input,
                                 const nitro_measure_options *options, nitro_measure_extent extent,
                                 uint64_t variants, nitro_sample **sample, bool *input_failed);

#endif
