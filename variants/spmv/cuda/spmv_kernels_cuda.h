/* spmv_kernels_cuda.h - shared by the CUDA variants of SpMV: what a variant consists of, the
 * formats in device memory, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H
#define NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H

#include <cuda_runtime_api.h>

#include "variants/spmv/formats.h"
#include "variants/spmv/spmv_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block. These kernels use at most 32 registers a thread (ptxas, sm_90): full
 * occupancy. */
#define NITRO_SPMV_CUDA_BLOCK 256

/** A variant: its format and its kernel. */
typedef struct nitro_spmv_cuda_kernel {
    const nitro_kit_part *format; /* NULL: the matrix as it is */
    /** Launch on config.stream. The grid has a thread for every row, at least one; the kernel may
     *  take another. `format` is the struct in device layout. */
    cudaError_t (*launch)(const nitro_spmv_cuda *spmv, const void *format,
                          cudaLaunchConfig_t config);
} nitro_spmv_cuda_kernel;

extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_csr;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_csr_vector;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_dia;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_ell;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_coo;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_hybrid;
extern const nitro_spmv_cuda_kernel nitro_spmv_cuda_kernel_sellp;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr1;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr2;

/** y = A x */
cudaError_t nitro_spmv_cuda_ell_multiply(const nitro_spmv_cuda *spmv,
                                         const nitro_spmv_cuda_ell *ell, cudaLaunchConfig_t config);
/** y += A x */
cudaError_t nitro_spmv_cuda_coo_add(const nitro_spmv_cuda *spmv, const nitro_spmv_cuda_coo *coo,
                                    cudaLaunchConfig_t config);

/** Why cuSPARSE's variants cannot run here; NULL: they can. Loads the library. */
const char *nitro_spmv_cusparse_problem(void);

/** Free what cuSPARSE's variants made: of the algorithm `user`; NULL: of all. */
void nitro_spmv_cuda_release_cusparse(void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
