/* matrix_family.h - interface of one matrix family to generate_matrix.c. */
#ifndef NITRO_APPS_SPMV_MATRIX_FAMILY_H
#define NITRO_APPS_SPMV_MATRIX_FAMILY_H

#include "apps/spmv/matrix.h"

/** Parameters of a matrix; `a`, `b`, `c` and `ratio` depend on the family.
 */
typedef struct nitro_spmv_shape {
    int64_t num_rows, num_cols;
    int64_t a, b, c;
    double ratio;
    char label[64]; /* its sizes, for the name */
} nitro_spmv_shape;

/** Receives entries. After a failure, entries are ignored. */
typedef struct nitro_spmv_builder {
    nitro_context *context;
    nitro_spmv_entries *entries;
    nitro_random *random;
    nitro_status status;
} nitro_spmv_builder;

typedef struct nitro_spmv_family {
    const char *name;
    /** Draw a matrix of about `nonzeros` entries. */
    void (*plan)(nitro_random *random, double nonzeros, nitro_spmv_shape *shape);
    void (*build)(const nitro_spmv_shape *shape, nitro_spmv_builder *builder);
} nitro_spmv_family;

/** All families, ended by a NULL name. */
extern const nitro_spmv_family nitro_spmv_families[];

/** Entries of a star (a cross) or box stencil on a grid of a x b x c points. */
void nitro_spmv_build_star(const nitro_spmv_shape *shape, nitro_spmv_builder *builder);

#endif
