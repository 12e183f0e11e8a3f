/* The rules by which adaptation chooses, each at its boundary, in one bucket of two variants. */
#include <math.h>

#include "nitro/runtime/online/adaptation.h"
#include "unit/unit.h"

enum { MS = 1000000 }; /* in nanoseconds */

typedef struct place {
    nitro_seen seen[2];
    nitro_bucket bucket;
    nitro_budget budget;
} place;

/** The model's choice takes 1 ms, nothing is known of the other variant, and there is much budget.
 */
static void open_place(place *p)
{
    memset(p, 0, sizeof *p);
    p->seen[0] = (nitro_seen){.count = 100, .mean_ms = 1};
    p->bucket.seen = p->seen;
    p->bucket.cost[0] = p->bucket.cost[1] = NAN;
    p->budget.share = 0.02;
    p->budget.calls_ns = 100000LL * MS;
}

static nitro_adaptation_choice choose(place *p)
{
    return nitro_adaptation_choose(&p->bucket, 2, 3, 0, &p->budget);
}

static void set_costs(place *p, float other)
{
    p->bucket.cost[0] = 1;
    p->bucket.cost[1] = other;
}

static void test_nothing_before_eight_times_of_the_models_choice(void **state)
{
    place p;
    (void)state;
    open_place(&p);
    p.seen[0].count = 7;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
    p.seen[0].count = 8;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_EXPLORE);
}

static void test_the_first_exploration_reserves_its_worst_case(void **state)
{
    place p;
    (void)state;
    open_place(&p); /* no model: ten times the model's choice */
    assert_int_equal(choose(&p).reserved_ns, 9 * MS);
    assert_int_equal(p.budget.lost_ns, 9 * MS);
    set_costs(&p, 3.75F); /* twice what the model expects */
    nitro_adaptation_choice made = choose(&p);
    assert_int_equal(made.reserved_ns, 13 * MS / 2);
    nitro_adaptation_cancel(&p.budget, &made);
    assert_int_equal(p.budget.lost_ns, 9 * MS);
    set_costs(&p, 4); /* too slow even if the model is wrong by a factor of four */
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
}

static void test_exploration_takes_half_of_the_budget(void **state)
{
    place p;
    (void)state;
    open_place(&p);
    p.budget.calls_ns = 899LL * MS;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
    assert_int_equal(p.budget.lost_ns, 0);
    p.budget.calls_ns = 901LL * MS;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_EXPLORE);
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
}

static void test_a_likely_gain_reserves_nothing(void **state)
{
    place p;
    (void)state;
    open_place(&p);
    p.seen[1] = (nitro_seen){.count = 2, .mean_ms = 0.4};
    nitro_adaptation_choice made = choose(&p);
    assert_int_equal(made.kind, NITRO_ADAPTATION_EXPLORE);
    assert_int_equal(made.reserved_ns, 0);
    assert_int_equal(p.budget.lost_ns, 0);
}

static void test_an_outdated_variant_is_explored_again(void **state)
{
    static const double means_ms[] = {1.0, 1.5, 4.0};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        place p;
        open_place(&p);
        p.seen[1] = (nitro_seen){.count = 100, .mean_ms = means_ms[i], .tried_at = 10};
        p.bucket.calls = 10 + (uint64_t)(2048 * means_ms[i]);
        assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
        p.bucket.calls++;
        assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_EXPLORE);
    }
}

static void test_the_fastest_is_chosen_until_losses_exceed_the_budget(void **state)
{
    place p;
    (void)state;
    open_place(&p);
    p.seen[1] = (nitro_seen){.count = 4, .mean_ms = 0.9985};
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE); /* not clearly faster */
    p.seen[1].mean_ms = 0.997;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_LEARNT);
    assert_int_equal(choose(&p).variant, 1);
    p.budget.lost_ns = 2000LL * MS - 1;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_LEARNT);
    p.budget.lost_ns = 2000LL * MS + 1;
    assert_int_equal(choose(&p).kind, NITRO_ADAPTATION_NONE);
    assert_int_equal(choose(&p).variant, 0);
}

static void test_times_are_settled_against_the_models_choice(void **state)
{
    nitro_budget budget = {.share = 0.02, .lost_ns = 9 * MS};
    nitro_adaptation_choice made = {
        .kind = NITRO_ADAPTATION_EXPLORE, .variant = 1, .base_ms = 1, .reserved_ns = 9 * MS};
    (void)state;
    nitro_adaptation_settle(&budget, &made, 3); /* 2 ms beyond the model's choice */
    assert_int_equal(budget.lost_ns, 2 * MS);
    assert_int_equal(budget.calls_ns, MS);
    made = (nitro_adaptation_choice){.kind = NITRO_ADAPTATION_LEARNT, .variant = 1, .base_ms = 1};
    nitro_adaptation_settle(&budget, &made, 0.5);
    assert_int_equal(budget.lost_ns, 3 * MS / 2);
    assert_int_equal(budget.calls_ns, 3 * MS / 2);
    for (size_t i = 0; i < 5; i++) /* gains are not credited */
        nitro_adaptation_settle(&budget, &made, 0.5);
    assert_int_equal(budget.lost_ns, 0);
    made = (nitro_adaptation_choice){.base_ms = 1};
    nitro_adaptation_settle(&budget, &made, 7);
    assert_int_equal(budget.lost_ns, 0);
    assert_int_equal(budget.calls_ns, 11 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before_eight_times_of_the_models_choice),
        cmocka_unit_test(test_the_first_exploration_reserves_its_worst_case),
        cmocka_unit_test(test_exploration_takes_half_of_the_budget),
        cmocka_unit_test(test_a_likely_gain_reserves_nothing),
        cmocka_unit_test(test_an_outdated_variant_is_explored_again),
        cmocka_unit_test(test_the_fastest_is_chosen_until_losses_exceed_the_budget),
        cmocka_unit_test(test_times_are_settled_against_the_models_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
