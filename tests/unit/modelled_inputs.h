/* modelled_inputs.h - seeded inputs of the computations that modelled devices know, as features
 * only, for tests of cost models, learning and DFS. */
#ifndef NITRO_TESTS_UNIT_MODELLED_INPUTS_H
#define NITRO_TESTS_UNIT_MODELLED_INPUTS_H

#include <math.h>

#include "unit/unit.h"

static inline nitro_schema *modelled_schema(nitro_context *context, const char *computation,
                                            const char *const *features,
                                            const char *const *variants)
{
    nitro_schema *schema;
    assert_ok(context, nitro_schema_create(context, computation, &schema));
    for (; *features; features++)
        assert_ok(context,
                  nitro_schema_add_feature(context, schema, *features, "1", NITRO_SCALE_AUTO));
    for (; *variants; variants++)
        assert_ok(context, nitro_schema_add_variant(context, schema, *variants));
    return schema;
}

static inline nitro_schema *modelled_spmv_schema(nitro_context *context)
{
    static const char *const features[] = {"rows",       "cols",       "nnz", "rlsd",
                                           "dia_fillin", "ell_fillin", NULL};
    static const char *const variants[] = {"csr", "csr_vector", "dia",   "ell",
                                           "coo", "hybrid",     "sellp", NULL};
    return modelled_schema(context, "spmv", features, variants);
}

static inline nitro_schema *modelled_histogram_schema(nitro_context *context)
{
    static const char *const features[] = {"num_elements", "elements_per_bin", "sub_sample_sd",
                                           NULL};
    static const char *const variants[] = {"sort_even_share",
                                           "sort_dynamic",
                                           "global_atomic_even_share",
                                           "global_atomic_dynamic",
                                           "shared_atomic_even_share",
                                           "shared_atomic_dynamic",
                                           NULL};
    return modelled_schema(context, "histogram", features, variants);
}

static inline double draw_log_uniform(nitro_random *random, double low, double high)
{
    return low * pow(high / low, nitro_random_uniform(random));
}

/* Features of one matrix family's typical member, shape [6]: index picks the family in turn. */
static inline void modelled_spmv_features(uint64_t seed, size_t index, double *values)
{
    nitro_random random;
    nitro_random_seed(&random, seed + index * UINT64_C(0x9E3779B97F4A7C15));
    double rows = floor(draw_log_uniform(&random, 2e3, 2e6)), mean = 0, rlsd = 0, ell = 1, dia = 0;
    double u = nitro_random_uniform(&random);
    switch (index % 6) {
    case 0: /* stencil: few diagonals, rows alike but at the border */
        mean = 3 + floor(25 * u);
        rlsd = 0.02 + 0.08 * nitro_random_uniform(&random);
        ell = dia = 1 + rlsd;
        break;
    case 1: /* banded, partly filled */
        mean = 5 + 60 * u;
        rlsd = 0.05 + 0.3 * nitro_random_uniform(&random);
        ell = 1 + 2.5 * rlsd;
        dia = 1 / (0.2 + 0.8 * nitro_random_uniform(&random));
        break;
    case 2: /* uniform random: Poisson row lengths */
        mean = 2 + 40 * u;
        rlsd = 1 / sqrt(mean);
        ell = 1 + 4.5 * rlsd;
        dia = rows / mean;
        break;
    case 3: /* unstructured mesh: rows alike, columns scattered */
        mean = 3 + 20 * u;
        rlsd = draw_log_uniform(&random, 0.01, 0.5);
        ell = 1 + 1.2 * rlsd;
        dia = 30 + 300 * nitro_random_uniform(&random);
        break;
    case 4: /* power law: a few rows are very long */
        mean = 2 + 14 * u;
        rlsd = draw_log_uniform(&random, 0.8, 10);
        ell = fmin(rows / mean, 1 + rlsd * draw_log_uniform(&random, 5, 300));
        dia = rows / mean;
        break;
    default: /* blocks of uneven size */
        mean = draw_log_uniform(&random, 16, 300);
        rows = fmin(rows, 3e7 / mean);
        rlsd = 0.2 + 0.6 * nitro_random_uniform(&random);
        ell = 1 + 2 * rlsd;
        dia = 4 + 40 * nitro_random_uniform(&random);
    }
    const double drawn[] = {rows, rows, floor(rows * mean), rlsd, dia, ell};
    memcpy(values, drawn, sizeof(drawn));
}

/* Shape [3]. */
static inline void modelled_histogram_features(uint64_t seed, size_t index, double *values)
{
    nitro_random random;
    nitro_random_seed(&random, seed + index * UINT64_C(0x9E3779B97F4A7C15));
    double elements = floor(draw_log_uniform(&random, 1e4, 5e7));
    double bins = pow(2, floor(3 + 14 * nitro_random_uniform(&random)));
    values[0] = elements;
    values[1] = elements / bins;
    values[2] = 0.2886751 * fmin(1, 1.6 * nitro_random_uniform(&random));
    if (index % 3 == 0) /* crowded */
        values[2] = 0.2886751 * draw_log_uniform(&random, 1e-4, 0.3);
}

#endif
