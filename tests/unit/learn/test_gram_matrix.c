/* Gram matrices: the sums of a plain loop, bit for bit, at every size around those of tiles. */
#include "nitro/learn/kernel/gram_matrix.h"

#include <stdlib.h>

#include "unit/unit.h"

enum { MOST_SIZE = 29, MOST_COUNT = 300 };

static double rows[MOST_COUNT * MOST_SIZE];

static void check(size_t count, size_t size, unsigned num_threads)
{
    double gram[MOST_SIZE * MOST_SIZE], expected[MOST_SIZE * MOST_SIZE];
    for (size_t i = 0; i < size * size; i++)
        gram[i] = expected[i] = (double)i;
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < size; i++)
            for (size_t j = i; j < size; j++)
                expected[i * size + j] += rows[row * size + i] * rows[row * size + j];
    assert_int_equal(nitro_gram_matrix(rows, count, size, num_threads, gram), NITRO_OK);
    for (size_t i = 0; i < size; i++)
        for (size_t j = i; j < size; j++)
            assert_memory_equal(&gram[i * size + j], &expected[i * size + j], sizeof *gram);
}

static void test_adds_what_a_plain_loop_adds(void **state)
{
    static const size_t counts[] = {0, 1, 127, 128, 129, MOST_COUNT};
    (void)state;
    srand(1);
    for (size_t i = 0; i < MOST_COUNT * MOST_SIZE; i++)
        rows[i] = (double)rand() / RAND_MAX - 0.3;
    for (size_t size = 1; size <= MOST_SIZE; size++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            check(counts[c], size, 1 + (unsigned)size % 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adds_what_a_plain_loop_adds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
