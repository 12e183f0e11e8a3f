/* cuSPARSE: csr1 and csr2 are its two algorithms on the CSR matrix (the first is usually faster,
 * the second deterministic), coo, sell (slices of 32 rows) and bsr (blocks) its products in these
 * formats. The library is loaded when the variants are declared, not linked: if it is missing they
 * are declared but allowed for no input, since samples of all devices must have the same variants.
 *
 * `prepare` makes the format, the handle, the descriptors and the work buffer, and runs cuSPARSE's
 * preprocessing. All belong to one variant. */
#define DISABLE_CUSPARSE_DEPRECATED /* of other functions */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(macro)    #macro
#define LIBRARY        "libcusparse.so." TEXT_OF(CUSPARSE_VER_MAJOR)

/* The functions used by all. */
#define FUNCTIONS(apply)                                                                           \
    apply(GetProperty) apply(GetErrorString) apply(Create) apply(Destroy) apply(SetStream)         \
        apply(CreateCsr) apply(CreateCoo) apply(DestroySpMat) apply(CreateDnVec)                   \
            apply(DestroyDnVec) apply(DnVecSetValues) apply(SpMV_bufferSize) apply(SpMV)

typedef struct functions {
#define MEMBER(name) __typeof__(cusparse##name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    /* NULL: this version has none. */
    __typeof__(cusparseSpMV) *SpMV_preprocess; /* since CUDA 12.4 */
    __typeof__(cusparseCreateSlicedEll) *CreateSlicedEll;
    __typeof__(cusparseCreateBsr) *CreateBsr;
} functions;

struct nitro_spmv_cuda_cusparse {
    nitro_spmv_cuda_cusparse *next;
    const struct algorithm *algorithm;
    functions library;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void *buffer;
};

struct algorithm {
    const char *name;
    const nitro_spmv_format *format; /* NULL: CSR */
    nitro_spmv_cuda_step *fill;
    cusparseSpMVAlg_t number;
    const char *function; /* that describes the matrix, for error messages */
    cusparseStatus_t (*describe)(const functions *library, const nitro_spmv_cuda *spmv,
                                 const void *format, cusparseSpMatDescr_t *matrix);
};

/* ---- The matrix in its formats ---- */

#define TYPES CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F

static cusparseStatus_t describe_csr(const functions *library, const nitro_spmv_cuda *spmv,
                                     const void *format, cusparseSpMatDescr_t *matrix)
{
    (void)format;
    return library->CreateCsr(matrix, spmv->host.num_rows, spmv->host.num_cols,
                              spmv->host.num_nonzeros, spmv->row_offsets, spmv->columns,
                              spmv->values, TYPES);
}

