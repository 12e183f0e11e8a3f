/* Breadth-first search by LAGraph, for benchmarks: its push-pull search, which changes direction.
 * The library is looked up at run time, so that a build needs neither its headers nor its files:
 * `pip install lagraph` is enough. */
#include "bench/peers/bfs_lagraph.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* From GraphBLAS.h and LAGraph.h. */
#define SUCCESS 0

typedef struct lagraph {
    int (*init)(void);
    int (*set_nthreads)(int count);
    int (*bfs_pushpull)(void **levels, void **parents, void *matrix, void *transposed,
                        int64_t source, int64_t max_level, bool are_levels_sparse);
    int (*matrix_new)(void **matrix, void *type, uint64_t rows, uint64_t cols);
    int (*matrix_build)(void *matrix, const uint64_t *rows, const uint64_t *cols,
                        const bool *values, uint64_t count, void *combine);
    int (*matrix_free)(void **matrix);
    int (*vector_tuples)(uint64_t *indices, int32_t *values, uint64_t *count, void *vector);
    int (*vector_free)(void **vector);
    void **type_bool, **logical_or;
} lagraph;

struct bfs_lagraph {
    const nitro_bfs *bfs;
    void *matrix, *levels;
};

/* NULL if it is not installed, or lacks a function. It stays loaded. */
static const lagraph *find_lagraph(void)
{
    static lagraph found;
    static bool searched, usable;
    if (searched)
        return usable ? &found : NULL;
    searched = true;
    const char *path = getenv("NITRO_BENCH_LAGRAPH");
    void *library = dlopen(path ? path : "liblagraph.so.0.1.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return NULL;
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"LAGraph_init", &found.init},
        {"LAGraph_set_nthreads", &found.set_nthreads},
        {"LAGraph_bfs_pushpull", &found.bfs_pushpull},
        {"GrB_Matrix_new", &found.matrix_new},
        {"GrB_Matrix_build_BOOL", &found.matrix_build},
        {"GrB_Matrix_free", &found.matrix_free},
        {"GrB_Vector_extractTuples_INT32", &found.vector_tuples},
        {"GrB_Vector_free", &found.vector_free},
        {"GrB_BOOL", &found.type_bool},
        {"GrB_LOR", &found.logical_or},
    };
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if (!(*(void **)symbols[i].to = dlsym(library, symbols[i].name)))
            return NULL;
    usable = found.init() == SUCCESS;
    return usable ? &found : NULL;
}

const char *bfs_lagraph_problem(void)
{
    return find_lagraph() ? NULL
                          : "LAGraph is not installed, or is not where the loader looks: 'pip "
                            "install lagraph' and set NITRO_BENCH_LAGRAPH to the path of its "
                            "liblagraph.so";
}

bfs_lagraph *bfs_lagraph_create(const nitro_bfs *bfs)
{
    const lagraph *library = find_lagraph();
    size_t num_edges = (size_t)bfs->num_edges;
    bfs_lagraph *search = calloc(1, sizeof(*search));
    uint64_t *ends = malloc(2 * num_edges * sizeof(*ends) + 1), *targets = ends + num_edges;
    bool *values = malloc(num_edges + 1);
    bool is_built = false;
    if (search && ends && values &&
        library->matrix_new(&search->matrix, *library->type_bool, (uint64_t)bfs->num_vertices,
                            (uint64_t)bfs->num_vertices) == SUCCESS) {
        search->bfs = bfs;
        for (int64_t v = 0; v < bfs->num_vertices; v++)
            for (int64_t e = bfs->offsets[v]; e < bfs->offsets[v + 1]; e++) {
                ends[e] = (uint64_t)v;
                targets[e] = (uint64_t)bfs->targets[e];
            }
        memset(values, true, num_edges);
        is_built = library->matrix_build(search->matrix, ends, targets, values, num_edges,
                                         *library->logical_or) == SUCCESS;
    }
    free(ends);
    free(values);
    if (is_built)
        return search;
    bfs_lagraph_free(search);
    return NULL;
}

int bfs_lagraph_run(bfs_lagraph *search)
{
    const lagraph *library = find_lagraph();
    const nitro_bfs *bfs = search->bfs;
    library->set_nthreads(1);
    for (int64_t s = 0; s < bfs->num_sources; s++) {
        if (search->levels)
            library->vector_free(&search->levels);
        if (library->bfs_pushpull(&search->levels, NULL, search->matrix, search->matrix,
                                  bfs->sources[s], bfs->num_vertices, false) != SUCCESS)
            return 1;
    }
    return 0;
}

/* Levels begin at 1; 0 or no entry: not reached. */
bool bfs_lagraph_agrees(const bfs_lagraph *search)
{
    const nitro_bfs *bfs = search->bfs;
    size_t num_vertices = (size_t)bfs->num_vertices;
    uint64_t count = num_vertices, *vertices = malloc(num_vertices * sizeof(*vertices) + 1);
    int32_t *levels = malloc(num_vertices * sizeof(*levels) + 1);
    int32_t *depths = malloc(num_vertices * sizeof(*depths) + 1);
    bool agrees =
        vertices && levels && depths && search->levels &&
        find_lagraph()->vector_tuples(vertices, levels, &count, search->levels) == SUCCESS;
    for (size_t v = 0; agrees && v < num_vertices; v++)
        depths[v] = -1;
    for (uint64_t i = 0; agrees && i < count; i++)
        depths[vertices[i]] = levels[i] - 1;
    agrees = agrees && memcmp(depths, bfs->depths + (bfs->num_sources - 1) * bfs->num_vertices,
                              num_vertices * sizeof(*depths)) == 0;
    free(vertices);
    free(levels);
    free(depths);
    return agrees;
}

void bfs_lagraph_free(bfs_lagraph *search)
{
    if (search && search->levels)
        find_lagraph()->vector_free(&search->levels);
    if (search && search->matrix)
        find_lagraph()->matrix_free(&search->matrix);
    free(search);
}
