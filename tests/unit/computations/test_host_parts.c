/* Division of a host variant's work among threads: when, and that every part is done once. */
#include <omp.h>
#include <stdatomic.h>

#include "unit/unit.h"
#include "variants/host_variant.h"

static int before_threads;

static int setup(void **state)
{
    (void)state;
    before_threads = omp_get_max_threads();
    omp_set_num_threads(4);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    omp_set_num_threads(before_threads);
    nitro_host_assume_wake_ns(-1);
    return 0;
}

#ifndef __SANITIZE_THREAD__ /* it has one part always */
static void work_is_divided_where_that_saves_time(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(60e3);
    assert_int_equal(nitro_host_num_parts(0), 1);
    assert_int_equal(nitro_host_num_parts(79e3), 1); /* three quarters of it would be saved */
    assert_int_equal(nitro_host_num_parts(81e3), 4);
    omp_set_num_threads(2);
    assert_int_equal(nitro_host_num_parts(119e3), 1);
    assert_int_equal(nitro_host_num_parts(121e3), 2);
    omp_set_num_threads(1);
    assert_int_equal(nitro_host_num_parts(1e12), 1);
    nitro_host_assume_wake_ns(0);
    omp_set_num_threads(4);
    assert_int_equal(nitro_host_num_parts(1e4), 4);
}

static void waking_is_measured(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(-1);
    assert_int_equal(nitro_host_num_parts(100), 1);
    assert_int_equal(nitro_host_num_parts(1e15), 4);
}

static void a_thread_of_a_team_has_one_part(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(0);
    int parts[2] = {0};
#pragma omp parallel num_threads(2)
    parts[omp_get_thread_num()] = nitro_host_num_parts(1e9);
    assert_int_equal(parts[0], 1);
    assert_int_equal(parts[1], 1);
}
#endif

typedef struct tally {
    atomic_int *count; /* shape [NITRO_HOST_MAX_PARTS] */
    int parts;
} tally;

static void count_part(const void *state, int part, int parts)
{
    const tally *t = state;
    atomic_fetch_add(&t->count[part], parts == t->parts ? 1 : 1000);
}

static void every_part_is_done_once(void **state)
{
    (void)state;
    static const int numbers[] = {1, 2, 7, NITRO_HOST_MAX_PARTS};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        atomic_int count[NITRO_HOST_MAX_PARTS] = {0};
        const tally t = {count, numbers[i]};
#ifdef __SANITIZE_THREAD__
        if (numbers[i] > 1)
            break;
#endif
        omp_set_dynamic(1); /* fewer threads than parts */
        nitro_host_run_parts(count_part, &t, t.parts);
        omp_set_dynamic(0);
        for (int part = 0; part < NITRO_HOST_MAX_PARTS; part++)
            assert_int_equal(count[part], part < t.parts);
    }
}

static void even_parts_differ_by_one(void **state)
{
    (void)state;
    for (int64_t count = 0; count < 50; count++)
        for (int parts = 1; parts < 9; parts++) {
            assert_int_equal(nitro_host_split_evenly(count, 0, parts), 0);
            assert_int_equal(nitro_host_split_evenly(count, parts, parts), count);
            for (int part = 0; part < parts; part++) {
                int64_t size = nitro_host_split_evenly(count, part + 1, parts) -
                               nitro_host_split_evenly(count, part, parts);
                assert_in_range(size, count / parts, count / parts + 1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_setup_teardown(work_is_divided_where_that_saves_time, setup, teardown),
        cmocka_unit_test_setup_teardown(waking_is_measured, setup, teardown),
        cmocka_unit_test_setup_teardown(a_thread_of_a_team_has_one_part, setup, teardown),
#endif
        cmocka_unit_test_setup_teardown(every_part_is_done_once, setup, teardown),
        cmocka_unit_test_setup_teardown(even_parts_differ_by_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
