/*
 * Bench "spmv": what share of the machine's memory bandwidth each variant turns into results. The
 * matrix is a 7-point stencil on 160^3 points, 4.1 million rows and 28.5 million non-zeros: ten
 * times a 32 MiB cache. The reference is the fastest of three copies (a plain loop, memcpy,
 * non-temporal stores) with as many threads, bytes read and written counted. As in STREAM, the best
 * run of many counts, in turns; times over the naive loop are medians.
 *
 * Effective bandwidth counts what the product cannot do without: 12 bytes a non-zero, 8 a column
 * (x), 8 a row (y), and 8 a row more where the format has row offsets (csr, csr_vector). Padding
 * does not count, so that formats that pad have to earn it; dia, which has no column indices, may
 * come out above what it moves.
 *
 * spmv_compare.c adds a comparison with other libraries. NITRO_BENCH_NONZEROS=LOW-HIGH leaves out
 * matrices of other sizes; NITRO_BENCH_MKL is the path of libmkl_rt.so where the loader does not
 * find it ('pip install mkl'); NITRO_BENCH_MATRICES is a folder of Matrix Market files.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "apps/matrix/matrix.h"
#include "bench/bench.h"
#include "bench/spmv_compare.h"
#include "unit/spmv_inputs.h"

#define STENCIL_SIDE     160
#define STENCIL_NONZEROS 28.5e6
#define LONG_NONZEROS    4e6
#define COPY_DOUBLES     ((size_t)32 << 20) /* 256 MiB from, 256 MiB to */
#define MIN_ROUNDS       15
#define BUDGET_MS        8000

typedef struct copy {
    double *from, *to;
    void (*copy_part)(double *to, const double *from, size_t count);
} copy;

static void copy_loop(double *restrict to, const double *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void copy_memcpy(double *to, const double *from, size_t count)
{
    memcpy(to, from, count * sizeof(*to));
}

static void copy_streaming(double *to, const double *from, size_t count)
{
#ifdef __SSE2__
    for (size_t i = 0; i < count; i += 2)
        _mm_stream_pd(to + i, _mm_load_pd(from + i));
    _mm_sfence();
#else
    copy_memcpy(to, from, count);
#endif
}

static void run_copy(void *state)
{
    const copy *c = state;
#pragma omp parallel
    {
        size_t parts = (size_t)omp_get_num_threads(), part = (size_t)omp_get_thread_num();
        size_t share = COPY_DOUBLES / parts / 8 * 8, begin = share * part;
        c->copy_part(c->to + begin, c->from + begin,
                     part + 1 == parts ? COPY_DOUBLES - begin : share);
    }
}

typedef struct product {
    const nitro_variant *variant; /* NULL: the naive loop */
    nitro_spmv *spmv;
} product;

/* What a program without any library would do. */
static void multiply_naively(const nitro_spmv *spmv)
{
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        double sum = 0;
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            sum += spmv->values[k] * spmv->x[spmv->columns[k]];
        spmv->y[row] = sum;
    }
}

static void run_product(void *state)
{
    const product *p = state;
    if (p->variant)
        p->variant->run(p->spmv, p->variant->user);
    else
        multiply_naively(p->spmv);
}

static const nitro_variant *const variants[] = {
    &nitro_spmv_variant_csr,   &nitro_spmv_variant_csr_vector,   &nitro_spmv_variant_dia,
    &nitro_spmv_variant_ell,   &nitro_spmv_variant_coo,          &nitro_spmv_variant_hybrid,
    &nitro_spmv_variant_sellp, &nitro_spmv_variant_sell_c_sigma, &nitro_spmv_variant_cache_blocked,
};
enum { NUM_VARIANTS = sizeof(variants) / sizeof(variants[0]), NUM_COPIES = 3 };

/* Prepare all variants and see that their results are right before any of them is timed. */
static int prepare_products(nitro_spmv *spmv, product *products)
{
    char why[256];
    multiply_naively(spmv);
    if (nitro_kit_keep_reference(&nitro_spmv_kit, spmv) != 0)
        return bench_fail("the naive product is wrong");
    products[0] = (product){.spmv = spmv};
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        products[i + 1] = (product){.variant = variants[i], .spmv = spmv};
        if (variants[i]->prepare && variants[i]->prepare(spmv, variants[i]->user) != 0)
            return bench_fail("%s: cannot prepare (out of memory?)", variants[i]->name);
        run_product(&products[i + 1]);
        if (nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)) != 0)
            return bench_fail("%s: %s", variants[i]->name, why);
    }
    return 0;
}

static double compulsory_gigabytes(const nitro_spmv *spmv, const nitro_variant *variant)
{
    bool has_offsets =
        !variant || variant == &nitro_spmv_variant_csr || variant == &nitro_spmv_variant_csr_vector;
    return 1e-9 * (12 * (double)spmv->num_nonzeros + 8 * (double)spmv->num_cols +
                   (has_offsets ? 16 : 8) * (double)spmv->num_rows);
}