static cusparseStatus_t describe_coo(const functions *library, const nitro_spmv_cuda *spmv,
                                     const void *format, cusparseSpMatDescr_t *matrix)
{
    const nitro_spmv_cuda_coo *coo = format;
    return library->CreateCoo(matrix, spmv->host.num_rows, spmv->host.num_cols,
                              spmv->host.num_nonzeros, coo->rows, spmv->columns, spmv->values,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
}

static cusparseStatus_t describe_sell(const functions *library, const nitro_spmv_cuda *spmv,
                                      const void *format, cusparseSpMatDescr_t *matrix)
{
    const nitro_spmv_cuda_sellp *sellp = format;
    return library->CreateSlicedEll(
        matrix, spmv->host.num_rows, spmv->host.num_cols, spmv->host.num_nonzeros, sellp->num_slots,
        NITRO_SPMV_SLICE_ROWS, sellp->slice_offsets, sellp->columns, sellp->values, TYPES);
}

static cusparseStatus_t describe_bsr(const functions *library, const nitro_spmv_cuda *spmv,
                                     const void *format, cusparseSpMatDescr_t *matrix)
{
    const nitro_spmv_cuda_bsr *bsr = format;
    return library->CreateBsr(matrix, bsr->num_rows, spmv->host.num_cols / bsr->block,
                              bsr->num_blocks, bsr->block, bsr->block, bsr->row_offsets,
                              bsr->columns, bsr->values, TYPES, CUSPARSE_ORDER_ROW);
}

/* Of the library, for an algorithm. @return NULL, or what is wrong. */
static const char *find_functions(const struct algorithm *algorithm, functions *found)
{
    void *handle = nitro_cuda_library_open(LIBRARY);
    if (!handle)
        return LIBRARY " was found neither by the loader nor in CUDA_HOME, /usr/local/cuda and "
                       "Python's packages: install cuSPARSE, or add its folder to LD_LIBRARY_PATH";
#define FIND(name) *(void **)&found->name = dlsym(handle, "cusparse" #name);
    FUNCTIONS(FIND)
#undef FIND
    *(void **)&found->SpMV_preprocess = dlsym(handle, "cusparseSpMV_preprocess");
    *(void **)&found->CreateSlicedEll = dlsym(handle, "cusparseCreateSlicedEll");
    *(void **)&found->CreateBsr = dlsym(handle, "cusparseCreateBsr");
    int major = 0;
#define MISSING(name) || !found->name
    if (0 FUNCTIONS(MISSING))
        return LIBRARY " lacks a function that is used: it is older than cuSPARSE 12";
#undef MISSING
    if (found->GetProperty(MAJOR_VERSION, &major) != CUSPARSE_STATUS_SUCCESS ||
        major != CUSPARSE_VER_MAJOR)
        return LIBRARY " is of another major version than this build was made for";
    return (algorithm->describe == describe_sell && !found->CreateSlicedEll) ||
                   (algorithm->describe == describe_bsr && !found->CreateBsr)
               ? LIBRARY " does not know the format: install a newer cuSPARSE"
               : NULL;
}

const char *nitro_spmv_cusparse_problem(const nitro_variant *variant)
{
    functions unused;
    return find_functions(variant->user, &unused);
}

static int check(nitro_spmv_cuda *spmv, const functions *library, cusparseStatus_t status,
                 const char *what)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return 0;
    bool is_memory = status == CUSPARSE_STATUS_ALLOC_FAILED;
    nitro_cuda_fail(&spmv->cuda, "%s: %s%s", what, library->GetErrorString(status),
                    is_memory ? " (out of memory)" : "");
    if (is_memory)
        spmv->cuda.failure = NITRO_ERR_NO_MEMORY;
    return spmv->cuda.failure;
}

/* cuSPARSE may free device memory, also while another stream captures a graph. */
static void clear(nitro_spmv_cuda_cusparse *made)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (made->y)
        made->library.DestroyDnVec(made->y);
    if (made->x)
        made->library.DestroyDnVec(made->x);
    if (made->matrix)
        made->library.DestroySpMat(made->matrix);
    if (made->handle)
        made->library.Destroy(made->handle);
    cudaThreadExchangeStreamCaptureMode(&mode);
    nitro_cuda_free(made->buffer);
    free(made);
}

/* Where the variant's is kept; the end of the list if it is not made. */
static nitro_spmv_cuda_cusparse **find_made(nitro_spmv_cuda *spmv,
                                            const struct algorithm *algorithm)
{
    nitro_spmv_cuda_cusparse **at = &spmv->cusparse;
    while (*at && (*at)->algorithm != algorithm)
        at = &(*at)->next;
    return at;
}

static void release(void *argument, void *user)
{
    const struct algorithm *algorithm = user;
    nitro_spmv_cuda_cusparse **at = find_made(argument, algorithm), *made = *at;
    if (made) {
        *at = made->next;
        clear(made);
    }
    if (algorithm->format) /* after its descriptor */
        nitro_kit_release_part(&nitro_spmv_kit, &algorithm->format->part, argument);
}

void nitro_spmv_cuda_release_cusparse(void *argument)
{
    nitro_spmv_cuda *spmv = argument;
    while (spmv->cusparse)
        release(argument, (void *)spmv->cusparse->algorithm);
}

