/* systems.h - systems of equations as inputs of the solver. */
#ifndef NITRO_APPS_SOLVER_SYSTEMS_H
#define NITRO_APPS_SOLVER_SYSTEMS_H

#include "apps/matrix/matrix.h"
#include "nitro/nitro_backend.h"
#include "variants/solver/solver.h"

/** What a matrix of a family may have; each input draws its own. */
typedef struct nitro_system_family {
    const char *name;
    int dimensions;   /* of the grid, 2 or 3; 0: a graph with edges to random vertices */
    bool is_box;      /* neighbours across corners, too */
    double jumps;     /* coefficients of subdomains differ by up to so many powers of ten */
    double stretch;   /* the first direction's, too */
    double wind;      /* convection: the unsymmetric part over the symmetric one */
    double shift;     /* subtracted from the diagonal, over it; negative: added */
    double scaling;   /* D A D, D of up to so many powers of ten */
    int unknowns;     /* coupled ones a point */
    double imbalance; /* graphs: unsymmetric; the diagonal is the off-diagonal sum times 1/this to
                         this */
} nitro_system_family;

#define NITRO_SYSTEM_NUM_FAMILIES 15
extern const nitro_system_family nitro_system_families[NITRO_SYSTEM_NUM_FAMILIES];

/** Make a matrix of about so many non-zeros. As nitro_kit_inputs.make. */
nitro_status nitro_system_make(nitro_context *context, size_t family, nitro_random *random,
                               double size, char *label, void **data);

extern const nitro_module nitro_module_solver;

#endif
