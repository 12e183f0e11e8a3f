/* The SMO solver's passes with AVX2 against those in plain C. */
#include "nitro/learn/svm/smo_pass.h"

#include <math.h>

#include "unit/unit.h"

enum { MOST_ROWS = 2400 };

typedef struct table {
    nitro_smo_rows rows;
    double violation[MOST_ROWS], up_cap[MOST_ROWS], extremes[MOST_ROWS / 4];
    float down_cap[MOST_ROWS], decrease[MOST_ROWS];
    float column_i[MOST_ROWS], column_j[MOST_ROWS];
} table;

/* One of num_values values: with few of them, rows tie. */
static double draw(nitro_random *random, size_t num_values, double low, double high)
{
    return low + (high - low) * (double)nitro_random_below(random, num_values) / (double)num_values;
}

static void draw_row(nitro_random *random, table *t, size_t k, size_t num_rows, size_t num_values)
{
    bool is_row = k < num_rows, up = nitro_random_below(random, 2);
    bool down = !up || nitro_random_below(random, 2);
    t->violation[k] = is_row ? draw(random, num_values, -1, 1) : INFINITY;
    t->up_cap[k] = is_row && up ? INFINITY : -INFINITY;
    t->down_cap[k] = is_row && down ? INFINITY : -INFINITY;
    t->column_i[k] = is_row ? fminf((float)draw(random, num_values, 0, 1.05), 1) : 0;
    t->column_j[k] = is_row ? fminf((float)draw(random, num_values, 0, 1.05), 1) : 0;
}

static table *make_table(uint64_t seed)
{
    table *t = calloc(1, sizeof(*t));
    nitro_random random;
    nitro_random_seed(&random, seed);
    size_t padded = seed % 4 == 0 ? MOST_ROWS : MOST_ROWS / 2;
    size_t num_rows = padded - nitro_random_below(&random, NITRO_SMO_BLOCK);
    size_t num_values = seed % 3 ? 1U << 20 : 40;
    for (size_t k = 0; k < padded; k++)
        draw_row(&random, t, k, num_rows, num_values);
    t->rows = (nitro_smo_rows){.padded = padded,
                               .violation = t->violation,
                               .up_cap = t->up_cap,
                               .down_cap = t->down_cap,
                               .extremes = t->extremes,
                               .decrease = t->decrease};
    return t;
}

static void test_passes_agree(void **state)
{
    (void)state;
    const nitro_smo_passes *plain = &nitro_smo_plain_passes, *best = nitro_smo_choose_passes();
    if (best == plain)
        print_message("no AVX2 here: the plain passes are compared with themselves\n");
    for (uint64_t seed = 1; seed <= 200; seed++) {
        table *a = make_table(seed), *b = make_table(seed);
        for (int step = 0; step < 3; step++) {
            double change = step ? 0.37 / (double)seed : 0.0; /* at first, ties */
            double largest = plain->update(&a->rows, a->column_i, change, a->column_j, -change);
            assert_true(largest ==
                        best->update(&b->rows, b->column_i, change, b->column_j, -change));
            assert_memory_equal(a->violation, b->violation, sizeof(a->violation));
            size_t first = plain->find_first(&a->rows, largest);
            assert_int_equal(first, best->find_first(&b->rows, largest));
            assert_true(a->violation[first] == largest && a->up_cap[first] > 0);
            for (double from = largest; from > -2; from -= 0.7)
                assert_int_equal(plain->find_second(&a->rows, a->column_i, from),
                                 best->find_second(&b->rows, b->column_i, from));
        }
        assert_int_equal(plain->find_second(&a->rows, a->column_i, -2), SIZE_MAX);
        free(a);
        free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
