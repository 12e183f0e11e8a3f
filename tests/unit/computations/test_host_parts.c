/* Division of a host variant's work among threads: when, and that every part is done once; and its
 * memory. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/base/child_process.h"
#include "nitro/computation_kit.h"
#include "nitro/kit/host_parts.h"
#include "unit/unit.h"

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

static void forked_processes_share_what_waking_costs(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(0);
    nitro_host_share_wake_cost();
    assert_int_equal(nitro_host_num_parts(79e3), 4);
    pid_t child = fork();
    if (child == 0) {
        nitro_host_assume_wake_ns(60e3);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(nitro_host_num_parts(79e3), 1);
    assert_int_equal(nitro_host_num_parts(81e3), 4);
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

#ifndef __SANITIZE_THREAD__
static int find_what_a_child_gets_wrong(int expected_parts)
{
    atomic_int count[NITRO_HOST_MAX_PARTS] = {0};
    const tally t = {count, 4};
    alarm(20);
    if (nitro_host_num_parts(1e9) != expected_parts)
        return 1;
    nitro_host_run_parts(count_part, &t, t.parts);
    for (int part = 0; part < t.parts; part++)
        if (count[part] != 1)
            return 2;
    return 0;
}

/* OpenMP's threads are the parent's; nitro_child_fork ends them before. */
static void a_forked_child_does_not_wait_for_threads_of_its_parent(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(0);
    for (int ends_threads = 0; ends_threads < 2; ends_threads++) {
        int status = -1;
        assert_int_equal(find_what_a_child_gets_wrong(4), 0);
        alarm(0);
        pid_t child = ends_threads ? nitro_child_fork() : fork();
        if (child == 0) {
            int wrong = find_what_a_child_gets_wrong(ends_threads ? 4 : 1);
            pid_t grandchild = wrong ? -1 : nitro_child_fork();
            if (grandchild == 0)
                _exit(find_what_a_child_gets_wrong(ends_threads ? 4 : 1));
            if (!wrong && waitpid(grandchild, &status, 0) == grandchild)
                wrong = status;
            _exit(wrong != 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}
#endif

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

#define LARGE_COUNT ((int64_t)1 << 20) /* of doubles */

static void freed_memory_is_zeroed_again(void **state)
{
    (void)state;
    nitro_host_assume_wake_ns(0);
    for (int round = 0; round < 3; round++) {
        double *large = nitro_host_allocate(LARGE_COUNT, sizeof(*large));
        double *smaller = nitro_host_allocate(LARGE_COUNT / 4 * 3, sizeof(*smaller));
        assert_non_null(large);
        assert_non_null(smaller);
        assert_ptr_not_equal(large, smaller);
        for (int64_t i = 0; i < LARGE_COUNT; i++) {
            assert_true(large[i] == 0);
            large[i] = 1;
        }
        for (int64_t i = 0; i < LARGE_COUNT / 4 * 3; i++) {
            assert_true(smaller[i] == 0);
            smaller[i] = 2;
        }
        nitro_host_free(large);
        nitro_host_free(smaller);
    }
    nitro_host_free(NULL);
}

#ifndef __SANITIZE_ADDRESS__ /* it keeps nothing */
static void large_memory_is_kept(void **state)
{
    (void)state;
    double *first = nitro_host_allocate(LARGE_COUNT, sizeof(*first));
    uintptr_t place = (uintptr_t)first;
    nitro_host_free(first);
    double *much_smaller = nitro_host_allocate(LARGE_COUNT / 2 - 100, sizeof(*much_smaller));
    assert_true((uintptr_t)much_smaller != place);
    double *again = nitro_host_allocate(LARGE_COUNT, sizeof(*again));
    assert_true((uintptr_t)again == place);
    nitro_host_free(again);
    nitro_host_free(much_smaller);
}

/* The thread sanitizer's allocator keeps a lock that another thread holds during a fork: a child
 * that allocates waits for it forever. */
#ifndef __SANITIZE_THREAD__
static void free_large(void)
{
    nitro_host_free(aligned_alloc(4096, (size_t)LARGE_COUNT * sizeof(double)));
}

static atomic_bool is_done;

static void *free_until_done(void *unused)
{
    while (!atomic_load(&is_done))
        free_large();
    return unused;
}

/* Some children begin while another thread changes what is kept. */
static void forked_children_allocate_and_free(void **state)
{
    pthread_t thread;
    int num_failed = 0;
    (void)state;
    atomic_store(&is_done, false);
    assert_int_equal(pthread_create(&thread, NULL, free_until_done, NULL), 0);
    for (int i = 0; i < 500 && num_failed == 0; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            free_large();
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        num_failed += status != 0;
    }
    atomic_store(&is_done, true);
    pthread_join(thread, NULL);
    assert_int_equal(num_failed, 0);
}
#endif

/* More blocks than are kept, on several threads. */
static void memory_is_freed_by_any_thread(void **state)
{
    (void)state;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; i++) {
        char *blocks[20];
        for (int k = 0; k < 20; k++) {
            blocks[k] = nitro_host_allocate(LARGE_COUNT, k % 3 ? 4 : 5);
            blocks[k][0] = (char)k;
        }
        for (int k = 0; k < 20; k++) {
            if (blocks[k][0] != k)
                abort();
            nitro_host_free(blocks[k]);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_setup_teardown(work_is_divided_where_that_saves_time, setup, teardown),
        cmocka_unit_test_setup_teardown(waking_is_measured, setup, teardown),
        cmocka_unit_test_setup_teardown(forked_processes_share_what_waking_costs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_thread_of_a_team_has_one_part, setup, teardown),
        cmocka_unit_test_setup_teardown(a_forked_child_does_not_wait_for_threads_of_its_parent,
                                        setup, teardown),
#endif
        cmocka_unit_test_setup_teardown(every_part_is_done_once, setup, teardown),
        cmocka_unit_test_setup_teardown(even_parts_differ_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(freed_memory_is_zeroed_again, setup, teardown),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test_setup_teardown(large_memory_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_is_freed_by_any_thread, setup, teardown),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_setup_teardown(forked_children_allocate_and_free, setup, teardown),
#endif
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
