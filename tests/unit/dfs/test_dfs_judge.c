/* Qualities of device-feature subsets against a plain loop of LIBSVM trainings. */
#include <sys/resource.h>
#include <unistd.h>

#include "unit/dfs_work.h"
#include "unit/plain_dfs.h"
#include "unit/unit.h"

#define MAX_SUBSETS 128

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_string_list candidates;
    nitro_dfs_task task;
    uint64_t subsets[MAX_SUBSETS];
    size_t num_subsets;
    double qualities[8 * MAX_SUBSETS];
    uint64_t varying[8];
    nitro_dfs_effort effort;
} fixture;

static fixture *make_fixture(uint64_t seed, size_t num_devices, size_t num_inputs,
                             size_t num_candidates)
{
    fixture *f = calloc(1, sizeof(*f));
    nitro_random random;
    nitro_random_seed(&random, seed);
    f->context = unit_context();
    f->target = dfs_work_device(f->context, &random, num_devices);
    assert_non_null(f->target);
    f->sources = dfs_work_dataset(f->context, seed, num_devices, num_inputs, 6);
    assert_non_null(f->sources);
    /* The last candidates are those of the cost model. */
    for (size_t c = DFS_WORK_FEATURES - num_candidates; c < DFS_WORK_FEATURES; c++)
        assert_ok(f->context,
                  nitro_string_list_add(f->context, &f->candidates, dfs_work_features[c].name));
    f->task = (nitro_dfs_task){.sources = f->sources,
                               .target = f->target,
                               .candidates = &f->candidates,
                               .seed = seed,
                               .num_threads = 2};
    f->num_subsets = dfs_work_subsets(num_candidates, 3, f->subsets);
    return f;
}

static void free_fixture(fixture *f)
{
    nitro_string_list_free(&f->candidates);
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    nitro_context_free(f->context);
    free(f);
}

static void judge(fixture *f)
{
    assert_ok(f->context, nitro_dfs_judge(f->context, &f->task, f->subsets, f->num_subsets,
                                          f->qualities, f->varying, &f->effort));
}

/* Qualities are equal to the last bit, because all decisions are equal. */
static void check_against_plain(fixture *f)
{
    judge(f);
    for (size_t t = 0; t < f->sources->num_devices; t++)
        for (size_t s = 0; s < f->num_subsets; s++) {
            double ours = f->qualities[t * f->num_subsets + s];
            double plain = plain_judge(f->context, &f->task, t, f->subsets[s], 0);
            if (ours != plain)
                fail_msg("validation device %zu, subset %llu: quality %.17g instead of %.17g", t,
                         (unsigned long long)f->subsets[s], ours, plain);
        }
}

static void test_equals_the_plain_loop(void **state)
{
    (void)state;
    unit_skip_if_libsvm_fuses();
    const struct {
        uint64_t seed;
        size_t devices, inputs, candidates;
    } works[] = {{1, 3, 30, 3}, {2, 4, 20, 2}, {3, 5, 14, 2}, {4, 4, 40, 1}, {5, 2, 30, 2}};
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        fixture *f =
            make_fixture(works[i].seed, works[i].devices, works[i].inputs, works[i].candidates);
        check_against_plain(f);
        free_fixture(f);
    }
}

/* Whole inputs, by the seed alone; as many as is said, or fewer of many sources than of three. */
static void test_of_many_samples_inputs_are_drawn(void **state)
{
    (void)state;
    const struct {
        size_t devices, inputs, max_rows, rows;
    } works[] = {{3, 250, 0, 750}, {6, 110, 0, 600}, {6, 110, 125, 120}, {3, 50, 75, 75}};
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        double qualities[8];
        fixture *f = make_fixture(1, works[i].devices, works[i].inputs, 3);
        f->num_subsets = 1;
        f->task.max_rows = works[i].max_rows;
        judge(f);
        assert_int_equal(f->effort.num_candidate_rows, works[i].devices * works[i].inputs);
        assert_int_equal(f->effort.num_rows, works[i].rows);
        assert_int_equal(f->effort.num_inputs * works[i].devices, works[i].rows);
        memcpy(qualities, f->qualities, works[i].devices * sizeof(*qualities));
        f->task.num_threads = 1;
        judge(f);
        assert_memory_equal(f->qualities, qualities, works[i].devices * sizeof(*qualities));
        free_fixture(f);
    }
}

/* Sanitizers have memory of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static size_t data_bytes(void)
{
    size_t num_pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %*u %*u %*u %*u %zu", &num_pages), 1);
    fclose(file);
    return num_pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The distances of 100 devices from one another, for each subset and each validation device, take
 * 64 MB; nothing that grows like this is kept. */
static void test_of_many_sources_little_is_kept(void **state)
{
    (void)state;
    enum { DEVICES = 100, ROOM_BYTES = 24 << 20 };
    double qualities[DEVICES * 8];
    uint64_t varying[DEVICES];
    fixture *f = make_fixture(1, DEVICES, 1, 3);
    f->task.num_threads = 1;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    struct rlimit limit = {data_bytes() + ROOM_BYTES, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
    nitro_status status = nitro_dfs_judge(f->context, &f->task, f->subsets, f->num_subsets,
                                          qualities, varying, &f->effort);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_ok(f->context, status);
    assert_int_equal(f->effort.num_models, DEVICES * f->num_subsets);
    free_fixture(f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_plain_loop),
        cmocka_unit_test(test_of_many_samples_inputs_are_drawn),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(test_of_many_sources_little_is_kept),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
