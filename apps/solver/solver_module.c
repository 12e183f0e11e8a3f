/* The computation solver: its argument, variants, check and inputs, and the modules of all kinds of
 * devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/matrix/matrix_inputs.h"
#include "apps/solver/systems.h"

#define X_SEED   1    /* of the solution's fixed pattern */
#define ROUNDING 1e-2 /* of the tolerance: residuals in double and in long double */

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_solver, num_rows),
    NITRO_NUMBER(nitro_solver, num_nonzeros),
    NITRO_ARRAY(nitro_solver, row_offsets, NITRO_IN, NITRO_INDEX64, "num_rows + 1",
                NITRO_ON_DEVICE(nitro_solver_cuda, row_offsets)),
    NITRO_ARRAY(nitro_solver, columns, NITRO_IN, NITRO_INT32, "num_nonzeros",
                NITRO_ON_DEVICE(nitro_solver_cuda, columns)),
    NITRO_ARRAY(nitro_solver, values, NITRO_IN, NITRO_FLOAT64, "num_nonzeros",
                NITRO_ON_DEVICE(nitro_solver_cuda, values)),
    NITRO_ARRAY(nitro_solver, b, NITRO_IN, NITRO_FLOAT64, "num_rows",
                NITRO_ON_DEVICE(nitro_solver_cuda, b)),
    NITRO_ARRAY(nitro_solver, x, NITRO_OUT, NITRO_FLOAT64, "num_rows", .agreement = NITRO_UNCHECKED,
                NITRO_ON_DEVICE(nitro_solver_cuda, x)),
};

/* The residual in long double. */
static int check(const void *argument, char *why, size_t size)
{
    const nitro_solver *system = argument;
    long double residual = 0, norm = 0;
    for (int64_t row = 0; row < system->num_rows; row++) {
        long double left = system->b[row];
        norm += left * left;
        for (int64_t k = system->row_offsets[row]; k < system->row_offsets[row + 1]; k++)
            left -= (long double)system->values[k] * system->x[system->columns[k]];
        residual += left * left;
    }
    double found = norm > 0 ? (double)sqrtl(residual / norm) : (double)sqrtl(residual);
    if (found <= system->tolerance * (1 + ROUNDING))
        return 0;
    snprintf(why, size, "|b - A x| / |b| is %.3g instead of at most %.3g", found,
             system->tolerance);
    return 1;
}

static const char *problem(const void *argument)
{
    return ((const nitro_solver *)argument)->problem;
}

/* ---- Inputs ---- */

/* b = A x of a fixed pattern of numbers x in [-1, 1), so that the system has a solution even where
 * the matrix is singular. */
static void fill_in(nitro_solver *system)
{
    nitro_random random;
    double *b = (double *)system->b;
    nitro_random_seed(&random, X_SEED);
    for (int64_t i = 0; i < system->num_rows; i++)
        system->x[i] = 2 * nitro_random_uniform(&random) - 1;
    for (int64_t i = 0; i < system->num_rows; i++) {
        b[i] = 0;
        for (int64_t k = system->row_offsets[i]; k < system->row_offsets[i + 1]; k++)
            b[i] += system->values[k] * system->x[system->columns[k]];
    }
}

static nitro_status adopt(nitro_context *context, void *data, void **argument)
{
    nitro_matrix *matrix = data;
    const nitro_solver taken = {.num_rows = matrix->num_rows,
                                .num_nonzeros = matrix->num_nonzeros,
                                .row_offsets = matrix->row_offsets,
                                .columns = matrix->columns,
                                .values = matrix->values,
                                .tolerance = NITRO_SOLVER_TOLERANCE,
                                .max_iterations = NITRO_SOLVER_MAX_ITERATIONS};
    nitro_status status = nitro_kit_allocate(context, &nitro_solver_kit, &taken, argument);
    if (status != NITRO_OK) {
        nitro_matrix_free(matrix);
        return status;
    }
    free(matrix);
    fill_in(*argument);
    return NITRO_OK;
}

static nitro_status load(nitro_context *context, const char *path, void **data)
{
    void *matrix;
    nitro_status status = nitro_matrix_load(context, path, &matrix);
    if (status != NITRO_OK)
        return status;
    status = nitro_matrix_check_square(context, path, matrix, "a system to solve");
    if (status == NITRO_OK)
        *data = matrix;
    else
        nitro_matrix_free(matrix);
    return status;
}

static const nitro_kit_inputs inputs = {
    .load = load,
    .make = nitro_system_make,
    .num_families = NITRO_SYSTEM_NUM_FAMILIES,
    .least_size = 1e3,
    .usual_size = 3e5,
    .unit_bytes = 120, /* matrix, factors, and GMRES's basis */
};

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_solver *system = argument;
    snprintf(text, size, "%lld equations, %lld non-zeros", (long long)system->num_rows,
             (long long)system->num_nonzeros);
}

#define ABOUT "sparse systems of equations, A x = b (square Matrix Market files)"

const nitro_kit nitro_solver_kit = {
    .name = "solver",
    .description = ABOUT,
    .argument_bytes = sizeof(nitro_solver),
    .kept = offsetof(nitro_solver, kept),
    .room = offsetof(nitro_solver, room),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = nitro_solver_variants,
    .num_variants = NITRO_SOLVER_NUM_VARIANTS,
    .usual = "bicgstab_ilu0",
    .add_features = nitro_solver_add_features,
    .check = check,
    .problem = problem,
    .inputs = &inputs,
    .adopt = adopt,
    .describe = describe,
    .device = &nitro_solver_cuda_device,
};

NITRO_KIT_MODULES(nitro_module_solver, nitro_solver_kit, "solver", ABOUT)
