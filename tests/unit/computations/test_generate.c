/* Generated matrices: deterministic in seed and index, uniquely named, well formed, and of sizes
 * that keep a tune short. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/matrix/matrix.h"
#include "unit/computations/generated_cases.h"
#include "unit/spmv_inputs.h"

static uint64_t hash_of(const void *argument, const char *name)
{
    const nitro_spmv *spmv = argument;
    size_t rows = (size_t)spmv->num_rows, nonzeros = (size_t)spmv->num_nonzeros;
    (void)name;
    uint64_t hash = nitro_hash(spmv->row_offsets, (rows + 1) * sizeof(int64_t), 1);
    hash = nitro_hash(spmv->columns, nonzeros * sizeof(int32_t), hash);
    hash = nitro_hash(spmv->values, nonzeros * sizeof(double), hash);
    return nitro_hash(spmv->x, (size_t)spmv->num_cols * sizeof(double), hash);
}

static void same_seed_and_index_give_the_same_matrix(void **state)
{
    (void)state;
    generated_check_same(&nitro_module_spmv, hash_of, NITRO_MATRIX_NUM_FAMILIES);
}

static void names_are_valid_and_differ(void **state)
{
    (void)state;
    assert_int_equal(generated_check_names(&nitro_module_spmv, "#"), 1500);
}

static void assert_well_formed(const nitro_spmv *spmv, const char *name)
{
    if (spmv->row_offsets[0] != 0 || spmv->row_offsets[spmv->num_rows] != spmv->num_nonzeros)
        fail_msg("%s: row offsets do not span the entries", name);
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        int32_t before = -1;
        if (spmv->row_offsets[row] > spmv->row_offsets[row + 1])
            fail_msg("%s: row %lld has a negative length", name, (long long)row);
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            if (spmv->columns[k] <= before || spmv->columns[k] >= spmv->num_cols ||
                !isfinite(spmv->values[k]))
                fail_msg("%s: row %lld: column %d after %d, value %g", name, (long long)row,
                         spmv->columns[k], before, spmv->values[k]);
            before = spmv->columns[k];
        }
    }
}

static void matrices_are_well_formed_and_not_too_large(void **state)
{
    nitro_context *context = unit_context();
    double total = 0, largest = 0, smallest = 1e9;
    (void)state;
    for (size_t index = 0; index < 100; index++) {
        nitro_spmv *spmv = NULL;
        char name[256];
        assert_ok(context, spmv_inputs_generate(context, 1, index, name, sizeof(name), &spmv));
        assert_well_formed(spmv, name);
        double nonzeros = (double)spmv->num_nonzeros;
        if (nonzeros < 20 || nonzeros > 8e6 || spmv->num_rows > 10000000)
            fail_msg("%s: %g non-zeros in %lld rows", name, nonzeros, (long long)spmv->num_rows);
        total += nonzeros;
        largest = fmax(largest, nonzeros);
        smallest = fmin(smallest, nonzeros);
        spmv_inputs_free(spmv);
    }
    assert_true(total < 65e6); /* a quarter of them are large, of up to 4e6 */
    assert_true(largest > 1e6 && smallest < 50);
    nitro_context_free(context);
}

static const nitro_kit_inputs sizes_of = {
    .num_families = 10, .least_size = 1e3, .usual_size = 1e6, .base_size = 3e6, .unit_bytes = 1};

static void each_family_has_a_large_input_soon(void **state)
{
    size_t num_large[10] = {0};
    (void)state;
    for (size_t index = 0; index < 20; index++) {
        nitro_random random;
        nitro_random_seed(&random, index);
        num_large[index % 10] += nitro_kit_draw_size(&sizes_of, &random, index, 9e7) > 1e6;
    }
    for (size_t family = 0; family < 10; family++)
        assert_in_range(num_large[family], 1, 2); /* 2: one of the three largest */
}

static void sizes_reach_the_limit_the_largest_first(void **state)
{
    size_t num_beyond = 0, num_small = 0;
    (void)state;
    for (size_t index = 0; index < 1000; index++) {
        nitro_random random, again;
        nitro_random_seed(&random, index);
        nitro_random_seed(&again, index);
        double size = nitro_kit_draw_size(&sizes_of, &random, index, 9e7);
        assert_true(size >= 1e3 && size <= 9e7);
        num_beyond += size > 3e6;
        num_small += size < 1e5;
        /* Without sizes beyond the base, none of the first is special. */
        size = nitro_kit_draw_size(&sizes_of, &again, index, 2e4);
        assert_true(size >= 1e3 && size <= 2e4);
    }
    assert_true(num_beyond > 140 && num_beyond < 250 && num_small > 400);
    nitro_random random;
    const size_t first[] = {0, 2, 3};
    const double sizes[] = {9e7, 3e7, 1e7};
    for (size_t i = 0; i < 3; i++) {
        nitro_random_seed(&random, 1);
        assert_true(nitro_kit_draw_size(&sizes_of, &random, first[i], 9e7) == sizes[i]);
    }
}

