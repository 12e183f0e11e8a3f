/* The methods: conjugate gradients (Hestenes, Stiefel, 1952), BiCGStab (van der Vorst, 1992),
 * GMRES (Saad, Schultz, 1986), restarted, and MINRES (Paige, Saunders, 1975). What one pass over
 * the rows can do is one step: vectors are read from memory, and sums formed, once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "variants/solver/host/krylov.h"

#define X      (k->vectors[NITRO_KRYLOV_X])
#define R      (k->vectors[NITRO_KRYLOV_R])
#define OWN(i) (k->vectors[NITRO_KRYLOV_OWN + (i)])

static void clear(const nitro_krylov *k, nitro_rows *vector)
{
    memset(vector, 0, (size_t)k->num_groups * sizeof(*vector));
}

/* ---- Conjugate gradients ---- */

#define CG_P OWN(0)
#define CG_Q OWN(1)
#define CG_Z OWN(2)

/* r -= alpha q, z = M r; a diagonal M is multiplied by again instead of keeping z */
NITRO_KRYLOV_STEP(cg_residual)
{
    nitro_rows *restrict r = R, norm = {0}, rho = {0};
    const nitro_rows *restrict q = CG_Q, *restrict d = k->factors;
    double alpha = k->alpha;
    if (k->preconditioner->is_diagonal) {
        for (int64_t i = begin; i < end; i++) {
            nitro_rows now = r[i] - alpha * q[i];
            r[i] = now;
            norm += now * now;
            rho += d[i] * now * now;
        }
    } else {
        for (int64_t i = begin; i < end; i++) {
            r[i] -= alpha * q[i];
            norm += r[i] * r[i];
        }
        nitro_krylov_local(k, begin, end);
        if (k->preconditioner->local)
            nitro_krylov_dot(r, CG_Z, begin, end, &rho);
    }
    sums[0] = norm;
    sums[1] = rho;
}

NITRO_KRYLOV_STEP(cg_rho)
{
    nitro_krylov_dot(R, CG_Z, begin, end, sums);
}

/* x += alpha p, p = z + beta p */
NITRO_KRYLOV_STEP(cg_direction)
{
    nitro_rows *restrict x = X, *restrict p = CG_P;
    const nitro_rows *restrict r = R, *restrict z = CG_Z, *restrict d = k->factors;
    double alpha = k->alpha, beta = k->beta;
    bool is_diagonal = k->preconditioner->is_diagonal;
    for (int64_t i = begin; i < end; i++) {
        x[i] += alpha * p[i];
        nitro_rows next = is_diagonal ? r[i] : z[i];
        if (is_diagonal)
            next *= d[i];
        p[i] = next + beta * p[i];
    }
}

/* q = A p */
NITRO_KRYLOV_STEP(cg_product)
{
    nitro_krylov_multiply(k, CG_P, CG_Q, begin, end);
    nitro_krylov_dot(CG_P, CG_Q, begin, end, sums);
}

int nitro_krylov_cg(nitro_krylov *k)
{
    double rho = INFINITY;
    k->patience = INT64_MAX;
    k->alpha = 0;
    clear(k, CG_P);
    clear(k, CG_Q);
    for (;;) {
        nitro_krylov_do_and_precondition(k, cg_residual, 2, R, CG_Z);
        k->residual = sqrt(k->sums[0]);
        double next = k->sums[1];
        if (k->preconditioner->apply) {
            nitro_krylov_do(k, cg_rho, 1);
            next = k->sums[0];
        }
        if (!isfinite(next) || !isfinite(k->residual))
            return NITRO_RUN_NOT_FINITE;
        k->beta = next / rho;
        nitro_krylov_do(k, cg_direction, 0);
        if (!nitro_krylov_goes_on(k))
            return 0;
        if (next <= 0)
            return NITRO_RUN_BREAKDOWN; /* the preconditioner is not positive definite */
        nitro_krylov_do(k, cg_product, 1);
        if (!isfinite(k->sums[0]))
            return NITRO_RUN_NOT_FINITE;
        if (k->sums[0] <= 0)
            return NITRO_RUN_BREAKDOWN; /* the matrix is not */
        rho = next;
        k->alpha = rho / k->sums[0];
    }
}

