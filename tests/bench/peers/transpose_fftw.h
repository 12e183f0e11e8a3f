/* transpose_fftw.h - FFTW's transposition in place, for comparison; a stub where FFTW is not. */
#ifndef NITRO_TESTS_BENCH_TRANSPOSE_FFTW_H
#define NITRO_TESTS_BENCH_TRANSPOSE_FFTW_H

#include <stdint.h>

/** A measured plan for a row-major matrix of doubles, whose elements it moves about; NULL: there is
 *  none. */
void *transpose_fftw_plan(double *data, int64_t rows, int64_t cols);
void transpose_fftw_run(void *plan);
/** NULL is allowed. */
void transpose_fftw_free(void *plan);

#endif
