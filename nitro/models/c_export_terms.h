/* c_export_terms.h - score terms as C source. Internal to c_export.c and c_export_terms.c. */
#ifndef NITRO_MODELS_C_EXPORT_TERMS_H
#define NITRO_MODELS_C_EXPORT_TERMS_H

#include <stdio.h>

#include "nitro/runtime/scores/score_terms.h"

/** A table of numbers, exact (hexadecimal), as `static const double NAME[]`. */
void nitro_source_numbers(FILE *out, const char *name, const double *numbers, size_t count);

/** Tables and functions of all terms, and `static void find_scores(const double *x, double
 * *scores)`. */
void nitro_source_parts(FILE *out, const nitro_score_terms *terms);

#endif
