/* fake_cusparse.cpp - a libcusparse.so.12 for the emulation: correct results by a simple kernel,
 * and strict about the order of calls. Loaded as the real one. The environment injects failures:
 * NITRO_FAKE_CUSPARSE_MAJOR is another version, NITRO_FAKE_CUSPARSE_FAIL the name of a function
 * that fails. */
#include <algorithm>
#include <cstdlib>

#include "cuda_runtime.h"
#include "cusparse.h"

struct cusparseContext {
    cudaStream_t stream;
    void *memory;
};
enum format { CSR, COO, SELL, BSR };
struct cusparseSpMatDescr {
    enum format format;
    int rows, cols;
    int count, block;   /* entries, slots or blocks; rows of a slice or block */
    const int *offsets; /* of rows, slices or rows of blocks; COO: the entries' rows */
    const int *columns;
    const double *values;
    mutable void *buffer; /* of the preprocessing */
    mutable cusparseSpMVAlg_t algorithm;
};
struct cusparseDnVecDescr {
    int64_t size;
    double *values;
};

/* Handles and descriptors that nobody destroyed. */
extern "C" int nitro_fake_cusparse_num_live;
int nitro_fake_cusparse_num_live;

static cusparseStatus_t answer(const char *function)
{
    const char *failing = getenv("NITRO_FAKE_CUSPARSE_FAIL");
    return failing && strcmp(failing, function) == 0 ? CUSPARSE_STATUS_ALLOC_FAILED
                                                     : CUSPARSE_STATUS_SUCCESS;
}

#define RETURN_IF_TOLD_TO_FAIL()                                                                   \
    do {                                                                                           \
        if (answer(__func__) != CUSPARSE_STATUS_SUCCESS)                                           \
            return answer(__func__);                                                               \
    } while (0)

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    const char *major = getenv("NITRO_FAKE_CUSPARSE_MAJOR");
    *value = type == MAJOR_VERSION ? major ? atoi(major) : CUSPARSE_VER_MAJOR : 0;
    return CUSPARSE_STATUS_SUCCESS;
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_ALLOC_FAILED ? "resource allocation failed"
                                                  : "invalid value or call out of turn";
}

template <typename T> static cusparseStatus_t create(T **pointer, const T &value)
{
    *pointer = new T(value);
    nitro_fake_cusparse_num_live++;
    return CUSPARSE_STATUS_SUCCESS;
}

template <typename T> static cusparseStatus_t destroy(T *pointer)
{
    if (!pointer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    delete pointer;
    nitro_fake_cusparse_num_live--;
    return CUSPARSE_STATUS_SUCCESS;
}

/* A handle has memory on the device, as it may have in the real library. */
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    RETURN_IF_TOLD_TO_FAIL();
    void *memory;
    if (cudaMalloc(&memory, 1) != cudaSuccess)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    return create(handle, cusparseContext{nullptr, memory});
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    if (cudaFree(handle->memory) != cudaSuccess)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    return destroy(handle);
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    RETURN_IF_TOLD_TO_FAIL();
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *row_offsets, void *columns, void *values,
                                   cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t columns_type, cusparseIndexBase_t,
                                   cudaDataType type)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (nnz < 1 || offsets_type != CUSPARSE_INDEX_32I || columns_type != CUSPARSE_INDEX_32I ||
        type != CUDA_R_64F)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix,
                  cusparseSpMatDescr{CSR, (int)rows, (int)cols, (int)nnz, 1,
                                     (const int *)row_offsets, (const int *)columns,
                                     (const double *)values, nullptr, CUSPARSE_SPMV_CSR_ALG1});
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *entry_rows, void *columns, void *values,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t,
                                   cudaDataType type)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (nnz < 1 || indices_type != CUSPARSE_INDEX_32I || type != CUDA_R_64F)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix,
                  cusparseSpMatDescr{COO, (int)rows, (int)cols, (int)nnz, 1,
                                     (const int *)entry_rows, (const int *)columns,
                                     (const double *)values, nullptr, CUSPARSE_SPMV_COO_ALG1});
}

cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                         int64_t nnz, int64_t num_slots, int64_t slice_rows,
                                         void *slice_offsets, void *columns, void *values,
                                         cusparseIndexType_t offsets_type,
                                         cusparseIndexType_t columns_type, cusparseIndexBase_t,
                                         cudaDataType type)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (nnz < 1 || num_slots < nnz || offsets_type != CUSPARSE_INDEX_32I ||
        columns_type != CUSPARSE_INDEX_32I || type != CUDA_R_64F)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix,
                  cusparseSpMatDescr{SELL, (int)rows, (int)cols, (int)num_slots, (int)slice_rows,
                                     (const int *)slice_offsets, (const int *)columns,
                                     (const double *)values, nullptr, CUSPARSE_SPMV_SELL_ALG1});
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *matrix, int64_t block_rows,
                                   int64_t block_cols, int64_t num_blocks, int64_t rows_of_block,
                                   int64_t cols_of_block, void *row_offsets, void *columns,
                                   void *values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t columns_type, cusparseIndexBase_t,
                                   cudaDataType type, cusparseOrder_t order)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (num_blocks < 1 || rows_of_block != cols_of_block || offsets_type != CUSPARSE_INDEX_32I ||
        columns_type != CUSPARSE_INDEX_32I || type != CUDA_R_64F || order != CUSPARSE_ORDER_ROW)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix, cusparseSpMatDescr{BSR, (int)(block_rows * rows_of_block),
                                             (int)(block_cols * cols_of_block), (int)num_blocks,
                                             (int)rows_of_block, (const int *)row_offsets,
                                             (const int *)columns, (const double *)values, nullptr,
                                             CUSPARSE_SPMV_BSR_ALG1});
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    return destroy(matrix);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values,
                                     cudaDataType)
{
    RETURN_IF_TOLD_TO_FAIL();
    return create(vector, cusparseDnVecDescr{size, (double *)values});
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
    return destroy(vector);
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values)
{
    vector->values = (double *)values;
    return CUSPARSE_STATUS_SUCCESS;
}

static bool fit(cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x,
                cusparseConstDnVecDescr_t y)
{
    return x->size == matrix->cols && y->size == matrix->rows;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *,
                                         cusparseConstSpMatDescr_t matrix,
                                         cusparseConstDnVecDescr_t x, const void *,
                                         cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t,
                                         size_t *bytes)
{
    RETURN_IF_TOLD_TO_FAIL();
    *bytes = 64 + (size_t)matrix->rows;
    return fit(matrix, x, y) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t, const void *,
                                         cusparseConstSpMatDescr_t matrix,
                                         cusparseConstDnVecDescr_t x, const void *,
                                         cusparseDnVecDescr_t y, cudaDataType,
                                         cusparseSpMVAlg_t algorithm, void *buffer)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (!fit(matrix, x, y) || !buffer ||
        cudaMemsetAsync(buffer, 0, 64 + (size_t)matrix->rows, handle->stream) != cudaSuccess)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->buffer = buffer;
    matrix->algorithm = algorithm;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The sum of a row, in any format. */
static double sum_row(const cusparseSpMatDescr &a, int row, const double *x)
{
    int part = row / a.block, in_part = row % a.block;
    double sum = 0;
    if (a.format == CSR)
        for (int k = a.offsets[row]; k < a.offsets[row + 1]; k++)
            sum += a.values[k] * x[a.columns[k]];
    else if (a.format == COO)
        for (int k = (int)(std::lower_bound(a.offsets, a.offsets + a.count, row) - a.offsets);
             k < a.count && a.offsets[k] == row; k++)
            sum += a.values[k] * x[a.columns[k]];
    else if (a.format == SELL)
        for (int k = a.offsets[part] + in_part; k < a.offsets[part + 1]; k += a.block)
            sum += a.values[k] * x[a.columns[k]];
    else
        for (int k = a.offsets[part]; k < a.offsets[part + 1]; k++)
            for (int i = 0; i < a.block; i++)
                sum +=
                    a.values[(k * a.block + in_part) * a.block + i] * x[a.columns[k] * a.block + i];
    return sum;
}

/* As the real one may, this reads whole slices. */
static void multiply(double alpha, cusparseSpMatDescr a, const double *x, double beta, double *y)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= (a.format == SELL ? (a.rows + a.block - 1) / a.block * a.block : a.rows))
        return;
    double sum = sum_row(a, row, x);
    if (row < a.rows)
        y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
    else if (sum != 0)
        cuda_emulation::trap("padding past the last row is not zero");
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t, const void *alpha,
                              cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x,
                              const void *beta, cusparseDnVecDescr_t y, cudaDataType,
                              cusparseSpMVAlg_t algorithm, void *buffer)
{
    RETURN_IF_TOLD_TO_FAIL();
    if (!fit(matrix, x, y) || buffer != matrix->buffer || algorithm != matrix->algorithm)
        return CUSPARSE_STATUS_INVALID_VALUE;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(matrix->rows + 127) / 128);
    config.blockDim = dim3(128);
    config.stream = handle->stream;
    return cudaLaunchKernelEx(&config, multiply, *(const double *)alpha, *matrix, x->values,
                              *(const double *)beta, y->values) == cudaSuccess
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_EXECUTION_FAILED;
}
