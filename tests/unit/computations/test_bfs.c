/* Every host variant of bfs against depths that a relaxation of all edges finds: every family, many
 * threads, directed graphs, loops and duplicates; graphs from files; bad input; features. */
#include <omp.h>

#include "apps/bfs/graph.h"
#include "nitro/runtime/computation.h"
#include "unit/computation_fixture.h"
#include "variants/bfs/host/bfs_search.h"

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_bfs);
}

/* Every edge is looked at until nothing changes: independent of any order of visits. */
static void relax(const nitro_bfs *bfs, int64_t search, int32_t *depths)
{
    bool changes = true;
    for (int64_t v = 0; v < bfs->num_vertices; v++)
        depths[v] = v == bfs->sources[search] ? 0 : -1;
    while (changes) {
        changes = false;
        for (int64_t v = 0; v < bfs->num_vertices; v++)
            for (int64_t k = bfs->offsets[v]; k < bfs->offsets[v + 1] && depths[v] >= 0; k++) {
                int32_t *depth = &depths[bfs->targets[k]];
                if (*depth < 0 || *depth > depths[v] + 1) {
                    *depth = depths[v] + 1;
                    changes = true;
                }
            }
    }
}

static void check_all(const computation_fixture *f, nitro_bfs *bfs, const char *name)
{
    int64_t n = bfs->num_vertices;
    int32_t *expected = calloc((size_t)(n * bfs->num_sources) + 1, sizeof(*expected));
    size_t bytes = (size_t)(n * bfs->num_sources) * sizeof(*expected);
    for (int64_t s = 0; s < bfs->num_sources; s++)
        relax(bfs, s, expected + s * n);
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        memset(bfs->depths, 0x77, bytes);
        if (variant->prepare)
            assert_int_equal(variant->prepare(bfs, variant->user), 0);
        assert_int_equal(variant->run(bfs, variant->user), 0);
        if (memcmp(bfs->depths, expected, bytes) != 0)
            fail_msg("%s: %s is wrong", name, variant->name);
    }
    free(expected);
}

static void check_families(const computation_fixture *f, const double *sizes, size_t count,
                           size_t step)
{
    for (size_t family = 0; family < NITRO_GRAPH_NUM_FAMILIES; family += step)
        for (size_t s = 0; s < count; s++) {
            nitro_graph_edges edges = {0};
            nitro_bfs *bfs = NULL;
            nitro_random random;
            nitro_random_seed(&random, family + 100 * s);
            nitro_graph_families[family].build(&random, sizes[s], &edges);
            assert_ok(f->context, nitro_graph_create(f->context, &edges, &bfs));
            check_all(f, bfs, nitro_graph_families[family].name);
            nitro_kit_free(&nitro_bfs_kit, false, bfs);
        }
}

static void every_family(void **state)
{
    static const double sizes[] = {0, 1, 2, 3, 10, 77, 1000, 6001};
    check_families(*state, sizes, sizeof(sizes) / sizeof(sizes[0]), 1);
}

/* Every other family: those of many levels would wait for threads that share cores. */
static void with_many_threads(void **state)
{
    static const double sizes[] = {3, 500, 9001};
    int threads = omp_get_max_threads();
    nitro_host_assume_wake_ns(0);
    omp_set_num_threads(3);
    check_families(*state, sizes, sizeof(sizes) / sizeof(sizes[0]), 2);
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
}

/* A Kronecker graph large enough for depths to be prefetched, with hubs, alone and by threads. */
static void large_graph(void **state)
{
    const computation_fixture *f = *state;
    int threads = omp_get_max_threads();
    nitro_graph_edges edges = {.num_vertices = NITRO_BFS_LARGE};
    nitro_bfs *bfs = NULL;
    nitro_random random;
    nitro_random_seed(&random, 5);
    nitro_graph_add_kronecker(&random, 18, 4e5, true, &edges);
    assert_ok(f->context, nitro_graph_create(f->context, &edges, &bfs));
    bfs->num_sources = 1;
    check_all(f, bfs, "large");
    nitro_host_assume_wake_ns(0);
    omp_set_num_threads(3);
    check_all(f, bfs, "large, by threads");
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
    nitro_kit_free(&nitro_bfs_kit, false, bfs);
}

/* 0 -> 1 -> 2, 3 -> 2, with a loop at 1 and 1 -> 2 twice. */
static void directed_with_loops_and_duplicates(void **state)
{
    static const int64_t offsets[] = {0, 1, 4, 4, 5}, in_offsets[] = {0, 0, 2, 5, 5};
    static const int32_t targets[] = {1, 1, 2, 2, 2}, in_targets[] = {0, 1, 1, 1, 3};
    static const int32_t sources[] = {0, 3, 2, 0};
    int32_t depths[16];
    nitro_bfs bfs = {.num_vertices = 4,
                     .num_edges = 5,
                     .num_sources = 4,
                     .offsets = offsets,
                     .targets = targets,
                     .in_offsets = in_offsets,
                     .in_targets = in_targets,
                     .sources = sources,
                     .depths = depths};
    check_all(*state, &bfs, "directed");
    nitro_kit_release(&nitro_bfs_kit, &bfs);
}

