/* gmres.h - GMRES(30)'s small dense numbers, on the host also for CUDA devices: a cycle's
 * least-squares problem (Saad, Schultz, 1986). */
#ifndef NITRO_VARIANTS_SOLVER_GMRES_H
#define NITRO_VARIANTS_SOLVER_GMRES_H

#include <math.h>
#include <stdbool.h>

#define NITRO_GMRES_RESTART 30

/** So much of a vector was subtracted, of its squared norm, that rounding spoiled it. */
#define NITRO_GMRES_LOST 1e-2

/** Reduced to a triangle by rotations as columns come. */
typedef struct nitro_gmres {
    double h[NITRO_GMRES_RESTART][NITRO_GMRES_RESTART + 1]; /* by columns */
    double c[NITRO_GMRES_RESTART], s[NITRO_GMRES_RESTART];
    double g[NITRO_GMRES_RESTART + 1]; /* g[0]: the residual's norm that the cycle begins with */
} nitro_gmres;

/** Rotates the newest column. @return the residual's norm after it. */
static inline double nitro_gmres_rotate(nitro_gmres *t, int column)
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
    return fabs(t->g[column + 1]);
}

/** The solution y of the first `count` columns. @return false: they are singular. */
static inline bool nitro_gmres_solve(const nitro_gmres *t, int count, double *y)
{
    for (int i = count - 1; i >= 0; i--) {
        double sum = t->g[i];
        for (int j = i + 1; j < count; j++)
            sum -= t->h[j][i] * y[j];
        if (t->h[i][i] == 0)
            return false;
        y[i] = sum / t->h[i][i];
    }
    return true;
}

#endif
