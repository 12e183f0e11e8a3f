/* A pointer that is replaced while others read it. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "nitro/base/rcu_pointer.h"
#include "unit/unit.h"

enum { NUM_THREADS = 4, NUM_REPLACEMENTS = 2000 };

/** Both halves are equal while it lives. */
typedef struct pair {
    uint64_t first, second;
} pair;

static atomic_size_t num_alive;

static pair *make_pair(uint64_t value)
{
    pair *made = malloc(sizeof *made);
    assert_non_null(made);
    *made = (pair){value, value};
    atomic_fetch_add(&num_alive, 1);
    return made;
}

static void free_pair(void *value)
{
    if (!value)
        return;
    *(pair *)value = (pair){1, 2};
    free(value);
    atomic_fetch_sub(&num_alive, 1);
}

typedef struct fixture {
    nitro_context *context;
    nitro_rcu_pointer *published;
} fixture;

static fixture make(void)
{
    fixture made = {0};
    atomic_store(&num_alive, 0);
    assert_int_equal(nitro_context_create(&made.context), NITRO_OK);
    assert_int_equal(nitro_rcu_pointer_create(made.context, free_pair, &made.published), NITRO_OK);
    return made;
}

static void unmake(fixture *f)
{
    nitro_rcu_pointer_free(f->published);
    nitro_context_free(f->context);
    assert_int_equal(atomic_load(&num_alive), 0);
}

static void replace(fixture *f, uint64_t value)
{
    assert_int_equal(nitro_rcu_pointer_replace(f->context, f->published, make_pair(value)),
                     NITRO_OK);
}

static void test_readers_see_the_value_of_the_day(void **state)
{
    (void)state;
    fixture f = make();
    assert_null(nitro_rcu_pointer_enter(f.published));
    nitro_rcu_pointer_leave(f.published);
    replace(&f, 7);
    assert_int_equal(((pair *)nitro_rcu_pointer_enter(f.published))->first, 7);
    nitro_rcu_pointer_leave(f.published);
    unmake(&f);
}

static void test_what_nobody_reads_is_freed_at_once(void **state)
{
    (void)state;
    fixture f = make();
    for (uint64_t i = 0; i < 5; i++) {
        replace(&f, i);
        assert_int_equal(atomic_load(&num_alive), 1);
        assert_int_equal(nitro_rcu_pointer_num_retired(f.published), 0);
    }
    unmake(&f);
}

static void test_what_is_read_lives_until_its_reader_left(void **state)
{
    (void)state;
    fixture f = make();
    replace(&f, 1);
    const pair *held = nitro_rcu_pointer_enter(f.published);
    replace(&f, 2);
    replace(&f, 3);
    assert_int_equal(held->first, 1);
    assert_int_equal(nitro_rcu_pointer_num_retired(f.published), 2);
    nitro_rcu_pointer_leave(f.published);
    replace(&f, 4);
    assert_int_equal(nitro_rcu_pointer_num_retired(f.published), 0);
    assert_int_equal(atomic_load(&num_alive), 1);
    unmake(&f);
}

static void test_a_forked_child_replaces_though_the_parents_reader_never_leaves(void **state)
{
    (void)state;
    fixture f = make();
    replace(&f, 1);
    nitro_rcu_pointer_enter(f.published);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool replaced = nitro_rcu_pointer_replace(f.context, f.published, NULL) == NITRO_OK &&
                        nitro_rcu_pointer_enter(f.published) == NULL;
        _exit(replaced ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    nitro_rcu_pointer_leave(f.published);
    unmake(&f);
}

static nitro_rcu_pointer *replaced_pointer;
static int childs_status;

/** Called while a value is replaced: the child cannot wait for its parent's thread. */
static void fork_and_replace(void *value)
{
    if (!value)
        return;
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(nitro_rcu_pointer_replace(NULL, replaced_pointer, NULL) == NITRO_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &childs_status, 0), child);
}

static void test_a_forked_child_replaces_though_the_parent_was_replacing(void **state)
{
    (void)state;
    int value = 1;
    nitro_context *context = NULL;
    childs_status = -1;
    assert_int_equal(nitro_context_create(&context), NITRO_OK);
    assert_int_equal(nitro_rcu_pointer_create(context, fork_and_replace, &replaced_pointer),
                     NITRO_OK);
    assert_int_equal(nitro_rcu_pointer_replace(context, replaced_pointer, &value), NITRO_OK);
    assert_int_equal(nitro_rcu_pointer_replace(context, replaced_pointer, NULL), NITRO_OK);
    assert_true(WIFEXITED(childs_status) && WEXITSTATUS(childs_status) == 0);
    nitro_rcu_pointer_free(replaced_pointer);
    nitro_context_free(context);
}

typedef struct reading {
    nitro_rcu_pointer *published;
    atomic_bool *stop;
    size_t num_torn;
} reading;

static void *read_on(void *user)
{
    reading *self = user;
    uint64_t newest = 0;
    while (!atomic_load(self->stop)) {
        const pair *seen = nitro_rcu_pointer_enter(self->published);
        uint64_t first = seen->first;
        self->num_torn += first != seen->second || first < newest;
        newest = first;
        nitro_rcu_pointer_leave(self->published);
    }
    return NULL;
}

static void test_many_threads_read_while_one_replaces(void **state)
{
    (void)state;
    fixture f = make();
    atomic_bool stop = false;
    reading readings[NUM_THREADS];
    pthread_t threads[NUM_THREADS];
    replace(&f, 1);
    for (size_t t = 0; t < NUM_THREADS; t++) {
        readings[t] = (reading){f.published, &stop, 0};
        assert_int_equal(pthread_create(&threads[t], NULL, read_on, &readings[t]), 0);
    }
    for (uint64_t i = 2; i < NUM_REPLACEMENTS; i++)
        replace(&f, i);
    atomic_store(&stop, true);
    for (size_t t = 0; t < NUM_THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(readings[t].num_torn, 0);
    }
    replace(&f, NUM_REPLACEMENTS);
    assert_int_equal(nitro_rcu_pointer_num_retired(f.published), 0);
    unmake(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_see_the_value_of_the_day),
        cmocka_unit_test(test_what_nobody_reads_is_freed_at_once),
        cmocka_unit_test(test_what_is_read_lives_until_its_reader_left),
        cmocka_unit_test(test_a_forked_child_replaces_though_the_parents_reader_never_leaves),
        cmocka_unit_test(test_a_forked_child_replaces_though_the_parent_was_replacing),
        cmocka_unit_test(test_many_threads_read_while_one_replaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
