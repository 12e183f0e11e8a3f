/*
 * formula_set.h - several formulas over the same variables, some of which have a known value,
 * evaluated together: what is constant is computed beforehand, what occurs twice once. Values are
 * those of nitro_formula_evaluate, bit by bit. Internal to nitro/.
 */
#ifndef NITRO_RECORDS_FORMULA_SET_H
#define NITRO_RECORDS_FORMULA_SET_H

#include "nitro/records/formula.h"

typedef struct nitro_formula_set nitro_formula_set;

/**
 * @param[in]  formulas  shape [count]; all parsed with the same variables. Not needed afterwards.
 * @param[in]  known     values of the variables from index `num_open` on, to which it points.
 * @param[out] set       NULL where the formulas have more different steps than a set may have, some
 *                       hundreds: evaluate them one by one.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_formula_set_create(nitro_context *context, nitro_formula *const *formulas,
                                      size_t count, size_t num_open, const double *known,
                                      nitro_formula_set **set);
void nitro_formula_set_free(nitro_formula_set *set);

/**
 * @param[in]  variables  shape [num_open].
 * @param[out] values     shape [count]; NaN where a formula is undefined.
 * Allocates nothing; safe from any number of threads.
 */
void nitro_formula_set_evaluate(const nitro_formula_set *set, const double *variables,
                                double *values);

#endif
