/*
 * The solver's passes over all rows, in plain C and with AVX2. CV-DFS takes 1.8 to 4.6 times, and
 * the training of svm and svm-cost 1.6 to 5 times as long with the plain ones (nitro-bench
 * smo). Neither fuses multiplications with additions, and maxima do not depend on their order:
 * both give the same bits. With AVX2 quotients are estimated first and divided only where estimates
 * are too close.
 */
#include "nitro/learn/svm/smo_pass.h"

#include <float.h>
#include <math.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define NONE SIZE_MAX

static double find_decrease(const nitro_smo_rows *rows, const float *column_i, double largest,
                            size_t k)
{
    double d = largest - rows->violation[k], curvature = 2.0 - 2.0 * (double)column_i[k];
    if (!(rows->down_cap[k] > 0) || !(d > 0))
        return 0.0;
    return d * d / (curvature > 0 ? curvature : NITRO_SMO_SMALLEST_CURVATURE);
}

static double update_plain(const nitro_smo_rows *rows, const float *column_i, double a,
                           const float *column_j, double b)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < rows->padded; k++) {
        rows->violation[k] -= (double)column_i[k] * a + (double)column_j[k] * b;
        if (rows->up_cap[k] > 0 && rows->violation[k] > largest)
            largest = rows->violation[k];
    }
    return largest;
}

static size_t find_first_plain(const nitro_smo_rows *rows, double largest)
{
    size_t k = rows->padded;
    while (k > 0 && !(rows->up_cap[k - 1] > 0 && rows->violation[k - 1] == largest))
        k--;
    return k > 0 ? k - 1 : NONE;
}

static size_t find_second_plain(const nitro_smo_rows *rows, const float *column_i, double largest)
{
    double most = 0.0;
    size_t found = NONE;
    for (size_t k = 0; k < rows->padded; k++) {
        double decrease = find_decrease(rows, column_i, largest, k);
        if (decrease > 0.0 && decrease >= most) {
            found = k;
            most = decrease;
        }
    }
    return found;
}

const nitro_smo_passes nitro_smo_plain_passes = {update_plain, find_first_plain, find_second_plain};

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2")))

/** Two columns, and by how much y times alpha of their rows changes. */
typedef struct column_change {
    const float *column_i, *column_j;
    __m256d a, b;
} column_change;

AVX2 static inline __m256d move_four(double *violation, const column_change *change, size_t k)
{
    __m256d of_i = _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(change->column_i + k)), change->a);
    __m256d of_j = _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(change->column_j + k)), change->b);
    __m256d moved = _mm256_sub_pd(_mm256_loadu_pd(violation + k), _mm256_add_pd(of_i, of_j));
    _mm256_storeu_pd(violation + k, moved);
    return moved;
}

AVX2 static inline __m256d climb_four(__m256d violation, const double *up_cap)
{
    return _mm256_min_pd(violation, _mm256_loadu_pd(up_cap));
}

AVX2 static double update_avx2(const nitro_smo_rows *rows, const float *column_i, double a,
                               const float *column_j, double b)
{
    const column_change change = {column_i, column_j, _mm256_set1_pd(a), _mm256_set1_pd(b)};
    double *restrict violation = rows->violation, *restrict extremes = rows->extremes;
    const double *restrict cap = rows->up_cap;
    __m256d largest = _mm256_set1_pd(-INFINITY);
    for (size_t k = 0; k < rows->padded; k += NITRO_SMO_BLOCK) {
        __m256d v0 = climb_four(move_four(violation, &change, k), cap + k);
        __m256d v1 = climb_four(move_four(violation, &change, k + 4), cap + k + 4);
        __m256d v2 = climb_four(move_four(violation, &change, k + 8), cap + k + 8);
        __m256d v3 = climb_four(move_four(violation, &change, k + 12), cap + k + 12);
        __m256d most = _mm256_max_pd(_mm256_max_pd(v0, v1), _mm256_max_pd(v2, v3));
        _mm256_storeu_pd(extremes + k / 4, most);
        largest = _mm256_max_pd(largest, most);
    }
    largest = _mm256_max_pd(largest, _mm256_permute4x64_pd(largest, 0x4e));
    largest = _mm256_max_pd(largest, _mm256_permute_pd(largest, 0x5));
    return _mm256_cvtsd_f64(largest);
}

/** The last of a block's rows that may grow with the violation sought. */
AVX2 static size_t last_equal(const nitro_smo_rows *rows, size_t block, __m256d sought)
{
    unsigned mask = 0;
    for (unsigned q = 0; q < NITRO_SMO_BLOCK; q += 4) {
        __m256d climb =
            climb_four(_mm256_loadu_pd(rows->violation + block + q), rows->up_cap + block + q);
        mask |= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(climb, sought, _CMP_EQ_OQ)) << q;
    }
    return block + 31 - (size_t)__builtin_clz(mask);
}

