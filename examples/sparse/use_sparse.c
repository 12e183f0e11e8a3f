/* use_sparse.c - a user of the sparse library: multiplies by two matrices, from two threads. */
#include <pthread.h>
#include <stdio.h>

#include "sparse.h"

enum { ROWS = 1000 };

/** Multiply a band matrix with `length` ones a row by a vector of ones: y is `length` everywhere.
 */
static void *multiply(void *length)
{
    static const size_t most = 8;
    size_t offsets[ROWS + 1], columns[ROWS * 8], row_length = *(const size_t *)length;
    double values[ROWS * 8], x[ROWS], y[ROWS];
    if (row_length > most)
        return NULL;
    for (size_t row = 0; row < ROWS; row++) {
        x[row] = 1.0;
        for (size_t k = 0; k < row_length; k++) {
            columns[row * row_length + k] = (row + k) % ROWS;
            values[row * row_length + k] = 1.0;
        }
    }
    for (size_t row = 0; row <= ROWS; row++)
        offsets[row] = row * row_length;
    sparse_matrix *matrix = sparse_create(ROWS, ROWS, offsets, columns, values);
    void *right = NULL;
    if (matrix && spmv(matrix, x, y) == 0 && y[0] == (double)row_length && y[ROWS - 1] == y[0]) {
        printf("%zu a row: %s\n", row_length, spmv_algorithm(matrix));
        right = length;
    }
    sparse_free(matrix);
    return right;
}

int main(void)
{
    size_t lengths[] = {2, 8};
    void *right[2] = {NULL, NULL};
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, multiply, &lengths[i]) != 0)
            return 1;
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], &right[i]);
    return right[0] && right[1] ? 0 : 1;
}