/* ---- BiCGStab ---- */

#define BI_FIRST OWN(0)
#define BI_P     OWN(1)
#define BI_V     OWN(2)
#define BI_T     OWN(3)
#define BI_MP    OWN(4) /* M p */
#define BI_MS    OWN(5)

NITRO_KRYLOV_STEP(bi_direction)
{
    nitro_rows *restrict p = BI_P;
    const nitro_rows *restrict r = R, *restrict v = BI_V;
    double beta = k->beta, omega = k->omega;
    for (int64_t i = begin; i < end; i++)
        p[i] = r[i] + beta * (p[i] - omega * v[i]);
    nitro_krylov_local(k, begin, end);
}

NITRO_KRYLOV_STEP(bi_first_product)
{
    nitro_krylov_multiply(k, BI_MP, BI_V, begin, end);
    nitro_krylov_dot(BI_FIRST, BI_V, begin, end, sums);
}

/* s = r - alpha v, in place of r */
NITRO_KRYLOV_STEP(bi_half)
{
    nitro_rows *restrict r = R;
    const nitro_rows *restrict v = BI_V;
    double alpha = k->alpha;
    for (int64_t i = begin; i < end; i++)
        r[i] -= alpha * v[i];
    nitro_krylov_local(k, begin, end);
}

NITRO_KRYLOV_STEP(bi_second_product)
{
    nitro_krylov_multiply(k, BI_MS, BI_T, begin, end);
    nitro_krylov_dot(BI_T, R, begin, end, sums);
    nitro_krylov_dot(BI_T, BI_T, begin, end, sums + 1);
}

NITRO_KRYLOV_STEP(bi_update)
{
    nitro_rows *restrict x = X, *restrict r = R, rho = {0}, norm = {0};
    const nitro_rows *restrict mp = BI_MP, *restrict ms = BI_MS, *restrict t = BI_T;
    const nitro_rows *restrict first = BI_FIRST;
    double alpha = k->alpha, omega = k->omega;
    for (int64_t i = begin; i < end; i++) {
        x[i] += alpha * mp[i] + omega * ms[i];
        nitro_rows now = r[i] - omega * t[i];
        r[i] = now;
        rho += first[i] * now;
        norm += now * now;
    }
    sums[0] = rho;
    sums[1] = norm;
}

int nitro_krylov_bicgstab(nitro_krylov *k)
{
    double first = k->residual, rho = first * first;
    memcpy(BI_FIRST, R, (size_t)k->num_groups * sizeof(*R));
    clear(k, BI_P);
    clear(k, BI_V);
    k->beta = k->omega = 0;
    while (nitro_krylov_goes_on(k)) {
        nitro_krylov_do_and_precondition(k, bi_direction, 0, BI_P, BI_MP);
        nitro_krylov_do(k, bi_first_product, 1);
        if (k->sums[0] == 0)
            return NITRO_RUN_BREAKDOWN;
        k->alpha = rho / k->sums[0];
        nitro_krylov_do_and_precondition(k, bi_half, 0, R, BI_MS);
        nitro_krylov_do(k, bi_second_product, 2);
        k->omega = k->sums[1] > 0 ? k->sums[0] / k->sums[1] : 0;
        nitro_krylov_do(k, bi_update, 2);
        double next = k->sums[0];
        k->residual = sqrt(k->sums[1]);
        if (!isfinite(next) || !isfinite(k->residual))
            return NITRO_RUN_NOT_FINITE;
        if (k->residual > k->target &&
            (k->omega == 0 || fabs(next) <= NITRO_SOLVER_ORTHOGONAL * first * k->residual))
            return NITRO_RUN_BREAKDOWN;
        k->beta = next / rho * (k->alpha / k->omega);
        rho = next;
    }
    return 0;
}

