/* The methods: conjugate gradients (Hestenes, Stiefel, 1952), BiCGStab (van der Vorst, 1992),
 * GMRES (Saad, Schultz, 1986), restarted, and MINRES (Paige, Saunders, 1975). What one pass over
 * the rows can do is one step: vectors are read from memory, and sums formed, once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "variants/solver/host/krylov.h"

#define X (k->vectors[NITRO_KRYLOV_X])
#define R (k->vectors[NITRO_KRYLOV_R])

/* BiCGStab: r has become orthogonal to the first residual. */
#define ORTHOGONAL (DBL_EPSILON * DBL_EPSILON)
/* GMRES: so much of a vector was subtracted that rounding spoiled it. */
#define LOST 1e-2

static void clear(const nitro_krylov *k, double *vector)
{
    memset(vector, 0, (size_t)k->n * sizeof(*vector));
}

/* May another iteration follow? Counts it. */
static bool goes_on(nitro_krylov *k)
{
    if (k->residual <= k->target || k->system->iterations >= k->system->max_iterations)
        return false;
    k->system->iterations++;
    return true;
}

/* ---- Conjugate gradients ---- */

#define CG_P (k->vectors[NITRO_KRYLOV_OWN])
#define CG_Q (k->vectors[NITRO_KRYLOV_OWN + 1])
#define CG_Z (k->vectors[NITRO_KRYLOV_OWN + 2])

/* r -= alpha q, z = M r */
static void cg_residual(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict r = R;
    const double *restrict q = CG_Q;
    for (int64_t i = begin; i < end; i++)
        r[i] -= k->alpha * q[i];
    sums[0] = nitro_krylov_dot(r, r, begin, end);
    nitro_krylov_precondition_chunk(k, r, CG_Z, begin, end);
    if (k->preconditioner->local)
        sums[1] = nitro_krylov_dot(r, CG_Z, begin, end);
}

static void cg_product_of_residual(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    sums[1] = nitro_krylov_dot(R, CG_Z, begin, end);
}

/* x += alpha p, p = z + beta p */
static void cg_direction(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict x = X, *restrict p = CG_P;
    const double *restrict z = CG_Z;
    (void)sums;
    for (int64_t i = begin; i < end; i++) {
        x[i] += k->alpha * p[i];
        p[i] = z[i] + k->beta * p[i];
    }
}

/* q = A p */
static void cg_product(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    nitro_krylov_multiply(k, CG_P, CG_Q, begin, end);
    sums[0] = nitro_krylov_dot(CG_P, CG_Q, begin, end);
}

int nitro_krylov_cg(nitro_krylov *k)
{
    double rho = INFINITY;
    k->alpha = 0;
    clear(k, CG_P);
    clear(k, CG_Q);
    for (;;) {
        nitro_krylov_step(k, cg_residual, 2);
        k->residual = sqrt(k->sums[0]);
        nitro_krylov_precondition(k, R, CG_Z);
        if (!k->preconditioner->local)
            nitro_krylov_step(k, cg_product_of_residual, 2);
        double next = k->sums[1];
        if (!isfinite(next) || !isfinite(k->residual))
            return NITRO_RUN_NOT_FINITE;
        k->beta = next / rho;
        nitro_krylov_step(k, cg_direction, 0);
        if (!goes_on(k))
            return 0;
        if (next <= 0)
            return NITRO_RUN_BREAKDOWN; /* the preconditioner is not positive definite */
        nitro_krylov_step(k, cg_product, 1);
        if (!isfinite(k->sums[0]))
            return NITRO_RUN_NOT_FINITE;
        if (k->sums[0] <= 0)
            return NITRO_RUN_BREAKDOWN; /* the matrix is not */
        rho = next;
        k->alpha = rho / k->sums[0];
    }
}

/* ---- BiCGStab ---- */

#define BI_FIRST (k->vectors[NITRO_KRYLOV_OWN])
#define BI_P     (k->vectors[NITRO_KRYLOV_OWN + 1])
#define BI_V     (k->vectors[NITRO_KRYLOV_OWN + 2])
#define BI_T     (k->vectors[NITRO_KRYLOV_OWN + 3])
#define BI_MP    (k->vectors[NITRO_KRYLOV_OWN + 4]) /* M p */
#define BI_MS    (k->vectors[NITRO_KRYLOV_OWN + 5])

