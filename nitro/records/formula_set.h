/*
 * formula_set.h - several formulas over the same variables, evaluated together with constants
 * folded and common subexpressions shared. Values are bit-identical to nitro_expression_evaluate's.
 * Internal to nitro/.
 */
#ifndef NITRO_RECORDS_FORMULA_SET_H
#define NITRO_RECORDS_FORMULA_SET_H

#include "nitro/records/formula.h"

typedef struct nitro_formula_set nitro_formula_set;

/**
 * @param[in]  formulas  shape [count]; all parsed with the same variables; not kept.
 * @param[in]  known     values of the variables from index `num_open` on.
 * @param[out] set       NULL if the formulas have too many distinct steps (some hundreds): evaluate
 *                       them one by one.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_formula_set_create(nitro_context *context, nitro_expression *const *formulas,
                                      size_t count, size_t num_open, const double *known,
                                      nitro_formula_set **set);
void nitro_formula_set_free(nitro_formula_set *set);

/**
 * @param[in]  variables  shape [num_open].
 * @param[out] values     shape [count]; NaN if a formula is undefined.
 * Allocates nothing; safe from any number of threads.
 */
void nitro_formula_set_evaluate(const nitro_formula_set *set, const double *variables,
                                double *values);

#endif
