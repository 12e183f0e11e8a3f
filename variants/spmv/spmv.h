/* spmv.h - the computation "spmv": y = A x with sparse A in double precision. The argument of all
 * variants, the formats that some convert the matrix to, and the declarations of variants (one a
 * file) and input features (features/input/spmv_features.c).
 *
 * A is given as CSR and never changed. A variant with its own format converts in `prepare`,
 * outside the timed part, and keeps the result in the argument until `release`. Formats that pad
 * (dia, ell, hybrid, sellp) multiply zeros by entries of x: x must be finite. */
#ifndef NITRO_VARIANTS_SPMV_SPMV_H
#define NITRO_VARIANTS_SPMV_SPMV_H

#include "nitro/nitro.h"
#include "variants/host_variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most rows, and most columns: indices are 32 bits wide. */
#define NITRO_SPMV_MAX_DIMENSION INT32_MAX

/** Rows of one slice of the sellp format. */
#define NITRO_SPMV_SLICE_ROWS 32

/** Diagonals: entry (row, row + offsets[d]) is values[d * stride + row], zero where A has none. */
typedef struct nitro_spmv_dia {
    int64_t num_diagonals;
    int64_t stride;   /* num_rows and some padding */
    int64_t *offsets; /* shape [num_diagonals], ascending */
    double *values;   /* shape [num_diagonals x stride] */
} nitro_spmv_dia;

/** ELLPACK: slot k of a row is at [k * stride + row]. Padding is a zero in a valid column. */
typedef struct nitro_spmv_ell {
    int64_t width;    /* slots of every row */
    int64_t stride;   /* num_rows and some padding */
    int32_t *columns; /* shape [width x stride] */
    double *values;   /* shape [width x stride] */
} nitro_spmv_ell;

/** Coordinates, sorted by row. */
typedef struct nitro_spmv_coo {
    int64_t num_entries;
    int32_t *rows;          /* shape [num_entries], ascending */
    const int32_t *columns; /* shape [num_entries]; the CSR's own array in the coo variant */
    const double *values;   /* shape [num_entries]; the CSR's own array in the coo variant */
} nitro_spmv_coo;

/** The first `ell.width` entries of every row in ELL, the rest in COO. */
typedef struct nitro_spmv_hybrid {
    nitro_spmv_ell ell;
    nitro_spmv_coo coo; /* owns its columns and values */
} nitro_spmv_hybrid;

/**
 * Sliced ELL: NITRO_SPMV_SLICE_ROWS rows a slice, each slice as wide as its longest row. Slot k of
 * row r of slice s is at [slice_offsets[s] + k * NITRO_SPMV_SLICE_ROWS + r].
 */
typedef struct nitro_spmv_sellp {
    int64_t num_slices;
    int64_t *slice_offsets; /* shape [num_slices + 1] */
    int32_t *columns;       /* shape [slice_offsets[num_slices]] */
    double *values;         /* shape [slice_offsets[num_slices]] */
} nitro_spmv_sellp;

/**
 * The argument. Fill in the first part, which is borrowed and must not change until
 * nitro_spmv_release (except x and y and their addresses), and zero the rest.
 */
typedef struct nitro_spmv {
    int64_t num_rows, num_cols; /* 0 to NITRO_SPMV_MAX_DIMENSION */
    int64_t num_nonzeros;       /* stored entries, explicit zeros among them */
    const int64_t *row_offsets; /* shape [num_rows + 1], ascending from 0 to num_nonzeros */
    const int32_t *columns;     /* shape [num_nonzeros], in [0, num_cols), ascending in every row,
                                   none twice */
    const double *values;       /* shape [num_nonzeros] */
    const double *x;            /* shape [num_cols], finite */
    double *y;                  /* shape [num_rows]: the result; must not overlap x */

    /* Made by `prepare`, NULL until then. */
    nitro_spmv_dia *dia;
    nitro_spmv_ell *ell;
    nitro_spmv_coo *coo;
    nitro_spmv_hybrid *hybrid;
    nitro_spmv_sellp *sellp;

    /* Made by the hook that keeps the reference, NULL until then. */
    double *reference;  /* shape [num_rows]: A x, summed in long double */
    double *magnitudes; /* shape [num_rows]: sum of |a_ij x_j| */
} nitro_spmv;

/** Input features in declared order, as indices for constraints. */
enum {
    NITRO_SPMV_AVG_NZ_PER_ROW,
    NITRO_SPMV_ROWS,
    NITRO_SPMV_COLS,
    NITRO_SPMV_NNZ,
    NITRO_SPMV_DENSITY,
    NITRO_SPMV_RLSD,
    NITRO_SPMV_MAX_DEVIATION,
    NITRO_SPMV_ELL_FILLIN,
    NITRO_SPMV_ROW_MIN,
    NITRO_SPMV_ROW_Q1,
    NITRO_SPMV_ROW_MEDIAN,
    NITRO_SPMV_ROW_Q3,
    NITRO_SPMV_ROW_MAX,
    NITRO_SPMV_ROW_VARIANCE,
    NITRO_SPMV_ROW_SKEWNESS,
    NITRO_SPMV_DIA_FILLIN,
    NITRO_SPMV_NUM_FEATURES
};

/**
 * The variants, in declared order. csr, csr_vector, coo and hybrid run any matrix; dia, ell and
 * sellp state their constraints in their files. cuSPARSE's run on CUDA devices only (spmv_cuda.h)
 * and are declared here too: a computation has the same variants on all kinds of device.
 */
extern const nitro_variant nitro_spmv_variant_csr;
extern const nitro_variant nitro_spmv_variant_csr_vector;
extern const nitro_variant nitro_spmv_variant_dia;
extern const nitro_variant nitro_spmv_variant_ell;
extern const nitro_variant nitro_spmv_variant_coo;
extern const nitro_variant nitro_spmv_variant_hybrid;
extern const nitro_variant nitro_spmv_variant_sellp;
extern const nitro_variant nitro_spmv_variant_cusparse_csr1;
extern const nitro_variant nitro_spmv_variant_cusparse_csr2;

/** `allows` of a variant that does not exist on this kind of device. */
bool nitro_spmv_allows_nothing(const double *features, const void *argument, void *user);

/** Declare all variants, csr the default and the reference, and the hooks that check results. */
nitro_status nitro_spmv_add_variants(nitro_computation *computation);

/** Declare all input features (features/input/spmv_features.c says what each is). */
nitro_status nitro_spmv_add_features(nitro_computation *computation);

/** Free every format and the kept reference, and set them NULL; borrowed arrays stay. */
void nitro_spmv_release(nitro_spmv *spmv);

/**
 * The hook that checks a result: every y[row] must be within 1e-12 * magnitudes[row] of
 * reference[row]. Then fills y with NaN, so that the next variant must write all of it. @return 0,
 * or 1 with the largest difference in `why` (shape [size]).
 */
int nitro_spmv_check_result(void *argument, char *why, size_t size, void *user);

/** The hook that keeps the reference, summed in long double; also checks the result in y as above.
 */
int nitro_spmv_keep_reference(void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
