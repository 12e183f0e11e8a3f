/* spmv.h - the computation "spmv": y = A x with sparse A in double precision. The argument of all
 * variants, the formats that some convert the matrix to, and the declarations of variants (one a
 * file) and input features (features/input/spmv_features.c).
 *
 * A is given as CSR and never changed. A variant with its own format converts in `prepare`,
 * outside the timed part, and keeps the result in the argument until `release`. Formats that pad
 * (dia, ell, hybrid, sellp, sell_c_sigma, cache_blocked) multiply zeros by entries of x: x must be
 * finite. */
#ifndef NITRO_VARIANTS_SPMV_SPMV_H
#define NITRO_VARIANTS_SPMV_SPMV_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of one slice of the sellp format. */
#define NITRO_SPMV_SLICE_ROWS 32

/** Rows of one group of the dia format. */
#define NITRO_SPMV_DIA_GROUP_ROWS 32

/**
 * Diagonals: entry (row, row + offsets[d]) of row r of group g is
 * values[d * stride + g * group_stride + r], zero where A has none.
 */
typedef struct nitro_spmv_dia {
    int64_t num_diagonals, num_slots;
    int64_t stride;       /* from one diagonal to the next */
    int64_t group_stride; /* from one group of NITRO_SPMV_DIA_GROUP_ROWS rows to the next */
    int64_t *offsets; /* shape [num_diagonals], ascending; a host keeps as many more behind them */
    double *values;   /* shape [num_slots] */
} nitro_spmv_dia;

/** Rows of one group of the ell format. */
#define NITRO_SPMV_ELL_GROUP_ROWS 64

/**
 * ELLPACK: slot k of row r of group g is at [k * stride + g * group_stride + r]. Padding is a zero
 * in a valid column.
 */
typedef struct nitro_spmv_ell {
    int64_t width, num_slots; /* of every row; of all, with some padding */
    int64_t stride;           /* from one slot of a row to the next */
    int64_t group_stride;     /* from one group of NITRO_SPMV_ELL_GROUP_ROWS rows to the next */
    int32_t *columns;         /* shape [num_slots] */
    double *values;           /* shape [num_slots] */
    int gather_votes;         /* host: which way to read x is faster; 0 at first */
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
    int64_t num_offsets;
    int64_t *rest_offsets; /* shape [num_offsets]: where each row begins in `coo`, for devices that
                              fill the arrays */
} nitro_spmv_hybrid;

/**
 * Sliced ELL: NITRO_SPMV_SLICE_ROWS rows a slice, each slice as wide as its longest row. Slot k of
 * row r of slice s is at [slice_offsets[s] + k * NITRO_SPMV_SLICE_ROWS + r].
 */
typedef struct nitro_spmv_sellp {
    int64_t num_slices, num_slots;
    int64_t num_sorted;     /* the matrix's rows; 0: they are in order */
    int64_t *slice_offsets; /* shape [num_slices + 1], from 0 to num_slots */
    int32_t *rows;          /* shape [num_sorted]: which row is where; NULL: they are in order */
    int32_t *columns;       /* shape [num_slots] */
    double *values;         /* shape [num_slots] */
    int gather_votes;       /* as in nitro_spmv_ell */
} nitro_spmv_sellp;

/**
 * Entries by parts of rows, within a part by blocks of 2^column_bits columns, within a block by
 * rows. A place is the number of rows below the slot before it, or below the part's first row,
 * shifted left by column_bits, plus the column in the block. Padding, where rows are too far apart
 * for a place, is a zero in the block's first column.
 */
typedef struct nitro_spmv_cache_blocked {
    int64_t column_bits, num_parts, num_blocks, num_slots;
    int64_t *part_rows; /* shape [num_parts + 1], from 0 to the matrix's rows */
    int64_t *offsets;   /* shape [num_parts x num_blocks + 1], from 0 to num_slots */
    uint32_t *places;   /* shape [num_slots] */
    double *values;     /* shape [num_slots] */
} nitro_spmv_cache_blocked;

/**
 * The argument. Fill in the first part, which is borrowed and must not change until
 * nitro_kit_release (except x and y and their addresses), and zero the rest.
 */
typedef struct nitro_spmv {
    int64_t num_rows, num_cols; /* 0 to INT32_MAX */
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
    nitro_spmv_sellp *sell_c_sigma;
    nitro_spmv_cache_blocked *cache_blocked;

    nitro_kept *kept; /* by the hooks that check results; NULL until then */
    int gather_votes; /* of csr_vector, as in nitro_spmv_ell */
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

/** The host's variants. csr, csr_vector, coo and hybrid run any matrix; the others state their
 *  constraints in their files. `user` of those with a format is its nitro_kit_part (formats.h);
 *  with one that is_filled_there, `prepare` makes the sizes and the arrays that depend on rows
 *  only. */
extern const nitro_variant nitro_spmv_variant_csr;
extern const nitro_variant nitro_spmv_variant_csr_vector;
extern const nitro_variant nitro_spmv_variant_dia;
extern const nitro_variant nitro_spmv_variant_ell;
extern const nitro_variant nitro_spmv_variant_coo;
extern const nitro_variant nitro_spmv_variant_hybrid;
extern const nitro_variant nitro_spmv_variant_sellp;
extern const nitro_variant nitro_spmv_variant_sell_c_sigma;
extern const nitro_variant nitro_spmv_variant_cache_blocked;

/** Declare all input features (features/input/spmv_features.c says what each is). */
nitro_status nitro_spmv_add_features(nitro_computation *computation);

/** Free every format, and set them NULL. `argument` is a nitro_spmv. */
void nitro_spmv_release_formats(void *argument);

/** The computation (apps/spmv/spmv_module.c): csr is the default. Sums may differ from those in
 * long double by 1e-12 of the sum of the row's absolute terms. */
extern const nitro_kit nitro_spmv_kit;

#ifdef __cplusplus
}
#endif

#endif
