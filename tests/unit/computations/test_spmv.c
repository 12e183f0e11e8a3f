/* Every variant of spmv against sums in long double, on matrices of every family and special
 * cases; constraints; conversion and release of formats; detection of wrong results. */
#include <math.h>
#include <omp.h>

#include "nitro/kit/fields.h"
#include "nitro/runtime/computation.h"
#include "unit/computation_fixture.h"
#include "unit/spmv_inputs.h"
#include "variants/spmv/host/spmv_kernels.h"

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_spmv);
}

static const nitro_variant *const variants[] = {
    &nitro_spmv_variant_csr,   &nitro_spmv_variant_csr_vector,   &nitro_spmv_variant_dia,
    &nitro_spmv_variant_ell,   &nitro_spmv_variant_coo,          &nitro_spmv_variant_hybrid,
    &nitro_spmv_variant_sellp, &nitro_spmv_variant_sell_c_sigma, &nitro_spmv_variant_cache_blocked,
};
#define NUM_VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* Entries as {row, column, value}, in any order. */
static nitro_spmv *make(nitro_context *context, int64_t num_rows, int64_t num_cols,
                        const double (*list)[3], size_t count)
{
    nitro_matrix_entries entries = {.num_rows = num_rows, .num_cols = num_cols};
    for (size_t i = 0; i < count; i++)
        assert_ok(context, nitro_matrix_entries_add(context, &entries, (int64_t)list[i][0],
                                                    (int64_t)list[i][1], list[i][2]));
    nitro_spmv *spmv = NULL;
    assert_ok(context, spmv_inputs_create(context, "test", &entries, &spmv));
    return spmv;
}

static void keep_reference(nitro_spmv *spmv, const char *name)
{
    assert_int_equal(nitro_spmv_variant_csr.run(spmv, NULL), 0);
    if (nitro_kit_keep_reference(&nitro_spmv_kit, spmv) != 0)
        fail_msg("%s: the reference variant is wrong", name);
}

static void check_variant(nitro_spmv *spmv, const nitro_variant *variant, const char *name)
{
    char why[512];
    if (variant->prepare && variant->prepare(spmv, variant->user) != 0)
        fail_msg("%s: %s cannot prepare", name, variant->name);
    for (int64_t row = 0; row < spmv->num_rows; row++)
        spmv->y[row] = NAN;
    if (variant->run(spmv, variant->user) != 0)
        fail_msg("%s: %s cannot run", name, variant->name);
    if (nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)) != 0)
        fail_msg("%s: %s: %s", name, variant->name, why);
    if (variant->release)
        variant->release(spmv, variant->user);
}

/* Run every variant that `limits` allows; returns how many that were. */
static size_t check_all(const computation_fixture *f, nitro_spmv *spmv, const char *name)
{
    double features[NITRO_SPMV_NUM_FEATURES];
    size_t ran = 0;
    assert_ok(f->context, nitro_computation_evaluate(f->computation, spmv, features));
    keep_reference(spmv, name);
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        if (variants[i]->allows && !variants[i]->allows(features, NULL, NULL))
            continue;
        check_variant(spmv, variants[i], name);
        ran++;
    }
    return ran;
}

static void variants_agree_on_generated_matrices(void **state)
{
    computation_fixture *f = *state;
    for (size_t index = 0; index < 2 * NITRO_MATRIX_NUM_FAMILIES; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        assert_ok(f->context,
                  spmv_inputs_generate(f->context, 7, index, name, sizeof(name), &spmv));
        assert_true(check_all(f, spmv, name) >= 4); /* csr, csr_vector, coo and hybrid always run */
        spmv_inputs_free(spmv);
    }
}

/* Divide even little work among so many threads, however many cores there are. */
static int begin_threads(int threads)
{
    int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(0);
    return before;
}

static void end_threads(int before)
{
    omp_set_num_threads(before);
    nitro_host_assume_wake_ns(-1);
}

static void variants_agree_with_many_threads(void **state)
{
    computation_fixture *f = *state;
    int threads = begin_threads(7);
    for (size_t index = 0; index < NITRO_MATRIX_NUM_FAMILIES; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        assert_ok(f->context,
                  spmv_inputs_generate(f->context, 11, index, name, sizeof(name), &spmv));
        check_all(f, spmv, name);
        spmv_inputs_free(spmv);
    }
    end_threads(threads);
}

/* y is aligned to its elements only, and cut between threads at odd rows. */
static void variants_agree_on_an_unaligned_y(void **state)
{
    computation_fixture *f = *state;
    int threads = begin_threads(3);
    nitro_matrix_entries entries = {.num_rows = 30005, .num_cols = 30005};
    for (int64_t row = 0; row < entries.num_rows; row++)
        for (int64_t column = row - row % 3; column < row; column++)
            assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row, column,
                                                           (double)(row % 7) - 3));
    nitro_spmv *spmv = NULL;
    assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
    double *y = spmv->y, *wider = calloc((size_t)spmv->num_rows + 1, sizeof(*wider));
    spmv->y = wider + 1;
    check_all(f, spmv, "y at an odd address");
    spmv->y = y;
    free(wider);
    spmv_inputs_free(spmv);
    end_threads(threads);
}

