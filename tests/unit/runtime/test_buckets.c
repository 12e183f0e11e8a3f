/* What adaptation knows of each bucket, by hand: means without outliers, medians, drift, and which
 * bucket goes when the table is full. */
#include <math.h>

#include "nitro/runtime/online/buckets.h"
#include "unit/unit.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void test_means_and_outliers(void **state)
{
    nitro_seen seen = {0};
    (void)state;
    for (int i = 1; i <= 3; i++)
        nitro_seen_add(&seen, i);
    assert_int_equal(seen.count, 3);
    assert_true(is_near(seen.mean_ms, 2) && is_near(seen.variance, 2.0 / 3));
    for (int i = 4; i <= 7; i++)
        nitro_seen_add(&seen, i);
    assert_true(isnan(nitro_seen_median(&seen)) && is_near(seen.mean_ms, 4));
    nitro_seen_add(&seen, 8); /* enough for a median: 1 and 2 are less than half of it */
    assert_true(is_near(nitro_seen_median(&seen), 4.5) && is_near(seen.mean_ms, 4.6875));
    nitro_seen_add(&seen, 100); /* taken for twice the median */
    assert_true(is_near(seen.mean_ms, 4.6875 + (9 - 4.6875) / 9));
    assert_true(is_near(nitro_seen_median(&seen), 5.5));
    double before = seen.mean_ms;
    nitro_seen_add(&seen, 0.001); /* and this for half of it */
    assert_true(is_near(seen.mean_ms, before + (2.75 - before) / 10));
}

static void test_a_steady_mean_is_expected_until_a_drift(void **state)
{
    nitro_seen seen = {0};
    (void)state;
    for (int i = 0; i < 15; i++)
        nitro_seen_add(&seen, 2);
    assert_true(seen.expected_ms == 0);
    nitro_seen_add(&seen, 2);
    assert_true(is_near(seen.expected_ms, 2));
    for (int i = 0; i < 600; i++)
        nitro_seen_add(&seen, 3);
    assert_int_equal(seen.count, NITRO_SEEN_WINDOW);
    assert_true(is_near(seen.expected_ms, 2));
    seen.mean_ms = 3;
    nitro_seen_discount(&seen); /* counts as two times from now on */
    assert_true(seen.count == 2 && seen.expected_ms == 0 && isnan(nitro_seen_median(&seen)));
    for (int i = 0; i < 7; i++)
        nitro_seen_add(&seen, 12); /* no outlier: nothing newer is known */
    assert_true(isnan(nitro_seen_median(&seen)) && is_near(seen.mean_ms, (2 * 3 + 7 * 12) / 9.0));
    seen.count = 1;
    nitro_seen_discount(&seen);
    assert_int_equal(seen.count, 1);
}

typedef struct fixture {
    nitro_context *context;
    nitro_buckets *buckets;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    assert_ok(f->context, nitro_buckets_create(f->context, 3, 2, 2, &f->buckets));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_buckets_free(f->buckets);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void test_sizes_of_tables(void **state)
{
    fixture *f = *state;
    nitro_buckets *made = NULL;
    assert_int_equal(nitro_buckets_capacity(f->buckets), 4);
    assert_ok(f->context, nitro_buckets_create(f->context, 5, 2, 2, &made));
    assert_int_equal(nitro_buckets_capacity(made), 8);
    nitro_buckets_free(made);
    made = NULL;
    assert_fails(f->context, nitro_buckets_create(f->context, 0, 2, 2, &made), NITRO_ERR_ARGUMENT,
                 "0 buckets");
    assert_fails(f->context, nitro_buckets_create(f->context, (1 << 20) + 1, 2, 2, &made),
                 NITRO_ERR_ARGUMENT, "use 1 to 1048576");
    assert_null(made);
}

static uint64_t key_of(const fixture *f, double first, double second)
{
    return nitro_buckets_key(f->buckets, (double[]){first, second});
}

static void test_near_inputs_share_a_bucket(void **state)
{
    fixture *f = *state;
    uint64_t key = key_of(f, 1.0, 1e6);
    assert_true(key == key_of(f, 1.12, 1e6) && key != key_of(f, 1.126, 1e6));
    assert_true(key != key_of(f, 1.0, 2e6) && key != key_of(f, -1.0, 1e6));
    assert_true(key_of(f, 0.0, 1) == key_of(f, -0.0, 1));
}

static nitro_bucket *enter(fixture *f, uint64_t key, unsigned times)
{
    nitro_bucket *entered = NULL;
    for (unsigned i = 0; i < times; i++) {
        entered = nitro_buckets_enter(f->buckets, key);
        if (entered)
            nitro_bucket_leave(entered);
    }
    return entered;
}

static bool is_there(fixture *f, uint64_t key)
{
    nitro_bucket *found = nitro_buckets_enter_again(f->buckets, key);
    if (found)
        nitro_bucket_leave(found);
    return found;
}

static void test_a_bucket_is_entered_by_one_thread(void **state)
{
    fixture *f = *state;
    assert_null(nitro_buckets_enter_again(f->buckets, 7));
    nitro_bucket *entered = nitro_buckets_enter(f->buckets, 7);
    assert_non_null(entered);
    assert_true(entered->is_new && isnan(entered->cost[1]) && entered->uses == 1);
    assert_null(nitro_buckets_enter(f->buckets, 7));
    assert_null(nitro_buckets_enter_again(f->buckets, 7));
    nitro_bucket_leave(entered);
    assert_ptr_equal(nitro_buckets_enter(f->buckets, 7), entered);
    assert_int_equal(entered->uses, 2);
    nitro_bucket_leave(entered);
    assert_int_equal(nitro_buckets_count(f->buckets), 1);
}

/** In a table of four, key K is looked for from place K modulo 4 on. */
static void test_the_least_used_bucket_goes(void **state)
{
    fixture *f = *state;
    for (uint64_t key = 1; key <= 4; key++)
        nitro_seen_add(&enter(f, key, 1)->seen[1], 5);
    nitro_bucket *fifth = enter(f, 5, 1); /* all were used once: the first place looked at */
    assert_true(fifth && fifth->seen[1].count == 0);
    assert_false(is_there(f, 1));
    assert_true(is_there(f, 2) && is_there(f, 3) && is_there(f, 4) && is_there(f, 5));
    assert_int_equal(nitro_buckets_count(f->buckets), 4);
    enter(f, 2, 10);
    assert_non_null(enter(f, 6, 1)); /* place 2 is used: of 3 and 4, both unused, the first goes */
    assert_true(is_there(f, 2) && !is_there(f, 3) && is_there(f, 4) && is_there(f, 6));
}

/** Used buckets stay until others have asked for their places often enough. */
static void test_a_full_table_ages(void **state)
{
    fixture *f = *state;
    for (uint64_t key = 1; key <= 4; key++)
        enter(f, key, 8);
    for (int i = 0; i < 3; i++) /* 8, 4, 2 uses */
        assert_null(enter(f, 9, 1));
    assert_non_null(enter(f, 9, 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means_and_outliers),
        cmocka_unit_test(test_a_steady_mean_is_expected_until_a_drift),
        TEST(test_sizes_of_tables),
        TEST(test_near_inputs_share_a_bucket),
        TEST(test_a_bucket_is_entered_by_one_thread),
        TEST(test_the_least_used_bucket_goes),
        TEST(test_a_full_table_ages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
