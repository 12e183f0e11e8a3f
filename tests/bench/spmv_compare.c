/*
 * The part of bench "spmv" that compares with other libraries: the best of our variants over the
 * best of the libraries (spmv_libraries.h), matrix by matrix, on the same arrays in the same run,
 * with one thread and with all, and the geometric means of the ratios.
 *
 * Matrices: the Matrix Market files of a folder, two of every generated family with 10^3 to 3 10^6
 * non-zeros, and one of 10^7. A small product is repeated until a timing takes 50 us. Preparing a
 * format and the libraries' optimization are not counted.
 *
 * How threads wait decides most below 10^6 non-zeros and two threads: run it with
 * OMP_WAIT_POLICY=passive, and without.
 */
#include <glob.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix_inputs.h"
#include "apps/matrix/matrix_market.h"
#include "bench/peers/spmv_libraries.h"
#include "bench/spmv_compare.h"
#include "nitro/runtime/computation.h"
#include "unit/spmv_inputs.h"

#define MIN_BATCH_MS   0.05
#define MIN_ROUNDS     9
#define BUDGET_MS      60 /* of each matrix and number of threads */
#define FEW_NONZEROS   1e3
#define MANY_NONZEROS  3e6
#define LARGE_NONZEROS 1e7
#define SEED           1

static const spmv_library *const libraries[] = {&spmv_library_mkl, &spmv_library_mkl_hints,
                                                &spmv_library_eigen};
enum {
    NUM_LIBRARIES = sizeof(libraries) / sizeof(libraries[0]),
    MAX_SUBJECTS = 32,
    MAX_NAME = 192
};

/* One product, `repeats` times: by a variant, or by a library's matrix. */
typedef struct batch {
    const char *name;
    const nitro_variant *variant; /* NULL: the library's */
    const spmv_library *library;
    void *matrix;
    nitro_spmv *spmv;
    size_t repeats;
} batch;

/* Kinds of matrices; each has its own geometric mean. */
typedef enum kind { REAL, GENERATED, LARGE, ALL, NUM_KINDS } kind;

static const char *const kind_names[NUM_KINDS] = {"real", "generated", "large", "all"};

typedef struct total {
    double sum_log_ours, sum_log_theirs, worst;
    size_t count;
} total;

typedef struct totals {
    int threads;
    total of[NUM_KINDS];
} totals;

typedef struct comparison {
    bench_report *report;
    nitro_context *context;
    nitro_computation *computation; /* for features and constraints */
    double min_nonzeros, max_nonzeros;
    size_t num_totals;
    totals totals[2];
} comparison;

static void run_batch(void *state)
{
    const batch *b = state;
    for (size_t i = 0; i < b->repeats; i++)
        if (b->variant)
            b->variant->run(b->spmv, b->variant->user);
        else
            b->library->multiply(b->matrix, b->spmv->x, b->spmv->y);
}

static double time_of_one(batch *b)
{
    b->repeats = 1;
    run_batch(b); /* warms up */
    double before = omp_get_wtime();
    run_batch(b);
    return 1e3 * (omp_get_wtime() - before);
}

static int check(const batch *b, const char *matrix)
{
    char why[256];
    if (nitro_kit_check_result(&nitro_spmv_kit, b->spmv, why, sizeof(why)) == 0)
        return 0;
    return bench_fail("spmv: %s: %s: %s", matrix, b->name, why);
}

/* All variants allowed, then all libraries. */
static int prepare(comparison *c, const char *name, nitro_spmv *spmv, batch *batches,
                   size_t *num_variants, size_t *count)
{
    double features[NITRO_SPMV_NUM_FEATURES];
    if (nitro_computation_evaluate(c->computation, spmv, features) != NITRO_OK)
        return bench_fail("spmv: %s: no features", name);
    *count = 0;
    for (size_t i = 0; i < nitro_computation_num_variants(c->computation); i++) {
        const nitro_variant *variant = &c->computation->variants[i];
        if (variant->allows && !variant->allows(features, spmv, variant->user))
            continue;
        if (variant->prepare && variant->prepare(spmv, variant->user) != 0)
            return bench_fail("spmv: %s: %s cannot be prepared: out of memory?", name,
                              variant->name);
        batches[(*count)++] = (batch){.name = variant->name, .variant = variant, .spmv = spmv};
    }
    *num_variants = *count;
    for (size_t i = 0; i < NUM_LIBRARIES; i++) {
        const spmv_library *library = libraries[i];
        if (library->problem())
            continue;
        batch *b = &batches[(*count)++];
        *b = (batch){.name = library->name, .library = library, .spmv = spmv};
        if (!(b->matrix = library->create(spmv)))
            return bench_fail("spmv: %s: %s cannot make its matrix", name, library->name);
    }
    return 0;
}

