/* Compiled models: the exponential's error, scores within their bounds on every engine, and the
 * same decisions as the uncompiled model on a million random inputs. */
#include <math.h>

#include "nitro/learn/select.h"
#include "nitro/runtime/compiled/compiled_body.h"
#include "unit/synthetic.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NUM_INPUTS 20000
#else
#define NUM_INPUTS 1000000
#endif

enum { COLUMNS = 4, VARIANTS = 4, ROWS = 400, POINTS = 300 };

/* ---- The exponential ---- */

/* Exponents over the whole range: integers, halves, tiny and random ones. */
static double exponent(nitro_random *random, size_t i, double limit)
{
    if (i % 4 == 0)
        return (double)(i / 4 % (size_t)limit);
    if (i % 4 == 1)
        return fmin((double)(i / 4 % (size_t)limit) + 0.5, limit);
    if (i % 4 == 2)
        return exp2(-60.0 * nitro_random_uniform(random));
    return limit * nitro_random_uniform(random);
}

/* One step whose only column is `values` and whose coefficients are the identity matrix, seen from
 * 0: its sums are 2^-(value^2). Both arrays have shape [(1 + STEP) x STEP]. */
static void sum_identity(const nitro_kernel_engine *engine, const float *single,
                         const double *values, double *powers)
{
    const nitro_kernel_group group = {.power = 1, .num_outputs = NITRO_COMPILED_STEP - 1};
    uint16_t lists[1 + NITRO_COMPILED_STEP] = {NITRO_COMPILED_STEP};
    nitro_kernel_rows rows = {.num_columns = 1,
                              .num_steps = 1,
                              .num_sums = NITRO_COMPILED_STEP,
                              .num_groups = 1,
                              .groups = &group,
                              .lists = lists,
                              .values = single};
    for (uint16_t i = 0; i < NITRO_COMPILED_STEP; i++)
        lists[1 + i] = i;
    if (single)
        engine->sum_single(&rows, &(float){0.0f}, powers);
    rows.values = values;
    if (values)
        engine->sum_double(&rows, &(double){0.0}, powers);
}

typedef struct identity {
    _Alignas(
        NITRO_COMPILED_ALIGNMENT) float single[(1 + NITRO_COMPILED_STEP) * NITRO_COMPILED_STEP];
    _Alignas(
        NITRO_COMPILED_ALIGNMENT) double values[(1 + NITRO_COMPILED_STEP) * NITRO_COMPILED_STEP];
} identity;

static void make_identity(identity *made)
{
    *made = (identity){{0}, {0}};
    for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
        made->single[NITRO_COMPILED_STEP * (i + 1) + i] = 1.0f,
                                                     made->values[NITRO_COMPILED_STEP * (i + 1) +
                                                                  i] = 1.0;
}

static void check_exponential(const nitro_kernel_engine *engine, nitro_random *random,
                              nitro_precision precision)
{
    bool is_single = precision == NITRO_PRECISION_SINGLE;
    identity step;
    double powers[NITRO_COMPILED_STEP], unit = is_single ? 0x1p-24 : 0x1p-53;
    make_identity(&step);
    for (size_t round = 0; round < NUM_INPUTS / NITRO_COMPILED_STEP; round++) {
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++) {
            step.values[i] =
                sqrt(exponent(random, round * NITRO_COMPILED_STEP + i, is_single ? 100.0 : 1000.0));
            step.single[i] = (float)step.values[i];
        }
        sum_identity(engine, is_single ? step.single : NULL, is_single ? NULL : step.values,
                     powers);
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++) {
            double y = is_single ? (double)(step.single[i] * step.single[i])
                                 : step.values[i] * step.values[i];
            double expected = exp2(-y), error = fabs(powers[i] - expected) / expected;
            if (!(error <= NITRO_COMPILED_EXP_ULPS * unit) && y <= (is_single ? 100.0 : 1000.0))
                fail_msg("%s: 2^-%.17g is %.17g, relative error %g", engine->name, y, powers[i],
                         error);
        }
    }
}

