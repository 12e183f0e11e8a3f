/* sparse.h - the public interface of a small sparse library; it does not show that Nitro is used.
 */
#ifndef SPARSE_H
#define SPARSE_H

#include <stddef.h>

/** A matrix in compressed rows. */
typedef struct sparse_matrix sparse_matrix;

/**
 * Create a matrix; the arrays are copied. Free it with sparse_free.
 * @param[in] offsets  shape [rows + 1], ascending from 0: where each row starts.
 * @param[in] columns  shape [offsets[rows]], each under `num_columns`.
 * @param[in] values   shape [offsets[rows]].
 * @return NULL when out of memory.
 */
sparse_matrix *sparse_create(size_t rows, size_t num_columns, const size_t *offsets,
                             const size_t *columns, const double *values);
void sparse_free(sparse_matrix *matrix);

/**
 * y = A x. Safe from any number of threads, also with the same matrix.
 * @return 0, or -1 when the multiplication failed.
 */
int spmv(sparse_matrix *matrix, const double *x, double *y);

/** The name of the algorithm that spmv uses for this matrix. Static storage. */
const char *spmv_algorithm(sparse_matrix *matrix);

#endif
