/*
 * Passes over all rows, in plain C, and with AVX2 where the machine has it. Neither fuses
 * multiplications with additions, and maxima do not depend on their order: both give the same bits.
 */
#include "nitro/smo_pass.h"

#include <math.h>
#include <stdint.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* ---- Plain --------------------------------------------------------------------------------- */

static double update_plain(const nitro_smo_rows *rows, const float *column_i, double a,
                           const float *column_j, double b)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < rows->padded; k++) {
        double change = (double)column_i[k] * a + (double)column_j[k] * b;
        rows->violation[k] -= change;
        rows->climb[k] = rows->violation[k] + rows->up_gate[k];
        largest = rows->climb[k] > largest ? rows->climb[k] : largest;
    }
    return largest;
}

static double promise_plain(const nitro_smo_rows *rows, const float *column_i, double largest,
                            double *difference)
{
    double most = 0.0, widest = 0.0;
    for (size_t k = 0; k < rows->padded; k++) {
        double d = (largest - rows->violation[k]) + rows->down_gate[k];
        double bend = 2.0 - 2.0 * (double)column_i[k];
        d = d > 0.0 ? d : 0.0;
        bend = bend > NITRO_SMO_SMALLEST_CURVATURE ? bend : NITRO_SMO_SMALLEST_CURVATURE;
        rows->decrease[k] = d * d / bend;
        most = rows->decrease[k] > most ? rows->decrease[k] : most;
        widest = d > widest ? d : widest;
    }
    *difference = widest;
    return most;
}

static size_t find_last_plain(const double *values, size_t count, double wanted)
{
    while (count > 0 && values[count - 1] != wanted)
        count--;
    return count > 0 ? count - 1 : SIZE_MAX;
}

static const nitro_smo_passes plain = {update_plain, promise_plain, find_last_plain};

/* ---- AVX2: two times four rows at once ----------------------------------------------------- */

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline double largest_of(__m256d a, __m256d b)
{
    double lanes[4];
    _mm256_storeu_pd(lanes, _mm256_max_pd(a, b));
    double low = lanes[0] > lanes[1] ? lanes[0] : lanes[1];
    double high = lanes[2] > lanes[3] ? lanes[2] : lanes[3];
    return low > high ? low : high;
}

AVX2 static inline __m256d widen(const float *values)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(values));
}

AVX2 static inline __m256d update_four(const nitro_smo_rows *rows, size_t k, __m256d change)
{
    __m256d violation = _mm256_sub_pd(_mm256_loadu_pd(rows->violation + k), change);
    __m256d climb = _mm256_add_pd(violation, _mm256_loadu_pd(rows->up_gate + k));
    _mm256_storeu_pd(rows->violation + k, violation);
    _mm256_storeu_pd(rows->climb + k, climb);
    return climb;
}

AVX2 static double update_avx2(const nitro_smo_rows *rows, const float *column_i, double a,
                               const float *column_j, double b)
{
    __m256d as = _mm256_set1_pd(a), bs = _mm256_set1_pd(b);
    __m256d largest[2] = {_mm256_set1_pd(-INFINITY), _mm256_set1_pd(-INFINITY)};
    for (size_t k = 0; k < rows->padded; k += NITRO_SMO_LANES)
        for (size_t half = 0; half < 2; half++) {
            size_t at = k + 4 * half;
            __m256d change = _mm256_add_pd(_mm256_mul_pd(widen(column_i + at), as),
                                           _mm256_mul_pd(widen(column_j + at), bs));
            largest[half] = _mm256_max_pd(update_four(rows, at, change), largest[half]);
        }
    return largest_of(largest[0], largest[1]);
}

AVX2 static double promise_avx2(const nitro_smo_rows *rows, const float *column_i, double largest,
                                double *difference)
{
    const __m256d zero = _mm256_setzero_pd(), two = _mm256_set1_pd(2.0);
    const __m256d least = _mm256_set1_pd(NITRO_SMO_SMALLEST_CURVATURE);
    const __m256d largests = _mm256_set1_pd(largest);
    __m256d most[2] = {zero, zero}, widest[2] = {zero, zero};
    for (size_t k = 0; k < rows->padded; k += NITRO_SMO_LANES)
        for (size_t half = 0; half < 2; half++) {
            size_t at = k + 4 * half;
            __m256d d = _mm256_sub_pd(largests, _mm256_loadu_pd(rows->violation + at));
            d = _mm256_max_pd(_mm256_add_pd(d, _mm256_loadu_pd(rows->down_gate + at)), zero);
            __m256d bend = _mm256_sub_pd(two, _mm256_mul_pd(two, widen(column_i + at)));
            __m256d decrease = _mm256_div_pd(_mm256_mul_pd(d, d), _mm256_max_pd(bend, least));
            _mm256_storeu_pd(rows->decrease + at, decrease);
            most[half] = _mm256_max_pd(decrease, most[half]);
            widest[half] = _mm256_max_pd(d, widest[half]);
        }
    *difference = largest_of(widest[0], widest[1]);
    return largest_of(most[0], most[1]);
}

AVX2 static size_t find_last_avx2(const double *values, size_t count, double wanted)
{
    const __m256d sought = _mm256_set1_pd(wanted);
    for (size_t k = count; k > 0; k -= 4) {
        __m256d same = _mm256_cmp_pd(_mm256_loadu_pd(values + k - 4), sought, _CMP_EQ_OQ);
        unsigned found = (unsigned)_mm256_movemask_pd(same);
        if (found)
            return k - 4 + (31 - (size_t)__builtin_clz(found));
    }
    return SIZE_MAX;
}

static const nitro_smo_passes avx2 = {update_avx2, promise_avx2, find_last_avx2};
#endif

const nitro_smo_passes *nitro_smo_choose_passes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &plain;
}
