/* One decision tree: it finds rules, weighs losses, and is pruned where cuts do not pay. */
#include <math.h>

#include "nitro/learn/forest/tree_train.h"
#include "nitro/runtime/scores/forest_tree.h"
#include "unit/unit.h"

enum { ROWS = 600, COLUMNS = 3, OUTPUTS = 2, FOLDS = 5, LEAF_ROWS = 4 };

typedef struct made {
    double columns[ROWS * COLUMNS], outputs[ROWS * OUTPUTS];
    size_t folds[ROWS];
    nitro_forest_data data;
} made;

/** Columns in [-1, 1]; no losses yet. */
static made *make(void)
{
    nitro_random random;
    nitro_random_seed(&random, 5);
    made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        m->columns[i] = 2.0 * nitro_random_uniform(&random) - 1.0;
    for (size_t i = 0; i < ROWS; i++)
        m->folds[i] = i % FOLDS;
    m->data = (nitro_forest_data){ROWS, COLUMNS, OUTPUTS, m->columns, m->outputs, NULL};
    return m;
}

static nitro_forest *train(nitro_context *context, const made *m, size_t num_folds)
{
    nitro_forest *tree = NULL;
    assert_ok(context, nitro_tree_train(context, &m->data, LEAF_ROWS, m->folds, num_folds, &tree));
    assert_int_equal(tree->num_trees, 1);
    return tree;
}

static size_t choose(const nitro_forest *tree, const double *columns)
{
    double outputs[OUTPUTS];
    nitro_forest_predict(tree, columns, outputs);
    return outputs[1] < outputs[0];
}

/* Output 1 is best in a corner: two cuts, three leaves. */
static void test_finds_a_rule(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made *m = make();
    for (size_t i = 0; i < ROWS; i++) {
        bool corner = m->columns[i * COLUMNS] > 0.25 && m->columns[i * COLUMNS + 2] <= -0.5;
        m->outputs[i * OUTPUTS + !corner] = 0.4;
    }
    nitro_forest *tree = train(context, m, FOLDS);
    assert_int_equal(tree->trees[0].num_leaves, 3);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(m->outputs[i * OUTPUTS + choose(tree, m->columns + i * COLUMNS)] == 0.0);
    nitro_forest_free(tree);
    free(m);
    nitro_context_free(context);
}

/* Losses that follow no column are noise: no cut pays, and without cross-validation many remain. */
static void test_noise_is_pruned(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made *m = make();
    nitro_random random;
    nitro_random_seed(&random, 11);
    for (size_t i = 0; i < ROWS; i++)
        m->outputs[i * OUTPUTS + (nitro_random_uniform(&random) < 0.7)] = 0.4;
    nitro_forest *tree = train(context, m, FOLDS), *unpruned = train(context, m, 0);
    assert_int_equal(tree->trees[0].num_leaves, 1);
    assert_true(unpruned->trees[0].num_leaves > 50);
    assert_int_equal(choose(tree, m->columns), 0); /* output 1 is the worse one more often */
    nitro_forest_free(tree);
    nitro_forest_free(unpruned);
    free(m);
    nitro_context_free(context);
}

/* Output 0 is usually best, by little; where it is not, it costs much: losses count, not wins. */
static void test_losses_count_not_wins(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made *m = make();
    for (size_t i = 0; i < ROWS; i++) {
        m->outputs[i * OUTPUTS] = i % 5 == 0 ? 0.9 : 0.0;
        m->outputs[i * OUTPUTS + 1] = i % 5 == 0 ? 0.0 : 0.05;
        m->folds[i] = i / 5 % FOLDS;
    }
    nitro_forest *tree = train(context, m, FOLDS);
    assert_int_equal(choose(tree, m->columns), 1);
    nitro_forest_free(tree);
    free(m);
    nitro_context_free(context);
}

/* Two sources contradict each other, where the first column is positive: the one whose rows weigh
 * more decides, however many rows the other has. */
