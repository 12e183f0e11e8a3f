/* krylov.h - what the host's variants of the solver share: vectors, steps over all rows, products
 * with the matrix, and preconditioners. */
#ifndef NITRO_VARIANTS_SOLVER_HOST_KRYLOV_H
#define NITRO_VARIANTS_SOLVER_HOST_KRYLOV_H

#include "variants/solver/gmres.h"
#include "variants/solver/solver.h"
#include "variants/spmv/host/spmv_kernels.h"

/** Vectors are arrays of groups of four rows, which AVX2 has registers for: of eight, GCC keeps
 * sums in memory there, and takes four times as long. Rows behind the last one are 0, and so is the
 *  group before the first one, which products read. */
typedef double nitro_rows __attribute__((vector_size(32), may_alias));
typedef double nitro_rows_unaligned __attribute__((vector_size(32), aligned(8), may_alias));
#define NITRO_ROWS 4

#define NITRO_KRYLOV_MAX_VECTORS (NITRO_GMRES_RESTART + 4)
#define NITRO_KRYLOV_MAX_SUMS    (NITRO_GMRES_RESTART + 2)

/** Steps are done by chunks of so many groups. A chunk's sums are its own, and those of all chunks
 *  are added in order: results do not depend on the number of threads. */
#define NITRO_KRYLOV_CHUNK 256

/** Groups whose sums are in registers: so many chains of additions run beside each other. */
#define NITRO_KRYLOV_TOGETHER 4

typedef struct nitro_krylov nitro_krylov;

/** Groups [begin, end) of a step; sums of four lanes each. */
typedef void nitro_krylov_chunk(nitro_krylov *k, int64_t begin, int64_t end, nitro_rows *sums);

/* A step is a table of its chunk function, compiled for each vector unit:
 * NITRO_KRYLOV_STEP(name) { ... uses k, begin, end, sums ... } */
enum { NITRO_KRYLOV_BASELINE, NITRO_KRYLOV_AVX2, NITRO_KRYLOV_AVX512, NITRO_KRYLOV_NUM_UNITS };
typedef nitro_krylov_chunk *const nitro_krylov_step[NITRO_KRYLOV_NUM_UNITS];

#define NITRO_KRYLOV_PARAMETERS                                                                    \
    nitro_krylov *k, int64_t begin, int64_t end, nitro_rows *sums __attribute__((unused))
#if NITRO_SPMV_HAS_UNITS
#define NITRO_KRYLOV_TARGET(unit) __attribute__((target(#unit)))
#else
#define NITRO_KRYLOV_TARGET(unit)
#endif
#define NITRO_KRYLOV_COMPILE(name, unit)                                                           \
    NITRO_KRYLOV_TARGET(unit) static void name##_##unit(NITRO_KRYLOV_PARAMETERS)                   \
    {                                                                                              \
        name##_body(k, begin, end, sums);                                                          \
    }