/* A row with 100,000 entries, cut among threads by coo and csr_vector: its parts must be put
 * together again. */
static void one_row_is_cut_between_threads(void **state)
{
    computation_fixture *f = *state;
    int threads = begin_threads(5);
    for (int64_t long_row = 0; long_row < 4; long_row++) { /* first, inside, next to last, last */
        nitro_matrix_entries entries = {.num_rows = 4, .num_cols = 100000};
        for (int64_t column = 0; column < entries.num_cols; column++)
            assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, long_row, column,
                                                           1.0 / (double)(column + 1)));
        assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, 1, 5, 2));
        nitro_spmv *spmv = NULL;
        assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
        check_all(f, spmv, "one long row");
        spmv_inputs_free(spmv);
    }
    end_threads(threads);
}

/* Several long rows among short and empty ones: parts that begin inside one row and end inside
 * another or the same, with one to nine parts. */
static void long_rows_are_cut_anywhere(void **state)
{
    computation_fixture *f = *state;
    for (int threads = 1; threads <= 9; threads++) {
        int before = begin_threads(threads);
        nitro_matrix_entries entries = {.num_rows = 301, .num_cols = 9000};
        for (int64_t row = 0; row < entries.num_rows; row++) {
            int64_t length = row % 97 == 5 ? 9000 - 7 * row : row % 3;
            for (int64_t column = 0; column < length; column++)
                assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row, column,
                                                               1.0 / (double)(row + column + 1)));
        }
        nitro_spmv *spmv = NULL;
        assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
        check_all(f, spmv, "several long rows");
        spmv_inputs_free(spmv);
        end_threads(before);
    }
}

/* Rows of 2 to 9 entries, `step` columns apart, from that of the row's number on; or, `jumps`, from
 * anywhere on. */
static nitro_spmv *make_wide(nitro_context *context, int64_t num_rows, int64_t num_cols,
                             int64_t step, bool jumps)
{
    nitro_matrix_entries entries = {.num_rows = num_rows, .num_cols = num_cols};
    for (int64_t row = 0; row < num_rows; row++) {
        int64_t first = jumps ? row * 7919 * 101 : row;
        for (int64_t i = 0; i < 2 + row % 8; i++)
            assert_ok(context, nitro_matrix_entries_add(context, &entries, row,
                                                        (first + i * step) % num_cols,
                                                        1.0 / (double)(i + 1)));
    }
    nitro_spmv *spmv = NULL;
    assert_ok(context, spmv_inputs_create(context, "test", &entries, &spmv));
    return spmv;
}

/* What matters is whether x is larger than caches and entries are far from those before them, which
 * they are not where rows follow each other along diagonals, however far apart these are. */
static void scattered_columns_are_found(void **state)
{
    static const struct {
        const char *name;
        int64_t num_rows, num_cols, step;
        bool jumps;
        nitro_spmv_access access;
    } cases[] = {
        {"band", 3001, 1100000, 1, false, NITRO_SPMV_CACHED},
        {"diagonals", 3001, 1100000, 50021, false, NITRO_SPMV_CACHED},
        {"jumps", 3001, 1100000, 50021, true, NITRO_SPMV_SCATTERED},
        {"pairs that jump", 3001, 1100000, 1, true, NITRO_SPMV_SCATTERED},
        {"x in the last cache", 3001, 1000000, 50021, true, NITRO_SPMV_SPREAD},
        {"x in a core's caches", 3001, 65536, 50021, true, NITRO_SPMV_CACHED},
        {"few entries", 50, 1100000, 50021, true, NITRO_SPMV_CACHED},
        {"many rows", 1100000, 1100000, 1, false, NITRO_SPMV_STREAMED},
    };
    computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_spmv *spmv = make_wide(f->context, cases[i].num_rows, cases[i].num_cols,
                                     cases[i].step, cases[i].jumps);
        if (nitro_spmv_find_access(spmv, spmv->num_nonzeros) != cases[i].access)
            fail_msg("%s: not what is expected", cases[i].name);
        spmv_inputs_free(spmv);
    }
}

/* Prefetching ends where entries do, and neither it nor the unit changes a result. */
static void variants_agree_on_scattered_columns(void **state)
{
    computation_fixture *f = *state;
    nitro_spmv *narrow = make_wide(f->context, 3001, 1000000, 50021, true);
    assert_int_equal(nitro_spmv_find_access(narrow, 0), NITRO_SPMV_SPREAD);
    assert_true(check_all(f, narrow, "columns within the last cache") >= 6);
    spmv_inputs_free(narrow);
    for (int threads = 1; threads <= 5; threads += 4)
        for (int64_t num_rows = 300; num_rows <= (2 << 20) + 5; num_rows *= 6991) {
            int before = begin_threads(threads);
            nitro_spmv *spmv = make_wide(f->context, num_rows, 1100000, 50021, true);
            assert_int_equal(nitro_spmv_find_access(spmv, 0), NITRO_SPMV_SCATTERED);
            assert_true(check_all(f, spmv, "scattered columns") >= 6);
            spmv_inputs_free(spmv);
            end_threads(before);
        }
}

