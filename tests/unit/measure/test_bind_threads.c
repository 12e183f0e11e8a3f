/* Each OpenMP thread of a worker has its own processor; the caller, and what it starts, all. */
#include <omp.h>
#include <sched.h>

#include "nitro/measure/bind_threads.h"
#include "unit/unit.h"

static cpu_set_t allowed;

static int count_of_thread(int thread)
{
    int count = 0;
#pragma omp parallel
    if (omp_get_thread_num() == thread) {
        cpu_set_t mine;
        count = sched_getaffinity(0, sizeof(mine), &mine) == 0 ? CPU_COUNT(&mine) : -1;
    }
    return count;
}

static int setup(void **state)
{
    (void)state;
    return sched_getaffinity(0, sizeof(allowed), &allowed);
}

static void test_other_numbers_of_threads_stay_free(void **state)
{
    (void)state;
    omp_set_num_threads(CPU_COUNT(&allowed) + 1);
    nitro_bind_threads();
    assert_int_equal(count_of_thread(1), CPU_COUNT(&allowed));
}

static void test_each_thread_has_a_processor(void **state)
{
    (void)state;
    int count = CPU_COUNT(&allowed);
    omp_set_num_threads(count);
    for (int round = 0; round < 2; round++) {
        nitro_bind_threads();
        assert_int_equal(count_of_thread(0), count);
#ifndef __SANITIZE_THREAD__
        if (count > 1 && omp_get_proc_bind() == omp_proc_bind_false)
            assert_int_equal(count_of_thread(count - 1), 1);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_numbers_of_threads_stay_free),
        cmocka_unit_test(test_each_thread_has_a_processor),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
