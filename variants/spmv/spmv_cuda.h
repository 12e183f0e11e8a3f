/* spmv_cuda.h - the computation "spmv" on CUDA devices: the argument of its variants, and their
 * declarations. Names and order are the host's (spmv.h); each .cu file describes how its variant
 * distributes the work over threads.
 *
 * The matrix is given in host memory and stays there for the features and the conversions; the
 * device gets a copy with 32-bit offsets. The host finds what depends on the row offsets: a
 * format's sizes and the order of rows. The device looks at the entries, and fills the format
 * (fill.cu). `run` launches kernels on the argument's stream asynchronously and allocates nothing,
 * so that a prepared variant can be captured in a graph. `prepare` converts, allocates, copies and
 * waits; it fails during a capture, and if the device's free memory is too small for the format. */
#ifndef NITRO_VARIANTS_SPMV_SPMV_CUDA_H
#define NITRO_VARIANTS_SPMV_SPMV_CUDA_H

#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The formats of spmv.h in device memory, in the same layout (formats.c). */

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
    int32_t *columns; /* shape [num_entries]; NULL in the coo variant, which uses the CSR's */
    double *values;   /* shape [num_entries]; NULL in the coo variant */
} nitro_spmv_cuda_coo;

typedef struct nitro_spmv_cuda_hybrid {
    nitro_spmv_cuda_ell ell;
    nitro_spmv_cuda_coo coo; /* owns its columns and values */
    int32_t *rest_offsets;   /* shape [num_rows + 1]: where each row begins in `coo` */
} nitro_spmv_cuda_hybrid;

typedef struct nitro_spmv_cuda_sellp {
    int32_t num_slices, num_slots;
    int32_t *slice_offsets; /* shape [num_slices + 1] */
    int32_t *rows;          /* shape [num_rows]: which row is where; NULL: they are in order */
    int32_t *columns;       /* shape [num_slots] */
    double *values;         /* shape [num_slots] */
} nitro_spmv_cuda_sellp;

/** cuSPARSE's handle, descriptors and buffers, by variant (cusparse_cuda.c). */
typedef struct nitro_spmv_cuda_cusparse nitro_spmv_cuda_cusparse;

/**
 * The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The device is
 * the one that is current when the first variant is prepared.
 *
 * `x` and `y` may be the caller's device memory, and may change at every run; if NULL,
 * nitro_spmv_cuda_upload allocates them, x as a copy of host.x. host.y is only used for checking
 * results.
 */
typedef struct nitro_spmv_cuda {
    nitro_spmv host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;

    /* In device memory, made by nitro_spmv_cuda_upload, NULL until then. */
    int32_t *row_offsets; /* shape [num_rows + 1] */
    int32_t *columns;     /* shape [num_nonzeros] */
    double *values;       /* shape [num_nonzeros] */
    const double *x;      /* shape [num_cols] */
    double *y;            /* shape [num_rows] */

    void *plan; /* in `prepare`: the format that is being made */
    /* Made by `prepare`, NULL until then; formats are in `cuda`. */
    nitro_spmv_cuda_cusparse *cusparse;
} nitro_spmv_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_spmv_cuda_device;

/**
 * Copy the matrix to the device, and x unless the caller has it there; does nothing the second
 * time. Every variant's `prepare` calls it.
 * @return 0; otherwise cuda.problem is set (nitro_kit_upload).
 */
int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv);

#ifdef __cplusplus
}
#endif

#endif
