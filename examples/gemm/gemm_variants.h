/* gemm_variants.h - C = A B of matrices of doubles, stored by rows: the argument and its variants.
 */
#ifndef GEMM_VARIANTS_H
#define GEMM_VARIANTS_H

#include <nitro/computation_kit.h>

typedef struct gemm_call { /* zeroed before its use */
    int64_t num_rows, num_columns, depth;
    const double *a;    /* shape [num_rows x depth] */
    const double *b;    /* shape [depth x num_columns] */
    double *c;          /* shape [num_rows x num_columns] */
    double *transposed; /* B by columns; NULL: not yet */
    double *packed;     /* B in panels of columns, the last one padded; NULL: not yet */
    nitro_kept *kept;   /* for the kit */
} gemm_call;

#define GEMM_NUM_VARIANTS 4
/** The first one is the default. */
extern const nitro_variant *const gemm_variants[GEMM_NUM_VARIANTS];
/** Frees B's other formats. */
void gemm_release(void *argument);

#endif
