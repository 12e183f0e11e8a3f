/* matrix.h - sparse matrices as inputs of computations: CSR built from entries in any order; for
 * readers and generators. */
#ifndef NITRO_APPS_MATRIX_MATRIX_H
#define NITRO_APPS_MATRIX_MATRIX_H

#include "nitro/nitro_backend.h"

/** Most rows, and most columns: indices are 32 bits wide. */
#define NITRO_MATRIX_MAX_DIMENSION INT32_MAX

/** CSR, with ascending columns, none twice in a row. Arrays are free()d. */
typedef struct nitro_matrix {
    int64_t num_rows, num_cols, num_nonzeros;
    int64_t *row_offsets; /* shape [num_rows + 1] */
    int32_t *columns;     /* shape [num_nonzeros] */
    double *values;       /* shape [num_nonzeros]; NULL: a pattern */
} nitro_matrix;

/** Entries of a matrix, in any order. Zero-initialise, then set the sizes. */
typedef struct nitro_matrix_entries {
    int64_t num_rows, num_cols;
    int64_t count, capacity;
    int32_t *rows;    /* shape [count], in [0, num_rows) */
    int32_t *columns; /* shape [count], in [0, num_cols) */
    double *values;   /* shape [count] */
    bool is_pattern;  /* there are no values */
} nitro_matrix_entries;

/** Reserve room for `capacity` entries. */
nitro_status nitro_matrix_entries_reserve(nitro_context *context, nitro_matrix_entries *entries,
                                          int64_t capacity);

/** Append an entry, growing as needed. The position must lie inside the matrix. */
nitro_status nitro_matrix_entries_add(nitro_context *context, nitro_matrix_entries *entries,
                                      int64_t row, int64_t column, double value);

void nitro_matrix_entries_free(nitro_matrix_entries *entries);

/**
 * Make a matrix. Entries at one position are added up in the order in which they came.
 * @param[in]  entries  their arrays are taken or freed, also on error.
 * @param[out] matrix   free it with nitro_matrix_free.
 * @return NITRO_OK, NITRO_ERR_NO_MEMORY, or NITRO_ERR_FORMAT when a sum is not finite (`origin`
 *         names the matrix in the error).
 */
nitro_status nitro_matrix_create(nitro_context *context, const char *origin,
                                 nitro_matrix_entries *entries, nitro_matrix **matrix);

/** NULL is allowed. */
void nitro_matrix_free(nitro_matrix *matrix);

#endif
