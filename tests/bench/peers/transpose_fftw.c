/* FFTW's transposition in place. */
#include "bench/peers/transpose_fftw.h"

#include <fftw3.h>

void *transpose_fftw_plan(double *data, int64_t rows, int64_t cols)
{
    const fftw_iodim sides[] = {{(int)rows, (int)cols, 1}, {(int)cols, 1, (int)rows}};
    return fftw_plan_guru_r2r(0, NULL, 2, sides, data, data, NULL, FFTW_MEASURE);
}

void transpose_fftw_run(void *plan)
{
    fftw_execute(plan);
}

void transpose_fftw_free(void *plan)
{
    if (plan)
        fftw_destroy_plan(plan);
}