/* ---- GMRES ---- */

#define GM_Z    OWN(0)
#define GM_V(i) OWN(1 + (i)) /* the basis */

/* The products of the newest basis vector with those before, and with itself. */
NITRO_KRYLOV_STEP(gm_products)
{
    for (int i = 0; i <= k->count; i++)
        nitro_krylov_dot(GM_V(i), GM_V(k->count), begin, end, sums + i);
}

NITRO_KRYLOV_STEP(gm_multiply)
{
    nitro_krylov_multiply(k, GM_Z, GM_V(k->count), begin, end);
    gm_products_body(k, begin, end, sums);
}

/* to += the sum of weighted basis vectors before the newest */
NITRO_KRYLOV_STEP(gm_combine)
{
    nitro_rows *restrict to = k->to;
    for (int j = 0; j < k->count; j++) {
        const nitro_rows *restrict v = GM_V(j);
        double weight = k->weights[j];
        for (int64_t i = begin; i < end; i++)
            to[i] += weight * v[i];
    }
    nitro_krylov_dot(to, to, begin, end, sums);
}

/* to = alpha from */
NITRO_KRYLOV_STEP(gm_scale)
{
    for (int64_t i = begin; i < end; i++)
        k->to[i] = k->alpha * k->from[i];
}

static void scale(nitro_krylov *k, const nitro_rows *from, nitro_rows *to, double factor)
{
    k->from = from;
    k->to = to;
    k->alpha = factor;
    nitro_krylov_do(k, gm_scale, 0);
}

/* Orthogonalises A M v by classical Gram-Schmidt, twice where too little is left.
 * h: shape [count + 1]: its products with the basis, and its norm. */
static void orthogonalise(nitro_krylov *k, double *h)
{
    double before, after;
    memset(h, 0, (size_t)(k->count + 1) * sizeof(*h));
    k->preconditioner->apply(k, GM_V(k->count - 1), GM_Z);
    nitro_krylov_do(k, gm_multiply, k->count + 1);
    for (int pass = 0; pass < 2; pass++) {
        before = k->sums[k->count];
        for (int i = 0; i < k->count; i++) {
            h[i] += k->sums[i];
            k->weights[i] = -k->sums[i];
        }
        k->to = GM_V(k->count);
        nitro_krylov_do(k, gm_combine, 1);
        after = k->sums[0];
        if (pass > 0 || !(after < NITRO_GMRES_LOST * before))
            break;
        nitro_krylov_do(k, gm_products, k->count + 1);
    }
    h[k->count] = sqrt(after);
}

/* x += M V y of the least-squares solution y. */
static int add_cycle(nitro_krylov *k, const nitro_gmres *t, int count)
{
    if (!nitro_gmres_solve(t, count, k->weights))
        return NITRO_RUN_BREAKDOWN;
    k->count = count;
    k->to = R;
    clear(k, R);
    nitro_krylov_do(k, gm_combine, 1);
    k->preconditioner->apply(k, R, GM_V(0));
    k->count = 1;
    k->weights[0] = 1;
    k->to = X;
    nitro_krylov_do(k, gm_combine, 1);
    nitro_krylov_residual(k);
    return 0;
}

