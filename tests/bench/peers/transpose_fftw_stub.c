/* In place of transpose_fftw.c, where FFTW is not. */
#include <stddef.h>

#include "bench/peers/transpose_fftw.h"

void *transpose_fftw_plan(double *data, int64_t rows, int64_t cols)
{
    (void)data;
    (void)rows;
    (void)cols;
    return NULL;
}

void transpose_fftw_run(void *plan)
{
    (void)plan;
}

void transpose_fftw_free(void *plan)
{
    (void)plan;
}
