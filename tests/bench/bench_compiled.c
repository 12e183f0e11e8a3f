/*
 * Bench "compiled": what each of the compiled models' speed-ups pays on a decision
 * (nitro_model_decide, the computation of bench "dispatch"): the model as it is against the same
 * model without one of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/dispatch_model.h"
#include "nitro/runtime/compiled/compiled_body.h"
#include "nitro/runtime/model/model.h"

enum { NUM_INPUTS = 1024, BATCH = 256, MIN_ROUNDS = 51, BUDGET_MS = 400 };

/* Plain loops over the arrays that the engines read. */
#define PLAIN_SUM(name, REAL, EXP2)                                                                \
    static void name(const nitro_kernel_rows *rows, const REAL *point, double *sums)               \
    {                                                                                              \
        const REAL *values = rows->values;                                                         \
        const uint16_t *list = rows->lists;                                                        \
        for (size_t i = 0; i < rows->num_sums; i++)                                                \
            sums[i] = 0.0;                                                                         \
        for (size_t step = 0; step < rows->num_steps; step++) {                                    \
            REAL kernels[NITRO_COMPILED_STEP] = {0};                                               \
            for (size_t c = 0; c < rows->num_columns; c++, values += NITRO_COMPILED_STEP)          \
                for (size_t k = 0; k < NITRO_COMPILED_STEP; k++)                                   \
                    kernels[k] += (values[k] - point[c]) * (values[k] - point[c]);                 \
            for (size_t k = 0; k < NITRO_COMPILED_STEP; k++)                                       \
                kernels[k] = EXP2(-kernels[k]);                                                    \
            for (size_t g = 0; g < rows->num_groups; g++)                                          \
                for (size_t left = *list++; left > 0; left--, values += NITRO_COMPILED_STEP) {     \
                    double sum = 0.0;                                                              \
                    for (size_t k = 0; k < NITRO_COMPILED_STEP; k++) {                             \
                        REAL power = kernels[k];                                                   \
                        for (unsigned p = 1; p < rows->groups[g].power; p++)                       \
                            power *= kernels[k];                                                   \
                        sum += (double)(values[k] * power);                                        \
                    }                                                                              \
                    sums[*list++] += sum;                                                          \
                }                                                                                  \
        }                                                                                          \
    }
PLAIN_SUM(plain_single, float, exp2f)
PLAIN_SUM(plain_double, double, exp2)

static const nitro_kernel_engine plain = {.name = "plain",
                                          .chain_single = NITRO_COMPILED_STEP,
                                          .chain_double = NITRO_COMPILED_STEP,
                                          .sum_single = plain_single,
                                          .sum_double = plain_double};

static nitro_status use_plain_loops(nitro_model *model)
{
    model->compiled->engine = &plain;
    return NITRO_OK;
}

static nitro_status use_engine(nitro_model *model, const char *name)
{
    for (const nitro_kernel_engine *const *e = nitro_kernel_engines(); *e; e++)
        if (strcmp((*e)->name, name) == 0 && (*e)->is_here())
            model->compiled->engine = *e;
    return NITRO_OK;
}

static nitro_status use_avx2(nitro_model *model)
{
    return use_engine(model, "avx2");
}

static nitro_status use_baseline(nitro_model *model)
{
    return use_engine(model, "baseline");
}

static nitro_status use_double(nitro_model *model)
{
    model->compiled->first = NITRO_PRECISION_DOUBLE;
    return NITRO_OK;
}

/** Compile anew: no column counts as constant, or gammas are no multiples of one another. */
static nitro_status compile_again(nitro_model *model, bool merges, bool shares)
{
    nitro_score_terms terms;
    bool is_constant[NITRO_MODEL_MAX_COLUMNS] = {false};
    double constants[NITRO_MODEL_MAX_COLUMNS] = {0};
    nitro_status status = nitro_model_parts(model, &terms);
    for (size_t i = 0; status == NITRO_OK && merges && i < model->num_seen; i++) {
        size_t column = model->seen[i], first = nitro_model_first_device(model);
        is_constant[i] = column >= first;
        constants[i] = column >= first ? model->device_columns[column - first] : 0.0;
    }
    for (size_t i = 0; status == NITRO_OK && !shares && i < terms.count; i++)
        if (terms.items[i].kernels)
            terms.items[i].kernels->gamma *= 1.0 + 1e-6 * (double)i;
    nitro_compiled_free(model->compiled);
    model->compiled = NULL;
    if (status == NITRO_OK)
        status =
            nitro_compiled_create(model->context, &terms, is_constant, constants, &model->compiled);
    return status;
}

static nitro_status merge_nothing(nitro_model *model)
{
    return compile_again(model, false, true);
}

static nitro_status share_nothing(nitro_model *model)
{
    return compile_again(model, true, false);
}