int nitro_krylov_gmres(nitro_krylov *k)
{
    nitro_gmres t;
    do {
        int column = 0;
        double norm = k->residual;
        t.g[0] = norm;
        for (scale(k, R, GM_V(0), 1 / norm);
             column < NITRO_GMRES_RESTART && nitro_krylov_goes_on(k);) {
            k->count = column + 1;
            orthogonalise(k, t.h[column]);
            double length = t.h[column][column + 1];
            if (!isfinite(length))
                return NITRO_RUN_NOT_FINITE;
            k->residual = nitro_gmres_rotate(&t, column++);
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

/* The vectors of the Lanczos process, renamed after every iteration: its residuals, of which R is
 * the newest at first; M times the newest and the next; directions. */
#define MR_OLDER  OWN(0)
#define MR_NEWER  R
#define MR_NEXT   OWN(1)
#define MR_Y      OWN(2)
#define MR_NEXT_Y OWN(3)
#define MR_W      OWN(4) /* the last but one, of which the next one is made */
#define MR_LAST_W OWN(5)

NITRO_KRYLOV_STEP(mr_precondition)
{
    nitro_krylov_local(k, begin, end);
    nitro_krylov_dot(k->from, k->to, begin, end, sums);
}

/* next = A y / beta - beta / (older beta) older, by the weights 0 and 1 */
NITRO_KRYLOV_STEP(mr_product)
{
    nitro_rows *restrict next = MR_NEXT;
    const nitro_rows *restrict older = MR_OLDER;
    nitro_krylov_multiply(k, MR_Y, next, begin, end);
    for (int64_t i = begin; i < end; i++)
        next[i] = k->weights[0] * next[i] - k->weights[1] * older[i];
    nitro_krylov_dot(MR_Y, next, begin, end, sums);
}

NITRO_KRYLOV_STEP(mr_subtract)
{
    nitro_rows *restrict next = MR_NEXT;
    const nitro_rows *restrict newer = MR_NEWER;
    double alpha = k->alpha;
    for (int64_t i = begin; i < end; i++)
        next[i] -= alpha * newer[i];
    nitro_krylov_local(k, begin, end);
    nitro_krylov_dot(next, MR_NEXT_Y, begin, end, sums);
}

/* w = (y / beta - epsilon w_before_last - delta w_last) / gamma, x += phi w */
NITRO_KRYLOV_STEP(mr_update)
{
    nitro_rows *restrict x = X, *restrict w = MR_W;
    const nitro_rows *restrict y = MR_Y, *restrict last = MR_LAST_W;
    const double by_y = k->weights[0], by_w = k->weights[1], by_last = k->weights[2];
    const double phi = k->weights[3];
    for (int64_t i = begin; i < end; i++) {
        w[i] = by_y * y[i] - by_w * w[i] - by_last * last[i];
        x[i] += phi * w[i];
    }
}

static void turn(nitro_rows **a, nitro_rows **b)
{
    nitro_rows *first = *a;
    *a = *b;
    *b = first;
}

int nitro_krylov_minres(nitro_krylov *k)
{
    double older_beta = 1, d_bar = 0, epsilon = 0, cosine = -1, sine = 0, norm = k->residual;
    nitro_krylov_do_and_precondition(k, mr_precondition, 1, MR_NEWER, MR_Y);
    double beta = sqrt(k->sums[0]), first = beta, phi_bar = beta;
    clear(k, MR_OLDER);
    clear(k, MR_W);
    clear(k, MR_LAST_W);
    while (nitro_krylov_goes_on(k)) {
        k->weights[0] = 1 / beta;
        k->weights[1] = beta / older_beta;
        nitro_krylov_do(k, mr_product, 1);
        double diagonal = k->sums[0] / beta;
        k->alpha = diagonal / beta;
        nitro_krylov_do_and_precondition(k, mr_subtract, 1, MR_NEXT, MR_NEXT_Y);
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
        nitro_krylov_do(k, mr_update, 0);
        phi_bar *= sine;
        k->residual = norm * fabs(phi_bar) / first; /* in the preconditioner's norm */
        turn(&MR_W, &MR_LAST_W);
        turn(&MR_Y, &MR_NEXT_Y);
        turn(&MR_OLDER, &MR_NEWER);
        turn(&MR_NEWER, &MR_NEXT);
    }
    return 0;
}
