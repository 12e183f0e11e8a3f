/* One-vs-one machines for several C. Hides that a larger C is not solved again where the smaller
 * one was never met. */
#include "nitro/learn/svm/svm_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/learn/svm/smo.h"
#include "nitro/learn/svm/svm.h"

#define STOP_TOLERANCE 1e-3

/* ---- Classes ------------------------------------------------------------------------------- */

void nitro_svm_classes_find(const size_t *labels, size_t num_rows, size_t num_variants,
                            nitro_svm_classes *classes)
{
    bool occurs[NITRO_MAX_VARIANTS] = {false};
    *classes = (nitro_svm_classes){.num_variants = num_variants};
    for (size_t i = 0; i < num_rows; i++)
        occurs[labels[i]] = true;
    for (size_t v = 0; v < num_variants; v++)
        if (occurs[v])
            classes->variants[classes->count++] = v;
}

size_t nitro_svm_classes_num_pairs(const nitro_svm_classes *classes)
{
    return nitro_svm_num_pairs(classes->count);
}

static void find_pair(const nitro_svm_classes *classes, size_t pair, size_t *first, size_t *second)
{
    size_t a = 0;
    for (size_t others = classes->count - 1; pair >= others; others--) {
        pair -= others;
        a++;
    }
    *first = classes->variants[a];
    *second = classes->variants[a + 1 + pair];
}

/* ---- One pair's rows ----------------------------------------------------------------------- */

typedef struct pair_rows {
    const nitro_svm_pair_set *pair_set;
    size_t num_rows, num_first;
    uint32_t *rows;       /* shape [num_rows]: members with one of the labels, `first`'s first */
    signed char *labels;  /* shape [num_rows] */
    uint32_t *vectors;    /* rows that a solution keeps, and */
    double *coefficients; /* theirs: shape [num_rows], as are these */
    nitro_smo_problem problem;
    nitro_smo *smo;
} pair_rows;

static size_t list_rows(const nitro_svm_pair_set *pair_set, size_t label, uint32_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < pair_set->num_members; i++)
        if (pair_set->labels[pair_set->members[i]] == label)
            rows[count++] = (uint32_t)pair_set->members[i];
    return count;
}

/* ---- Asking -------------------------------------------------------------------------------- */

/* So many of the asked at once: their sums stay in registers. */
#define TILE 8

/** Rows of coefficient 0 say nothing. @return how many are left, in their order. */
static size_t keep_support_vectors(pair_rows *p)
{
    size_t count = 0;
    for (size_t k = 0; k < p->num_rows; k++)
        if (p->coefficients[k] != 0.0) {
            p->vectors[count] = p->rows[k];
            p->coefficients[count++] = p->coefficients[k];
        }
    return count;
}

/** Decisions of `width` of the asked from `first` on, vector after vector as LIBSVM adds them. */
static inline void query_tile(const pair_rows *p, size_t num_vectors, double rho, size_t first,
                              size_t width, double *decisions)
{
    const nitro_svm_pair_set *pair_set = p->pair_set;
    double sums[TILE] = {0};
    for (size_t k = 0; k < num_vectors; k++) {
        const double *kernel = pair_set->asked + p->vectors[k] * pair_set->stride + first;
        double coefficient = p->coefficients[k];
        for (size_t r = 0; r < width; r++)
            sums[r] += coefficient * kernel[r];
    }
    for (size_t r = 0; r < width; r++)
        decisions[first + r] = sums[r] - rho;
}

/** Its coefficients are used up. */
static void query(pair_rows *p, double rho, double *decisions)
{
    size_t num_asked = p->pair_set->num_asked, num_vectors = keep_support_vectors(p), first = 0;
    for (; first + TILE <= num_asked; first += TILE)
        query_tile(p, num_vectors, rho, first, TILE, decisions);
    query_tile(p, num_vectors, rho, first, num_asked - first, decisions);
}

/* ---- One pair, all Cs ---------------------------------------------------------------------- */

