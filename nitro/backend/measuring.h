/* measuring.h - measuring one input. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_MEASURING_H
#define NITRO_BACKEND_MEASURING_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Measure every variant of a computation on one input in worker processes, as nitro_tune() does, on
 * the first device of the computation's kind.
 * @param[in]  options  NULL: the defaults.
 * @param[out] sample  features and entries, also of failed variants; of the provenance only the
 * device's state and cache mode.
 * @return NITRO_OK even if every variant failed; an error if the input cannot be loaded, its
 * features cannot be evaluated, or the device cannot be opened or used for timing.
 */
NITRO_API nitro_status nitro_measure(nitro_computation *computation, const nitro_input *input,
                                     const nitro_measure_options *options, nitro_sample **sample);

/**
 * The same on a device by its id (of the computation's kind; NULL: the first one) for some
 * variants: bit v of `variants`: measure variant v. The reference variant is always measured; the
 * others' entries stay missing.
 */
NITRO_API nitro_status nitro_measure_variants(nitro_computation *computation,
                                              const nitro_input *input, const char *device,
                                              const nitro_measure_options *options,
                                              uint64_t variants, nitro_sample **sample);

/**
 * Add a digest of its machine code, and of the functions that it calls in the same object, to each
 * variant's version, so that times of other code are outdated. Measuring and storing do this.
 * Variants of Nitro's own, and on processors other than x86-64 and AArch64, keep the versions that
 * they declare.
 */
NITRO_API nitro_status nitro_computation_version_by_code(nitro_computation *computation);

/** Name of the variant that results are checked against; NULL: results are not checked. */
NITRO_API const char *nitro_computation_reference(const nitro_computation *computation);

#ifdef __cplusplus
}
#endif

#endif