static size_t best_of(const bench_subject *subjects, const batch *batches, size_t begin, size_t end)
{
    size_t best = begin;
    for (size_t i = begin + 1; i < end; i++)
        if (subjects[i].median_ms / (double)batches[i].repeats <
            subjects[best].median_ms / (double)batches[best].repeats)
            best = i;
    return best;
}

static void report_best(bench_report *report, totals *t, kind of, const char *matrix,
                        const bench_subject *subjects, const batch *batches, size_t num_variants,
                        size_t count)
{
    char name[MAX_NAME];
    size_t ours = best_of(subjects, batches, 0, num_variants);
    size_t theirs = best_of(subjects, batches, num_variants, count);
    double our_ms = subjects[ours].median_ms / (double)batches[ours].repeats;
    double their_ms = subjects[theirs].median_ms / (double)batches[theirs].repeats;
    snprintf(name, sizeof(name), "%s, %d threads: %s over %s", matrix, t->threads,
             batches[ours].name, batches[theirs].name);
    bench_add(report, name, our_ms, their_ms, "ms", subjects[ours].spread);
    const kind kinds[] = {of, ALL};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        total *sum = &t->of[kinds[i]];
        sum->sum_log_ours += log(our_ms);
        sum->sum_log_theirs += log(their_ms);
        sum->worst = fmax(sum->worst, our_ms / their_ms);
        sum->count++;
    }
}

static int measure(comparison *c, totals *t, kind of, const char *name, nitro_spmv *spmv,
                   batch *batches, size_t num_variants, size_t count)
{
    bench_subject subjects[MAX_SUBJECTS];
    nitro_spmv_variant_csr.run(spmv, NULL);
    if (nitro_kit_keep_reference(&nitro_spmv_kit, spmv) != 0)
        return bench_fail("spmv: %s: csr is wrong", name);
    for (size_t i = 0; i < count; i++) {
        double one_ms = time_of_one(&batches[i]);
        if (check(&batches[i], name) != 0)
            return 1;
        batches[i].repeats = 1 + (size_t)(MIN_BATCH_MS / fmax(one_ms, 1e-5));
        subjects[i] = (bench_subject){.run = run_batch, .state = &batches[i]};
    }
    if (bench_measure(subjects, count, MIN_ROUNDS, BUDGET_MS) != 0)
        return 1;
    report_best(c->report, t, of, name, subjects, batches, num_variants, count);
    return 0;
}

static int compare_with_threads(comparison *c, totals *t, kind of, const char *name,
                                nitro_spmv *spmv)
{
    omp_set_num_threads(t->threads);
    batch batches[MAX_SUBJECTS];
    size_t num_variants = 0, count = 0;
    int failed = prepare(c, name, spmv, batches, &num_variants, &count) != 0 ||
                 measure(c, t, of, name, spmv, batches, num_variants, count) != 0;
    for (size_t i = num_variants; i < count; i++)
        batches[i].library->free(batches[i].matrix);
    return failed;
}

static int compare(comparison *c, kind of, const char *name, nitro_spmv *spmv)
{
    int failed = 0;
    for (size_t i = 0; i < c->num_totals && !failed; i++)
        failed = compare_with_threads(c, &c->totals[i], of, name, spmv);
    return failed;
}

static bool is_selected(const comparison *c, double nonzeros)
{
    return nonzeros >= c->min_nonzeros && nonzeros <= c->max_nonzeros;
}

static int compare_file(comparison *c, const char *path)
{
    nitro_spmv *spmv = NULL;
    nitro_matrix *matrix = NULL;
    if (nitro_matrix_market_read(c->context, path, &matrix) != NITRO_OK ||
        nitro_spmv_kit.adopt(c->context, matrix, (void **)&spmv) != NITRO_OK)
        return bench_fail("spmv: cannot read %s", path);
    const char *slash = strrchr(path, '/');
    int failed = is_selected(c, (double)spmv->num_nonzeros) &&
                 compare(c, REAL, slash ? slash + 1 : path, spmv) != 0;
    spmv_inputs_free(spmv);
    return failed;
}

