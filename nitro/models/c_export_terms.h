/* c_export_terms.h - score terms as C source. Internal to nitro/models. */
#ifndef NITRO_MODELS_C_EXPORT_TERMS_H
#define NITRO_MODELS_C_EXPORT_TERMS_H

#include <stdio.h>

#include "nitro/runtime/compiled/compiled_body.h"

/** A table in the making: `static const TYPE NAME_INDEX[] = {...};`. */
typedef struct nitro_source_table {
    FILE *out;
    size_t count;
} nitro_source_table;

nitro_source_table nitro_source_begin(FILE *out, const char *type, const char *name, size_t index);
/** Numbers are printed as the shortest decimals that give the same number again. */
void nitro_source_double(nitro_source_table *table, double number);
void nitro_source_float(nitro_source_table *table, float number);
void nitro_source_count(nitro_source_table *table, size_t number);
/** A node of a tree. */
void nitro_source_node(nitro_source_table *table, float threshold, size_t left, size_t column);
void nitro_source_end(nitro_source_table *table);

/** Whole tables. */
void nitro_source_doubles(FILE *out, const char *name, size_t index, const double *numbers,
                          size_t count);
void nitro_source_counts(FILE *out, const char *name, size_t index, const size_t *counts,
                         size_t count);

/**
 * Tables and functions of all terms, and
 *     static void find_scores(const double *x, double *scores);
 * with the terms' arithmetic, in the same order.
 */
void nitro_source_terms(FILE *out, const nitro_score_terms *terms);

/**
 * Tables and functions of kernels in single precision, after those of the terms, and
 *     static double estimate_scores(const double *x, double *scores);
 * which returns a bound of the scores' error.
 */
void nitro_source_blocks(FILE *out, const nitro_score_terms *terms, const nitro_compiled *compiled);

/* For the bodies of both functions: declares `own` and `pairs`, and sets the scores to 0; calls for
 * a forest; adds a term's scores, given `own` or, for kinds with votes, `pairs`. */
void nitro_source_begin_scores(FILE *out, const nitro_score_terms *terms);
void nitro_source_walk(FILE *out, const nitro_score_term *term, size_t index);
void nitro_source_add(FILE *out, const nitro_score_term *term, size_t index);

#endif
