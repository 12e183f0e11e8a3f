/* cusparse.h - the part of cuSPARSE that Nitro uses, in the emulation (README.md); implemented by
 * fake_cusparse.cpp. */
#ifndef NITRO_TESTS_CUDA_EMULATION_CUSPARSE_H
#define NITRO_TESTS_CUDA_EMULATION_CUSPARSE_H

#include <stdint.h>

#include "cuda_runtime_api.h"

#define CUSPARSE_VER_MAJOR 12

typedef enum { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;
typedef enum { CUDA_R_32F = 0, CUDA_R_64F = 1 } cudaDataType;

typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6
} cusparseStatus_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE = 0 } cusparseOperation_t;
typedef enum { CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0 } cusparseIndexBase_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_SELL_ALG1 = 5,
    CUSPARSE_SPMV_BSR_ALG1 = 6
} cusparseSpMVAlg_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseSpMatDescr const *cusparseConstSpMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnVecDescr const *cusparseConstDnVecDescr_t;

#ifdef __cplusplus
extern "C" {
#endif

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *row_offsets, void *columns, void *values,
                                   cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t columns_type, cusparseIndexBase_t base,
                                   cudaDataType type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *entry_rows, void *columns, void *values,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t base,
                                   cudaDataType type);
cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                         int64_t nnz, int64_t num_slots, int64_t slice_rows,
                                         void *slice_offsets, void *columns, void *values,
                                         cusparseIndexType_t offsets_type,
                                         cusparseIndexType_t columns_type, cusparseIndexBase_t base,
                                         cudaDataType type);
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *matrix, int64_t block_rows,
                                   int64_t block_cols, int64_t num_blocks, int64_t rows_of_block,
                                   int64_t cols_of_block, void *row_offsets, void *columns,
                                   void *values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t columns_type, cusparseIndexBase_t base,
                                   cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values,
                                     cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values);
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation,
                                         const void *alpha, cusparseConstSpMatDescr_t matrix,
                                         cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t algorithm, size_t *bytes);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t operation,
                                         const void *alpha, cusparseConstSpMatDescr_t matrix,
                                         cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t operation,
                              const void *alpha, cusparseConstSpMatDescr_t matrix,
                              cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                              cudaDataType type, cusparseSpMVAlg_t algorithm, void *buffer);

#ifdef __cplusplus
}
#endif

#endif
