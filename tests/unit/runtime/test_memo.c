/* The memo: what it keeps, forgets and counts; and that threads that fill a small one at once never
 * read a decision of other features. */
#include <math.h>
#include <pthread.h>

#define XXH_INLINE_ALL /* for its constants */
#include <xxhash.h>

#include "nitro/runtime/memo.h"
#include "unit/unit.h"

enum { FEATURES = 5, NUM_KEYS = 400, NUM_THREADS = 4, NUM_ROUNDS = 40 };

static void make_features(size_t key, double *features)
{
    for (size_t i = 0; i < FEATURES; i++)
        features[i] = (double)(key * (i + 1)) / 7.0;
}

/* What follows from a key and an epoch; no two keys share a confidence. */
static nitro_decision decide(size_t key, uint64_t epoch)
{
    return (nitro_decision){.variant = key % 64,
                            .confidence = (double)key + (double)epoch / 16.0,
                            .reason = (nitro_reason)(key % 5)};
}

static bool same(const nitro_decision *a, const nitro_decision *b)
{
    return a->variant == b->variant && a->confidence == b->confidence && a->reason == b->reason;
}

static void test_keeps_by_bits_allowed_and_epoch(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    double features[FEATURES];
    nitro_decision made = decide(9, 1), found;
    assert_ok(context, nitro_memo_create(context, 1, FEATURES, &memo));
    make_features(9, features);
    assert_false(nitro_memo_find(memo, features, 3, 0, 1, &found));
    nitro_memo_keep(memo, features, 3, 0, 1, &made);
    assert_true(nitro_memo_find(memo, features, 3, 0, 1, &found));
    assert_true(same(&made, &found));
    assert_false(nitro_memo_find(memo, features, 1, 0, 1, &found));
    assert_false(nitro_memo_find(memo, features, 3, 0, 2, &found));
    features[FEATURES - 1] = nextafter(features[FEATURES - 1], 1e9);
    assert_false(nitro_memo_find(memo, features, 3, 0, 1, &found));
    nitro_memo_statistics counts;
    nitro_memo_count(memo, &counts);
    assert_int_equal(counts.hits, 1);
    assert_int_equal(counts.misses, 4);
    assert_int_equal(counts.evictions, 0);
    assert_int_equal(counts.num_entries, 4); /* one set */
    nitro_memo_free(memo);
    nitro_context_free(context);
}

static void test_shares_are_told_apart(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    double features[FEATURES];
    const float shares[] = {0, 0.25F, 0.5F};
    make_features(9, features);
    assert_ok(context, nitro_memo_create(context, 64, FEATURES, &memo));
    for (size_t s = 0; s < 3; s++) {
        nitro_decision made = decide(s, 1), found;
        assert_false(nitro_memo_find(memo, features, 3, shares[s], 1, &found));
        nitro_memo_keep(memo, features, 3, shares[s], 1, &made);
    }
    for (size_t s = 0; s < 3; s++) {
        nitro_decision made = decide(s, 1), found;
        assert_true(nitro_memo_find(memo, features, 3, shares[s], 1, &found));
        assert_true(same(&made, &found));
    }
    nitro_memo_free(memo);
    nitro_context_free(context);
}

/* A set's entries do not overlap, whatever their size. */
static void test_a_set_is_filled(void **state)
{
    (void)state;
    enum { WAYS = 4, MOST_FEATURES = 12 };
    for (size_t num_features = 1; num_features <= MOST_FEATURES; num_features++) {
        nitro_context *context = unit_context();
        nitro_memo *memo = NULL;
        double features[MOST_FEATURES] = {0};
        assert_ok(context, nitro_memo_create(context, WAYS, num_features, &memo));
        for (size_t key = 0; key < WAYS; key++) {
            nitro_decision made = decide(key, 1);
            features[num_features - 1] = (double)key;
            nitro_memo_keep(memo, features, 3, 0, 1, &made);
        }
        for (size_t key = 0; key < WAYS; key++) {
            nitro_decision made = decide(key, 1), found;
            features[num_features - 1] = (double)key;
            assert_true(nitro_memo_find(memo, features, 3, 0, 1, &found));
            assert_true(same(&made, &found));
        }
        nitro_memo_free(memo);
        nitro_context_free(context);
    }
}

