/* A memo trains once what is the same, and again what differs in anything that a model depends on.
 */
#include "nitro/learn/training_memo.h"

#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

enum { NUM_ROWS = 3, NUM_COLUMNS = 2, NUM_VARIANTS = 2 };

static size_t num_trained, num_freed;

/* The predictor is a number that the training set determines. */
static nitro_status train(nitro_context *context, const nitro_training_set *set, void **predictor,
                          double *held_out_scores)
{
    double *made = nitro_calloc(context, 1, sizeof *made);
    *made = set->columns[0] + (double)set->seed;
    for (size_t i = 0; held_out_scores && i < set->num_rows * set->num_variants; i++)
        held_out_scores[i] = *made + (double)i;
    *predictor = made;
    num_trained++;
    return NITRO_OK;
}

static void free_predictor(void *predictor)
{
    num_freed++;
    free(predictor);
}

static const nitro_strategy counting = {.name = "counting", .train = train, .free = free_predictor};
static const nitro_strategy other = {.name = "other", .train = train, .free = free_predictor};

typedef struct fixture {
    nitro_context *context;
    nitro_training_memo *memo;
    double columns[NUM_ROWS * NUM_COLUMNS], times[NUM_ROWS * NUM_VARIANTS];
    size_t inputs[NUM_ROWS], devices[NUM_ROWS];
    nitro_training_set set;
} fixture;

static fixture *make(void)
{
    fixture *f = calloc(1, sizeof *f);
    num_trained = num_freed = 0;
    assert_int_equal(nitro_context_create(&f->context), NITRO_OK);
    assert_int_equal(nitro_training_memo_create(f->context, &f->memo), NITRO_OK);
    for (size_t i = 0; i < NUM_ROWS; i++)
        f->inputs[i] = i;
    for (size_t i = 0; i < NUM_ROWS * NUM_COLUMNS; i++)
        f->columns[i] = 1.0 + (double)i;
    f->set = (nitro_training_set){.num_rows = NUM_ROWS,
                                  .num_columns = NUM_COLUMNS,
                                  .num_variants = NUM_VARIANTS,
                                  .columns = f->columns,
                                  .times_ms = f->times,
                                  .row_input = f->inputs,
                                  .row_device = f->devices,
                                  .seed = 1};
    return f;
}

static void drop(fixture *f)
{
    nitro_training_memo_free(f->memo);
    nitro_context_free(f->context);
    free(f);
}

/* Train, and say whether that took a training. */
static bool trains(fixture *f, const nitro_strategy *strategy, double *held_out)
{
    void *predictor = NULL;
    bool is_borrowed = false;
    size_t before = num_trained;
    assert_int_equal(nitro_training_memo_train(f->memo, f->context, strategy, &f->set, &predictor,
                                               held_out, &is_borrowed),
                     NITRO_OK);
    assert_true(is_borrowed);
    assert_true(*(double *)predictor == f->columns[0] + (double)f->set.seed);
    return num_trained > before;
}

static void test_trains_once(void **state)
{
    (void)state;
    fixture *f = make();
    double scores[NUM_ROWS * NUM_VARIANTS], copy[NUM_ROWS * NUM_VARIANTS];
    assert_true(trains(f, &counting, NULL));
    assert_false(trains(f, &counting, NULL));
    assert_true(trains(f, &counting, scores)); /* held-out scores were not asked for before */
    assert_false(trains(f, &counting, copy));
    assert_memory_equal(copy, scores, sizeof scores);
    assert_false(trains(f, &counting, NULL));
    size_t trained = num_trained;
    drop(f);
    assert_int_equal(num_freed, trained);
}

static void test_trains_again_what_differs(void **state)
{
    (void)state;
    fixture *f = make();
    double weights[1] = {1.0};
    assert_true(trains(f, &counting, NULL));
    assert_true(trains(f, &other, NULL));
    f->set.seed = 2;
    assert_true(trains(f, &counting, NULL));
    f->set.quick = true;
    assert_true(trains(f, &counting, NULL));
    f->set.members = 2;
    assert_true(trains(f, &counting, NULL));
    f->set.hyper_settings[1] = 1;
    assert_true(trains(f, &counting, NULL));
    f->set.source_weights = weights;
    assert_true(trains(f, &counting, NULL));
    f->columns[5] += 1.0;
    assert_true(trains(f, &counting, NULL));
    f->times[5] += 1.0;
    assert_true(trains(f, &counting, NULL));
    f->inputs[2] = 1;
    assert_true(trains(f, &counting, NULL));
    f->set.num_rows = 2;
    assert_true(trains(f, &counting, NULL));
    f->set.row_device = NULL;
    assert_true(trains(f, &counting, NULL));
    assert_false(trains(f, &counting, NULL));
    drop(f);
}

static void test_owned_without_a_memo(void **state)
{
    (void)state;
    fixture *f = make();
    void *predictor = NULL;
    bool is_borrowed = true;
    assert_int_equal(nitro_training_memo_train(NULL, f->context, &counting, &f->set, &predictor,
                                               NULL, &is_borrowed),
                     NITRO_OK);
    assert_false(is_borrowed);
    free_predictor(predictor);
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trains_once),
                                       cmocka_unit_test(test_trains_again_what_differs),
                                       cmocka_unit_test(test_owned_without_a_memo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