static void bi_direction(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict p = BI_P;
    const double *restrict r = R, *restrict v = BI_V;
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        p[i] = r[i] + k->beta * (p[i] - k->omega * v[i]);
    nitro_krylov_precondition_chunk(k, p, BI_MP, begin, end);
}

static void bi_first_product(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    nitro_krylov_multiply(k, BI_MP, BI_V, begin, end);
    sums[0] = nitro_krylov_dot(BI_FIRST, BI_V, begin, end);
}

/* s = r - alpha v, in place of r */
static void bi_half(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict r = R;
    const double *restrict v = BI_V;
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        r[i] -= k->alpha * v[i];
    nitro_krylov_precondition_chunk(k, r, BI_MS, begin, end);
}

static void bi_second_product(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    nitro_krylov_multiply(k, BI_MS, BI_T, begin, end);
    sums[0] = nitro_krylov_dot(BI_T, R, begin, end);
    sums[1] = nitro_krylov_dot(BI_T, BI_T, begin, end);
}

static void bi_update(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict x = X, *restrict r = R;
    const double *restrict mp = BI_MP, *restrict ms = BI_MS, *restrict t = BI_T;
    for (int64_t i = begin; i < end; i++) {
        x[i] += k->alpha * mp[i] + k->omega * ms[i];
        r[i] -= k->omega * t[i];
    }
    sums[0] = nitro_krylov_dot(BI_FIRST, r, begin, end);
    sums[1] = nitro_krylov_dot(r, r, begin, end);
}

int nitro_krylov_bicgstab(nitro_krylov *k)
{
    double first = k->residual, rho = first * first;
    memcpy(BI_FIRST, R, (size_t)k->n * sizeof(*R));
    clear(k, BI_P);
    clear(k, BI_V);
    k->beta = k->omega = 0;
    while (goes_on(k)) {
        nitro_krylov_step(k, bi_direction, 0);
        nitro_krylov_precondition(k, BI_P, BI_MP);
        nitro_krylov_step(k, bi_first_product, 1);
        if (k->sums[0] == 0)
            return NITRO_RUN_BREAKDOWN;
        k->alpha = rho / k->sums[0];
        nitro_krylov_step(k, bi_half, 0);
        nitro_krylov_precondition(k, R, BI_MS);
        nitro_krylov_step(k, bi_second_product, 2);
        k->omega = k->sums[1] > 0 ? k->sums[0] / k->sums[1] : 0;
        nitro_krylov_step(k, bi_update, 2);
        double next = k->sums[0];
        k->residual = sqrt(k->sums[1]);
        if (!isfinite(next) || !isfinite(k->residual))
            return NITRO_RUN_NOT_FINITE;
        if (k->residual > k->target &&
            (k->omega == 0 || fabs(next) <= ORTHOGONAL * first * k->residual))
            return NITRO_RUN_BREAKDOWN;
        k->beta = next / rho * (k->alpha / k->omega);
        rho = next;
    }
    return 0;
}

/* ---- GMRES ---- */

#define GM_Z    (k->vectors[NITRO_KRYLOV_OWN])
#define GM_V(i) (k->vectors[NITRO_KRYLOV_OWN + 1 + (i)]) /* the basis */

/* The products of the newest basis vector with those before, and with itself. */
static void gm_products(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    for (int i = 0; i <= k->count; i++)
        sums[i] = nitro_krylov_dot(GM_V(i), GM_V(k->count), begin, end);
}

static void gm_multiply(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    nitro_krylov_multiply(k, GM_Z, GM_V(k->count), begin, end);
    gm_products(k, begin, end, sums);
}

/* to += the sum of weighted basis vectors before the newest */
static void gm_combine(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict to = k->to;
    for (int j = 0; j < k->count; j++) {
        const double *restrict v = GM_V(j);
        double weight = k->weights[j];
        for (int64_t i = begin; i < end; i++)
            to[i] += weight * v[i];
    }
    sums[0] = nitro_krylov_dot(to, to, begin, end);
}

/* to = alpha from */
static void gm_scale(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        k->to[i] = k->alpha * k->from[i];
}

static void gm_add(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *restrict x = X;
    const double *restrict z = GM_Z;
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        x[i] += z[i];
}

