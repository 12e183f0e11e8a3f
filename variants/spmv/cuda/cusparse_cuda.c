/* cusparse_csr1, cusparse_csr2: cuSPARSE on the CSR matrix, its two algorithms (the first is
 * usually faster, the second deterministic). The library is loaded when the variants are declared,
 * not linked: if it is missing they are declared but allowed for no input, since samples of all
 * devices must have the same variants.
 *
 * `prepare` creates the handle, the descriptors and the work buffer, and runs cuSPARSE's
 * preprocessing. Preprocessing and buffer belong to one algorithm, so each variant has its own. */
#define DISABLE_CUSPARSE_DEPRECATED /* of other functions */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(macro)    #macro
#define LIBRARY        "libcusparse.so." TEXT_OF(CUSPARSE_VER_MAJOR)

/* The functions used; `preprocess` exists since CUDA 12.4. */
#define FUNCTIONS(apply)                                                                           \
    apply(GetProperty) apply(GetErrorString) apply(Create) apply(Destroy) apply(SetStream)         \
        apply(CreateCsr) apply(DestroySpMat) apply(CreateDnVec) apply(DestroyDnVec)                \
            apply(DnVecSetValues) apply(SpMV_bufferSize) apply(SpMV)

typedef struct functions {
#define MEMBER(name) __typeof__(cusparse##name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    __typeof__(cusparseSpMV) *SpMV_preprocess; /* NULL: this version has none */
} functions;

struct nitro_spmv_cuda_cusparse {
    functions library;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void *buffer;
};

static const struct algorithm {
    int index; /* in nitro_spmv_cuda.cusparse */
    cusparseSpMVAlg_t number;
} algorithms[NITRO_SPMV_NUM_CUSPARSE] = {{0, CUSPARSE_SPMV_CSR_ALG1}, {1, CUSPARSE_SPMV_CSR_ALG2}};

/* @return NULL, or what is wrong. */
static const char *find_functions(functions *found)
{
    void *handle = nitro_cuda_library_open(LIBRARY);
    if (!handle)
        return LIBRARY " was found neither by the loader nor in CUDA_HOME, /usr/local/cuda and "
                       "Python's packages: install cuSPARSE, or add its folder to LD_LIBRARY_PATH";
#define FIND(name) *(void **)&found->name = dlsym(handle, "cusparse" #name);
    FUNCTIONS(FIND)
#undef FIND
    *(void **)&found->SpMV_preprocess = dlsym(handle, "cusparseSpMV_preprocess");
    int major = 0;
#define MISSING(name) || !found->name
    if (0 FUNCTIONS(MISSING))
        return LIBRARY " lacks a function that is used: it is older than cuSPARSE 12";
#undef MISSING
    if (found->GetProperty(MAJOR_VERSION, &major) != CUSPARSE_STATUS_SUCCESS ||
        major != CUSPARSE_VER_MAJOR)
        return LIBRARY " is of another major version than this build was made for";
    return NULL;
}

const char *nitro_spmv_cusparse_problem(void)
{
    functions unused;
    return find_functions(&unused);
}

static int check(nitro_spmv_cuda *spmv, const functions *library, cusparseStatus_t status,
                 const char *what)
{
    return status == CUSPARSE_STATUS_SUCCESS
               ? 0
               : nitro_cuda_fail(&spmv->cuda, "%s: %s", what, library->GetErrorString(status));
}

static void clear(nitro_spmv_cuda_cusparse *made)
{
    if (made->y)
        made->library.DestroyDnVec(made->y);
    if (made->x)
        made->library.DestroyDnVec(made->x);
    if (made->matrix)
        made->library.DestroySpMat(made->matrix);
    if (made->handle)
        made->library.Destroy(made->handle);
    nitro_cuda_free(made->buffer);
    free(made);
}

void nitro_spmv_cuda_release_cusparse(void *argument, void *user)
{
    const struct algorithm *only = user; /* NULL: all */
    nitro_spmv_cuda *spmv = argument;
    for (int i = 0; i < NITRO_SPMV_NUM_CUSPARSE; i++)
        if (spmv->cusparse[i] && (!only || only->index == i)) {
            clear(spmv->cusparse[i]);
            spmv->cusparse[i] = NULL;
        }
}