/* Whichever unit is fastest here and now: the results are the same bits. */
static void vector_units_agree(void **state)
{
    computation_fixture *f = *state;
    for (size_t index = 0; index < NITRO_MATRIX_NUM_FAMILIES; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        assert_ok(f->context,
                  spmv_inputs_generate(f->context, 13, index, name, sizeof(name), &spmv));
        double features[NITRO_SPMV_NUM_FEATURES];
        assert_ok(f->context, nitro_computation_evaluate(f->computation, spmv, features));
        size_t bytes = (size_t)spmv->num_rows * sizeof(double);
        double *first = malloc(bytes + 1);
        for (size_t i = 0; i < NUM_VARIANTS; i++) {
            if (variants[i]->allows && !variants[i]->allows(features, NULL, NULL))
                continue;
            assert_true(!variants[i]->prepare ||
                        variants[i]->prepare(spmv, variants[i]->user) == 0);
            for (int unit = 0; unit < NITRO_SPMV_NUM_UNITS; unit++) {
                if (!nitro_spmv_assume_unit(unit))
                    continue;
                memset(spmv->y, 0xFF, bytes);
                assert_int_equal(variants[i]->run(spmv, NULL), 0);
                if (unit == NITRO_SPMV_BASELINE)
                    memcpy(first, spmv->y, bytes);
                if (memcmp(first, spmv->y, bytes) != 0)
                    fail_msg("%s: %s: unit %d gives another result", name, variants[i]->name, unit);
            }
            if (variants[i]->release)
                variants[i]->release(spmv, variants[i]->user);
        }
        free(first);
        spmv_inputs_free(spmv);
    }
    assert_true(nitro_spmv_assume_unit(-1));
    assert_in_range(nitro_spmv_unit(), 0, NITRO_SPMV_NUM_UNITS - 1);
}

/* csr_vector multiplies short rows of unequal lengths together: each is summed the same way
 * wherever threads divide them, and none gets what belongs to its neighbours. */
static void short_rows_are_summed_alone(void **state)
{
    enum { ROWS = 1003, ODD_ROW = 505, ODD_COLUMN = 999 };
    computation_fixture *f = *state;
    nitro_matrix_entries entries = {.num_rows = ROWS, .num_cols = 1000};
    for (int64_t row = 0; row < ROWS; row++) {
        int64_t length = row < 200 ? 5 : row < 300 ? row % 100 / 99 : row * row % 19;
        for (int64_t i = 0; i < length; i++)
            assert_ok(f->context,
                      nitro_matrix_entries_add(f->context, &entries, row, i * 50 + row % 9,
                                               1.0 / (double)(i + row + 1)));
        if (row == ODD_ROW)
            assert_ok(f->context,
                      nitro_matrix_entries_add(f->context, &entries, row, ODD_COLUMN, 1));
    }
    nitro_spmv *spmv = NULL;
    double y[ROWS];
    assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
    ((double *)spmv->x)[ODD_COLUMN] = NAN;
    for (int threads = 1; threads <= 7; threads++) {
        int before = begin_threads(threads);
        memset(spmv->y, 0xFF, sizeof(y));
        assert_int_equal(nitro_spmv_variant_csr_vector.run(spmv, NULL), 0);
        if (threads > 1)
            assert_memory_equal(spmv->y, y, sizeof(y));
        memcpy(y, spmv->y, sizeof(y));
        end_threads(before);
    }
    for (int row = 0; row < ROWS; row++)
        assert_int_equal(isnan(y[row]) != 0, row == ODD_ROW);
    spmv_inputs_free(spmv);
}

/* Long rows are divided among threads, and no further where units take turns. */
static void turns_of_units_change_no_bit(void **state)
{
    computation_fixture *f = *state;
    const int64_t lengths[] = {20000, 3, 60000, 0, 5, 9000, 1, 2};
    for (int threads = 1; threads <= 5; threads++) {
        int before = begin_threads(threads);
        nitro_matrix_entries entries = {.num_rows = 200, .num_cols = 500000};
        for (int64_t row = 0; row < 200; row++)
            for (int64_t i = 0; i < lengths[row * row % 8] / (1 + row / 8); i++)
                assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row,
                                                               (row + i * 7919) % 500000,
                                                               1.0 / (double)(i + 1)));
        nitro_spmv *spmv = NULL;
        double y[200];
        assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
        for (int turns = 0; turns < 2; turns++) {
            nitro_spmv_assume_turns(turns);
            memset(spmv->y, 0xFF, sizeof(y));
            assert_int_equal(nitro_spmv_variant_csr_vector.run(spmv, NULL), 0);
            if (turns)
                assert_memory_equal(spmv->y, y, sizeof(y));
            memcpy(y, spmv->y, sizeof(y));
        }
        assert_true(check_all(f, spmv, "turns") >= 3);
        nitro_spmv_assume_turns(false);
        spmv_inputs_free(spmv);
        end_threads(before);
    }
}