static void test_weights_decide(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made *m = make();
    double *weights = calloc(ROWS, sizeof *weights);
    assert_non_null(weights);
    m->data.weights = weights;
    for (size_t i = 0; i < ROWS; i++) {
        bool is_first = i % 4 == 0, is_positive = m->columns[i * COLUMNS] > 0.0;
        weights[i] = is_first ? 3.0 : 0.5;
        m->outputs[i * OUTPUTS + (is_first || !is_positive)] = 0.3;
    }
    nitro_forest *tree = train(context, m, FOLDS);
    assert_int_equal(tree->trees[0].num_leaves, 1); /* a cut changes no decision */
    assert_int_equal(choose(tree, m->columns), 0);
    nitro_forest_free(tree);
    m->data.weights = NULL;
    tree = train(context, m, FOLDS);
    for (size_t i = 0; i < ROWS; i++)
        if (fabs(m->columns[i * COLUMNS]) > 0.1)
            assert_int_equal(choose(tree, m->columns + i * COLUMNS), m->columns[i * COLUMNS] > 0.0);
    nitro_forest_free(tree);
    free(weights);
    free(m);
    nitro_context_free(context);
}

/* Leaves hold at least so many rows, cuts are floats, and equal data give equal trees. */
static void test_the_tree_is_well_formed(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made *m = make();
    for (size_t i = 0; i < ROWS; i++)
        m->outputs[i * OUTPUTS] = 0.5 + 0.4 * sin(9.0 * m->columns[i * COLUMNS + 1]);
    nitro_forest *tree = train(context, m, 0), *again = train(context, m, 0);
    const forest_tree *t = &tree->trees[0];
    size_t leaf_rows[ROWS] = {0};
    assert_true(t->num_leaves > 10 && t->num_nodes == 2 * t->num_leaves - 1);
    assert_memory_equal(t->outputs, again->trees[0].outputs,
                        t->num_leaves * OUTPUTS * sizeof *t->outputs);
    for (size_t i = 0; i < t->num_nodes; i++)
        assert_true(t->nodes[i].threshold == (double)(float)t->nodes[i].threshold);
    for (size_t i = 0; i < ROWS; i++) {
        const double *leaf = nitro_forest_leaf(tree, 0, m->columns + i * COLUMNS);
        leaf_rows[(size_t)(leaf - t->outputs) / OUTPUTS]++;
    }
    for (size_t leaf = 0; leaf < t->num_leaves; leaf++)
        assert_true(leaf_rows[leaf] >= LEAF_ROWS);
    nitro_forest_free(tree);
    nitro_forest_free(again);
    free(m);
    nitro_context_free(context);
}

static void test_poor_data(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_forest *tree = NULL;
    const double columns[] = {1.0, 1.0}, outputs[] = {0.2, 0.0, 0.2, 0.1};
    const size_t folds[] = {0, 1};
    nitro_forest_data data = {2, 1, 2, columns, outputs, NULL};
    assert_ok(context, nitro_tree_train(context, &data, LEAF_ROWS, folds, 2, &tree));
    assert_int_equal(tree->trees[0].num_leaves, 1);
    assert_int_equal(choose(tree, columns), 1);
    nitro_forest_free(tree);
    tree = NULL;
    data.num_rows = 0;
    assert_fails(context, nitro_tree_train(context, &data, LEAF_ROWS, folds, 2, &tree),
                 NITRO_ERR_NO_DATA, "no row");
    data = (nitro_forest_data){2, 1, 2, (const double[]){1.0, NAN}, outputs, NULL};
    assert_fails(context, nitro_tree_train(context, &data, LEAF_ROWS, folds, 2, &tree),
                 NITRO_ERR_ARGUMENT, "column 0 of row 1");
    assert_null(tree);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_a_rule),
        cmocka_unit_test(test_noise_is_pruned),
        cmocka_unit_test(test_losses_count_not_wins),
        cmocka_unit_test(test_weights_decide),
        cmocka_unit_test(test_the_tree_is_well_formed),
        cmocka_unit_test(test_poor_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
