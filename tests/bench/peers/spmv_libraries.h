/* spmv_libraries.h - y = A x by other libraries, for benchmarks: oneMKL, loaded at run time, and
 * Eigen, compiled in where its headers are installed. */
#ifndef NITRO_TESTS_BENCH_SPMV_LIBRARIES_H
#define NITRO_TESTS_BENCH_SPMV_LIBRARIES_H

#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One way of one library to multiply. `matrix` is what `create` returned. */
typedef struct spmv_library {
    const char *name;
    /** NULL if the library can be used; otherwise why not, and what to do. */
    const char *(*problem)(void);
    /** Borrows the matrix's arrays until `free`. Uses OpenMP's current number of threads for all
     *  products. NULL: more than INT32_MAX non-zeros, out of memory, or an error of the library. */
    void *(*create)(const nitro_spmv *spmv);
    /** y = A x; 0 on success. */
    int (*multiply)(void *matrix, const double *x, double *y);
    void (*free)(void *matrix);
} spmv_library;

extern const spmv_library spmv_library_mkl;       /* without hints */
extern const spmv_library spmv_library_mkl_hints; /* mkl_sparse_set_mv_hint, mkl_sparse_optimize */
extern const spmv_library spmv_library_eigen;

/** The row offsets as 32-bit integers, shape [num_rows + 1]. Free with free(); NULL as above. */
int32_t *spmv_library_offsets(const nitro_spmv *spmv);

#ifdef __cplusplus
}
#endif

#endif
