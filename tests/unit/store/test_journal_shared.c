/* Journals shared by processes: which sample wins, and what a killed process leaves. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "unit/store/journal_fixture.h"

static void put_with_time(fixture *f, nitro_store *store, int64_t time_s)
{
    nitro_sample *sample = records_sample(f->context, "one");
    sample->provenance.time_s = time_s;
    const nitro_sample *samples[] = {sample};
    assert_ok(f->context, nitro_store_put_samples(store, "spmv", "K20", samples, 1, true));
    nitro_sample_free(sample);
}

static int64_t time_in_remote(fixture *f)
{
    nitro_store *remote = NULL;
    nitro_sample *sample = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_READ, &remote));
    assert_ok(f->context, nitro_store_get_sample(remote, "spmv", "K20", "one", &sample));
    int64_t time_s = sample->provenance.time_s;
    nitro_sample_free(sample);
    nitro_store_close(remote);
    return time_s;
}

/* Another tuner wrote while this one's samples were unsent: the newer sample stays. */
static void test_the_newer_sample_stays(void **state)
{
    fixture *f = *state;
    nitro_store *other = NULL;
    open_store(f);
    put_names(f);
    put_with_time(f, f->store, 100);
    faulty->mode = FAULTY_AWAY;
    put_with_time(f, f->store, 200);
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    put_with_time(f, other, 300);
    nitro_store_close(other);
    faulty->mode = FAULTY_WELL;
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
    assert_int_equal(time_in_remote(f), 300);
    assert_non_null(strstr(f->log, "1 unsent samples were dropped"));
    put_with_time(f, f->store, 400);
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
    assert_int_equal(time_in_remote(f), 400);
}

static void put_from_elsewhere(void *user, const char *input)
{
    fixture *f = user;
    nitro_store *other = NULL;
    assert_string_equal(input, "input-000");
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    assert_ok(f->context, records_put_samples(other, "spmv", "K20", 0, 1, true));
    nitro_store_close(other);
}

/* Another process with this journal sends the same sample, between this one's read and write.
 */
static void test_another_may_send_it_at_the_same_moment(void **state)
{
    fixture *f = *state;
    nitro_store *other = NULL;
    open_store(f);
    put_names(f);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 0, 2);
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    assert_ok(f->context, records_put_samples(other, "spmv", "K20", 1, 1, true));
    nitro_store_close(other);
    faulty->mode = FAULTY_WELL;
    faulty_after_look = put_from_elsewhere;
    faulty_user = f;
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
    assert_null(faulty_after_look);
    assert_places(f, 2, 0);
}

/* Another schema in the remote store: an error, and the samples are kept. */
static void test_a_store_with_other_names_refuses(void **state)
{
    fixture *f = *state;
    nitro_store *other = NULL;
    nitro_schema *schema = NULL;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    assert_ok(f->context, nitro_schema_create(f->context, "spmv", &schema));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "dense"));
    assert_ok(f->context, nitro_store_put_schema(other, schema));
    nitro_store_close(other);
    faulty->mode = FAULTY_WELL;
    assert_fails(f->context, nitro_store_flush(f->store, 0, NULL), NITRO_ERR_MISMATCH, "dense");
    assert_int_equal(count_in(f, f->journal), 2);
    nitro_schema_free(schema);
}

/* Refused before anything was measured: no journal is left. */
static void test_refused_names_leave_no_journal(void **state)
{
    fixture *f = *state;
    nitro_store *other = NULL;
    nitro_schema *schema = NULL;
    char note[160];
    snprintf(note, sizeof(note), "%s.url", f->journal);
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    records_put_names(other, "spmv", "K20");
    nitro_store_close(other);
    open_store(f);
    assert_ok(f->context, nitro_schema_create(f->context, "spmv", &schema));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "dense"));
    assert_fails(f->context, nitro_store_put_schema(f->store, schema), NITRO_ERR_MISMATCH, "dense");
    assert_int_equal(access(f->journal, F_OK), -1);
    assert_int_equal(access(note, F_OK), -1);
    nitro_schema_free(schema);
}

/* A wrong password is a permanent error: no journal is made. */
static void test_a_store_that_denies_is_not_away(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    faulty->mode = FAULTY_DENIES;
    assert_fails(f->context,
                 nitro_journal_open(f->context, &faulty_kind, f->remote, f->journal, &store),
                 NITRO_ERR_DENIED, "WRONGPASS");
    assert_null(store);
    assert_int_equal(access(f->journal, F_OK), -1);
    assert_string_equal(f->log, "");
}

