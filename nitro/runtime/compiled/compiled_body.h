/* compiled_body.h - the contents of a compiled model, for the files of this folder. */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_BODY_H
#define NITRO_RUNTIME_COMPILED_COMPILED_BODY_H

#include "nitro/runtime/compiled/compiled.h"
#include "nitro/runtime/compiled/compiled_forest.h"
#include "nitro/runtime/compiled/compiled_kernels.h"

#define NITRO_COMPILED_MAX_COLUMNS NITRO_MODEL_MAX_COLUMNS
/** Largest power of a block's kernel that a term may use. */
#define NITRO_COMPILED_MAX_POWER 8

/** Terms whose kernels are powers of one another, over all their vectors. */
typedef struct kernel_block {
    bool clamped;
    double gamma, scale;
    double gamma_error; /* ln 2 times the largest difference from an integer power */
    double floor;       /* of bounds: for kernels below 2^-100 */
    size_t num_columns;
    size_t columns[NITRO_COMPILED_MAX_COLUMNS]; /* shape [num_columns]: not constant */
    double largest[NITRO_COMPILED_MAX_COLUMNS]; /* shape [num_columns]: of vectors, scaled */
    size_t num_distinct, num_steps;             /* of vectors, and of their steps */
    size_t num_groups, num_sums;
    nitro_kernel_group groups[NITRO_SCORE_TERMS_MAX];
    size_t terms[NITRO_SCORE_TERMS_MAX];   /* shape [num_groups] */
    double weights[NITRO_SCORE_TERMS_MAX]; /* shape [num_groups]: sums of vectors' largest
                                              coefficients */
    uint16_t *lists;                       /* see nitro_kernel_rows */
    float *single_values;
    double *double_values;
} kernel_block;

typedef struct compiled_term {
    nitro_score_term_kind kind;
    double weight;
    double *bias; /* of kernels' outputs */
    const nitro_svm_classifier *svm;
    const nitro_forest *trees;
    nitro_compiled_forest *forest;
} compiled_term;

struct nitro_compiled {
    size_t num_variants;
    nitro_precision first;
    const nitro_kernel_engine *engine;
    size_t num_terms;
    compiled_term terms[NITRO_SCORE_TERMS_MAX];
    size_t num_blocks;
    kernel_block blocks[NITRO_SCORE_TERMS_MAX];
};

/** Set `first`, once all else is made. */
void nitro_compiled_try(const nitro_score_terms *terms, const bool *is_constant,
                        const double *constants, nitro_compiled *compiled);

/** Fill a block's lists and values.
 *  @param[in] vectors  shape [num_distinct x num_columns]: distinct vectors, not scaled.
 *  @param[in] sums     shape [num_sums x num_distinct]: their coefficients. */
nitro_status nitro_compiled_lay_out(nitro_context *context, const double *vectors,
                                    const double *sums, kernel_block *block);

#endif