static void test_exponential_is_within_its_bound(void **state)
{
    (void)state;
    nitro_random random;
    nitro_random_seed(&random, 3);
    for (const nitro_kernel_engine *const *e = nitro_kernel_engines(); *e; e++) {
        if (!(*e)->is_here())
            continue;
        print_message("engine %s\n", (*e)->name);
        check_exponential(*e, &random, NITRO_PRECISION_SINGLE);
        check_exponential(*e, &random, NITRO_PRECISION_DOUBLE);
    }
}

static void test_kernels_of_distant_vectors_vanish(void **state)
{
    (void)state;
    identity step;
    double powers[NITRO_COMPILED_STEP];
    make_identity(&step);
    for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
        step.single[i] = i % 2 ? 1.5e19f : 3e38f; /* 3e38 squared is infinite */
    for (const nitro_kernel_engine *const *e = nitro_kernel_engines(); *e; e++) {
        if (!(*e)->is_here())
            continue;
        sum_identity(*e, step.single, NULL, powers);
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
            assert_true(powers[i] >= 0.0 && powers[i] <= 0x1p-99);
    }
}

/* ---- Scores ---- */

/* Rows of several sources: two columns of the input, one of the device, and a mixed one. */
typedef struct trained {
    nitro_context *context;
    const nitro_strategy *strategy;
    double columns[ROWS * COLUMNS], times_ms[ROWS * VARIANTS];
    size_t row_input[ROWS], row_device[ROWS];
    void *predictor;
    nitro_score_terms terms;
    nitro_compiled *compiled;
} trained;

static const bool is_constant[COLUMNS] = {false, false, true, false};
static const double constants[COLUMNS] = {0, 0, 0.25, 0};

static trained *train(nitro_context *context, const nitro_strategy *strategy)
{
    trained *l = calloc(1, sizeof *l);
    assert_non_null(l);
    nitro_random random;
    nitro_random_seed(&random, 11);
    for (size_t row = 0; row < ROWS; row++) {
        double *x = l->columns + row * COLUMNS, *times = l->times_ms + row * VARIANTS;
        if (row % 2 == 0)
            for (size_t c = 0; c < COLUMNS; c++)
                x[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        else /* the same input on another device */
            memcpy(x, x - COLUMNS, COLUMNS * sizeof *x);
        x[2] = row % 2 ? -1.0 : 1.0;
        times[0] = exp(x[0] + 0.5 * x[1]);
        times[1] = exp(-x[0] + 0.2 * x[2]);
        times[2] = exp(sin(3.0 * x[3]));
        times[3] = exp(0.3 + x[0] * x[1]);
        l->row_input[row] = row / 2;
        l->row_device[row] = row % 2;
    }
    nitro_training_set set = {.num_rows = ROWS,
                              .num_columns = COLUMNS,
                              .num_variants = VARIANTS,
                              .columns = l->columns,
                              .times_ms = l->times_ms,
                              .row_input = l->row_input,
                              .row_device = l->row_device,
                              .seed = 5,
                              .num_threads = 2};
    l->context = context;
    l->strategy = strategy;
    l->terms = (nitro_score_terms){.num_columns = COLUMNS, .num_variants = VARIANTS};
    assert_ok(context, strategy->train(context, &set, &l->predictor, NULL));
    assert_non_null(strategy->terms);
    assert_ok(context, strategy->terms(context, l->predictor, &l->terms));
    assert_ok(context,
              nitro_compiled_create(context, &l->terms, is_constant, constants, &l->compiled));
    assert_non_null(l->compiled);
    return l;
}

static void free_trained(trained *l)
{
    nitro_compiled_free(l->compiled);
    l->strategy->free(l->predictor);
    free(l);
}

static void random_point(nitro_random *random, double *columns)
{
    for (size_t c = 0; c < COLUMNS; c++)
        columns[c] = is_constant[c] ? constants[c] : 3.0 * nitro_random_uniform(random) - 1.5;
}

static void test_terms_score_as_their_strategy(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, 7);
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        trained *l = train(context, *s);
        for (size_t i = 0; i < POINTS; i++) {
            double columns[COLUMNS], expected[VARIANTS], scores[VARIANTS];
            random_point(&random, columns);
            (*s)->score(l->predictor, columns, expected);
            nitro_score_terms_score(&l->terms, columns, scores);
            for (size_t v = 0; v < VARIANTS; v++)
                assert_true(scores[v] == expected[v]);
        }
        free_trained(l);
    }
    nitro_context_free(context);
}