/* Where one of two values is the hash's own constant, the hash does not depend on the other. */
static void check_one_hash(size_t num_features, size_t constant, size_t place, size_t varied)
{
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    nitro_decision made = decide(5, 1), found;
    double features[FEATURES], others[FEATURES];
    make_features(9, features);
    memcpy(&features[constant], (const char *)XXH3_kSecret + place, sizeof *features);
    memcpy(others, features, sizeof others);
    others[varied] += 1;
    assert_true(nitro_hash(features, num_features * sizeof *features, 0) ==
                nitro_hash(others, num_features * sizeof *features, 0));
    assert_ok(context, nitro_memo_create(context, 1, num_features, &memo));
    nitro_memo_keep(memo, features, 3, 0, 1, &made);
    assert_true(nitro_memo_find(memo, features, 3, 0, 1, &found));
    assert_false(nitro_memo_find(memo, others, 3, 0, 1, &found));
    nitro_memo_free(memo);
    nitro_context_free(context);
}

static void test_features_of_one_hash_are_told_apart(void **state)
{
    (void)state;
    for (size_t varied = 0; varied < 4; varied++)
        check_one_hash(4, varied ^ 1, 8 * (varied ^ 1), varied);
    check_one_hash(5, 3, 16, 4);
}

static void test_stays_bounded(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    double features[FEATURES];
    size_t num_found = 0;
    assert_ok(context, nitro_memo_create(context, 100, FEATURES, &memo));
    for (size_t key = 0; key < NUM_KEYS; key++) {
        nitro_decision made = decide(key, 1);
        make_features(key, features);
        nitro_memo_keep(memo, features, 3, 0, 1, &made);
    }
    for (size_t key = 0; key < NUM_KEYS; key++) {
        nitro_decision found, made = decide(key, 1);
        make_features(key, features);
        if (!nitro_memo_find(memo, features, 3, 0, 1, &found))
            continue;
        num_found++;
        assert_true(same(&made, &found));
    }
    nitro_memo_statistics counts;
    nitro_memo_count(memo, &counts);
    assert_int_equal(counts.num_entries, 128);
    assert_true(num_found > 96 && num_found <= 128);
    assert_int_equal(counts.evictions, NUM_KEYS - num_found);
    nitro_memo_free(memo);
    nitro_context_free(context);
}

typedef struct worker {
    pthread_t thread;
    nitro_memo *memo;
    size_t index, num_wrong, num_asked;
} worker;

static void *work(void *any)
{
    worker *self = any;
    for (size_t round = 0; round < NUM_ROUNDS; round++)
        for (size_t i = 0; i < NUM_KEYS; i++) {
            size_t key = (i * (2 * self->index + 1) + round) % NUM_KEYS;
            uint64_t epoch = 1 + round / 8;
            double features[FEATURES];
            nitro_decision found, made = decide(key, epoch);
            make_features(key, features);
            self->num_asked++;
            if (nitro_memo_find(self->memo, features, 3, 0, epoch, &found))
                self->num_wrong += !same(&found, &made);
            else
                nitro_memo_keep(self->memo, features, 3, 0, epoch, &made);
        }
    return NULL;
}