static nitro_status make_nothing(nitro_context *context, size_t family, nitro_random *random,
                                 double size, char *label, void **data)
{
    (void)context, (void)family, (void)random, (void)size, (void)data;
    strcpy(label, "nothing");
    return NITRO_OK;
}

/* A member that was forgotten is 0, and so would sizes be, or not a number. */
static void incomplete_families_are_refused(void **state)
{
    nitro_context *context = unit_context();
    nitro_kit_inputs inputs[5];
    nitro_kit kit = {.name = "incomplete"};
    char name[256];
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        inputs[i] = sizes_of;
        inputs[i].make = make_nothing;
    }
    kit.inputs = inputs;
    assert_ok(context, nitro_kit_generate(context, &kit, false, 1, 0, name, sizeof(name), NULL));
    inputs[1].make = NULL;
    inputs[2].least_size = 0;
    inputs[3].usual_size = 0;
    inputs[4].unit_bytes = 0;
    for (size_t i = 1; i < 5; i++) {
        kit.inputs = &inputs[i];
        assert_fails(context,
                     nitro_kit_generate(context, &kit, false, 1, 0, name, sizeof(name), NULL),
                     NITRO_ERR_ARGUMENT, "incomplete: generated inputs need ");
    }
    nitro_context_free(context);
}

static void the_limit_is_a_setting(void **state)
{
    nitro_context *context = unit_context();
    double bytes = 0.0;
    (void)state;
    assert_ok(context, nitro_context_set(context, "spmv", "generate_mb", "12"));
    assert_ok(context, nitro_kit_generate_limit(context, "spmv", 0, &bytes));
    assert_true(bytes == 12e6);
    unsetenv("NITRO_GENERATE_MB");
    assert_ok(context, nitro_kit_generate_limit(context, "histogram", 0, &bytes));
    assert_true(bytes >= 1e6); /* depends on this machine */
    nitro_context_free(context);
}

/* Without asking, drawing the entries would take hours. */
static void what_no_memory_holds_is_refused_at_once(void **state)
{
    nitro_context *context = unit_context();
    void *made;
    char name[256];
    (void)state;
    assert_ok(context, nitro_context_set(context, "spmv", "generate_mb", "1000000000"));
    assert_fails(
        context,
        nitro_kit_generate(context, &nitro_spmv_kit, false, 1, 0, name, sizeof(name), &made),
        NITRO_ERR_NO_MEMORY, "input 0 takes 1000000000 MB, and this machine has ");
    nitro_context_free(context);
}

static void the_limit_follows_the_devices_cache(void **state)
{
    nitro_context *context = unit_context();
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double bytes = 0.0;
    (void)state;
    unsetenv("NITRO_GENERATE_MB");
    assert_ok(context, nitro_kit_generate_limit(context, "spmv", 4e6, &bytes));
    assert_true(bytes == fmin(40 * 4e6, memory / 16));
    assert_ok(context, nitro_kit_generate_limit(context, "spmv", 1e18, &bytes));
    assert_true(bytes == memory / 16);
    assert_ok(context, nitro_kit_generate_limit(context, "spmv", 10, &bytes));
    assert_true(bytes == 40 * 1e6);
    assert_ok(context, nitro_context_set(context, NULL, "generate_mb", "12"));
    assert_ok(context, nitro_kit_generate_limit(context, "spmv", 4e6, &bytes));
    assert_true(bytes == 12e6);
    nitro_context_free(context);
}

static void a_stencil_is_what_its_name_says(void **state)
{
    nitro_context *context = unit_context();
    nitro_spmv *spmv = NULL;
    (void)state;
    assert_ok(context, spmv_inputs_stencil(context, 3, &spmv));
    assert_int_equal(spmv->num_rows, 27);
    assert_int_equal(spmv->num_nonzeros, 7 * 27 - 6 * 9); /* less one a point of every face */
    const int32_t centre[] = {4, 10, 12, 13, 14, 16, 22};
    assert_int_equal(spmv->row_offsets[14] - spmv->row_offsets[13], 7);
    assert_memory_equal(spmv->columns + spmv->row_offsets[13], centre, sizeof(centre));
    spmv_inputs_free(spmv);
    nitro_context_free(context);
}

static void a_name_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    generated_check_room(&nitro_module_spmv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_and_index_give_the_same_matrix),
        cmocka_unit_test(names_are_valid_and_differ),
        cmocka_unit_test(matrices_are_well_formed_and_not_too_large),
        cmocka_unit_test(sizes_reach_the_limit_the_largest_first),
        cmocka_unit_test(each_family_has_a_large_input_soon),
        cmocka_unit_test(incomplete_families_are_refused),
        cmocka_unit_test(the_limit_is_a_setting),
        cmocka_unit_test(what_no_memory_holds_is_refused_at_once),
        cmocka_unit_test(the_limit_follows_the_devices_cache),
        cmocka_unit_test(a_stencil_is_what_its_name_says),
        cmocka_unit_test(a_name_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