static void check_scores(const trained *l, const double *columns, const double *scores,
                         double bound, uint64_t exact)
{
    double expected[VARIANTS];
    nitro_score_terms_score(&l->terms, columns, expected);
    assert_true(bound > 0.0);
    for (size_t v = 0; v < VARIANTS; v++) {
        if (isfinite(bound) && !(fabs(scores[v] - expected[v]) <= bound))
            fail_msg("%s by %s: %.17g instead of %.17g, bound %g", l->strategy->name,
                     l->compiled->engine->name, scores[v], expected[v], bound);
        if (exact >> v & 1 && scores[v] != expected[v])
            fail_msg("%s by %s: %.17g is not exactly %.17g", l->strategy->name,
                     l->compiled->engine->name, scores[v], expected[v]);
    }
}

/* Bounds hold and are small; scores reported as exact are. */
static void test_scores_are_within_their_bounds(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        trained *l = train(context, *s);
        for (const nitro_kernel_engine *const *e = nitro_kernel_engines(); *e; e++)
            for (nitro_precision p = NITRO_PRECISION_SINGLE; p <= NITRO_PRECISION_DOUBLE; p++) {
                size_t num_confident = 0;
                nitro_random random;
                nitro_random_seed(&random, 13);
                if (!(*e)->is_here())
                    continue;
                l->compiled->engine = *e;
                for (size_t i = 0; i < POINTS; i++) {
                    double columns[COLUMNS], scores[VARIANTS];
                    uint64_t exact;
                    random_point(&random, columns);
                    double bound = nitro_compiled_score(l->compiled, p, columns, scores, &exact);
                    check_scores(l, columns, scores, bound, exact);
                    num_confident += bound < (p == NITRO_PRECISION_SINGLE ? 0.05 : 1e-8);
                }
                /* In single precision the votes of SVMs with large coefficients are often
                 * undecided. */
                assert_true(num_confident >
                            (p == NITRO_PRECISION_SINGLE ? POINTS / 20 : POINTS / 2));
            }
        free_trained(l);
    }
    nitro_context_free(context);
}

/* Three classes that beat each other in turn: level and exact if all margins are cut, else inexact.
 */
static void test_level_votes_are_exact(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t cut = 0; cut < 2; cut++) {
        nitro_svm_classifier *svm = NULL;
        assert_ok(context, nitro_svm_classifier_create(context, 3, 3, &svm));
        double *vectors = calloc(3, sizeof *vectors), size = cut ? 2.0 : 0.5;
        const double rho[] = {-size, size, -size}; /* 0 before 1, 2 before 0, 1 before 2 */
        assert_non_null(vectors);
        for (size_t k = 0; k < 3; k++) {
            svm->classes[k] = k;
            svm->class_vectors[k] = 1;
            svm->rho[k] = rho[k];
            vectors[k] = (double)k;
            svm->coefficients[2 * k] = svm->coefficients[2 * k + 1] = 0.1 * (double)(k + 1);
        }
        nitro_score_terms terms = {.num_columns = 1, .num_variants = 3};
        nitro_score_term term = {
            .kind = NITRO_TERM_VOTES, .weight = 1.0, .svm = svm, .vectors = vectors, .gamma = 1.0};
        nitro_compiled *compiled = NULL;
        assert_ok(context, nitro_score_terms_add(context, &terms, &term));
        assert_ok(context, nitro_compiled_create(context, &terms, (const bool[]){false},
                                                 (const double[]){0}, &compiled));
        for (nitro_precision p = NITRO_PRECISION_SINGLE; p <= NITRO_PRECISION_DOUBLE; p++) {
            double scores[3], expected[3], column = 0.3;
            uint64_t exact;
            double bound = nitro_compiled_score(compiled, p, &column, scores, &exact);
            nitro_score_terms_score(&terms, &column, expected);
            assert_int_equal(exact, cut ? 7 : 0);
            assert_true(isfinite(bound) && nitro_compiled_is_exact(scores, 3, 7, bound, exact));
            for (size_t v = 0; v < 3; v++)
                assert_true(cut ? scores[v] == expected[v]
                                : fabs(scores[v] - expected[v]) <= bound);
        }
        nitro_compiled_free(compiled);
        nitro_score_terms_release(&terms);
    }
    nitro_context_free(context);
}

