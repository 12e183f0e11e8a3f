/* spmv_cases.h - the CUDA variants of spmv against the host's reference, on matrices of every
 * family and special cases, on the emulation and on a GPU. */
#ifndef NITRO_TESTS_CUDA_SPMV_CASES_H
#define NITRO_TESTS_CUDA_SPMV_CASES_H

#include <math.h>

#include "apps/matrix/matrix_inputs.h"
#include "cuda/cuda_cases.h"
#include "unit/spmv_inputs.h"
#include "variants/spmv/spmv_cuda.h"

/* Inputs that every variant must have run. */
#define SPMV_NUM_INPUTS 200

/* Matrix `index` of all families in turn, with 1 to about `max_nonzeros` entries. */
static nitro_spmv *spmv_cases_make(const cuda_cases *cases, uint64_t seed, size_t index,
                                   double max_nonzeros, char name[128])
{
    const nitro_matrix_family *family = &nitro_matrix_families[index % NITRO_MATRIX_NUM_FAMILIES];
    nitro_random random;
    nitro_matrix_shape shape = {0};
    nitro_random_seed(&random, seed + index);
    family->plan(&random, pow(max_nonzeros, nitro_random_uniform(&random)), &shape);
    nitro_matrix *matrix = NULL;
    nitro_spmv *spmv = NULL;
    snprintf(name, 128, "%s-%s#%zu", family->name, shape.label, index);
    assert_ok(cases->context,
              nitro_matrix_build(cases->context, family, &shape, &random, name, &matrix));
    assert_ok(cases->context, nitro_spmv_kit.adopt(cases->context, matrix, (void **)&spmv));
    return spmv;
}

/* Run every variant that allows the matrix and has had fewer than `enough` inputs; returns how many
 * ran. The matrix is freed. */
static size_t spmv_cases_check(cuda_cases *cases, nitro_spmv *matrix, const char *name,
                               size_t enough)
{
    nitro_spmv_cuda spmv = {.host = *matrix, .cuda.stream = cases->stream};
    double features[NITRO_SPMV_NUM_FEATURES];
    size_t ran = 0;
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, &spmv, features));
    cuda_cases_keep_reference(cases, &spmv, name);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (cases->num_runs[v] >= enough || !variant->allows(features, NULL, variant->user))
            continue;
        cuda_cases_check_variant(cases, &spmv, v, name);
        if (variant->release)
            variant->release(&spmv, variant->user);
        ran++;
    }
    nitro_kit_release_device(&nitro_spmv_kit, &spmv);
    spmv_inputs_free(matrix);
    return ran;
}

/* All families, until every variant that is here has run on so many inputs. */
static void spmv_cases_check_families(cuda_cases *cases, uint64_t seed, double max_nonzeros)
{
    bool is_done = false;
    size_t index = 0;
    memset(cases->num_runs, 0, sizeof(cases->num_runs));
    for (; !is_done && index < 40 * SPMV_NUM_INPUTS; index++) {
        char name[128];
        nitro_spmv *matrix = spmv_cases_make(cases, seed, index, max_nonzeros, name);
        spmv_cases_check(cases, matrix, name, SPMV_NUM_INPUTS);
        is_done = true;
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
            is_done &= cases->num_runs[v] >= SPMV_NUM_INPUTS || !cases->is_here[v];
    }
    assert_true(is_done);
}

/* Matrices that no family has. */
static void spmv_cases_check_odd(cuda_cases *cases)
{
    static const struct {
        const char *name;
        int64_t rows, cols;
        int64_t every_row, long_row; /* entries of each row, and of the row in the middle */
    } odd[] = {
        {"0 x 0", 0, 0, 0, 0},
        {"0 x 5", 0, 5, 0, 0},
        {"5 x 0", 5, 0, 0, 0},
        {"1 x 1", 1, 1, 1, 1},
        {"1 x 1, empty", 1, 1, 0, 0},
        {"1 x 3000", 1, 3000, 3000, 3000},
        {"3000 x 1", 3000, 1, 1, 1},
        {"no entries", 777, 70, 0, 0},
        {"one long row, all others empty", 1025, 2000, 0, 2000},
        {"one long row among short ones", 513, 4099, 3, 4099},
        {"257 rows of 256", 257, 300, 256, 256},
        {"dense", 33, 65, 65, 65},
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        nitro_matrix_entries entries = {.num_rows = odd[i].rows, .num_cols = odd[i].cols};
        for (int64_t row = 0; row < odd[i].rows; row++) {
            int64_t length = row == odd[i].rows / 2 ? odd[i].long_row : odd[i].every_row;
            for (int64_t k = 0; k < length; k++)
                assert_ok(cases->context, nitro_matrix_entries_add(cases->context, &entries, row,
                                                                   k * odd[i].cols / length,
                                                                   sin((double)(row + k))));
        }
        nitro_spmv *matrix = NULL;
        assert_ok(cases->context,
                  spmv_inputs_create(cases->context, odd[i].name, &entries, &matrix));
        assert_true(spmv_cases_check(cases, matrix, odd[i].name, SIZE_MAX) >= 4);
    }
}

/* A loaded input of the module, as measuring gets it; its `unload` frees it. */
static nitro_spmv_cuda *spmv_cases_load(const cuda_cases *cases)
{
    nitro_spmv_cuda *spmv = cuda_cases_generate(cases, 3, 0);
    spmv->cuda.stream = cases->stream;
    return spmv;
}

#endif