static int describe(nitro_spmv_cuda *spmv, nitro_spmv_cuda_cusparse *made)
{
    const functions *library = &made->library;
    const nitro_spmv *host = &spmv->host;
    return check(spmv, library, library->Create(&made->handle), "cusparseCreate") ||
           check(spmv, library, library->SetStream(made->handle, spmv->cuda.stream),
                 "cusparseSetStream") ||
           check(spmv, library,
                 library->CreateCsr(&made->matrix, host->num_rows, host->num_cols,
                                    host->num_nonzeros, spmv->row_offsets, spmv->columns,
                                    spmv->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                 "cusparseCreateCsr") ||
           check(spmv, library,
                 library->CreateDnVec(&made->x, host->num_cols, (void *)spmv->x, CUDA_R_64F),
                 "cusparseCreateDnVec") ||
           check(spmv, library, library->CreateDnVec(&made->y, host->num_rows, spmv->y, CUDA_R_64F),
                 "cusparseCreateDnVec");
}

/* Arguments of bufferSize, preprocess and SpMV. */
#define PRODUCT(made, algorithm)                                                                   \
    (made)->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, (made)->matrix, (made)->x, &zero,      \
        (made)->y, CUDA_R_64F, (algorithm)->number

static int make_buffer(nitro_spmv_cuda *spmv, nitro_spmv_cuda_cusparse *made,
                       const struct algorithm *algorithm)
{
    const functions *library = &made->library;
    const double one = 1, zero = 0;
    size_t bytes = 0;
    if (check(spmv, library, library->SpMV_bufferSize(PRODUCT(made, algorithm), &bytes),
              "cusparseSpMV_bufferSize") != 0 ||
        nitro_cuda_need(&spmv->cuda, bytes, "cuSPARSE's work buffer") != 0 ||
        nitro_cuda_allocate(&spmv->cuda, (int64_t)bytes, 1, &made->buffer) != 0)
        return spmv->cuda.failure;
    if (!library->SpMV_preprocess)
        return 0;
    return check(spmv, library, library->SpMV_preprocess(PRODUCT(made, algorithm), made->buffer),
                 "cusparseSpMV_preprocess");
}

static bool is_empty(const nitro_spmv_cuda *spmv)
{
    return spmv->host.num_nonzeros == 0; /* cuSPARSE may reject empty descriptors */
}

static int prepare(void *argument, void *user)
{
    const struct algorithm *algorithm = user;
    nitro_spmv_cuda *spmv = argument;
    if (spmv->cusparse[algorithm->index])
        return 0;
    if (nitro_spmv_cuda_upload(spmv) != 0 ||
        nitro_cuda_may_prepare(&spmv->cuda, "cuSPARSE's description of the matrix") != 0)
        return spmv->cuda.failure;
    if (is_empty(spmv))
        return 0;
    nitro_spmv_cuda_cusparse *made = calloc(1, sizeof(*made));
    if (!made)
        return nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    const char *problem = find_functions(&made->library);
    if (problem) {
        free(made);
        return nitro_cuda_fail(&spmv->cuda, "%s", problem);
    }
    if (describe(spmv, made) != 0 || make_buffer(spmv, made, algorithm) != 0 ||
        nitro_cuda_wait(&spmv->cuda) != 0) {
        clear(made);
        return spmv->cuda.failure;
    }
    spmv->cusparse[algorithm->index] = made;
    return 0;
}

static int run(void *argument, void *user)
{
    const struct algorithm *algorithm = user;
    nitro_spmv_cuda *spmv = argument;
    const double one = 1, zero = 0;
    if (is_empty(spmv))
        return spmv->host.num_rows == 0
                   ? 0
                   : nitro_cuda_check(&spmv->cuda,
                                      cudaMemsetAsync(spmv->y, 0,
                                                      (size_t)spmv->host.num_rows * sizeof(double),
                                                      spmv->cuda.stream),
                                      "zeroing y");
    nitro_spmv_cuda_cusparse *made = spmv->cusparse[algorithm->index];
    const functions *library = &made->library;
    return check(spmv, library, library->SetStream(made->handle, spmv->cuda.stream),
                 "cusparseSetStream") ||
           check(spmv, library, library->DnVecSetValues(made->x, (void *)spmv->x),
                 "cusparseDnVecSetValues") ||
           check(spmv, library, library->DnVecSetValues(made->y, spmv->y),
                 "cusparseDnVecSetValues") ||
           check(spmv, library, library->SpMV(PRODUCT(made, algorithm), made->buffer),
                 "cusparseSpMV");
}

const nitro_variant nitro_spmv_cuda_variant_cusparse_csr1 = {
    .name = "cusparse_csr1",
    .version = "1",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_cuda_release_cusparse,
    .user = (void *)&algorithms[0],
};

const nitro_variant nitro_spmv_cuda_variant_cusparse_csr2 = {
    .name = "cusparse_csr2",
    .version = "1",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_cuda_release_cusparse,
    .user = (void *)&algorithms[1],
};