static int compare_files(comparison *c)
{
    const char *folder = getenv("NITRO_BENCH_MATRICES");
    char pattern[4096];
    glob_t files;
    snprintf(pattern, sizeof(pattern), "%s/*.mtx", folder ? folder : BENCH_MATRICES);
    if (glob(pattern, 0, NULL, &files) != 0) {
        fprintf(
            stderr,
            "nitro-bench: SKIPPED: real matrices: there is no file %s; set NITRO_BENCH_MATRICES "
            "to a folder of Matrix Market files\n",
            pattern);
        return 0;
    }
    int failed = 0;
    for (size_t i = 0; i < files.gl_pathc && !failed; i++)
        failed = compare_file(c, files.gl_pathv[i]);
    globfree(&files);
    return failed;
}

static int generate(comparison *c, size_t index, double nonzeros, char *name, nitro_spmv **spmv)
{
    const nitro_matrix_family *family = &nitro_matrix_families[index % NITRO_MATRIX_NUM_FAMILIES];
    nitro_random random;
    nitro_matrix_shape shape = {0};
    nitro_random_seed(&random, SEED + index);
    family->plan(&random, nonzeros, &shape);
    snprintf(name, MAX_NAME, "%s-%s", family->name, shape.label);
    nitro_matrix_entries entries = {.num_rows = shape.num_rows, .num_cols = shape.num_cols};
    nitro_matrix_builder builder = {.context = c->context, .entries = &entries, .random = &random};
    family->build(&shape, &builder);
    if (builder.status == NITRO_OK)
        builder.status = spmv_inputs_create(c->context, name, &entries, spmv);
    return builder.status == NITRO_OK ? 0 : bench_fail("spmv: %s: out of memory", name);
}

/* Sizes ascend log-uniformly while families take turns in another order. */
static int compare_generated(comparison *c)
{
    size_t num_families = NITRO_MATRIX_NUM_FAMILIES;
    for (size_t i = 0; i < 3 * num_families; i++) {
        double share = (double)(i * 13 % (2 * num_families)) / (double)(2 * num_families - 1);
        kind of = i < 2 * num_families ? GENERATED : LARGE;
        double nonzeros =
            of == LARGE ? LARGE_NONZEROS : FEW_NONZEROS * pow(MANY_NONZEROS / FEW_NONZEROS, share);
        char name[MAX_NAME];
        nitro_spmv *spmv = NULL;
        if (!is_selected(c, nonzeros))
            continue;
        int failed = generate(c, i, nonzeros, name, &spmv) != 0 || compare(c, of, name, spmv) != 0;
        spmv_inputs_free(spmv);
        if (failed)
            return 1;
    }
    return 0;
}

static void report_totals(bench_report *report, const totals *t)
{
    char name[MAX_NAME];
    for (int of = 0; of < NUM_KINDS; of++) {
        const total *sum = &t->of[of];
        if (sum->count == 0)
            continue;
        snprintf(name, sizeof(name), "%s, %d threads: geometric mean of %zu", kind_names[of],
                 t->threads, sum->count);
        bench_add(report, name, exp(sum->sum_log_ours / (double)sum->count),
                  exp(sum->sum_log_theirs / (double)sum->count), "ms", 0);
        snprintf(name, sizeof(name), "%s, %d threads: largest ratio", kind_names[of], t->threads);
        bench_add(report, name, sum->worst, 1, "1", 0);
    }
}

static size_t count_usable(void)
{
    size_t usable = 0;
    for (size_t i = 0; i < NUM_LIBRARIES; i++)
        if (libraries[i]->problem())
            fprintf(stderr, "nitro-bench: SKIPPED: %s: %s\n", libraries[i]->name,
                    libraries[i]->problem());
        else
            usable++;
    return usable;
}

int bench_spmv_compare(bench_report *report, nitro_context *context, double min_nonzeros,
                       double max_nonzeros)
{
    comparison c = {.report = report,
                    .context = context,
                    .min_nonzeros = min_nonzeros,
                    .max_nonzeros = max_nonzeros};
    if (count_usable() == 0)
        return 0;
    if (nitro_module_spmv.create(context, &c.computation) != NITRO_OK)
        return bench_fail("spmv: out of memory");
    int most = omp_get_max_threads();
    c.totals[c.num_totals++].threads = 1;
    if (most > 1)
        c.totals[c.num_totals++].threads = most;
    int failed = compare_files(&c) != 0 || compare_generated(&c) != 0;
    for (size_t i = 0; i < c.num_totals && !failed; i++)
        report_totals(report, &c.totals[i]);
    omp_set_num_threads(most);
    nitro_computation_free(c.computation);
    return failed;
}