AVX2 static size_t find_first_avx2(const nitro_smo_rows *rows, double largest)
{
    const __m256d sought = _mm256_set1_pd(largest);
    for (size_t block = rows->padded; block > 0;) {
        block -= NITRO_SMO_BLOCK;
        __m256d extremes = _mm256_loadu_pd(rows->extremes + block / 4);
        if (_mm256_movemask_pd(_mm256_cmp_pd(extremes, sought, _CMP_EQ_OQ)))
            return last_equal(rows, block, sought);
    }
    return NONE;
}

typedef struct estimator {
    const double *violation;
    const float *down_cap, *column;
    float *decrease;
    __m256d largest;
} estimator;

/** d of eight rows; 0 where it is negative or the row may not shrink. */
AVX2 static inline __m256 differences(const estimator *e, size_t k)
{
    __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(e->largest, _mm256_loadu_pd(e->violation + k)));
    __m128 high = _mm256_cvtpd_ps(_mm256_sub_pd(e->largest, _mm256_loadu_pd(e->violation + k + 4)));
    __m256 d = _mm256_min_ps(_mm256_set_m128(high, low), _mm256_loadu_ps(e->down_cap + k));
    return _mm256_max_ps(d, _mm256_setzero_ps());
}

/** Estimates of d^2 / (2 - 2 K_i) of eight rows. */
AVX2 static inline __m256 estimate(const estimator *e, size_t k)
{
    __m256 d = differences(e, k), kernel = _mm256_loadu_ps(e->column + k);
    __m256 curvature = _mm256_sub_ps(_mm256_set1_ps(2.0F), _mm256_add_ps(kernel, kernel));
    curvature = _mm256_max_ps(curvature, _mm256_set1_ps((float)NITRO_SMO_SMALLEST_CURVATURE));
    __m256 decrease = _mm256_mul_ps(_mm256_mul_ps(d, d), _mm256_rcp_ps(curvature));
    _mm256_storeu_ps(e->decrease + k, decrease);
    return decrease;
}

/** The largest of all estimates. */
AVX2 static float estimate_all(const nitro_smo_rows *rows, const float *column_i, double largest)
{
    const estimator e = {rows->violation, rows->down_cap, column_i, rows->decrease,
                         _mm256_set1_pd(largest)};
    __m256 most = _mm256_setzero_ps();
    for (size_t k = 0, padded = rows->padded; k < padded; k += 8)
        most = _mm256_max_ps(most, estimate(&e, k));
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(most), _mm256_extractf128_ps(most, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

AVX2 static inline unsigned lanes_reaching(__m256 values, __m256 bound)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(values, bound, _CMP_GE_OQ));
}

/** Bit k: estimate k reaches the bound; of at most 64. */
AVX2 static inline uint64_t reaching_rows(const float *decrease, size_t count, __m256 bound)
{
    uint64_t mask = 0;
    for (unsigned k = 0; k < 64 && k < count; k += NITRO_SMO_BLOCK)
        mask |= (uint64_t)(lanes_reaching(_mm256_loadu_ps(decrease + k), bound) |
                           lanes_reaching(_mm256_loadu_ps(decrease + k + 8), bound) << 8)
                << k;
    return mask;
}

/** The row of the largest quotient among those whose estimates reach the bound. */
AVX2 static size_t find_among(const nitro_smo_rows *rows, const float *column_i, double largest,
                              __m256 bound)
{
    size_t found = NONE;
    double most = 0.0;
    for (size_t k = 0; k < rows->padded; k += 64) {
        uint64_t mask = reaching_rows(rows->decrease + k, rows->padded - k, bound);
        for (; mask; mask &= mask - 1) {
            size_t row = k + (size_t)__builtin_ctzll(mask);
            double decrease = find_decrease(rows, column_i, largest, row);
            if (decrease >= most) {
                found = row;
                most = decrease;
            }
        }
    }
    return found;
}

/* The relative error of estimates is below 1.5 * 2^-12 + 5 * 2^-24: the largest quotient's estimate
 * reaches the bound. */
AVX2 static size_t find_second_avx2(const nitro_smo_rows *rows, const float *column_i,
                                    double largest)
{
    float most = estimate_all(rows, column_i, largest);
    return most >= FLT_MIN
               ? find_among(rows, column_i, largest, _mm256_set1_ps(most * (1.0F - 0x1p-10F)))
               : NONE;
}

static const nitro_smo_passes avx2 = {update_avx2, find_first_avx2, find_second_avx2};
#endif

const nitro_smo_passes *nitro_smo_choose_passes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &nitro_smo_plain_passes;
}