static void test_threads_never_read_what_is_not_theirs(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    worker workers[NUM_THREADS] = {0};
    nitro_memo *memo = NULL;
    size_t num_asked = 0;
    assert_ok(context, nitro_memo_create(context, 32, FEATURES, &memo));
    for (size_t t = 0; t < NUM_THREADS; t++) {
        workers[t].memo = memo;
        workers[t].index = t;
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (size_t t = 0; t < NUM_THREADS; t++) {
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
        assert_int_equal(workers[t].num_wrong, 0);
        num_asked += workers[t].num_asked;
    }
    nitro_memo_statistics counts;
    nitro_memo_count(memo, &counts);
    assert_int_equal(counts.hits + counts.misses, num_asked); /* none is lost */
    nitro_memo_free(memo);
    nitro_context_free(context);
}

/* A library that sees a few dozen inputs over and over never asks its model again. */
static void test_what_fits_easily_is_kept(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    double features[FEATURES];
    assert_ok(context, nitro_memo_create(context, 256, FEATURES, &memo));
    for (size_t round = 0; round < 2; round++)
        for (size_t key = 0; key < 48; key++) {
            nitro_decision found, made = decide(key, 1);
            make_features(key, features);
            assert_int_equal(nitro_memo_find(memo, features, 3, 0, 1, &found), round > 0);
            nitro_memo_keep(memo, features, 3, 0, 1, &made);
        }
    nitro_memo_free(memo);
    nitro_context_free(context);
}

/* More threads than there are counters of their own. */
typedef struct counting {
    pthread_t thread;
    nitro_memo *memo;
    pthread_barrier_t *all_are_here;
} counting;

static void *count_misses(void *any)
{
    counting *self = any;
    double features[FEATURES];
    nitro_decision found;
    pthread_barrier_wait(self->all_are_here);
    for (size_t key = 0; key < NUM_KEYS; key++) {
        make_features(key, features);
        nitro_memo_find(self->memo, features, 3, 0, 1, &found);
    }
    pthread_barrier_wait(self->all_are_here);
    return NULL;
}

static void test_many_threads_count_all(void **state)
{
    (void)state;
    enum { MANY = 100 };
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    counting threads[MANY];
    pthread_barrier_t all_are_here;
    assert_ok(context, nitro_memo_create(context, 16, FEATURES, &memo));
    assert_int_equal(pthread_barrier_init(&all_are_here, NULL, MANY), 0);
    for (size_t t = 0; t < MANY; t++) {
        threads[t] = (counting){.memo = memo, .all_are_here = &all_are_here};
        assert_int_equal(pthread_create(&threads[t].thread, NULL, count_misses, &threads[t]), 0);
    }
    for (size_t t = 0; t < MANY; t++)
        assert_int_equal(pthread_join(threads[t].thread, NULL), 0);
    nitro_memo_statistics counts;
    nitro_memo_count(memo, &counts);
    assert_int_equal(counts.hits, 0);
    assert_int_equal(counts.misses, MANY * NUM_KEYS);
    pthread_barrier_destroy(&all_are_here);
    nitro_memo_free(memo);
    nitro_context_free(context);
}

static void test_sizes(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_memo *memo = NULL;
    assert_fails(context, nitro_memo_create(context, SIZE_MAX, FEATURES, &memo), NITRO_ERR_ARGUMENT,
                 "the maximum is 16777216");
    assert_ok(context, nitro_memo_create(context, 4, 0, &memo));
    nitro_decision made = decide(1, 1), found;
    nitro_memo_keep(memo, NULL, 3, 0, 1, &made);
    assert_true(nitro_memo_find(memo, NULL, 3, 0, 1, &found));
    nitro_memo_free(memo);
    nitro_memo_free(NULL);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps_by_bits_allowed_and_epoch),
        cmocka_unit_test(test_shares_are_told_apart),
        cmocka_unit_test(test_a_set_is_filled),
        cmocka_unit_test(test_features_of_one_hash_are_told_apart),
        cmocka_unit_test(test_stays_bounded),
        cmocka_unit_test(test_what_fits_easily_is_kept),
        cmocka_unit_test(test_threads_never_read_what_is_not_theirs),
        cmocka_unit_test(test_many_threads_count_all),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