static void scale(nitro_krylov *k, const double *from, double *to, double factor)
{
    k->from = from;
    k->to = to;
    k->alpha = factor;
    nitro_krylov_step(k, gm_scale, 0);
}

/* Orthogonalises A M v by classical Gram-Schmidt, twice where too little is left.
 * h: shape [count + 1]: its products with the basis, and its norm. */
static void orthogonalise(nitro_krylov *k, double *h)
{
    double before, after;
    memset(h, 0, (size_t)(k->count + 1) * sizeof(*h));
    nitro_krylov_precondition(k, GM_V(k->count - 1), GM_Z);
    nitro_krylov_step(k, gm_multiply, k->count + 1);
    for (int pass = 0; pass < 2; pass++) {
        before = k->sums[k->count];
        for (int i = 0; i < k->count; i++) {
            h[i] += k->sums[i];
            k->weights[i] = -k->sums[i];
        }
        k->to = GM_V(k->count);
        nitro_krylov_step(k, gm_combine, 1);
        after = k->sums[0];
        if (pass > 0 || !(after < LOST * before))
            break;
        nitro_krylov_step(k, gm_products, k->count + 1);
    }
    h[k->count] = sqrt(after);
}

/* One cycle's least-squares problem, reduced to a triangle by rotations as columns come. */
typedef struct triangle {
    double h[NITRO_KRYLOV_RESTART][NITRO_KRYLOV_RESTART + 1]; /* by columns */
    double c[NITRO_KRYLOV_RESTART], s[NITRO_KRYLOV_RESTART], g[NITRO_KRYLOV_RESTART + 1];
} triangle;

static void rotate(triangle *t, int column)
{
    double *h = t->h[column];
    for (int i = 0; i < column; i++) {
        double upper = h[i];
        h[i] = t->c[i] * upper + t->s[i] * h[i + 1];
        h[i + 1] = t->c[i] * h[i + 1] - t->s[i] * upper;
    }
    double length = hypot(h[column], h[column + 1]);
    t->c[column] = length > 0 ? h[column] / length : 1;
    t->s[column] = length > 0 ? h[column + 1] / length : 0;
    h[column] = length;
    t->g[column + 1] = -t->s[column] * t->g[column];
    t->g[column] *= t->c[column];
}

/* x += M V y of the least-squares solution y. */
static int add_cycle(nitro_krylov *k, const triangle *t, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        double sum = t->g[i];
        for (int j = i + 1; j < count; j++)
            sum -= t->h[j][i] * k->weights[j];
        if (t->h[i][i] == 0)
            return NITRO_RUN_BREAKDOWN;
        k->weights[i] = sum / t->h[i][i];
    }
    k->count = count;
    k->to = R;
    clear(k, R);
    nitro_krylov_step(k, gm_combine, 1);
    nitro_krylov_precondition(k, R, GM_Z);
    nitro_krylov_step(k, gm_add, 0);
    nitro_krylov_step(k, nitro_krylov_residual, 1);
    return 0;
}

int nitro_krylov_gmres(nitro_krylov *k)
{
    triangle t;
    do {
        int column = 0;
        double norm = k->residual;
        t.g[0] = norm;
        for (scale(k, R, GM_V(0), 1 / norm); column < NITRO_KRYLOV_RESTART && goes_on(k);) {
            k->count = column + 1;
            orthogonalise(k, t.h[column]);
            double length = t.h[column][column + 1];
            if (!isfinite(length))
                return NITRO_RUN_NOT_FINITE;
            rotate(&t, column++);
            k->residual = fabs(t.g[column]);
            if (length == 0)
                break;
            scale(k, GM_V(column), GM_V(column), 1 / length);
        }
        int failure = add_cycle(k, &t, column);
        if (failure)
            return failure;
        k->residual = sqrt(k->sums[0]);
        if (!isfinite(k->residual))
            return NITRO_RUN_NOT_FINITE;
        if (k->residual >= norm)
            return 0; /* it stays where it is */
    } while (k->residual > k->target && k->system->iterations < k->system->max_iterations);
    return 0;
}

/* ---- MINRES ---- */

#define MR_OWN(i) (k->vectors[NITRO_KRYLOV_OWN + (i)])