static void variants_agree_on_odd_matrices(void **state)
{
    static const double corner[][3] = {{0, 0, 3}};
    static const double anti[][3] = {{0, 2, 1}, {1, 1, 2}, {2, 0, 3}};
    static const double zeros[][3] = {{0, 0, 0}, {1, 1, 0}, {4, 2, 0}};
    static const double last_row[][3] = {{40, 0, 1}, {40, 1, 2}, {40, 2, 3}};
    static const struct {
        const char *name;
        int64_t rows, cols;
        const double (*list)[3];
        size_t count;
    } cases[] = {
        {"0 x 0", 0, 0, NULL, 0},
        {"0 x 5", 0, 5, NULL, 0},
        {"5 x 0", 5, 0, NULL, 0},
        {"1 x 1", 1, 1, corner, 1},
        {"1 x 1, empty", 1, 1, NULL, 0},
        {"antidiagonal", 3, 3, anti, 3},
        {"explicit zeros", 5, 3, zeros, 3},
        {"no entries", 100, 70, NULL, 0},
        {"one entry of a wide matrix", 1, 100, corner, 1},
        {"one entry of a high matrix", 100, 1, corner, 1},
        {"one row after many empty ones", 41, 3, last_row, 3},
    };
    computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_spmv *spmv =
            make(f->context, cases[i].rows, cases[i].cols, cases[i].list, cases[i].count);
        assert_true(check_all(f, spmv, cases[i].name) >= 4);
        spmv_inputs_free(spmv);
    }
}

/* A caller's own struct, with NULL where there is nothing to point to. */
static void empty_arrays_may_be_null(void **state)
{
    computation_fixture *f = *state;
    const int64_t no_rows[] = {0}, three_rows[] = {0, 0, 0, 0};
    double y[3] = {1, 2, 3};
    nitro_spmv nothing = {.row_offsets = no_rows};
    nitro_spmv no_columns = {.num_rows = 3, .row_offsets = three_rows, .y = y};
    assert_true(check_all(f, &nothing, "0 x 0 without arrays") >= 4);
    assert_true(check_all(f, &no_columns, "3 x 0 without arrays") >= 4);
    nitro_kit_release(&nitro_spmv_kit, &nothing);
    nitro_kit_release(&nitro_spmv_kit, &no_columns);
}

/* Dense matrices of all small sizes: every remainder of slices, lanes and blocks of rows. */
static void variants_agree_on_dense_matrices(void **state)
{
    computation_fixture *f = *state;
    for (int64_t rows = 1; rows <= 70; rows += 3)
        for (int64_t cols = 1; cols <= 40; cols += 3) {
            nitro_matrix_entries entries = {.num_rows = rows, .num_cols = cols};
            for (int64_t i = rows * cols - 1; i >= 0; i--) /* backwards: to be sorted */
                assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, i / cols,
                                                               i % cols, sin((double)i)));
            nitro_spmv *spmv = NULL;
            char name[64];
            snprintf(name, sizeof(name), "dense %lld x %lld", (long long)rows, (long long)cols);
            assert_ok(f->context, spmv_inputs_create(f->context, name, &entries, &spmv));
            assert_true(check_all(f, spmv, name) >= 6);
            spmv_inputs_free(spmv);
        }
}

static void y_is_what_it_should_be(void **state)
{
    static const double list[][3] = {{2, 1, 5}, {0, 0, 2}, {0, 2, 3}, {2, 1, -1}};
    computation_fixture *f = *state;
    nitro_spmv *spmv = make(f->context, 3, 3, list, 4);
    double x[3] = {10, 20, 30}, y[3];
    const double *own_x = spmv->x;
    double *own_y = spmv->y;
    assert_int_equal(spmv->num_nonzeros, 3); /* the two at (2, 1) are added up */
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        spmv->x = x;
        spmv->y = y;
        y[0] = y[1] = y[2] = NAN;
        assert_true(!variants[i]->prepare || variants[i]->prepare(spmv, variants[i]->user) == 0);
        assert_int_equal(variants[i]->run(spmv, NULL), 0);
        assert_true(y[0] == 110 && y[1] == 0 && y[2] == 80);
    }
    spmv->x = own_x;
    spmv->y = own_y;
    spmv_inputs_free(spmv);
}

static void constraints_refuse_what_would_not_fit(void **state)
{
    computation_fixture *f = *state;
    struct {
        const nitro_variant *variant;
        int feature;
        double fits, too_much;
    } cases[] = {
        {&nitro_spmv_variant_dia, NITRO_SPMV_DIA_FILLIN, 8, 8.01},
        {&nitro_spmv_variant_ell, NITRO_SPMV_ELL_FILLIN, 8, 8.01},
        {&nitro_spmv_variant_sellp, NITRO_SPMV_RLSD, 1.9, 2},
    };
    (void)f;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double features[NITRO_SPMV_NUM_FEATURES] = {0};
        features[NITRO_SPMV_NNZ] = 1e6;
        features[NITRO_SPMV_ELL_FILLIN] = 100;
        features[cases[i].feature] = cases[i].fits;
        assert_true(cases[i].variant->allows(features, NULL, NULL));
        features[cases[i].feature] = cases[i].too_much;
        assert_false(cases[i].variant->allows(features, NULL, NULL));
        features[cases[i].feature] = cases[i].fits;
        features[NITRO_SPMV_NNZ] = 3e9; /* too large even if nothing were padded */
        assert_false(cases[i].variant->allows(features, NULL, NULL));
    }
    for (size_t v = 7; v < 11; v++) /* of CUDA devices */
        assert_ptr_equal(f->computation->variants[v].allows, nitro_kit_allows_nothing);
    assert_null(nitro_spmv_variant_csr.allows);
    assert_null(nitro_spmv_variant_csr_vector.allows);
    assert_null(nitro_spmv_variant_coo.allows);
    assert_null(nitro_spmv_variant_hybrid.allows);
}

