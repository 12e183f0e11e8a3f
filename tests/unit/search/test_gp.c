/* The incremental Gaussian process against the plain formulas in double precision. */
#include "search/gp.h"
#include "unit/unit.h"

enum { NUM_OBSERVED = 60, PARAMETERS = 3, VALUES = 9, SIZE = VALUES * VALUES * VALUES };

static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"list(range(0,9))\"},"
    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"list(range(0,9))\"},"
    "{\"Name\": \"c\", \"Type\": \"int\", \"Values\": \"list(range(0,9))\"}]}}";

static double apart(const uint16_t *left, const uint16_t *right)
{
    double sum = 0;
    for (size_t p = 0; p < PARAMETERS; p++) {
        double off = ((double)left[p] - (double)right[p]) / VALUES / 1.5;
        sum += off * off;
    }
    return sum;
}

static double matern_3_2(double squared)
{
    double r = sqrt(3 * squared);
    return (1 + r) * exp(-r);
}

/* Solve A x = b by Gaussian elimination; A is overwritten. */
static void eliminate(double (*a)[NUM_OBSERVED], double *b)
{
    for (size_t k = 0; k < NUM_OBSERVED; k++)
        for (size_t i = k + 1; i < NUM_OBSERVED; i++) {
            double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < NUM_OBSERVED; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (size_t i = NUM_OBSERVED; i-- > 0;) {
        for (size_t j = i + 1; j < NUM_OBSERVED; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

static void test_equals_the_formulas(void **state)
{
    static double matrix[NUM_OBSERVED][NUM_OBSERVED];
    nitro_context *context = unit_context();
    nitro_space *space = NULL;
    search_candidates candidates;
    search_gp gp;
    uint16_t observed[NUM_OBSERVED][NITRO_MAX_PARAMETERS];
    double values[NUM_OBSERVED];
    (void)state;
    assert_ok(context, nitro_space_parse(context, "s", space_text, sizeof(space_text) - 1, &space));
    assert_ok(context, search_candidates_list(context, space, 1, &candidates));
    assert_int_equal(candidates.count, SIZE);
    assert_ok(context,
              search_gp_init(context, &candidates, SEARCH_MATERN_3_2, 1e-6, NUM_OBSERVED, &gp));
    for (size_t p = 0; p < PARAMETERS; p++)
        for (size_t i = 0; i < VALUES * VALUES; i++) {
            double off = ((double)(i / VALUES) - (double)(i % VALUES)) / VALUES / 1.5;
            gp.distances[p][i] = (float)(off * off);
        }
    for (size_t i = 0; i < NUM_OBSERVED; i++) {
        nitro_space_indices(space, (i * 389) % SIZE, observed[i]);
        values[i] = sin((double)observed[i][0]) + 0.1 * observed[i][1] * observed[i][2];
        assert_true(search_gp_observe(&gp, observed[i], 0));
    }
    assert_false(search_gp_observe(&gp, observed[0], 0)); /* full */
    search_gp_set_values(&gp, values);
    for (uint64_t c = 0; c < SIZE; c += 37) {
        uint16_t at[NITRO_MAX_PARAMETERS];
        double cross[NUM_OBSERVED], weights[NUM_OBSERVED], mean = 0, variance = 1;
        nitro_space_indices(space, c, at);
        for (size_t i = 0; i < NUM_OBSERVED; i++) {
            for (size_t j = 0; j < NUM_OBSERVED; j++)
                matrix[i][j] = matern_3_2(apart(observed[i], observed[j])) + (i == j ? 1e-6 : 0);
            cross[i] = weights[i] = matern_3_2(apart(observed[i], at));
        }
        eliminate(matrix, weights);
        for (size_t i = 0; i < NUM_OBSERVED; i++) {
            mean += weights[i] * values[i];
            variance -= weights[i] * cross[i];
        }
        assert_near((double)gp.values_sum[c], mean, 1e-3);
        assert_near((double)gp.variance[c], variance, 1e-4);
    }
    search_gp_release(&gp);
    search_candidates_release(&candidates);
    nitro_space_free(space);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_the_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
