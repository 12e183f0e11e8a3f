/*
 * correction.h - what a few measured inputs say against a model that learnt from other devices: a
 * Gaussian process over its errors. Internal to nitro/.
 */
#ifndef NITRO_CORRECTION_H
#define NITRO_CORRECTION_H

#include "nitro/parts.h"

/**
 * The error of a model at x, expected from those at the measured inputs x_i:
 *     e(x) = sum_i c_i k(x, x_i),  k(a, b) = 0.3 + exp(-g |a - b|^2) + exp(-6 g |a - b|^2)
 * with g = 1.6 / columns: what holds for all inputs, for regions, and for neighbours. So ten inputs
 * teach how the device as a whole differs, and some hundred where.
 */
typedef struct nitro_correction nitro_correction;

/**
 * @param[in] columns  shape [num_inputs x num_columns], as the model sees them.
 * @param[in] errors   shape [num_inputs x num_variants]: what is to be added to the model's scores.
 * @param[out] correction  free with nitro_correction_free.
 */
nitro_status nitro_correction_fit(nitro_context *context, const double *columns,
                                  const double *errors, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, unsigned num_threads,
                                  nitro_correction **correction);
void nitro_correction_free(nitro_correction *correction);

/** Correct scores, shape [num_variants], in place. Allocates nothing; any number of threads. */
void nitro_correction_apply(const nitro_correction *correction, const double *columns,
                            double *scores);

/** The parts that it adds to a model's, borrowed: so a compiled model has them too. */
nitro_status nitro_correction_parts(nitro_context *context, const nitro_correction *correction,
                                    nitro_parts *parts);

/**
 * Which inputs to measure: one after the other the one that makes the errors most certain, at all
 * inputs together, each weighted by how much a wrong choice is to be feared there.
 * @param[in]  columns  shape [num_inputs x num_columns].
 * @param[in]  weights  shape [num_inputs], positive.
 * @param[out] chosen   shape [count]: indices, best first; count <= num_inputs. Beyond the first
 *                      thousand inputs they are taken as they come.
 */
nitro_status nitro_correction_plan(nitro_context *context, const double *columns,
                                   const double *weights, size_t num_inputs, size_t num_columns,
                                   size_t count, size_t *chosen);

/** To a model file, and back: {"wide": MACHINE, "narrow": MACHINE}, see kernel_machine.h. */
nitro_status nitro_correction_encode(nitro_context *context, const nitro_correction *correction,
                                     json_t **json);
nitro_status nitro_correction_decode(const nitro_json_place *place, const json_t *json,
                                     size_t num_columns, size_t num_variants,
                                     nitro_correction **correction);

#endif