/* The feature is an estimate: dia counts for itself before it allocates. */
static void dia_refuses_a_fill_in_far_above_its_bound(void **state)
{
    computation_fixture *f = *state;
    nitro_matrix_entries entries = {.num_rows = 100, .num_cols = 100};
    for (int64_t row = 0; row < 100; row++)
        assert_ok(f->context,
                  nitro_matrix_entries_add(f->context, &entries, row, 99 * row % 100, 1));
    nitro_spmv *spmv = NULL;
    assert_ok(f->context, spmv_inputs_create(f->context, "scattered", &entries, &spmv));
    assert_int_not_equal(nitro_spmv_variant_dia.prepare(spmv, nitro_spmv_variant_dia.user), 0);
    assert_null(spmv->dia);
    spmv_inputs_free(spmv);
}

/* dia reads a diagonal below the main one from that above where both have the same elements. */
static void diagonals_are_shared_only_if_equal(void **state)
{
    enum { EVERY_ROW = -2, NO_ROW };
    static const struct {
        const char *name;
        int64_t num_rows, num_cols;
        int64_t odd_row; /* its element below the diagonal is another one */
        bool shared;
    } cases[] = {
        {"symmetric", 1003, 1003, NO_ROW, true}, {"first", 1003, 1003, 35, false},
        {"last", 1003, 1003, 1002, false},       {"unsymmetric", 1003, 1003, EVERY_ROW, false},
        {"wide", 1003, 1004, NO_ROW, true},      {"tall", 1004, 1003, NO_ROW, false}};
    computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_matrix_entries entries = {.num_rows = cases[i].num_rows,
                                        .num_cols = cases[i].num_cols};
        nitro_spmv *spmv = NULL;
        for (int64_t row = 0; row < entries.num_rows; row++) {
            bool odd = row == cases[i].odd_row || cases[i].odd_row == EVERY_ROW;
            for (int64_t column = row - 35; column <= row + 35; column += 35)
                if (column >= 0 && column < entries.num_cols)
                    assert_ok(f->context,
                              nitro_matrix_entries_add(
                                  f->context, &entries, row, column,
                                  odd && column < row
                                      ? 0.5
                                      : 1 + (double)((row < column ? row : column) % 11)));
        }
        assert_ok(f->context, spmv_inputs_create(f->context, cases[i].name, &entries, &spmv));
        assert_true(check_all(f, spmv, cases[i].name) >= 5);
        assert_int_equal(nitro_spmv_variant_dia.prepare(spmv, nitro_spmv_variant_dia.user), 0);
        const nitro_spmv_dia *dia = spmv->dia;
        assert_int_equal(dia->num_diagonals, 3);
        assert_int_equal(dia->offsets[3] == 2 * dia->stride - 35, cases[i].shared);
        if (cases[i].odd_row == EVERY_ROW)
            assert_int_equal(dia->group_stride, 3 * NITRO_SPMV_DIA_GROUP_ROWS);
        spmv_inputs_free(spmv);
    }
}

/* sell_c_sigma: within windows longer rows come first, equal ones in order; also rows of more than
 * 1024 entries, which are not counted by length. */
static void rows_are_sorted_in_windows(void **state)
{
    computation_fixture *f = *state;
    nitro_matrix_entries entries = {.num_rows = 5000, .num_cols = 1100};
    for (int64_t row = 0; row < entries.num_rows; row++) {
        int64_t length = row % 500 == 3 ? 1020 + row / 500 : row * 7 % 5;
        for (int64_t i = 0; i < length; i++)
            assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row, i, 1));
    }
    nitro_spmv *spmv = NULL;
    const nitro_variant *variant = &nitro_spmv_variant_sell_c_sigma;
    assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
    assert_int_equal(variant->prepare(spmv, variant->user), 0);
    const int64_t *offsets = spmv->row_offsets;
    const int32_t *rows = spmv->sell_c_sigma->rows;
    const int64_t window = nitro_spmv_window_rows(spmv->num_rows);
    assert_int_equal(window, 320); /* of a sixteenth of the rows, in whole slices */
    for (int64_t i = 0; i < spmv->num_rows; i++) {
        assert_true(rows[i] / window == i / window);
        if (i % window == 0)
            continue;
        int64_t before = offsets[rows[i - 1] + 1] - offsets[rows[i - 1]];
        int64_t length = offsets[rows[i] + 1] - offsets[rows[i]];
        assert_true(before > length || (before == length && rows[i - 1] < rows[i]));
    }
    spmv_inputs_free(spmv);
}

