/*
 * spmv_cuda.h - the computation "spmv" on CUDA devices: the argument that its variants share, and
 * their declarations. The variants have the host's names and order (spmv.h), and each says in its
 * .cu file how it spreads the work over threads.
 *
 * The matrix is given as on the host, and stays there for the features and for the conversions,
 * which are the host variants' own; the device gets a copy with 32-bit offsets. `run` puts kernels
 * on the argument's stream and does not wait: it allocates nothing, so that graphs may capture it
 * once the variant is prepared. `prepare` converts, allocates, copies and waits; it refuses while
 * the stream captures, and where the device's free memory is too small for the format.
 */
#ifndef NITRO_VARIANTS_SPMV_SPMV_CUDA_H
#define NITRO_VARIANTS_SPMV_SPMV_CUDA_H

#include "variants/cuda_variant.h"
#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The formats of spmv.h in device memory, in the same layout. */

typedef struct nitro_spmv_cuda_dia {
    int32_t num_diagonals;
    int32_t stride;
    int32_t *offsets; /* shape [num_diagonals] */
    double *values;   /* shape [num_diagonals x stride] */
} nitro_spmv_cuda_dia;

typedef struct nitro_spmv_cuda_ell {
    int32_t width;
    int32_t stride;
    int32_t *columns; /* shape [width x stride] */
    double *values;   /* shape [width x stride] */
} nitro_spmv_cuda_ell;

typedef struct nitro_spmv_cuda_coo {
    int32_t num_entries;
    int32_t *rows;    /* shape [num_entries], ascending */
    int32_t *columns; /* shape [num_entries]; the CSR's own array in the coo variant */
    double *values;   /* shape [num_entries]; the CSR's own array in the coo variant */
} nitro_spmv_cuda_coo;

typedef struct nitro_spmv_cuda_hybrid {
    nitro_spmv_cuda_ell ell;
    nitro_spmv_cuda_coo coo; /* owns its columns and values */
} nitro_spmv_cuda_hybrid;

typedef struct nitro_spmv_cuda_sellp {
    int32_t num_slices;
    int32_t *slice_offsets; /* shape [num_slices + 1] */
    int32_t *columns;       /* shape [slice_offsets[num_slices]] */
    double *values;         /* shape [slice_offsets[num_slices]] */
} nitro_spmv_cuda_sellp;

/** cuSPARSE's handle, descriptors and buffers for one of its algorithms (cusparse.c). */
typedef struct nitro_spmv_cuda_cusparse nitro_spmv_cuda_cusparse;

/** How many of cuSPARSE's algorithms are variants. */
#define NITRO_SPMV_NUM_CUSPARSE 2

/**
 * The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The device is
 * the one that is current when the first variant is prepared.
 *
 * `x` and `y` may be device memory of the caller's, also another at every run; where they are NULL
 * nitro_spmv_cuda_upload makes them, x a copy of host.x. host.y is only for checking results.
 */
typedef struct nitro_spmv_cuda {
    nitro_spmv host; /* comes first: input features take a pointer to this struct for one to that */
    nitro_cuda cuda;

    /* In device memory, made by nitro_spmv_cuda_upload, NULL until then. */
    int32_t *row_offsets; /* shape [num_rows + 1] */
    int32_t *columns;     /* shape [num_nonzeros] */
    double *values;       /* shape [num_nonzeros] */
    const double *x;      /* shape [num_cols] */
    double *y;            /* shape [num_rows] */
    double *own_x, *own_y;
    bool is_uploaded;

    /* Made by `prepare`, NULL until then; the structs are in host memory. */
    nitro_spmv_cuda_dia *dia;
    nitro_spmv_cuda_ell *ell;
    nitro_spmv_cuda_coo *coo;
    nitro_spmv_cuda_hybrid *hybrid;
    nitro_spmv_cuda_sellp *sellp;
    nitro_spmv_cuda_cusparse *cusparse[NITRO_SPMV_NUM_CUSPARSE];
} nitro_spmv_cuda;

extern const nitro_variant nitro_spmv_cuda_variant_csr;
extern const nitro_variant nitro_spmv_cuda_variant_csr_vector;
extern const nitro_variant nitro_spmv_cuda_variant_dia;
extern const nitro_variant nitro_spmv_cuda_variant_ell;
extern const nitro_variant nitro_spmv_cuda_variant_coo;
extern const nitro_variant nitro_spmv_cuda_variant_hybrid;
extern const nitro_variant nitro_spmv_cuda_variant_sellp;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr1;
extern const nitro_variant nitro_spmv_cuda_variant_cusparse_csr2;

/** Declare all variants for the device kind cuda, csr the default and the reference, and the hooks:
 *  upload before anything runs, check results, and say which stream. */
nitro_status nitro_spmv_cuda_add_variants(nitro_computation *computation);

/**
 * Copy the matrix to the device, and x unless the caller has it there; at once successful when that
 * is done already. Every variant's `prepare` begins so.
 * @return 0; else cuda.problem says why: more rows, columns or non-zeros than
 *         NITRO_CUDA_MAX_COUNT, too little memory, a stream that captures, or what CUDA said.
 */
int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv);

/** Free all device memory but what the caller brought, and what the host part holds beyond what was
 *  borrowed (nitro_spmv_release). */
void nitro_spmv_cuda_release(nitro_spmv_cuda *spmv);

#ifdef __cplusplus
}
#endif

#endif
