/* matrix_inputs.h - matrices as a kind of inputs, which several computations share: Matrix Market
 * files, and families of generated ones. */
#ifndef NITRO_APPS_MATRIX_MATRIX_INPUTS_H
#define NITRO_APPS_MATRIX_MATRIX_INPUTS_H

#include "apps/matrix/matrix.h"
#include "nitro/computation_kit.h"

/** Parameters of a matrix; `a`, `b`, `c` and `ratio` depend on the family.
 */
typedef struct nitro_matrix_shape {
    int64_t num_rows, num_cols;
    int64_t a, b, c;
    double ratio;
    char label[64]; /* its sizes, for the name */
} nitro_matrix_shape;

/** Receives entries. After a failure, entries are ignored. */
typedef struct nitro_matrix_builder {
    nitro_context *context;
    nitro_matrix_entries *entries;
    nitro_random *random;
    nitro_status status;
} nitro_matrix_builder;

typedef struct nitro_matrix_family {
    const char *name;
    /** Draw a matrix of about `nonzeros` entries. */
    void (*plan)(nitro_random *random, double nonzeros, nitro_matrix_shape *shape);
    void (*build)(const nitro_matrix_shape *shape, nitro_matrix_builder *builder);
} nitro_matrix_family;

#define NITRO_MATRIX_NUM_FAMILIES 17
extern const nitro_matrix_family nitro_matrix_families[NITRO_MATRIX_NUM_FAMILIES];

/** Build a planned matrix; `name` is for errors. */
nitro_status nitro_matrix_build(nitro_context *context, const nitro_matrix_family *family,
                                const nitro_matrix_shape *shape, nitro_random *random,
                                const char *name, nitro_matrix **matrix);

/** Sizes are numbers of non-zeros, from 30 to 1,000,000 as a rule; data is a nitro_matrix. */
extern const nitro_kit_inputs nitro_matrix_inputs;
/** Its `load`: a Matrix Market file. */
nitro_status nitro_matrix_load(nitro_context *context, const char *path, void **data);

/** @return NITRO_OK, or NITRO_ERR_FORMAT: "`origin`: the matrix is 2 x 3, and `what` needs a square
 *          one". */
nitro_status nitro_matrix_check_square(nitro_context *context, const char *origin,
                                       const nitro_matrix *matrix, const char *what);

#endif