/* Password changed during a tune: reported at once, and no sample is lost. */
static void test_a_store_that_begins_to_deny_loses_nothing(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_DENIES;
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 2, 1, true),
                 NITRO_ERR_DENIED, "unsent samples are kept in");
    assert_places(f, 2, 1);
    nitro_store_close(f->store);
    f->store = NULL;
    faulty->mode = FAULTY_WELL;
    open_store(f);
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
    assert_places(f, 3, 0);
}

/* A changed schema is accepted, unless samples of the old one are unsent. */
static void test_new_names_find_no_old_ones_in_the_way(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = NULL;
    assert_ok(f->context, nitro_schema_create(f->context, "spmv", &schema));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "dense"));
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    nitro_schema *kept = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &kept));
    assert_string_equal(kept->variants[0], "dense");
    nitro_schema_free(kept);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, NULL) == NITRO_ERR_IO
                              ? NITRO_OK
                              : NITRO_ERR_EXISTS);
    nitro_schema *old = records_schema(f->context, "spmv");
    assert_ok(f->context, nitro_store_put_schema(f->store, old));
    put(f, 0, 1);
    assert_fails(f->context, nitro_store_put_schema(f->store, schema), NITRO_ERR_MISMATCH,
                 "samples there that were not sent to faulty:");
    nitro_schema_free(old);
    nitro_schema_free(schema);
}

static void pause_us(long us)
{
    const struct timespec pause = {.tv_nsec = us * 1000};
    nanosleep(&pause, NULL);
}

enum { NUM_SAMPLES = 60, NUM_ROUNDS = 40 };

/* A process that puts samples one by one, starting with those not stored yet. */
static void put_what_is_missing(fixture *f)
{
    nitro_context_set_clock(f->context, NULL);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
    open_store(f);
    put_names(f);
    nitro_string_list there = {0};
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &there));
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        char name[32];
        snprintf(name, sizeof(name), "input-%03zu", i);
        if (nitro_string_list_find(&there, name) == NITRO_NONE)
            put(f, i, 1);
    }
    nitro_string_list_free(&there);
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
}

/* Killed at any moment, with the remote store coming and going: in the end each sample is stored
 * once, and none is unsent. */
static void test_killed_at_any_moment(void **state)
{
    fixture *f = *state;
    nitro_random random;
    nitro_random_seed(&random, 20240611);
    size_t kills = 0;
    for (size_t round = 0; round < NUM_ROUNDS; round++) {
        fflush(NULL);
        faulty->mode = (faulty_mode)nitro_random_below(&random, 4);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            put_what_is_missing(f);
            _exit(0);
        }
        for (size_t i = nitro_random_below(&random, 4); i > 0; i--) {
            pause_us((long)nitro_random_below(&random, 8000));
            faulty->mode = (faulty_mode)nitro_random_below(&random, 4);
        }
        pause_us((long)nitro_random_below(&random, 20000));
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status);
    }
    assert_true(kills > NUM_ROUNDS / 4);
    faulty->mode = FAULTY_WELL;
    put_what_is_missing(f);
    assert_places(f, NUM_SAMPLES, 0);
}

/* Two processes with one journal, as two tunes of one user have it. */
static void test_two_processes_share_a_journal(void **state)
{
    fixture *f = *state;
    pid_t children[2];
    faulty->mode = FAULTY_READ_ONLY;
    for (size_t c = 0; c < 2; c++) {
        fflush(NULL);
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] > 0)
            continue;
        nitro_context_set_clock(f->context, NULL);
        open_store(f);
        put_names(f);
        for (size_t i = 0; i < 40; i++)
            put(f, 30 * c + i, 1); /* ten inputs are both's */
        size_t waiting = 1;
        while (waiting > 0)
            assert_ok(f->context, nitro_store_flush(f->store, 50, &waiting));
        _exit(0);
    }
    pause_us(30000);
    faulty->mode = FAULTY_WELL;
    for (size_t c = 0; c < 2; c++) {
        int status;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_places(f, 70, 0);
}

int main(void)
{
#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        JOURNAL_TEST(test_the_newer_sample_stays),
        JOURNAL_TEST(test_another_may_send_it_at_the_same_moment),
        JOURNAL_TEST(test_a_store_with_other_names_refuses),
        JOURNAL_TEST(test_refused_names_leave_no_journal),
        JOURNAL_TEST(test_a_store_that_denies_is_not_away),
        JOURNAL_TEST(test_a_store_that_begins_to_deny_loses_nothing),
        JOURNAL_TEST(test_new_names_find_no_old_ones_in_the_way),
        JOURNAL_TEST(test_killed_at_any_moment),
        JOURNAL_TEST(test_two_processes_share_a_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