static int describe(nitro_spmv_cuda *spmv, const struct algorithm *algorithm,
                    nitro_spmv_cuda_cusparse *made)
{
    const functions *library = &made->library;
    const nitro_spmv *host = &spmv->host;
    const void *format =
        algorithm->format
            ? nitro_kit_part_on_device(&nitro_spmv_kit, &algorithm->format->part, spmv)
            : NULL;
    return check(spmv, library, library->Create(&made->handle), "cusparseCreate") ||
           check(spmv, library, library->SetStream(made->handle, spmv->cuda.stream),
                 "cusparseSetStream") ||
           check(spmv, library, algorithm->describe(library, spmv, format, &made->matrix),
                 algorithm->function) ||
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

static int make(nitro_spmv_cuda *spmv, const struct algorithm *algorithm)
{
    nitro_spmv_cuda_cusparse *made = calloc(1, sizeof(*made));
    if (!made)
        return nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    made->algorithm = algorithm;
    const char *problem = find_functions(algorithm, &made->library);
    if (problem) {
        free(made);
        return nitro_cuda_fail(&spmv->cuda, "%s", problem);
    }
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* it may allocate, too */
    cudaThreadExchangeStreamCaptureMode(&mode);
    bool is_made = describe(spmv, algorithm, made) == 0 &&
                   make_buffer(spmv, made, algorithm) == 0 && nitro_cuda_wait(&spmv->cuda) == 0;
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (!is_made) {
        clear(made);
        return spmv->cuda.failure;
    }
    *find_made(spmv, algorithm) = made;
    return 0;
}

static int prepare(void *argument, void *user)
{
    const struct algorithm *algorithm = user;
    nitro_spmv_cuda *spmv = argument;
    if (*find_made(spmv, algorithm))
        return 0;
    if (nitro_spmv_cuda_upload(spmv) != 0 ||
        nitro_cuda_may_prepare(&spmv->cuda, "cuSPARSE's description of the matrix") != 0)
        return spmv->cuda.failure;
    if (is_empty(spmv))
        return 0;
    if (algorithm->format &&
        nitro_spmv_cuda_prepare_format(spmv, algorithm->format, algorithm->fill) != 0)
        return spmv->cuda.failure;
    if (make(spmv, algorithm) == 0)
        return 0;
    release(argument, user);
    return spmv->cuda.failure;
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
    nitro_spmv_cuda_cusparse *made = *find_made(spmv, algorithm);
    if (!made)
        return nitro_cuda_fail(&spmv->cuda, "%s was not prepared", algorithm->name);
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

/* ---- The variants ---- */

/* Blocks divide the matrix, and hold all of it in any case. */
static bool allows_bsr(const double *features, const void *argument, void *user)
{
    double rows = features[NITRO_SPMV_ROWS], cols = features[NITRO_SPMV_COLS];
    bool is_even = fmod(rows, 2) == 0 && fmod(cols, 2) == 0;
    bool is_threefold = fmod(rows, 3) == 0 && fmod(cols, 3) == 0;
    double most = is_even ? 4 : 9; /* slots of an entry alone in its block */
    return nitro_spmv_fits_device(features, argument, user) && (is_even || is_threefold) &&
           most * features[NITRO_SPMV_NNZ] <= NITRO_CUDA_MAX_COUNT;
}

static bool allows_sell(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_sellp.allows(features, NULL, NULL);
}

#define VARIANT(its_name, its_format, its_fill, number, create, describe, ...)                     \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .release = release,     \
        .user = (void *)&(const struct algorithm){#its_name, its_format,         its_fill,         \
                                                  number,    "cusparse" #create, describe},        \
        __VA_ARGS__                                                                                \
    }

const nitro_variant nitro_spmv_cuda_cusparse_variants[NITRO_SPMV_NUM_CUSPARSE] = {
    VARIANT(cusparse_csr1, NULL, NULL, CUSPARSE_SPMV_CSR_ALG1, CreateCsr, describe_csr, ),
    VARIANT(cusparse_csr2, NULL, NULL, CUSPARSE_SPMV_CSR_ALG2, CreateCsr, describe_csr, ),
    VARIANT(cusparse_coo, &nitro_spmv_plan_cusparse_coo, nitro_spmv_cuda_fill_coo,
            CUSPARSE_SPMV_COO_ALG1, CreateCoo, describe_coo, ),
    VARIANT(cusparse_sell, &nitro_spmv_plan_cusparse_sell, nitro_spmv_cuda_fill_sellp,
            CUSPARSE_SPMV_SELL_ALG1, CreateSlicedEll, describe_sell, .allows = allows_sell,
            .allows_reads = "rlsd,ell_fillin,nnz,rows,cols"),
    VARIANT(cusparse_bsr, &nitro_spmv_cuda_part_bsr, nitro_spmv_cuda_fill_bsr,
            CUSPARSE_SPMV_BSR_ALG1, CreateBsr, describe_bsr, .allows = allows_bsr,
            .allows_reads = "nnz,rows,cols"),
};