#define NITRO_KRYLOV_STEP(name)                                                                    \
    NITRO_SPMV_INLINE void name##_body(NITRO_KRYLOV_PARAMETERS);                                   \
    NITRO_KRYLOV_COMPILE(name, sse2)                                                               \
    NITRO_KRYLOV_COMPILE(name, avx2)                                                               \
    NITRO_KRYLOV_COMPILE(name, avx512f)                                                            \
    static nitro_krylov_step name = {name##_sse2, name##_avx2, name##_avx512f};                    \
    NITRO_SPMV_INLINE void name##_body(NITRO_KRYLOV_PARAMETERS)

typedef struct nitro_preconditioner {
    int row_bytes, entry_bytes; /* of nitro_krylov.factors, for each row and entry of A */
    /** Both may be NULL; the step is last. @return 0, or NITRO_RUN_BREAKDOWN with the system's
     *  `problem` set. */
    int (*set_up)(nitro_krylov *k);
    nitro_krylov_step *set_up_step;
    /** to = M from in whole chunks, from `from` there: done within other steps; else NULL. */
    nitro_krylov_step *local;
    void (*apply)(nitro_krylov *k, const nitro_rows *from, nitro_rows *to); /* else NULL */
    bool is_diagonal; /* `factors` are M's diagonal */
    bool is_positive; /* M is positive definite, or setting it up fails */
} nitro_preconditioner;

/** Iterate from the residual r of x until the method's own |r| is at most `target`, or at the
 *  limit of iterations. @return 0, or a nitro_run_failure. */
typedef int nitro_krylov_iterate(nitro_krylov *k);

typedef struct nitro_krylov_method {
    nitro_krylov_iterate *iterate;
    const nitro_preconditioner *preconditioner;
    int num_vectors;
} nitro_krylov_method;

/** Vectors of all methods. */
enum { NITRO_KRYLOV_X, NITRO_KRYLOV_R, NITRO_KRYLOV_OWN };

#define NITRO_KRYLOV_DIAGONALS 64

/** The matrix by its diagonals, made when some iterations were not enough: element of row r in
 * block b of NITRO_KRYLOV_TOGETHER groups is at [starts[i] + b * block_stride + r]. */
typedef struct nitro_krylov_diagonals {
    int count;                                 /* 0: not made, or the matrix has too many */
    int64_t distances[NITRO_KRYLOV_DIAGONALS]; /* column - row, ascending */
    int64_t starts[NITRO_KRYLOV_DIAGONALS];
    int64_t block_stride;
    double *values; /* 0 where a row has no entry */
} nitro_krylov_diagonals;

/** Else by groups of four rows. A slot has an entry of each row, with zeros where a row has none:
 *  the first, second, ... entries of the rows. */
typedef struct nitro_krylov_slots {
    nitro_rows *values;                /* or the diagonals' memory */
    int32_t *indices;                  /* four columns, of the first slot of a run */
    struct nitro_krylov_group *groups; /* shape [num_groups] */
} nitro_krylov_slots;

typedef struct nitro_krylov_group {
    int64_t begin, begin_index; /* its first slot and index */
    int32_t count;              /* slots; 0: too many zeros, its rows are used */
    int32_t run; /* 2 or 3: so many slots are of adjacent columns, as in blocks of unknowns, and
                    share an index; 1: each has its own, and the first four indices are the rows, of
                    about the same length, from anywhere in the chunk */
} nitro_krylov_group;

/** One run. */
struct nitro_krylov {
    nitro_solver *system;
    const nitro_preconditioner *preconditioner;
    int64_t n, num_groups;
    int parts, unit;
    nitro_rows *vectors[NITRO_KRYLOV_MAX_VECTORS];
    nitro_krylov_diagonals diagonals;
    nitro_krylov_slots slots;
    bool uses_slots;
    void *factors;   /* of the preconditioner */
    double scale;    /* nitro_solver_scale: of b, x, and all that follows from them */
    double target;   /* of |r| */
    double residual; /* |r| of the method, so far */
    double best;     /* of these, found after so many iterations */
    int64_t best_at, patience;

    nitro_krylov_chunk *chunk; /* of the current step */
    int num_sums;
    double *chunk_sums; /* shape [chunks][num_sums] */
    double sums[NITRO_KRYLOV_MAX_SUMS];

    double alpha, beta, omega; /* for chunks */
    double weights[NITRO_KRYLOV_MAX_SUMS];
    int count; /* GMRES's vectors */
    int part;  /* of an approximate inverse, that is multiplied by */
    const nitro_rows *from;
    nitro_rows *to;
};

/** Do all chunks, and set k->sums. */
void nitro_krylov_do(nitro_krylov *k, nitro_krylov_step step, int num_sums);

/** A step, and to = M from after it, or within it by nitro_krylov_local. */
void nitro_krylov_do_and_precondition(nitro_krylov *k, nitro_krylov_step step, int num_sums,
                                      const nitro_rows *from, nitro_rows *to);

static inline void nitro_krylov_local(nitro_krylov *k, int64_t begin, int64_t end)
{
    if (k->preconditioner->local)
        (*k->preconditioner->local)[k->unit](k, begin, end, NULL);
}

/** r = scale b - A x, and the sum |r|^2. */
void nitro_krylov_residual(nitro_krylov *k);

/** May another iteration follow? Counts it. Not at the limit, nor after `patience` iterations
 *  without progress. */
bool nitro_krylov_goes_on(nitro_krylov *k);

static inline nitro_spmv nitro_krylov_matrix(const nitro_krylov *k)
{
    const nitro_solver *system = k->system;
    return (nitro_spmv){.num_rows = k->n,
                        .num_cols = k->n,
                        .num_nonzeros = system->num_nonzeros,
                        .row_offsets = system->row_offsets,
                        .columns = system->columns,
                        .values = system->values};
}

static inline void nitro_krylov_multiply_rows(const nitro_krylov *k, const nitro_rows *from,
                                              nitro_rows *to, int64_t begin, int64_t end)
{
    nitro_spmv spmv = nitro_krylov_matrix(k);
    spmv.x = (const double *)from;
    spmv.y = (double *)to;
    nitro_spmv_csr_multiply(&spmv, begin, end);
}

/* Adds the products of `count` slots in runs of `run`. */
NITRO_SPMV_INLINE void nitro_krylov_add_runs(nitro_rows *sum, const nitro_rows *values,
                                             const int32_t *at, int count, const double *x,
                                             const int run)
{
    for (int i = 0; i < count; i += run, at += NITRO_ROWS)
        for (int j = 0; j < run; j++) {
            nitro_spmv_pair a = nitro_spmv_load_two(x + j, at);
            nitro_spmv_pair b = nitro_spmv_load_two(x + j, at + 2);
            *sum += values[i + j] * (nitro_rows){a[0], a[1], b[0], b[1]};
        }
}

/* Where a group's first element is in each diagonal, from the diagonal's first element. */
static inline int64_t nitro_krylov_slot(const nitro_krylov_diagonals *d, int64_t group)
{
    return group / NITRO_KRYLOV_TOGETHER * d->block_stride +
           group % NITRO_KRYLOV_TOGETHER * NITRO_ROWS;
}

/* The product in groups [begin, begin + count), of one block, of diagonals [first, last) alone. */
NITRO_SPMV_INLINE void nitro_krylov_add_diagonals(const nitro_krylov_diagonals *d, int first,
                                                  int last, const double *x, nitro_rows *to,
                                                  int64_t begin, const int count)
{
    int64_t row = begin * NITRO_ROWS, slot = nitro_krylov_slot(d, begin);
    nitro_rows sums[NITRO_KRYLOV_TOGETHER] = {{0}};
    for (int i = first; i < last; i++) {
        const double *values = d->values + (d->starts[i] + slot), *at = x + row + d->distances[i];
        for (int g = 0; g < count; g++)
            sums[g] += *(const nitro_rows_unaligned *)(values + g * NITRO_ROWS) *
                       *(const nitro_rows_unaligned *)(at + g * NITRO_ROWS);
    }
    for (int g = 0; g < count; g++)
        to[begin + g] = sums[g];
}

/* Near the first and the last row some diagonals are outside the matrix. */
NITRO_SPMV_INLINE void nitro_krylov_multiply_diagonals(const nitro_krylov *k, const double *x,
                                                       nitro_rows *to, int64_t begin, int64_t end)
{
    const nitro_krylov_diagonals *d = &k->diagonals;
    int64_t i = begin, inside = -d->distances[0], outside = k->n - d->distances[d->count - 1];
    while (i < end) {
        int64_t row = i * NITRO_ROWS, next = i + NITRO_KRYLOV_TOGETHER;
        int first = 0, last = d->count;
        if (row >= inside && next <= end && next * NITRO_ROWS <= outside &&
            i % NITRO_KRYLOV_TOGETHER == 0) {
            nitro_krylov_add_diagonals(d, first, last, x, to, i, NITRO_KRYLOV_TOGETHER);
            i = next;
            continue;
        }
        while (first < last && row + NITRO_ROWS + d->distances[first] <= 0)
            first++;
        while (first < last && row + d->distances[last - 1] >= k->n)
            last--;
        nitro_krylov_add_diagonals(d, first, last, x, to, i++, 1);
    }
}

/** to = A from. */
NITRO_SPMV_INLINE void nitro_krylov_multiply(const nitro_krylov *k, const nitro_rows *from,
                                             nitro_rows *to, int64_t begin, int64_t end)
{
    if (k->diagonals.count > 0) {
        nitro_krylov_multiply_diagonals(k, (const double *)from, to, begin, end);
        return;
    }
    if (!k->uses_slots) {
        int64_t last = end * NITRO_ROWS;
        nitro_krylov_multiply_rows(k, from, to, begin * NITRO_ROWS, last < k->n ? last : k->n);
        return;
    }
    const double *x = (const double *)from;
    for (int64_t i = begin; i < end; i++) {
        const nitro_krylov_group group = k->slots.groups[i];
        const nitro_rows *values = k->slots.values + group.begin;
        const int32_t *at = k->slots.indices + group.begin_index;
        nitro_rows sum = {0};
        if (group.run == 1) {
            nitro_krylov_add_runs(&sum, values, at + NITRO_ROWS, group.count, x, 1);
            for (int lane = 0; lane < NITRO_ROWS; lane++)
                ((double *)to)[at[lane]] = sum[lane];
            if (group.count == 0)
                for (int lane = 0; lane < NITRO_ROWS && at[lane] < k->n; lane++)
                    nitro_krylov_multiply_rows(k, from, to, at[lane], at[lane] + 1);
            continue;
        }
        if (group.run == 2)
            nitro_krylov_add_runs(&sum, values, at, group.count, x, 2);
        else
            nitro_krylov_add_runs(&sum, values, at, group.count, x, 3);
        to[i] = sum;
    }
}

/** The sums of products of four lanes. */
NITRO_SPMV_INLINE void nitro_krylov_dot(const nitro_rows *a, const nitro_rows *b, int64_t begin,
                                        int64_t end, nitro_rows *sums)
{
    nitro_rows even = {0}, odd = {0};
    int64_t i = begin;
    for (; i + 1 < end; i += 2) {
        even += a[i] * b[i];
        odd += a[i + 1] * b[i + 1];
    }
    if (i < end)
        even += a[i] * b[i];
    *sums = even + odd;
}

extern const nitro_preconditioner nitro_krylov_jacobi;
extern const nitro_preconditioner nitro_krylov_absolute; /* Jacobi by |a_ii|: positive definite */
extern const nitro_preconditioner nitro_krylov_bjacobi;  /* dense blocks */
extern const nitro_preconditioner nitro_krylov_fsai;     /* approximate inverses: factorised... */
extern const nitro_preconditioner nitro_krylov_isai;     /* ...and not */
extern const nitro_preconditioner nitro_krylov_ilu0;
extern const nitro_preconditioner nitro_krylov_ic0;

nitro_krylov_iterate nitro_krylov_cg, nitro_krylov_bicgstab, nitro_krylov_gmres,
    nitro_krylov_minres;

#endif
