/* matrix.h - builds an spmv argument from entries in any order; for readers and generators. */
#ifndef NITRO_APPS_SPMV_MATRIX_H
#define NITRO_APPS_SPMV_MATRIX_H

#include "nitro/nitro_backend.h"
#include "variants/spmv/spmv.h"

/** Entries of a matrix, in any order. Zero-initialise, then set the sizes. */
typedef struct nitro_spmv_entries {
    int64_t num_rows, num_cols;
    int64_t count, capacity;
    int32_t *rows;    /* shape [count], in [0, num_rows) */
    int32_t *columns; /* shape [count], in [0, num_cols) */
    double *values;   /* shape [count] */
} nitro_spmv_entries;

/** Reserve room for `capacity` entries. */
nitro_status nitro_spmv_entries_reserve(nitro_context *context, nitro_spmv_entries *entries,
                                        int64_t capacity);

/** Append an entry, growing as needed. The position must lie inside the matrix. */
nitro_status nitro_spmv_entries_add(nitro_context *context, nitro_spmv_entries *entries,
                                    int64_t row, int64_t column, double value);

void nitro_spmv_entries_free(nitro_spmv_entries *entries);

/**
 * Make the argument: CSR with ascending columns, entries at one position added up in the order in
 * which they came, x filled with a fixed pattern of numbers in [-1, 1), y zero.
 * @param[in]  entries  their arrays are taken or freed, also on error.
 * @param[out] spmv     free it with nitro_spmv_matrix_free.
 * @return NITRO_OK, NITRO_ERR_NO_MEMORY, or NITRO_ERR_FORMAT when a sum is not finite (`origin`
 *         names the matrix in the error).
 */
nitro_status nitro_spmv_matrix_create(nitro_context *context, const char *origin,
                                      nitro_spmv_entries *entries, nitro_spmv **spmv);

/** Free an argument that nitro_spmv_matrix_create made, and every format made for it. */
void nitro_spmv_matrix_free(nitro_spmv *spmv);

#endif