/* Of level variants the first is certain if both scores are exact. */
static void test_level_scores_decide_where_exact(void **state)
{
    (void)state;
    const double scores[] = {3.375, 3.375, 3.0, 1.0};
    assert_true(nitro_compiled_is_exact(scores, 4, 15, 1e-9, 3));
    assert_false(nitro_compiled_is_exact(scores, 4, 15, 1e-9, 1));
    assert_false(nitro_compiled_is_exact(scores, 4, 15, 0.2, 3)); /* the third may be as good */
    assert_true(nitro_compiled_is_exact(scores, 4, 15, 0.2, 7));
    assert_true(nitro_compiled_is_exact(scores, 4, 13, 1e-9, 0)); /* the second is not allowed */
    assert_false(nitro_compiled_is_exact(scores, 4, 15, INFINITY, 0));
    assert_false(nitro_compiled_is_exact(scores, 4, 15, NAN, 0));
}

static void test_coinciding_vectors_are_merged(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_kernel_expansion *expansion = NULL;
    assert_ok(context, nitro_kernel_expansion_create(context, 2, 1, 4, 0.5, &expansion));
    const double vectors[] = {0.5, -1, 0.5, 1, -0.0, 1, 0.0, -1}; /* the second is constant */
    memcpy(expansion->vectors, vectors, sizeof vectors);
    for (size_t i = 0; i < 4; i++)
        expansion->coefficients[i] = 1.0 + (double)i;
    nitro_score_terms terms = {.num_columns = 2, .num_variants = 1};
    nitro_score_term term = {.kind = NITRO_TERM_KERNELS, .weight = 1.0, .kernels = expansion};
    assert_ok(context, nitro_score_terms_add(context, &terms, &term));
    nitro_compiled *compiled = NULL;
    assert_ok(context, nitro_compiled_create(context, &terms, (const bool[]){false, true},
                                             (const double[]){0, 0.3}, &compiled));
    assert_int_equal(nitro_compiled_num_vectors(compiled), 2);
    double expected, score;
    uint64_t exact;
    nitro_score_terms_score(&terms, (const double[]){0.2, 0.3}, &expected);
    nitro_compiled_score(compiled, NITRO_PRECISION_DOUBLE, (const double[]){0.2, 0.3}, &score,
                         &exact);
    assert_true(fabs(score - expected) < 1e-13);
    nitro_compiled_free(compiled);
    nitro_score_terms_release(&terms);
    nitro_context_free(context);
}

/* Coefficients of a million decide nothing in single precision, those of one do. */
static void test_the_first_precision_decides(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, 29);
    for (size_t large = 0; large < 2; large++) {
        enum { MANY = 100 };
        nitro_kernel_expansion *expansion = NULL;
        nitro_compiled *compiled = NULL;
        assert_ok(context, nitro_kernel_expansion_create(context, 2, 2, MANY, 1.0, &expansion));
        for (size_t i = 0; i < 2 * MANY; i++)
            expansion->vectors[i] = 2.0 * nitro_random_uniform(&random) - 1.0;
        for (size_t i = 0; i < MANY; i++) { /* of alternating signs, so that sums stay small */
            double size = (large ? 1e6 : 1.0) + 0.01 * nitro_random_uniform(&random);
            expansion->coefficients[2 * i] = i % 2 ? size : -size;
            memcpy(expansion->vectors + 2 * i, expansion->vectors + 2 * (i / 2 * 2),
                   2 * sizeof(double));
            expansion->vectors[2 * i] += i % 2 ? 1e-7 : 0.0;
        }
        expansion->bias[0] = 0.01;
        nitro_score_terms terms = {.num_columns = 2, .num_variants = 2};
        nitro_score_term term = {.kind = NITRO_TERM_KERNELS, .weight = 1.0, .kernels = expansion};
        assert_ok(context, nitro_score_terms_add(context, &terms, &term));
        assert_ok(context, nitro_compiled_create(context, &terms, (const bool[]){false, false},
                                                 (const double[]){0, 0}, &compiled));
        assert_int_equal(nitro_compiled_first_precision(compiled),
                         large ? NITRO_PRECISION_DOUBLE : NITRO_PRECISION_SINGLE);
        nitro_compiled_free(compiled);
        nitro_score_terms_release(&terms);
    }
    nitro_context_free(context);
}

