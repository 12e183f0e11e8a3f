/* Every host variant of transpose and transpose_inplace against an independent one: sides from 0 on
 * around the widths of vectors and tiles, all elements, both orders, many threads; features; sizes
 * that are refused. */
#include <omp.h>

#include "apps/transpose/transpose_inputs.h"
#include "nitro/runtime/computation.h"
#include "unit/unit.h"

/* Element i * cols + j of the input, its index, is at j * rows + i. */
static void check(const nitro_transpose *t, const char *variant)
{
    bool is_row_major = t->is_row_major || t->in;
    int64_t rows = is_row_major ? t->num_rows : t->num_cols;
    int64_t cols = is_row_major ? t->num_cols : t->num_rows;
    const char *result = t->in ? t->out : t->data;
    for (int64_t at = 0; at < rows * cols; at++) {
        uint64_t words[2] = {0, 0}, expected = (uint64_t)(at % rows * cols + at / rows);
        memcpy(words, result + at * t->element_bytes, (size_t)t->element_bytes);
        if (words[0] != expected || (t->element_bytes == 16 && words[1] != ~expected))
            fail_msg("%s, %lld x %lld of %d bytes: element %lld is %llu", variant,
                     (long long)t->num_rows, (long long)t->num_cols, t->element_bytes,
                     (long long)at, (unsigned long long)words[0]);
    }
}

static void check_all(nitro_context *context, const nitro_kit *kit,
                      const nitro_computation *computation, const nitro_transpose *sizes)
{
    double features[NITRO_MAX_FEATURES];
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
        const nitro_variant *variant = &computation->variants[v];
        nitro_transpose *t;
        assert_ok(context, nitro_transpose_create(context, kit, sizes, &t));
        assert_ok(context, nitro_computation_evaluate(computation, t, features));
        if (!variant->allows || variant->allows(features, t, variant->user)) {
            if (variant->prepare)
                assert_int_equal(variant->prepare(t, variant->user), 0);
            assert_int_equal(variant->run(t, variant->user), 0);
            check(t, variant->name);
        }
        nitro_kit_free(kit, false, t);
    }
}

