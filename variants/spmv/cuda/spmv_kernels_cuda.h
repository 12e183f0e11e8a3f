/* spmv_kernels_cuda.h - shared by the CUDA variants of SpMV: conversion on the host, limits of
 * 32-bit indices, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H
#define NITRO_VARIANTS_SPMV_CUDA_SPMV_KERNELS_CUDA_H

#include "variants/spmv/formats.h"
#include "variants/spmv/spmv_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block. These kernels use at most 32 registers a thread (ptxas, sm_90): full
 * occupancy. */
#define NITRO_SPMV_CUDA_BLOCK 256

extern const nitro_variant nitro_spmv_cuda_variant_csr;
extern const nitro_variant nitro_spmv_cuda_variant_csr_vector;
extern const nitro_variant nitro_spmv_cuda_variant_dia;
extern const nitro_variant nitro_spmv_cuda_variant_ell;
extern const nitro_variant nitro_spmv_cuda_variant_coo;
extern const nitro_variant nitro_spmv_cuda_variant_hybrid;
extern const nitro_variant nitro_spmv_cuda_variant_sellp;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr1;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr2;

/** A format: who converts, and what of it is copied. */
typedef struct nitro_spmv_cuda_format nitro_spmv_cuda_format;
extern const nitro_spmv_cuda_format nitro_spmv_cuda_format_dia;
extern const nitro_spmv_cuda_format nitro_spmv_cuda_format_ell;
extern const nitro_spmv_cuda_format nitro_spmv_cuda_format_coo;
extern const nitro_spmv_cuda_format nitro_spmv_cuda_format_hybrid;
extern const nitro_spmv_cuda_format nitro_spmv_cuda_format_sellp;

/** `prepare` and `release` of a variant with its own format, which is its `user`. On failure
 * nothing is left of it on the host and on the device. */
int nitro_spmv_cuda_prepare_format(void *argument, void *user);
void nitro_spmv_cuda_release_format(void *argument, void *user);

/* y = A x */
int nitro_spmv_cuda_ell_multiply(nitro_spmv_cuda *spmv, const nitro_spmv_cuda_ell *ell);

/* y += A x */
int nitro_spmv_cuda_coo_add(nitro_spmv_cuda *spmv, const nitro_spmv_cuda_coo *coo);

/** Why cuSPARSE's variants cannot run here; NULL: they can. Loads the library. */
const char *nitro_spmv_cusparse_problem(void);

/** Free what cuSPARSE's variants made: of the algorithm `user`; NULL: of all. */
void nitro_spmv_cuda_release_cusparse(void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