/* ---- Decisions ---- */

static nitro_model *train_model(nitro_context *context, const char *strategy)
{
    nitro_device *devices[3];
    for (size_t d = 0; d < 3; d++) {
        char id[16];
        snprintf(id, sizeof id, "gpu%zu", d);
        devices[d] = synthetic_device(context, id, 1.0 + 3.0 * (double)d);
    }
    nitro_dataset *sources = synthetic_dataset(context, devices, 3, 150);
    nitro_device *target = synthetic_device(context, "gpu9", 3.0);
    nitro_string_list device_features = {0};
    assert_ok(context, nitro_string_list_add(context, &device_features, "launch"));
    nitro_training_task task = {.sources = sources,
                                .target = target,
                                .device_features = &device_features,
                                .seed = 3,
                                .num_threads = 2};
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    nitro_model *model = NULL;
    assert_ok(context, nitro_model_train(context, &task, &model));
    nitro_string_list_free(&device_features);
    nitro_device_free(target);
    nitro_dataset_free(sources);
    return model;
}

/* In and around the training range; every tenth with a required confidence. */
static void test_decisions_are_the_models(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    size_t num_chosen[SYNTHETIC_VARIANTS] = {0}, count = 0;
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        nitro_model *plain = train_model(context, (*s)->name);
        nitro_model *model = train_model(context, (*s)->name);
        assert_ok(context, nitro_model_compile(model));
        assert_non_null(model->compiled);
        nitro_random random;
        nitro_random_seed(&random, 17);
        for (size_t i = 0; i < NUM_INPUTS / 5; i++, count++) {
            double features[] = {pow(10.0, 0.8 + 4.4 * nitro_random_uniform(&random)),
                                 1.2 * nitro_random_uniform(&random) - 0.1};
            double least = i % 10 ? 0.0 : nitro_random_uniform(&random);
            uint64_t allowed = i % 3 ? 7 : 5;
            nitro_decision expected, decision;
            assert_ok(context, nitro_model_decide(plain, features, allowed, least, &expected));
            assert_ok(context, nitro_model_decide(model, features, allowed, least, &decision));
            if (decision.variant != expected.variant || decision.reason != expected.reason ||
                fabs(decision.confidence - expected.confidence) > 0.01)
                fail_msg("%s: input %.17g, %.17g: %s (%g) instead of %s (%g)", (*s)->name,
                         features[0], features[1], decision.variant_name, decision.confidence,
                         expected.variant_name, expected.confidence);
            num_chosen[decision.variant]++;
        }
        nitro_model_free(plain);
        nitro_model_free(model);
    }
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        assert_true(num_chosen[v] > count / 50);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_is_within_its_bound),
        cmocka_unit_test(test_kernels_of_distant_vectors_vanish),
        cmocka_unit_test(test_terms_score_as_their_strategy),
        cmocka_unit_test(test_scores_are_within_their_bounds),
        cmocka_unit_test(test_level_votes_are_exact),
        cmocka_unit_test(test_level_scores_decide_where_exact),
        cmocka_unit_test(test_coinciding_vectors_are_merged),
        cmocka_unit_test(test_the_first_precision_decides),
        cmocka_unit_test(test_decisions_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