static void check_sides(const nitro_kit *kit, const int64_t *sides, size_t count)
{
    nitro_context *context = unit_context();
    nitro_computation *computation;
    assert_ok(context, nitro_kit_create(context, kit, false, &computation));
    for (size_t i = 0; i < count * count; i++)
        for (int32_t bytes = 4; bytes <= 16; bytes *= 2)
            for (int32_t order = 0; order < 2; order++) {
                const nitro_transpose sizes = {.num_rows = sides[i / count],
                                               .num_cols = sides[i % count],
                                               .element_bytes = bytes,
                                               .is_row_major = order};
                check_all(context, kit, computation, &sizes);
            }
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void all_sides(void **state)
{
    static const int64_t sides[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  15,
                                    16, 17, 31, 32, 33, 64, 65, 96, 150};
    (void)state;
    check_sides(&nitro_transpose_kit, sides, sizeof(sides) / sizeof(sides[0]));
    check_sides(&nitro_transpose_inplace_kit, sides, sizeof(sides) / sizeof(sides[0]));
}

static void with_many_threads(void **state)
{
    static const int64_t sides[] = {3, 60, 64, 301, 640};
    int threads = omp_get_max_threads();
    (void)state;
    nitro_host_assume_wake_ns(0);
    omp_set_num_threads(5);
    check_sides(&nitro_transpose_kit, sides, sizeof(sides) / sizeof(sides[0]));
    check_sides(&nitro_transpose_inplace_kit, sides, sizeof(sides) / sizeof(sides[0]));
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
}

/* In both orders. */
static void check_in_place(int64_t num_rows, int64_t num_cols)
{
    nitro_context *context = unit_context();
    nitro_computation *computation;
    assert_ok(context,
              nitro_kit_create(context, &nitro_transpose_inplace_kit, false, &computation));
    for (int32_t order = 0; order < 2; order++) {
        const nitro_transpose sizes = {
            .num_rows = num_rows, .num_cols = num_cols, .element_bytes = 8, .is_row_major = order};
        check_all(context, &nitro_transpose_inplace_kit, computation, &sizes);
    }
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* They take no memory, however long the other side is. */
static void matrices_of_no_elements(void **state)
{
    (void)state;
    check_in_place(0, NITRO_TRANSPOSE_MAX_SIDE);
    check_in_place(NITRO_TRANSPOSE_MAX_SIDE, 0);
}

/* Beyond all caches, where even copies are streamed. */
static void large_matrices(void **state)
{
    (void)state;
    check_in_place(2003, 2101);
}

static void features_follow_from_sizes(void **state)
{
    nitro_context *context = unit_context();
    const nitro_transpose t = {.num_rows = 96, .num_cols = 24, .element_bytes = 8};
    const nitro_transpose empty = {.num_rows = 0, .num_cols = 0, .element_bytes = 4};
    const double expected[] = {96, 24, 8, 24, 2, 6, 8, 0, 0, 24};
    double values[NITRO_TRANSPOSE_NUM_FEATURES];
    nitro_computation *computation;
    (void)state;
    assert_ok(context,
              nitro_kit_create(context, &nitro_transpose_inplace_kit, false, &computation));
    assert_ok(context, nitro_computation_evaluate(computation, &t, values));
    for (size_t i = 0; i < NITRO_TRANSPOSE_NUM_FEATURES; i++)
        assert_true(values[i] == expected[i]);
    assert_ok(context, nitro_computation_evaluate(computation, &empty, values));
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void sizes_out_of_range_are_refused(void **state)
{
    static const struct {
        nitro_transpose sizes;
        nitro_status status;
        const char *error;
    } cases[] = {
        {{.num_rows = -1, .element_bytes = 8}, NITRO_ERR_ARGUMENT, "-1 x 0: sides are 0 to"},
        {{.num_cols = INT64_MAX, .element_bytes = 8}, NITRO_ERR_ARGUMENT, "sides are 0 to"},
        {{.num_rows = 2, .num_cols = 2, .element_bytes = 2}, NITRO_ERR_ARGUMENT, "of 2 bytes"},
        {{.num_rows = INT32_MAX, .num_cols = INT32_MAX, .element_bytes = 16},
         NITRO_ERR_ARGUMENT,
         "is more than"},
        {{.num_rows = INT32_MAX, .num_cols = INT32_MAX / 4, .element_bytes = 4},
         NITRO_ERR_NO_MEMORY,
         "out of memory"},
    };
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_transpose *t = NULL;
        assert_fails(context,
                     nitro_transpose_create(context, &nitro_transpose_kit, &cases[i].sizes, &t),
                     cases[i].status, cases[i].error);
        assert_null(t);
    }
    nitro_context_free(context);
}

/* A file of 118 bytes of dictionary and the numbers 0 to 5. */
static size_t write_npy(char *bytes, const char *dictionary)
{
    const double numbers[] = {0, 1, 2, 3, 4, 5};
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(bytes + 10, ' ', 118);
    memcpy(bytes + 10, dictionary, strlen(dictionary));
    memcpy(bytes + 128, numbers, sizeof(numbers));
    return 128 + sizeof(numbers);
}

static void files_of_numpy_are_read(void **state)
{
    const char *path = BINARY_DIR "/test_transpose.npy";
    nitro_context *context = unit_context();
    char bytes[256], described[96];
    void *argument = NULL;
    (void)state;
    size_t size = write_npy(bytes, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }");
    assert_ok(context, nitro_file_write(context, path, bytes, size));
    assert_ok(context, nitro_module_transpose_inplace.load(context, path, &argument));
    nitro_module_transpose_inplace.describe(argument, described, sizeof(described));
    assert_string_equal(described, "2 x 3 elements of 8 bytes, column-major");
    assert_memory_equal(((nitro_transpose *)argument)->data, bytes + 128, size - 128);
    nitro_module_transpose_inplace.unload(argument);
    assert_ok(context, nitro_module_transpose.load(context, path, &argument));
    nitro_module_transpose.describe(argument, described, sizeof(described));
    assert_string_equal(described, "3 x 2 elements of 8 bytes");
    assert_memory_equal(((nitro_transpose *)argument)->in, bytes + 128, size - 128);
    nitro_module_transpose.unload(argument);
    remove(path);

    static const char *const faults[][2] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }",
         "must have two dimensions, and has 1"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (4, 6), }", "elements of 2 bytes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }",
         "declares 8 x 8 bytes, but 48 follow"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }",
         "more numbers, or elements, than can be counted"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        nitro_transpose *made = NULL;
        size = write_npy(bytes, faults[i][0]);
        nitro_status status =
            nitro_transpose_npy_parse(context, &nitro_transpose_kit, "f.npy", bytes, size, &made);
        assert_fails(context, status, i == 1 ? NITRO_ERR_ARGUMENT : NITRO_ERR_FORMAT, faults[i][1]);
        assert_null(made);
    }
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sides),
        cmocka_unit_test(with_many_threads),
        cmocka_unit_test(matrices_of_no_elements),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(features_follow_from_sizes),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(files_of_numpy_are_read),
    };
    return cmocka_run_group_tests_name("transpose", tests, NULL, NULL);
}