/* Subjects: the copies, the naive product, the variants. */
static void report_bandwidth(bench_report *report, const nitro_spmv *spmv,
                             const bench_subject *subjects)
{
    double copy_gigabytes = 2e-9 * (double)(COPY_DOUBLES * sizeof(double));
    double copy_gbps = 0;
    for (size_t i = 0; i < NUM_COPIES; i++) {
        double gbps = copy_gigabytes / subjects[i].best_ms * 1e3;
        copy_gbps = gbps > copy_gbps ? gbps : copy_gbps;
    }
    for (size_t i = 0; i <= NUM_VARIANTS; i++) {
        const nitro_variant *variant = i > 0 ? variants[i - 1] : NULL;
        const bench_subject *subject = &subjects[NUM_COPIES + i];
        char name[96];
        snprintf(name, sizeof(name), "stencil3d-7pt-%d^3/%s over copy", STENCIL_SIDE,
                 variant ? variant->name : "naive (serial)");
        bench_add(report, name, compulsory_gigabytes(spmv, variant) / subject->best_ms * 1e3,
                  copy_gbps, "GB/s", subject->spread);
    }
}

static void report_times(bench_report *report, const char *matrix, const bench_subject *naive)
{
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        char name[96];
        snprintf(name, sizeof(name), "%s/%s over naive", matrix, variants[i]->name);
        bench_add(report, name, naive[i + 1].median_ms, naive->median_ms, "ms",
                  naive[i + 1].spread);
    }
}

static int measure_stencil(bench_report *report, nitro_spmv *spmv, double *from, double *to)
{
    copy copies[NUM_COPIES] = {
        {from, to, copy_loop}, {from, to, copy_memcpy}, {from, to, copy_streaming}};
    product products[NUM_VARIANTS + 1];
    bench_subject subjects[NUM_COPIES + NUM_VARIANTS + 1];
    if (prepare_products(spmv, products) != 0)
        return 1;
    for (size_t i = 0; i < NUM_COPIES; i++)
        subjects[i] = (bench_subject){.run = run_copy, .state = &copies[i]};
    for (size_t i = 0; i <= NUM_VARIANTS; i++)
        subjects[NUM_COPIES + i] = (bench_subject){.run = run_product, .state = &products[i]};
    if (bench_measure(subjects, NUM_COPIES + NUM_VARIANTS + 1, MIN_ROUNDS, BUDGET_MS) != 0)
        return 1;
    report_bandwidth(report, spmv, subjects);
    report_times(report, "stencil3d", subjects + NUM_COPIES);
    return 0;
}

static int run_stencil(bench_report *report, nitro_context *context)
{
    int failed = 1;
    nitro_spmv *spmv = NULL;
    double *from = nitro_host_allocate(COPY_DOUBLES, sizeof(*from)); /* memory of the same kind */
    double *to = nitro_host_allocate(COPY_DOUBLES, sizeof(*to));
    if (!from || !to || spmv_inputs_stencil(context, STENCIL_SIDE, &spmv) != NITRO_OK) {
        bench_fail("out of memory: the stencil needs about 3 GB");
    } else {
        failed = measure_stencil(report, spmv, from, to);
    }
    spmv_inputs_free(spmv);
    free(from);
    free(to);
    return failed;
}

/* 200 rows of 20,000 entries: where SIMD within the row has to pay. */
static int run_long_rows(bench_report *report, nitro_context *context)
{
    nitro_matrix_entries entries = {.num_rows = 200, .num_cols = 100000};
    nitro_spmv *spmv = NULL;
    for (int64_t row = 0; row < entries.num_rows; row++)
        for (int64_t column = row % 5; column < entries.num_cols; column += 5)
            if (nitro_matrix_entries_add(context, &entries, row, column,
                                         1 / (double)(column + 1)) != NITRO_OK) {
                nitro_matrix_entries_free(&entries);
                return bench_fail("out of memory");
            }
    if (spmv_inputs_create(context, "long rows", &entries, &spmv) != NITRO_OK)
        return bench_fail("out of memory");
    product products[NUM_VARIANTS + 1];
    bench_subject subjects[NUM_VARIANTS + 1];
    int failed = prepare_products(spmv, products);
    for (size_t i = 0; i <= NUM_VARIANTS; i++)
        subjects[i] = (bench_subject){.run = run_product, .state = &products[i]};
    if (!failed)
        failed = bench_measure(subjects, NUM_VARIANTS + 1, MIN_ROUNDS, BUDGET_MS / 4);
    if (!failed)
        report_times(report, "200 rows of 20000", subjects);
    spmv_inputs_free(spmv);
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context;
    const char *range = getenv("NITRO_BENCH_NONZEROS");
    double low = 0, high = INFINITY;
    if (range && (sscanf(range, "%lf-%lf", &low, &high) != 2 || !(low <= high)))
        return bench_fail("NITRO_BENCH_NONZEROS is '%s' and not LOW-HIGH, as in 0-1e6", range);
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    int failed = 0;
    if (STENCIL_NONZEROS >= low && STENCIL_NONZEROS <= high)
        failed = run_stencil(report, context);
    if (!failed && LONG_NONZEROS >= low && LONG_NONZEROS <= high)
        failed = run_long_rows(report, context);
    if (!failed)
        failed = bench_spmv_compare(report, context, low, high);
    nitro_context_free(context);
    return failed;
}

const bench bench_spmv = {
    .name = "spmv",
    .description = "bandwidth of y = A x (12 nnz + 16 or 8 rows + 8 cols bytes) over that of the "
                   "fastest copy; times over the naive serial loop; the best variant's time over "
                   "that of the best of MKL and Eigen",
    .run = run,
};
