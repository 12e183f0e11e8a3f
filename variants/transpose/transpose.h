/* transpose.h - the computations "transpose", of a dense matrix from one place to another, and
 * "transpose_inplace". The arguments of all variants, and the declarations of variants and input
 * features (features/input/transpose_features.c). */
#ifndef NITRO_VARIANTS_TRANSPOSE_TRANSPOSE_H
#define NITRO_VARIANTS_TRANSPOSE_TRANSPOSE_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest side. */
#define NITRO_TRANSPOSE_MAX_SIDE INT32_MAX

/**
 * The argument of both. Fill in the first part, which is borrowed, and zero the rest. Arrays may
 * change between runs; sizes may not until nitro_kit_release. Elements are moved, not interpreted.
 */
typedef struct nitro_transpose {
    int64_t num_rows, num_cols; /* 0 to NITRO_TRANSPOSE_MAX_SIDE */
    int32_t element_bytes;      /* 4, 8 or 16 */
    int32_t is_row_major;       /* of `data`: before and after; `in` and `out` are row-major */
    const void *in;             /* transpose: shape [num_rows][num_cols] */
    void *out;                  /* transpose: shape [num_cols][num_rows]; overlaps nothing */
    void *data;                 /* transpose_inplace: the same shapes before and after */

    nitro_room room;  /* of transpose_inplace */
    nitro_kept *kept; /* by the hooks that check results; NULL until then */
} nitro_transpose;

/** Input features in declared order; the last are those of transpose_inplace only. */
enum {
    NITRO_TRANSPOSE_NUM_ROWS,
    NITRO_TRANSPOSE_NUM_COLS,
    NITRO_TRANSPOSE_ELEMENT_BYTES,
    NITRO_TRANSPOSE_LEAST_SIDE,
    NITRO_TRANSPOSE_ASPECT,
    NITRO_TRANSPOSE_IN_STRIDE,
    NITRO_TRANSPOSE_OUT_STRIDE,
    NITRO_TRANSPOSE_IS_ROW_MAJOR,
    NITRO_TRANSPOSE_IS_COPRIME,
    NITRO_TRANSPOSE_COMMON_DIVISOR,
    NITRO_TRANSPOSE_NUM_FEATURES
};

/** The host's variants, in declared order; the last two of transpose are on CUDA devices only. */
#define NITRO_TRANSPOSE_NUM_VARIANTS         5
#define NITRO_TRANSPOSE_INPLACE_NUM_VARIANTS 7
extern const nitro_variant *const nitro_transpose_variants[NITRO_TRANSPOSE_NUM_VARIANTS];
extern const nitro_variant
    *const nitro_transpose_inplace_variants[NITRO_TRANSPOSE_INPLACE_NUM_VARIANTS];

/** Declare all input features. */
nitro_status nitro_transpose_add_features(nitro_computation *computation);
nitro_status nitro_transpose_inplace_add_features(nitro_computation *computation);

/** The computations (apps/transpose/transpose_module.c): tiled and buffered are the defaults. */
extern const nitro_kit nitro_transpose_kit, nitro_transpose_inplace_kit;

/* ---- On CUDA devices: `run` launches on the argument's stream, and allocates nothing ---- */

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_transpose_cuda {
    nitro_transpose host; /* must be first: input features use a pointer to this struct as one */
    nitro_cuda cuda;
    const void *in;
    void *out;
    void *data;
} nitro_transpose_cuda;

/** The variants on CUDA devices, or stubs. */
extern const nitro_kit_device nitro_transpose_cuda_device, nitro_transpose_inplace_cuda_device;

/** A matrix as transpose_inplace sees it: row-major, transposed by transposing num_rows x
 * num_cols. */
typedef struct nitro_transpose_view {
    int64_t rows, cols;
} nitro_transpose_view;

static inline nitro_transpose_view nitro_transpose_view_of(const nitro_transpose *t)
{
    nitro_transpose_view view = {t->is_row_major ? t->num_rows : t->num_cols,
                                 t->is_row_major ? t->num_cols : t->num_rows};
    return view;
}

static inline int64_t nitro_transpose_bytes(const nitro_transpose *t)
{
    return t->num_rows * t->num_cols * t->element_bytes;
}

static inline int64_t nitro_transpose_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#ifdef __cplusplus
}
#endif

#endif
