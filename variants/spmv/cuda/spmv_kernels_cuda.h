/* spmv_kernels_cuda.h - shared by the CUDA variants of SpMV: conversion on the host, limits of
 * 32-bit indices, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H
#define NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H

#include "variants/spmv/spmv_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block. These kernels use at most 32 registers a thread (ptxas, sm_90): full
 * occupancy. */
#define NITRO_SPMV_CUDA_BLOCK 256

/** `allows` of the variants that run any matrix: 32-bit indices must reach all of it. */
bool nitro_spmv_cuda_allows(const double *features, const void *argument, void *user);

/** `prepare` of the variants that take the matrix as it is. */
int nitro_spmv_cuda_prepare_csr(void *argument, void *user);

/**
 * Let the host's variant convert, hand its result to `upload`, wait, and drop the host's format. On
 * failure nothing is left of either.
 * @param[in] upload  makes the device's format from the host's; cleans up when it fails.
 */
int nitro_spmv_cuda_convert(nitro_spmv_cuda *spmv, const nitro_variant *host,
                            int (*upload)(nitro_spmv_cuda *spmv), void (*release)(void *, void *));

/** Fails if a format of `num_slots` slots of `slot_bytes` exceeds 32-bit indices or the free
 * memory. */
int nitro_spmv_cuda_need_slots(nitro_cuda *cuda, int64_t num_slots, size_t slot_bytes,
                               const char *format);

int nitro_spmv_cuda_ell_upload(nitro_cuda *cuda, const nitro_spmv_ell *from,
                               nitro_spmv_cuda_ell *to);
void nitro_spmv_cuda_ell_clear(nitro_spmv_cuda_ell *ell);
/* y = A x */
int nitro_spmv_cuda_ell_multiply(nitro_spmv_cuda *spmv, const nitro_spmv_cuda_ell *ell);

/* y += A x */
int nitro_spmv_cuda_coo_add(nitro_spmv_cuda *spmv, const nitro_spmv_cuda_coo *coo);

/** Why cuSPARSE's variants cannot run here; NULL: they can. Loads the library. */
const char *nitro_spmv_cusparse_problem(void);

/* Each variant's `release`, for nitro_spmv_cuda_release. */
void nitro_spmv_cuda_release_dia(void *argument, void *user);
void nitro_spmv_cuda_release_ell(void *argument, void *user);
void nitro_spmv_cuda_release_coo(void *argument, void *user);
void nitro_spmv_cuda_release_hybrid(void *argument, void *user);
void nitro_spmv_cuda_release_sellp(void *argument, void *user);
void nitro_spmv_cuda_release_cusparse(void *argument, void *user); /* of all algorithms */

#ifdef __cplusplus
}
#endif

#endif
