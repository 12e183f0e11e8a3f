/* Compiled models: the exponential's error, scores within their bounds on every engine, and the
 * decisions of the model that was compiled, on a million random inputs. */
#include <math.h>

#include "nitro/learn/training_task.h"
#include "nitro/runtime/compiled/compiled_body.h"
#include "unit/synthetic.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NUM_INPUTS 20000
#else
#define NUM_INPUTS 1000000
#endif

enum { COLUMNS = 4, VARIANTS = 4, ROWS = 400, POINTS = 300 };

/* ---- The exponential ---- */

/* Exponents over the whole range: from whole numbers to halves, tiny ones, and random ones. */
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

static void check_single(const nitro_kernel_engine *engine, nitro_random *random)
{
    float y[NITRO_COMPILED_STEP], powers[NITRO_COMPILED_STEP];
    for (size_t round = 0; round < NUM_INPUTS / NITRO_COMPILED_STEP; round++) {
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
            y[i] = (float)exponent(random, round * NITRO_COMPILED_STEP + i, 100.0);
        engine->exp2_single(y, powers);
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++) {
            double expected = exp2(-(double)y[i]);
            double error = fabs((double)powers[i] - expected) / expected;
            if (!(error <= NITRO_COMPILED_EXP_ULPS * 0x1p-24))
                fail_msg("%s: 2^-%.9g is %.9g, off by %g", engine->name, (double)y[i],
                         (double)powers[i], error);
        }
    }
}

static void check_double(const nitro_kernel_engine *engine, nitro_random *random)
{
    double y[NITRO_COMPILED_STEP], powers[NITRO_COMPILED_STEP];
    for (size_t round = 0; round < NUM_INPUTS / NITRO_COMPILED_STEP; round++) {
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
            y[i] = exponent(random, round * NITRO_COMPILED_STEP + i, 1000.0);
        engine->exp2_double(y, powers);
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++) {
            double expected = exp2(-y[i]), error = fabs(powers[i] - expected) / expected;
            if (!(error <= NITRO_COMPILED_EXP_ULPS * 0x1p-53))
                fail_msg("%s: 2^-%.17g is %.17g, off by %g", engine->name, y[i], powers[i], error);
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
        check_single(*e, &random);
        check_double(*e, &random);
    }
}

static void test_far_is_as_good_as_nothing(void **state)
{
    (void)state;
    float single[NITRO_COMPILED_STEP], powers[NITRO_COMPILED_STEP];
    for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
        single[i] = i % 2 ? 3e38f : INFINITY;
    for (const nitro_kernel_engine *const *e = nitro_kernel_engines(); *e; e++) {
        if (!(*e)->is_here())
            continue;
        (*e)->exp2_single(single, powers);
        for (size_t i = 0; i < NITRO_COMPILED_STEP; i++)
            assert_true(powers[i] >= 0.0f && powers[i] <= 0x1p-99f);
    }
}

/* ---- Scores ---- */

/* Rows of several sources: two columns of the input, one of the device, and a mixed one. */
typedef struct learnt {
    nitro_context *context;
    const nitro_strategy *strategy;
    double columns[ROWS * COLUMNS], times_ms[ROWS * VARIANTS];
    size_t row_input[ROWS], row_device[ROWS];
    void *predictor;
    nitro_score_terms terms;
    nitro_compiled *compiled;
} learnt;

static const bool is_constant[COLUMNS] = {false, false, true, false};
static const double constants[COLUMNS] = {0, 0, 0.25, 0};

static learnt *learn(nitro_context *context, const nitro_strategy *strategy)
{
    learnt *l = calloc(1, sizeof *l);
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

static void forget(learnt *l)
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

static void test_parts_score_as_their_strategy(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, 7);
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        learnt *l = learn(context, *s);
        for (size_t i = 0; i < POINTS; i++) {
            double columns[COLUMNS], expected[VARIANTS], scores[VARIANTS];
            random_point(&random, columns);
            (*s)->score(l->predictor, columns, expected);
            nitro_score_terms_score(&l->terms, columns, scores);
            for (size_t v = 0; v < VARIANTS; v++)
                assert_true(scores[v] == expected[v]);
        }
        forget(l);
    }
    nitro_context_free(context);
}

static void check_scores(const learnt *l, const double *columns, const double *scores, double bound,
                         uint64_t exact)
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

/* Bounds hold, and say something; what is said to be exact is. */
static void test_scores_are_within_their_bounds(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++) {
        learnt *l = learn(context, *s);
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
                /* SVMs' coefficients are large: in single precision their votes are often open. */
                assert_true(num_confident >
                            (p == NITRO_PRECISION_SINGLE ? POINTS / 20 : POINTS / 2));
            }
        forget(l);
    }
    nitro_context_free(context);
}

/* Three classes that beat each other in turn, by more than a margin counts: all are level, and
 * surely so. By less, nothing is exact. */
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

/* Variants that are level: sure where both scores are exact, and not where one may be off. */
static void test_level_scores_are_confident_where_exact(void **state)
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

static void test_vectors_that_coincide_are_one(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_kernel_expansion *machine = NULL;
    assert_ok(context, nitro_kernel_expansion_create(context, 2, 1, 4, 0.5, &machine));
    const double vectors[] = {0.5, -1, 0.5, 1, -0.0, 1, 0.0, -1}; /* the second is constant */
    memcpy(machine->vectors, vectors, sizeof vectors);
    for (size_t i = 0; i < 4; i++)
        machine->coefficients[i] = 1.0 + (double)i;
    nitro_score_terms terms = {.num_columns = 2, .num_variants = 1};
    nitro_score_term term = {.kind = NITRO_TERM_KERNELS, .weight = 1.0, .kernels = machine};
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

/* Coefficients of a million leave nothing sure in single precision, those of one do. */
static void test_the_first_precision_is_one_that_is_exact(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_random random;
    nitro_random_seed(&random, 29);
    for (size_t large = 0; large < 2; large++) {
        enum { MANY = 100 };
        nitro_kernel_expansion *machine = NULL;
        nitro_compiled *compiled = NULL;
        assert_ok(context, nitro_kernel_expansion_create(context, 2, 2, MANY, 1.0, &machine));
        for (size_t i = 0; i < 2 * MANY; i++)
            machine->vectors[i] = 2.0 * nitro_random_uniform(&random) - 1.0;
        for (size_t i = 0; i < MANY; i++) { /* in turns, so that sums stay small */
            double size = (large ? 1e6 : 1.0) + 0.01 * nitro_random_uniform(&random);
            machine->coefficients[2 * i] = i % 2 ? size : -size;
            memcpy(machine->vectors + 2 * i, machine->vectors + 2 * (i / 2 * 2),
                   2 * sizeof(double));
            machine->vectors[2 * i] += i % 2 ? 1e-7 : 0.0;
        }
        machine->bias[0] = 0.01;
        nitro_score_terms terms = {.num_columns = 2, .num_variants = 2};
        nitro_score_term term = {.kind = NITRO_TERM_KERNELS, .weight = 1.0, .kernels = machine};
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

/* In and around the training range; every tenth with a confidence asked for. */
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
        cmocka_unit_test(test_far_is_as_good_as_nothing),
        cmocka_unit_test(test_parts_score_as_their_strategy),
        cmocka_unit_test(test_scores_are_within_their_bounds),
        cmocka_unit_test(test_level_votes_are_exact),
        cmocka_unit_test(test_level_scores_are_confident_where_exact),
        cmocka_unit_test(test_vectors_that_coincide_are_one),
        cmocka_unit_test(test_the_first_precision_is_one_that_is_exact),
        cmocka_unit_test(test_decisions_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