/** Let every row of coefficients be there, also those that are all 0. */
static nitro_status list_all_rows(nitro_model *model)
{
    for (size_t b = 0; b < model->compiled->num_blocks; b++) {
        kernel_block *block = &model->compiled->blocks[b];
        size_t num_rows = block->num_steps * (block->num_columns + block->num_sums);
        size_t bytes = num_rows * NITRO_COMPILED_STEP * sizeof(float);
        float *values = aligned_alloc(NITRO_COMPILED_ALIGNMENT, bytes), *to = values;
        uint16_t *lists = calloc(block->num_steps, (block->num_groups + block->num_sums) * 2);
        const float *from = block->single_values;
        const uint16_t *listed = block->lists;
        if (!values || !lists)
            return NITRO_ERR_NO_MEMORY;
        memset(values, 0, bytes);
        block->lists = lists;
        block->single_values = values;
        for (size_t step = 0; step < block->num_steps; step++) {
            memcpy(to, from, block->num_columns * NITRO_COMPILED_STEP * sizeof *to);
            to += block->num_columns * NITRO_COMPILED_STEP;
            from += block->num_columns * NITRO_COMPILED_STEP;
            for (size_t g = 0, sum = 0; g < block->num_groups; g++) {
                size_t left = *listed++;
                *lists++ = (uint16_t)(block->groups[g].num_outputs + 1);
                for (size_t end = sum + block->groups[g].num_outputs + 1; sum < end;
                     sum++, to += NITRO_COMPILED_STEP) {
                    *lists++ = (uint16_t)sum;
                    if (left == 0 || *listed != sum)
                        continue;
                    memcpy(to, from, NITRO_COMPILED_STEP * sizeof *to);
                    from += NITRO_COMPILED_STEP;
                    listed++;
                    left--;
                }
            }
        }
    }
    return NITRO_OK;
}

static const struct {
    const char *name;
    nitro_status (*take_away)(nitro_model *model);
} speed_ups[] = {
    {"all; plain loops", use_plain_loops},         {"widest engine; AVX2", use_avx2},
    {"widest engine; 16 bytes", use_baseline},     {"single precision first; double", use_double},
    {"vectors merged; not", merge_nothing},        {"kernels shared by terms; not", share_nothing},
    {"rows of zeros omitted; not", list_all_rows},
};
enum { NUM_SPEED_UPS = sizeof speed_ups / sizeof speed_ups[0] };

typedef struct decider {
    nitro_model *model;
    double (*inputs)[DISPATCH_FEATURES];
    size_t next, sum;
} decider;

static void decide_batch(void *state)
{
    decider *d = state;
    nitro_decision decision;
    for (size_t i = 0; i < BATCH; i++) {
        nitro_model_decide(d->model, d->inputs[d->next++ % NUM_INPUTS], 31, 0.0, &decision);
        d->sum += decision.variant;
    }
}

static int measure(bench_report *report, nitro_context *context, const char *strategy,
                   size_t num_inputs, double (*inputs)[DISPATCH_FEATURES])
{
    decider deciders[NUM_SPEED_UPS + 1] = {{0}};
    bench_subject subjects[NUM_SPEED_UPS + 1];
    nitro_status status = NITRO_OK;
    char name[96];
    for (size_t i = 0; i <= NUM_SPEED_UPS && status == NITRO_OK; i++) {
        deciders[i].inputs = inputs;
        subjects[i] = (bench_subject){.run = decide_batch, .state = &deciders[i]};
        status = dispatch_train(context, strategy, num_inputs, strcmp(strategy, "svm") == 0,
                                &deciders[i].model);
        if (status == NITRO_OK)
            status = nitro_model_compile(deciders[i].model);
        if (status == NITRO_OK && i > 0)
            status = speed_ups[i - 1].take_away(deciders[i].model);
    }
    int failed =
        status != NITRO_OK || bench_measure(subjects, NUM_SPEED_UPS + 1, MIN_ROUNDS, BUDGET_MS);
    for (size_t i = 0; i < NUM_SPEED_UPS && !failed; i++) {
        snprintf(name, sizeof name, "%s, %zu inputs: %s", strategy, num_inputs, speed_ups[i].name);
        bench_add(report, name, subjects[0].median_ms * 1e6 / BATCH,
                  subjects[i + 1].median_ms * 1e6 / BATCH, "ns", subjects[0].spread);
    }
    for (size_t i = 0; i <= NUM_SPEED_UPS; i++)
        nitro_model_free(deciders[i].model);
    return failed ? bench_fail("cannot make models of %s", strategy) : 0;
}

static int run(bench_report *report)
{
    static double inputs[NUM_INPUTS][DISPATCH_FEATURES];
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    for (size_t i = 0; i < NUM_INPUTS; i++)
        dispatch_features(100000 + i, inputs[i]);
    int failed = measure(report, context, "auto", 100, inputs) ||
                 measure(report, context, "auto", 400, inputs) ||
                 measure(report, context, "svm", 160, inputs) ||
                 measure(report, context, "svm", 800, inputs);
    nitro_context_free(context);
    return failed;
}

const bench bench_compiled = {
    "compiled", "a decision with all speed-ups of compiled models; without one of them", run};
