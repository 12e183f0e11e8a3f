/* sparse.h - a small sparse library, as its users see it: nothing here shows that it chooses. */
#ifndef SPARSE_H
#define SPARSE_H

#include <stddef.h>

/** A matrix in compressed rows; made by sparse_create, which copies what it is given. */
typedef struct sparse_matrix sparse_matrix;

/**
 * @param[in] offsets  shape [rows + 1], ascending from 0: where each row starts.
 * @param[in] columns  shape [offsets[rows]], each under `num_columns`.
 * @param[in] values   shape [offsets[rows]].
 * @return NULL when out of memory.
 */
sparse_matrix *sparse_create(size_t rows, size_t num_columns, const size_t *offsets,
                             const size_t *columns, const double *values);
void sparse_free(sparse_matrix *matrix);

/**
 * y = A x. Any number of threads may multiply at once, by one matrix too.
 * @return 0, or -1 when the multiplication failed.
 */
int spmv(sparse_matrix *matrix, const double *x, double *y);

/** The algorithm that spmv takes for this matrix, for the curious. */
const char *spmv_algorithm(sparse_matrix *matrix);

#endif