/* Rows that are no longer than the one before, but where a window begins, stay where they are. */
static void sorted_rows_stay_in_order(void **state)
{
    const int64_t num_rows = 9001, window = nitro_spmv_window_rows(num_rows);
    const struct {
        int64_t longer_row;
        bool stays;
    } cases[] = {{0, true},          {1, false},           {window, true}, {2 * window - 1, false},
                 {2 * window, true}, {num_rows - 1, false}};
    computation_fixture *f = *state;
    const nitro_variant *variant = &nitro_spmv_variant_sell_c_sigma;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        nitro_matrix_entries entries = {.num_rows = num_rows, .num_cols = 100};
        for (int64_t row = 0; row < entries.num_rows; row++)
            for (int64_t i = 0; i < (row == cases[c].longer_row ? 3 : 2); i++)
                assert_ok(f->context,
                          nitro_matrix_entries_add(f->context, &entries, row, row % 90 + i, 1.5));
        nitro_spmv *spmv = NULL;
        assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        if ((spmv->sell_c_sigma->num_sorted == 0) != cases[c].stays)
            fail_msg("longer row %ld: not what is expected", (long)cases[c].longer_row);
        check_all(f, spmv, "rows that may be sorted");
        spmv_inputs_free(spmv);
    }
}

/* What `allows` is for is speed: cache_blocked runs any matrix. */
static void cache_blocks_hold_every_matrix(void **state)
{
    computation_fixture *f = *state;
    const nitro_variant *variant = &nitro_spmv_variant_cache_blocked;
    char name[256];
    for (size_t index = 0; index < NITRO_MATRIX_NUM_FAMILIES; index++)
        for (int threads = 1; threads <= 5; threads += 4) {
            int before = begin_threads(threads);
            nitro_spmv *spmv = NULL;
            assert_ok(f->context,
                      spmv_inputs_generate(f->context, 5, index, name, sizeof(name), &spmv));
            keep_reference(spmv, name);
            check_variant(spmv, variant, name);
            spmv_inputs_free(spmv);
            end_threads(before);
        }
}

/* Rows that are farther apart than a place can say have padding between them. */
static void cache_blocks_pad_gaps_between_rows(void **state)
{
    enum { NUM_ROWS = 300001, NUM_COLS = 1200000, FILLED = 1001, ENTRIES = 21 };
    computation_fixture *f = *state;
    const nitro_variant *variant = &nitro_spmv_variant_cache_blocked;
    int before = begin_threads(1); /* parts would divide the gap */
    nitro_matrix_entries entries = {.num_rows = NUM_ROWS, .num_cols = NUM_COLS};
    for (int64_t row = 0; row < NUM_ROWS; row += row == FILLED ? NUM_ROWS - 2 * FILLED : 1)
        for (int64_t i = 0; i < ENTRIES; i++)
            assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row,
                                                           (row * 50021 + i * 57001) % NUM_COLS,
                                                           (double)(row % 5) - 1.5));
    nitro_spmv *spmv = NULL;
    assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
    assert_int_equal(variant->prepare(spmv, variant->user), 0);
    const nitro_spmv_cache_blocked *format = spmv->cache_blocked;
    int64_t most = UINT32_MAX >> format->column_bits, gap = NUM_ROWS - 2 * FILLED, padding = 0;
    for (int64_t slot = 0; slot < format->num_slots; slot++)
        padding += format->values[slot] == 0 &&
                   format->places[slot] == (uint32_t)(most << format->column_bits);
    assert_int_equal(format->num_slots, spmv->num_nonzeros + padding);
    assert_in_range(padding, format->num_blocks * (gap / most - 1),
                    format->num_blocks * (gap / most + 1));
    keep_reference(spmv, "rows far apart");
    check_variant(spmv, variant, "rows far apart");
    spmv_inputs_free(spmv);
    end_threads(before);
}

static void cache_blocks_are_for_scattered_columns(void **state)
{
    const nitro_variant *variant = &nitro_spmv_variant_cache_blocked;
    computation_fixture *f = *state;
    double features[NITRO_SPMV_NUM_FEATURES];
    for (int jumps = 0; jumps < 2; jumps++) {
        nitro_spmv *spmv = make_wide(f->context, 3001, 2100000, 50021, jumps);
        assert_ok(f->context, nitro_computation_evaluate(f->computation, spmv, features));
        assert_true(variant->allows(features, spmv, NULL) == jumps);
        assert_true(variant->allows(features, NULL, NULL));
        double least = features[NITRO_SPMV_ROWS] * features[NITRO_SPMV_COLS] / (8 << 20);
        features[NITRO_SPMV_NNZ] = least;
        assert_true(variant->allows(features, NULL, NULL));
        features[NITRO_SPMV_NNZ] = least * 0.999; /* too few entries in a block */
        assert_false(variant->allows(features, NULL, NULL));
        features[NITRO_SPMV_NNZ] = 1e8;
        features[NITRO_SPMV_COLS] = 1 << 21; /* x may stay in the last cache */
        assert_false(variant->allows(features, NULL, NULL));
        spmv_inputs_free(spmv);
    }
}