static void solve_all(pair_rows *p, double *decisions)
{
    const nitro_svm_pair_set *pair_set = p->pair_set;
    bool c_mattered = true;
    for (size_t i = 0; i < pair_set->num_cs; i++) {
        double rho, *own = decisions + i * pair_set->num_asked;
        if (!c_mattered) {
            memcpy(own, own - pair_set->num_asked, pair_set->num_asked * sizeof *own);
            continue;
        }
        nitro_smo_solve(p->smo, pair_set->cs[i], p->coefficients, &rho, &c_mattered);
        query(p, rho, own);
    }
}

static void free_pair(pair_rows *p)
{
    nitro_smo_free(p->smo);
    free(p->rows);
    free(p->labels);
    free(p->coefficients);
}

/** Leaves `smo` NULL where one of the two classes has no member. */
static nitro_status make_pair(nitro_context *context, const nitro_svm_pair_set *pair_set,
                              size_t pair, pair_rows *p)
{
    size_t first, second;
    find_pair(pair_set->classes, pair, &first, &second);
    p->pair_set = pair_set;
    p->rows = nitro_calloc(context, 2 * pair_set->num_members, sizeof *p->rows);
    p->labels = nitro_calloc(context, pair_set->num_members, sizeof *p->labels);
    p->coefficients = nitro_calloc(context, pair_set->num_members, sizeof *p->coefficients);
    if (!p->rows || !p->labels || !p->coefficients)
        return NITRO_ERR_NO_MEMORY;
    p->vectors = p->rows + pair_set->num_members;
    p->num_first = list_rows(pair_set, first, p->rows);
    p->num_rows = p->num_first + list_rows(pair_set, second, p->rows + p->num_first);
    for (size_t i = 0; i < p->num_rows; i++)
        p->labels[i] = i < p->num_first ? 1 : -1;
    if (p->num_first == 0 || p->num_first == p->num_rows)
        return NITRO_OK;
    p->problem = (nitro_smo_problem){.num_rows = p->num_rows,
                                     .labels = p->labels,
                                     .names = p->rows,
                                     .gather = p->pair_set->gather,
                                     .user = p->pair_set->user,
                                     .tolerance = STOP_TOLERANCE};
    return nitro_smo_create(context, &p->problem, &p->smo);
}

nitro_status nitro_svm_pair_decide(nitro_context *context, const nitro_svm_pair_set *pair_set,
                                   size_t pair, double *decisions)
{
    pair_rows p = {0};
    nitro_status status = make_pair(context, pair_set, pair, &p);
    if (p.smo)
        solve_all(&p, decisions);
    free_pair(&p);
    return status;
}

/* ---- Votes --------------------------------------------------------------------------------- */

/** The classes that members have, as indices into the lesson's classes. */
static size_t list_present(const nitro_svm_pair_set *pair_set, size_t *present)
{
    bool occurs[NITRO_MAX_VARIANTS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < pair_set->num_members; i++)
        occurs[pair_set->labels[pair_set->members[i]]] = true;
    for (size_t k = 0; k < pair_set->classes->count; k++)
        if (occurs[pair_set->classes->variants[k]])
            present[count++] = k;
    return count;
}

void nitro_svm_pairs_vote(const nitro_svm_pair_set *pair_set, const double *decisions, size_t c,
                          double *scores)
{
    const nitro_svm_classes *classes = pair_set->classes;
    size_t present[NITRO_MAX_VARIANTS], variants[NITRO_MAX_VARIANTS];
    const double *of_pairs[NITRO_SVM_MAX_PAIRS];
    double own[NITRO_SVM_MAX_PAIRS];
    nitro_svm_classifier classifier = {.num_classes = list_present(pair_set, present),
                                       .classes = variants};
    size_t num_pairs = 0;
    for (size_t a = 0; a < classifier.num_classes; a++) {
        variants[a] = classes->variants[present[a]];
        for (size_t b = a + 1; b < classifier.num_classes; b++) {
            size_t pair = nitro_svm_pair(present[a], present[b], classes->count);
            of_pairs[num_pairs++] = decisions + (pair * pair_set->num_cs + c) * pair_set->num_asked;
        }
    }
    for (size_t r = 0; r < pair_set->num_asked; r++) {
        for (size_t p = 0; p < num_pairs; p++)
            own[p] = of_pairs[p][r];
        nitro_svm_classifier_score(&classifier, own, classes->num_variants,
                                   scores + r * classes->num_variants);
    }
}