/* Of every variant that needs some: measuring releases it while others are still to run. */
static void a_released_room_is_made_again(void **state)
{
    computation_fixture *f = *state;
    nitro_graph_edges edges = {.num_vertices = 2};
    nitro_bfs *bfs = NULL;
    nitro_graph_add(&edges, 0, 1);
    assert_ok(f->context, nitro_graph_create(f->context, &edges, &bfs));
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        if (!variant->prepare)
            continue;
        assert_int_equal(variant->prepare(bfs, variant->user), 0);
        assert_int_equal(variant->run(bfs, variant->user), 0);
        const int32_t depths[2] = {bfs->depths[0], bfs->depths[1]};
        variant->release(bfs, variant->user);
        assert_null(bfs->room.memory);
        bfs->depths[0] = bfs->depths[1] = 7;
        assert_int_equal(variant->run(bfs, variant->user), 0);
        assert_memory_equal(bfs->depths, depths, sizeof(depths));
    }
    nitro_kit_free(&nitro_bfs_kit, false, bfs);
}

static void load(const computation_fixture *f, const char *text, nitro_status expected,
                 const char *described)
{
    const char *path = BINARY_DIR "/test_bfs.mtx";
    void *argument = NULL;
    char shown[160];
    assert_ok(f->context, nitro_file_write(f->context, path, text, strlen(text)));
    if (expected == NITRO_OK) {
        assert_ok(f->context, nitro_module_bfs.load(f->context, path, &argument));
        nitro_module_bfs.describe(argument, shown, sizeof(shown));
        assert_string_equal(shown, described);
        check_all(f, argument, described);
        nitro_module_bfs.unload(argument);
    } else {
        assert_fails(f->context, nitro_module_bfs.load(f->context, path, &argument), expected,
                     described);
    }
    remove(path);
}

static void graphs_are_patterns_of_files(void **state)
{
#define HEADER "%%MatrixMarket matrix coordinate pattern general\n"
    load(*state, HEADER "4 4 5\n1 2\n2 1\n2 2\n3 4\n1 3\n", NITRO_OK,
         "4 vertices, 6 directed edges, 8 searches");
    load(*state, HEADER "3 3 1\n2 2\n", NITRO_OK, "3 vertices, 0 directed edges, 0 searches");
    load(*state, HEADER "0 0 0\n", NITRO_OK, "0 vertices, 0 directed edges, 0 searches");
    load(*state, HEADER "2 3 1\n1 1\n", NITRO_ERR_FORMAT,
         "the matrix is 2 x 3, and a graph needs a square one");
}

static void too_many_edges_are_refused(void **state)
{
    computation_fixture *f = *state;
    nitro_graph_edges edges = {.num_vertices = 2, .entries.count = 2 * (int64_t)INT32_MAX};
    nitro_bfs *bfs = NULL;
    assert_fails(f->context, nitro_graph_create(f->context, &edges, &bfs), NITRO_ERR_ARGUMENT,
                 "2 vertices and 2147483647 edges");
    assert_null(bfs);
}

static void features_tell_roads_from_hubs(void **state)
{
    computation_fixture *f = *state;
    double values[2][NITRO_BFS_NUM_FEATURES];
    for (size_t i = 0; i < 2; i++) { /* kronecker and road */
        nitro_graph_edges edges = {0};
        nitro_bfs *bfs = NULL;
        nitro_random random;
        nitro_random_seed(&random, 1);
        nitro_graph_families[i].build(&random, 30000, &edges);
        assert_ok(f->context, nitro_graph_create(f->context, &edges, &bfs));
        assert_ok(f->context, nitro_computation_evaluate(f->computation, bfs, values[i]));
        assert_true(values[i][NITRO_BFS_NUM_EDGES] == (double)bfs->num_edges);
        nitro_kit_free(&nitro_bfs_kit, false, bfs);
    }
    assert_true(values[0][NITRO_BFS_LEVELS] < 6 && values[1][NITRO_BFS_LEVELS] > 20);
    assert_true(values[0][NITRO_BFS_DEGREE_SD] > 5 * values[1][NITRO_BFS_DEGREE_SD]);
    assert_true(values[0][NITRO_BFS_HEAVY_SHARE] > values[1][NITRO_BFS_HEAVY_SHARE]);
    assert_true(values[1][NITRO_BFS_MEAN_DEGREE] < 3);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, computation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_family),
        TEST(with_many_threads),
        TEST(large_graph),
        TEST(directed_with_loops_and_duplicates),
        TEST(a_released_room_is_made_again),
        TEST(graphs_are_patterns_of_files),
        TEST(too_many_edges_are_refused),
        TEST(features_tell_roads_from_hubs),
    };
    return cmocka_run_group_tests_name("bfs", tests, NULL, NULL);
}