/* The bounds that sellp and sell_c_sigma are judged by must hold for every matrix. */
static void slices_are_never_larger_than_their_bounds(void **state)
{
    computation_fixture *f = *state;
    for (size_t index = 0; index < 2 * NITRO_MATRIX_NUM_FAMILIES; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        double features[NITRO_SPMV_NUM_FEATURES];
        assert_ok(f->context,
                  spmv_inputs_generate(f->context, 3, index, name, sizeof(name), &spmv));
        assert_ok(f->context, nitro_computation_evaluate(f->computation, spmv, features));
        assert_int_equal(nitro_spmv_variant_sellp.prepare(spmv, nitro_spmv_variant_sellp.user), 0);
        double slots = (double)spmv->sellp->slice_offsets[spmv->sellp->num_slices];
        double padded = ceil(features[NITRO_SPMV_ROWS] / NITRO_SPMV_SLICE_ROWS) *
                        NITRO_SPMV_SLICE_ROWS / features[NITRO_SPMV_ROWS]; /* the last slice */
        double bound = (1 + sqrt(NITRO_SPMV_SLICE_ROWS) * features[NITRO_SPMV_RLSD]) * padded;
        if (slots > bound * features[NITRO_SPMV_NNZ] * (1 + 1e-9))
            fail_msg("%s: %g slots, the bound is %g times %g", name, slots, bound,
                     features[NITRO_SPMV_NNZ]);
        assert_int_equal(
            nitro_spmv_variant_sell_c_sigma.prepare(spmv, nitro_spmv_variant_sell_c_sigma.user), 0);
        double sorted = (double)spmv->sell_c_sigma->num_slots;
        double window = (double)nitro_spmv_window_rows(spmv->num_rows);
        assert_true(sorted <= slots);
        assert_true(sorted <= features[NITRO_SPMV_NNZ] + ceil(features[NITRO_SPMV_ROWS] / window) *
                                                             NITRO_SPMV_SLICE_ROWS *
                                                             features[NITRO_SPMV_ROW_MAX]);
        spmv_inputs_free(spmv);
    }
}

/* 12 bytes a slot of ELL and 16 an entry of COO are never more than 16 for every non-zero. */
static void hybrid_is_never_larger_than_coo(void **state)
{
    computation_fixture *f = *state;
    for (size_t index = 0; index < NITRO_MATRIX_NUM_FAMILIES; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        assert_ok(f->context,
                  spmv_inputs_generate(f->context, 5, index, name, sizeof(name), &spmv));
        assert_int_equal(nitro_spmv_variant_hybrid.prepare(spmv, nitro_spmv_variant_hybrid.user),
                         0);
        int64_t bytes =
            12 * spmv->hybrid->ell.width * spmv->num_rows + 16 * spmv->hybrid->coo.num_entries;
        int64_t fewer = 12 * (spmv->hybrid->ell.width + 1) * spmv->num_rows;
        for (int64_t row = 0; row < spmv->num_rows; row++) {
            int64_t rest =
                spmv->row_offsets[row + 1] - spmv->row_offsets[row] - spmv->hybrid->ell.width - 1;
            fewer += rest > 0 ? 16 * rest : 0;
        }
        assert_true(bytes <= 16 * spmv->num_nonzeros);
        assert_true(bytes <= fewer); /* one slot more would not save anything */
        spmv_inputs_free(spmv);
    }
}

static void prepare_is_idempotent_and_release_drops(void **state)
{
    computation_fixture *f = *state;
    nitro_spmv *spmv = NULL;
    assert_ok(f->context, spmv_inputs_stencil(f->context, 6, &spmv));
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < NUM_VARIANTS; i++)
            assert_true(!variants[i]->prepare ||
                        variants[i]->prepare(spmv, variants[i]->user) == 0);
        const void *made[] = {spmv->dia,    spmv->ell,   spmv->coo,
                              spmv->hybrid, spmv->sellp, spmv->cache_blocked};
        for (size_t i = 0; i < NUM_VARIANTS; i++)
            assert_true(!variants[i]->prepare ||
                        variants[i]->prepare(spmv, variants[i]->user) == 0);
        const void *still[] = {spmv->dia,    spmv->ell,   spmv->coo,
                               spmv->hybrid, spmv->sellp, spmv->cache_blocked};
        assert_memory_equal(made, still, sizeof(made));
        for (size_t i = 0; i < NUM_VARIANTS; i++)
            if (variants[i]->release) {
                variants[i]->release(spmv, variants[i]->user);
                variants[i]->release(spmv, variants[i]->user);
            }
        assert_null(spmv->dia);
        assert_null(spmv->ell);
        assert_null(spmv->coo);
        assert_null(spmv->hybrid);
        assert_null(spmv->sellp);
        assert_null(spmv->cache_blocked);
    }
    spmv_inputs_free(spmv);
}