/* The vectors of the Lanczos process, renamed after every iteration. */
typedef struct lanczos {
    double *older, *newer, *next;   /* residuals of the process; `newer` at first R */
    double *y, *next_y;             /* M newer, M next */
    double *before_last_w, *last_w; /* directions */
} lanczos;

/* M r of all rows. */
static void mr_precondition(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    nitro_krylov_precondition_chunk(k, k->from, k->to, begin, end);
    sums[0] = nitro_krylov_dot(k->from, k->to, begin, end);
}

/* next = A y / beta - beta / (older beta) older, by the weights 0 and 1 */
static void mr_product(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    const lanczos *l = k->state;
    double *restrict next = l->next;
    const double *restrict older = l->older;
    nitro_krylov_multiply(k, l->y, next, begin, end);
    for (int64_t i = begin; i < end; i++)
        next[i] = k->weights[0] * next[i] - k->weights[1] * older[i];
    sums[0] = k->weights[0] * nitro_krylov_dot(l->y, next, begin, end);
}

static void mr_subtract(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    const lanczos *l = k->state;
    double *restrict next = l->next;
    const double *restrict newer = l->newer;
    for (int64_t i = begin; i < end; i++)
        next[i] -= k->alpha * newer[i];
    nitro_krylov_precondition_chunk(k, next, l->next_y, begin, end);
    sums[0] = nitro_krylov_dot(next, l->next_y, begin, end);
}

/* w = (y / beta - epsilon w_before_last - delta w_last) / gamma, x += phi w */
static void mr_update(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    const lanczos *l = k->state;
    double *restrict x = X, *restrict w = l->before_last_w;
    const double *restrict y = l->y, *restrict last = l->last_w;
    (void)sums;
    for (int64_t i = begin; i < end; i++) {
        w[i] = k->weights[0] * y[i] - k->weights[1] * w[i] - k->weights[2] * last[i];
        x[i] += k->weights[3] * w[i];
    }
}

static void turn(double **a, double **b)
{
    double *first = *a;
    *a = *b;
    *b = first;
}

static int iterate_minres(nitro_krylov *k, lanczos *l)
{
    double older_beta = 1, d_bar = 0, epsilon = 0, cosine = -1, sine = 0, norm = k->residual;
    k->from = l->newer;
    k->to = l->y;
    nitro_krylov_step(k, mr_precondition, 1);
    double beta = sqrt(k->sums[0]), first = beta, phi_bar = beta;
    clear(k, l->older);
    clear(k, l->before_last_w);
    clear(k, l->last_w);
    k->state = l;
    while (goes_on(k)) {
        k->weights[0] = 1 / beta;
        k->weights[1] = beta / older_beta;
        nitro_krylov_step(k, mr_product, 1);
        double diagonal = k->sums[0];
        k->alpha = diagonal / beta;
        nitro_krylov_step(k, mr_subtract, 1);
        older_beta = beta;
        beta = sqrt(k->sums[0]);
        if (!isfinite(beta) || !isfinite(diagonal))
            return NITRO_RUN_NOT_FINITE;
        double older_epsilon = epsilon, delta = cosine * d_bar + sine * diagonal;
        double g_bar = sine * d_bar - cosine * diagonal, gamma = hypot(g_bar, beta);
        if (gamma == 0)
            return NITRO_RUN_BREAKDOWN;
        epsilon = sine * beta;
        d_bar = -cosine * beta;
        cosine = g_bar / gamma;
        sine = beta / gamma;
        k->weights[0] = 1 / (older_beta * gamma);
        k->weights[1] = older_epsilon / gamma;
        k->weights[2] = delta / gamma;
        k->weights[3] = cosine * phi_bar;
        nitro_krylov_step(k, mr_update, 0);
        phi_bar *= sine;
        k->residual = norm * fabs(phi_bar) / first; /* in the preconditioner's norm */
        turn(&l->before_last_w, &l->last_w);
        turn(&l->y, &l->next_y);
        turn(&l->older, &l->newer);
        turn(&l->newer, &l->next);
    }
    return 0;
}

int nitro_krylov_minres(nitro_krylov *k)
{
    lanczos l = {MR_OWN(0), R, MR_OWN(1), MR_OWN(2), MR_OWN(3), MR_OWN(4), MR_OWN(5)};
    int failure = iterate_minres(k, &l);
    k->state = NULL;
    return failure;
}
