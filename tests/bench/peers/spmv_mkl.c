/* SpMV by oneMKL, for benchmarks. The library is looked up at run time, so that a build needs
 * neither its headers nor its files: `pip install mkl` is enough. It shares this program's OpenMP
 * runtime (libgomp): two thread pools would disturb each other's timing. */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>

#include "bench/peers/spmv_libraries.h"

/* From mkl_spblas.h and mkl_service.h, with 32-bit indices (LP64). */
#define MKL_THREADING_GNU 3
#define OPERATION_PLAIN   10
#define MATRIX_GENERAL    20
#define EXPECTED_CALLS    1000000
typedef void *mkl_matrix;
typedef struct mkl_description {
    int type, fill_mode, diagonal;
} mkl_description;

typedef struct mkl {
    int (*create_csr)(mkl_matrix *matrix, int base, int rows, int cols, int *row_starts,
                      int *row_ends, int *columns, double *values);
    int (*set_mv_hint)(mkl_matrix matrix, int operation, mkl_description description, int calls);
    int (*optimize)(mkl_matrix matrix);
    int (*mv)(int operation, double alpha, mkl_matrix matrix, mkl_description description,
              const double *x, double beta, double *y);
    int (*destroy)(mkl_matrix matrix);
    int (*set_threading_layer)(int layer);
    void (*set_num_threads)(int threads);
} mkl;

typedef struct matrix {
    mkl_matrix handle;
    int32_t *row_offsets;
} matrix;

static const mkl_description general = {.type = MATRIX_GENERAL};

static void *open_library(void)
{
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
    const char *path = getenv("NITRO_BENCH_MKL");
    if (path)
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *library = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    return library;
}

/* NULL if it is not installed, or lacks a function. It stays loaded. */
static const mkl *find_mkl(void)
{
    static mkl found;
    static bool searched, usable;
    if (searched)
        return usable ? &found : NULL;
    searched = true;
    void *library = open_library();
    if (!library)
        return NULL;
    const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"mkl_sparse_d_create_csr", &found.create_csr},
        {"mkl_sparse_set_mv_hint", &found.set_mv_hint},
        {"mkl_sparse_optimize", &found.optimize},
        {"mkl_sparse_d_mv", &found.mv},
        {"mkl_sparse_destroy", &found.destroy},
        {"MKL_Set_Threading_Layer", &found.set_threading_layer},
        {"MKL_Set_Num_Threads", &found.set_num_threads},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!(*(void **)functions[i].to = dlsym(library, functions[i].name)))
            return NULL;
    found.set_threading_layer(MKL_THREADING_GNU);
    usable = true;
    return &found;
}

static const char *problem(void)
{
    return find_mkl() ? NULL
                      : "MKL is not installed, or is not where the loader looks: 'pip install mkl' "
                        "and set NITRO_BENCH_MKL to the path of its libmkl_rt.so";
}

static void destroy(void *made)
{
    matrix *m = made;
    if (m && m->handle)
        find_mkl()->destroy(m->handle);
    if (m)
        free(m->row_offsets);
    free(m);
}

static matrix *create(const nitro_spmv *spmv, bool with_hints)
{
    const mkl *library = find_mkl();
    matrix *m = calloc(1, sizeof(*m));
    if (!m || !(m->row_offsets = spmv_library_offsets(spmv)))
        goto destroy_matrix;
    library->set_num_threads(omp_get_max_threads());
    if (library->create_csr(&m->handle, 0, (int)spmv->num_rows, (int)spmv->num_cols, m->row_offsets,
                            m->row_offsets + 1, (int *)spmv->columns, (double *)spmv->values) != 0)
        goto destroy_matrix;
    if (with_hints &&
        (library->set_mv_hint(m->handle, OPERATION_PLAIN, general, EXPECTED_CALLS) != 0 ||
         library->optimize(m->handle) != 0))
        goto destroy_matrix;
    return m;
destroy_matrix:
    destroy(m);
    return NULL;
}

static void *create_plain(const nitro_spmv *spmv)
{
    return create(spmv, false);
}

static void *create_with_hints(const nitro_spmv *spmv)
{
    return create(spmv, true);
}

static int multiply(void *made, const double *x, double *y)
{
    const matrix *m = made;
    return find_mkl()->mv(OPERATION_PLAIN, 1, m->handle, general, x, 0, y);
}

const spmv_library spmv_library_mkl = {
    .name = "mkl",
    .problem = problem,
    .create = create_plain,
    .multiply = multiply,
    .free = destroy,
};

const spmv_library spmv_library_mkl_hints = {
    .name = "mkl with hints",
    .problem = problem,
    .create = create_with_hints,
    .multiply = multiply,
    .free = destroy,
};

int32_t *spmv_library_offsets(const nitro_spmv *spmv)
{
    if (spmv->num_nonzeros > INT32_MAX)
        return NULL;
    int32_t *offsets = malloc((size_t)(spmv->num_rows + 1) * sizeof(*offsets));
    for (int64_t row = 0; offsets && row <= spmv->num_rows; row++)
        offsets[row] = (int32_t)spmv->row_offsets[row];
    return offsets;
}