static void wrong_results_are_found(void **state)
{
    computation_fixture *f = *state;
    nitro_spmv *spmv = NULL;
    char why[512] = "";
    assert_ok(f->context, spmv_inputs_stencil(f->context, 6, &spmv));
    assert_int_not_equal(nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "no reference"));
    assert_int_equal(nitro_spmv_variant_csr.run(spmv, NULL), 0);
    spmv->y[9] += 1e-9;
    assert_int_not_equal(nitro_kit_keep_reference(&nitro_spmv_kit, spmv), 0);
    assert_int_equal(nitro_spmv_variant_csr.run(spmv, NULL), 0);
    assert_int_equal(nitro_kit_keep_reference(&nitro_spmv_kit, spmv), 0);

    /* nothing written: y was spoilt after the last check */
    assert_int_not_equal(nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "y[0] is nan"));

    assert_int_equal(nitro_spmv_variant_csr.run(spmv, NULL), 0);
    spmv->y[17] += 3e-12 * spmv->kept->magnitudes[17];
    assert_int_not_equal(nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "y[17] is "));
    assert_non_null(strstr(why, "; 1 of 216 are wrong"));

    assert_int_equal(nitro_spmv_variant_csr.run(spmv, NULL), 0);
    spmv->y[17] += 0.5e-12 * spmv->kept->magnitudes[17];
    assert_int_equal(nitro_kit_check_result(&nitro_spmv_kit, spmv, why, sizeof(why)), 0);
    spmv_inputs_free(spmv);
}

static void computation_runs_through_dispatch(void **state)
{
    computation_fixture *f = *state;
    nitro_spmv *spmv = NULL;
    nitro_decision decision;
    char text[128];
    assert_int_equal(nitro_computation_num_variants(f->computation), nitro_spmv_kit.num_variants);
    assert_int_equal(nitro_computation_num_features(f->computation), NITRO_SPMV_NUM_FEATURES);
    static const char *const names[] = {
        "csr",           "csr_vector",    "dia",          "ell",
        "coo",           "hybrid",        "sellp",        "cusparse_csr1",
        "cusparse_csr2", "csr_merge",     "csr_adaptive", "sell_c_sigma",
        "cusparse_coo",  "cusparse_sell", "cusparse_bsr", "cache_blocked"};
    assert_int_equal(nitro_spmv_kit.num_variants, sizeof(names) / sizeof(names[0]));
    for (size_t i = 0; i < nitro_spmv_kit.num_variants; i++)
        assert_string_equal(nitro_computation_variant_name(f->computation, i), names[i]);
    assert_ok(f->context, spmv_inputs_stencil(f->context, 5, &spmv));
    assert_ok(f->context, nitro_run(f->computation, spmv, &decision));
    assert_string_equal(decision.variant_name, "csr");
    assert_int_equal(nitro_kit_keep_reference(&nitro_spmv_kit, spmv), 0);
    nitro_module_spmv.describe(spmv, text, sizeof(text));
    assert_string_equal(text, "125 x 125, 725 non-zeros, 5.8 a row");
    nitro_module_spmv.unload(spmv);
}

static void the_module_loads_files(void **state)
{
    computation_fixture *f = *state;
    const char *path = BINARY_DIR "/test_spmv_module.mtx";
    const char text[] = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 4\n2 1 -1\n";
    void *untouched = &f, *argument = untouched;
    assert_ok(f->context, nitro_file_write(f->context, path, text, sizeof(text) - 1));
    assert_ok(f->context, nitro_module_spmv.load(f->context, path, &argument));
    assert_int_equal(check_all(f, argument, path), NUM_VARIANTS - 1); /* not cache_blocked */
    nitro_module_spmv.unload(argument);
    assert_ok(f->context, nitro_file_write(f->context, path, text, sizeof(text) - 8));
    argument = untouched;
    assert_fails(f->context, nitro_module_spmv.load(f->context, path, &argument), NITRO_ERR_FORMAT,
                 "test_spmv_module.mtx:2: field 3 (entries): 2 are declared");
    assert_ptr_equal(argument, untouched);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variants_agree_on_generated_matrices, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(variants_agree_with_many_threads, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_an_unaligned_y, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(one_row_is_cut_between_threads, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(long_rows_are_cut_anywhere, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(scattered_columns_are_found, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_scattered_columns, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(vector_units_agree, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(short_rows_are_summed_alone, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(turns_of_units_change_no_bit, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_odd_matrices, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(empty_arrays_may_be_null, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_dense_matrices, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(y_is_what_it_should_be, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(diagonals_are_shared_only_if_equal, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(dia_refuses_a_fill_in_far_above_its_bound, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(constraints_refuse_what_would_not_fit, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(rows_are_sorted_in_windows, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(sorted_rows_stay_in_order, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(cache_blocks_hold_every_matrix, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(cache_blocks_pad_gaps_between_rows, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(cache_blocks_are_for_scattered_columns, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(slices_are_never_larger_than_their_bounds, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(hybrid_is_never_larger_than_coo, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(prepare_is_idempotent_and_release_drops, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(wrong_results_are_found, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(the_module_loads_files, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(computation_runs_through_dispatch, setup,
                                        computation_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
