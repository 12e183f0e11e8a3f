/* A store behind a journal: whatever befalls the other store or this process, every sample gets
 * there, once. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store/journal_internal.h"
#include "unit/faulty_store.h"
#include "unit/store_records.h"
#include "unit/temporary.h"

static double clock_ms;

static double read_clock(void *state)
{
    (void)state;
    return clock_ms;
}

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char remote[128], journal[128];
    nitro_store *store;
    char log[UNIT_LOG_BYTES];
} fixture;

static void open_store(fixture *f)
{
    assert_ok(f->context,
              nitro_journal_open(f->context, &faulty_kind, f->remote, f->journal, &f->store));
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    clock_ms = 1000;
    faulty_begin();
    f->context = unit_context();
    const nitro_clock clock = {read_clock, read_clock, NULL};
    nitro_context_set_clock(f->context, &clock);
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, f->log);
    f->folder = temporary_make();
    snprintf(f->remote, sizeof(f->remote), "%s/remote", f->folder.folder);
    snprintf(f->journal, sizeof(f->journal), "%s/journal", f->folder.folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    faulty_end();
    return 0;
}

static void put_names(fixture *f)
{
    records_put_names(f->store, "spmv", "K20");
}

static void put(fixture *f, size_t first, size_t count)
{
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", first, count, true));
}

/* How many samples are in this file; each of them is as it was put. */
static size_t count_in(fixture *f, const char *path)
{
    nitro_store *store = NULL;
    size_t count = 0;
    nitro_status status = nitro_store_open(f->context, path, NITRO_STORE_READ, &store);
    if (status == NITRO_ERR_NOT_FOUND)
        return 0;
    assert_ok(f->context, status);
    status = nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count);
    if (status != NITRO_ERR_NOT_FOUND)
        assert_ok(f->context, status);
    records_assert_sound(store);
    nitro_store_close(store);
    return count;
}

static void assert_places(fixture *f, size_t remote, size_t waiting)
{
    assert_int_equal(count_in(f, f->remote), remote);
    assert_int_equal(count_in(f, f->journal), waiting);
}

static size_t read_all(fixture *f)
{
    size_t count = 0, counted = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "K20", &counted));
    assert_int_equal(count, counted);
    return count;
}

/* ---- While the other store is well ----------------------------------------------------------- */

static void test_samples_go_up_at_once(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 3);
    put(f, 3, 1);
    assert_places(f, 4, 0);
    assert_int_equal(read_all(f), 4);
    assert_string_equal(f->log, "");
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
}

static void test_a_store_on_this_machine_has_no_journal(void **state)
{
    fixture *f = *state;
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_open_journaled(f->context, f->remote, &f->store));
    put_names(f);
    put(f, 0, 3);
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
    assert_places(f, 3, 0);
    assert_int_equal(access(f->journal, F_OK), -1);
}

/* ---- While it is not ------------------------------------------------------------------------- */

static void test_samples_wait_while_it_is_away(void **state)
{
    fixture *f = *state;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    assert_non_null(strstr(f->log, "connection refused; until it is back, samples wait in"));
    put_names(f);
    put(f, 0, 3);
    assert_places(f, 0, 3);
    assert_int_equal(read_all(f), 3);
    assert_non_null(strstr(f->log, "cannot be read while it is away"));
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 3, 1);
    assert_non_null(strstr(f->log, "is back"));
    assert_places(f, 4, 0);
    assert_int_equal(read_all(f), 4);
}

/* The device's newest description is not lost either. */
static void test_a_device_waits_too(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    nitro_store *remote = NULL;
    open_store(f);
    put_names(f);
    put(f, 0, 1);
    faulty->mode = FAULTY_AWAY;
    assert_ok(f->context,
              nitro_device_set(f->context, device, "peak_gbps", 300, NITRO_VALUE_STATIC, 0));
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    nitro_device_free(device);
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 1, 1);
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_READ, &remote));
    assert_ok(f->context, nitro_store_get_device(remote, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == 300);
    nitro_device_free(read);
    nitro_store_close(remote);
    assert_places(f, 2, 0);
}

/* Left alone for a second, then two, at most a minute; then well again at once. */
static void test_it_is_asked_ever_more_seldom(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    faulty->mode = FAULTY_AWAY;
    size_t tries = 0, calls = faulty->num_calls;
    double last_ms = clock_ms;
    for (size_t i = 0; i < 1000; i++) {
        clock_ms += 500;
        put(f, i % 50, 1);
        if (faulty->num_calls == calls)
            continue;
        calls = faulty->num_calls;
        double pause_ms = clock_ms - last_ms;
        last_ms = clock_ms;
        double least_ms = tries == 0 ? 0 : 1000 * (double)(1u << (tries - 1));
        assert_true(pause_ms >= (least_ms < 60000 ? least_ms : 60000));
        assert_true(pause_ms <= 60500);
        tries++;
    }
    assert_true(tries > 8 && tries < 16); /* in 500 s */
    faulty->mode = FAULTY_WELL;
    clock_ms += 60000;
    put(f, 50, 1);
    assert_places(f, 51, 0);
    faulty->mode = FAULTY_AWAY;
    put(f, 51, 1);
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 52, 1);
    assert_places(f, 53, 0);
}

static void test_a_store_that_takes_no_writes_is_still_read(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 1, 2); /* one is there already, as it is */
    assert_places(f, 2, 2);
    clock_ms += 5000;
    assert_int_equal(read_all(f), 3);
    faulty->mode = FAULTY_WELL;
    clock_ms += 60000;
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
    assert_places(f, 3, 0);
}

/* The write was done and its answer lost: it is sent again, and is there once. */
static void test_a_lost_answer_makes_no_second_sample(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    faulty->mode = FAULTY_LOSES_REPLY;
    put(f, 0, 3);
    assert_places(f, 3, 3);
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 3, 1);
    assert_places(f, 4, 0);
}

/* Gone in the middle of a loop over its samples: what waits is handed on all the same. */
static void test_it_goes_away_while_it_is_read(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 20);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 30, 5);
    faulty->mode = FAULTY_WELL;
    clock_ms += 5000;
    faulty->away_after = faulty->num_calls + 8;
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    assert_true(count >= 5 && count < 25);
    assert_non_null(strstr(f->log, "cannot be read while it is away"));
}

static nitro_status stop_at_once(void *user, const nitro_sample *sample)
{
    (void)user;
    (void)sample;
    return NITRO_ERR_IO;
}

/* A callback's own failure is not the store's. */
static void test_a_callback_that_fails_ends_the_loop(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 3);
    assert_int_equal(nitro_store_each_sample(f->store, "spmv", "K20", stop_at_once, NULL),
                     NITRO_ERR_IO);
    assert_string_equal(f->log, "");
}

static void test_what_waits_stands_in_order(void **state)
{
    fixture *f = *state;
    nitro_string_list inputs = {0};
    open_store(f);
    put_names(f);
    put(f, 2, 2);
    put(f, 6, 2);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 0, 3);
    put(f, 7, 3);
    clock_ms += 60000;
    assert_int_equal(read_all(f), 8);
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &inputs));
    for (size_t i = 1; i < inputs.count; i++)
        assert_true(strcmp(inputs.items[i - 1], inputs.items[i]) < 0);
    nitro_string_list_free(&inputs);
}

/* ---- Whose sample counts --------------------------------------------------------------------- */

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

/* Another tuner was there while this one's samples waited: the newer sample stays. */
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
    assert_non_null(strstr(f->log, "1 samples that waited are there in a newer form"));
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

/* Another process with this journal sends the same sample, between this one's look and its write.
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

/* Names that the other store does not have so: an error, and nothing lost. */
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

/* Refused before anything was measured: nothing is left here. */
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

/* A wrong password does not pass by itself: nothing is to wait for it. */
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

/* Changed while a tune was on: said at once, and what was measured is not lost. */
static void test_a_store_that_begins_to_deny_loses_nothing(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_DENIES;
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 2, 1, true),
                 NITRO_ERR_DENIED, "samples wait in");
    assert_places(f, 2, 1);
    nitro_store_close(f->store);
    f->store = NULL;
    faulty->mode = FAULTY_WELL;
    open_store(f);
    assert_ok(f->context, nitro_store_flush(f->store, 0, NULL));
    assert_places(f, 3, 0);
}

/* A computation whose names changed is no trouble, unless samples of the old names wait. */
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
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, NULL) == NITRO_ERR_IO
                              ? NITRO_OK
                              : NITRO_ERR_EXISTS);
    nitro_schema *old = records_schema(f->context, "spmv");
    assert_ok(f->context, nitro_store_put_schema(f->store, old));
    put(f, 0, 2);
    assert_fails(f->context, nitro_store_put_schema(f->store, schema), NITRO_ERR_MISMATCH,
                 "2 samples wait there for faulty:");
    nitro_schema_free(old);
    nitro_schema_free(schema);
}

/* ---- Killed ---------------------------------------------------------------------------------- */

static void pause_us(long us)
{
    const struct timespec pause = {.tv_nsec = us * 1000};
    nanosleep(&pause, NULL);
}

enum { NUM_SAMPLES = 60, NUM_ROUNDS = 40 };

/* A process that puts samples one by one, those first that are nowhere yet. */
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

/* Killed at any moment, with the other store coming and going: in the end each sample is there,
 * once, and none waits. */
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

/* ---- Where journals lie ---------------------------------------------------------------------- */

static void test_a_journal_is_found_by_its_url(void **state)
{
    fixture *f = *state;
    char *path = NULL, *again = NULL, *other = NULL, *note = NULL, *text = NULL, *url;
    size_t size = 0;
    nitro_string_list urls = {0};
    setenv("XDG_DATA_HOME", f->folder.folder, 1);
    assert_ok(f->context, nitro_store_list_waiting(f->context, &urls));
    assert_int_equal(urls.count, 0);
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/0", true, &path));
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/0", false, &again));
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/1", true, &other));
    assert_string_equal(path, again);
    assert_string_not_equal(path, other);
    assert_non_null(strstr(path, "/nitro/journals/redis-host-6379-0-"));
    assert_int_equal(asprintf(&note, "%.*s.url", (int)strlen(path) - 3, path), strlen(path) + 1);
    snprintf(f->journal, sizeof(f->journal), "%s", path);
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    assert_int_equal(access(path, F_OK), -1); /* nothing to keep so far */
    assert_int_equal(access(note, F_OK), -1);
    put_names(f);
    put(f, 0, 2);
    url = nitro_journal_url(f->context, &faulty_kind, f->remote);
    assert_ok(f->context, nitro_file_read(f->context, note, 4096, &text, &size));
    assert_int_equal(strcspn(text, "\n"), strlen(url));
    assert_ok(f->context, nitro_store_list_waiting(f->context, &urls));
    assert_int_equal(urls.count, 1);
    assert_string_equal(urls.items[0], url);
    nitro_string_list_free(&urls);
    free(path);
    free(again);
    free(other);
    free(note);
    free(text);
    free(url);
    unsetenv("XDG_DATA_HOME");
}

static void test_journals_know_no_passwords(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *address, *shown;
    } cases[] = {
        {"//user:secret@host:1/0", "faulty://host:1/0"},
        {"//:se@cret@host/0", "faulty://host/0"},
        {"//host/0", "faulty://host/0"},
        {"///path/x", "faulty:///path/x"},
        {"file", "faulty:file"},
        {"//host/0?timeout=1", "faulty://host/0"},
        {"//host/0?timeout=1&prefix=a", "faulty://host/0?prefix=a"},
        {"//host/0?prefix=a&ca=x&database=3&key=y", "faulty://host/0?prefix=a&database=3"},
        {"//u:p@host/0?", "faulty://host/0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *shown = nitro_journal_url(f->context, &faulty_kind, cases[i].address);
        assert_string_equal(shown, cases[i].shown);
        free(shown);
    }
}

int main(void)
{
#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        JOURNAL_TEST(test_samples_go_up_at_once),
        JOURNAL_TEST(test_a_store_on_this_machine_has_no_journal),
        JOURNAL_TEST(test_samples_wait_while_it_is_away),
        JOURNAL_TEST(test_a_device_waits_too),
        JOURNAL_TEST(test_it_is_asked_ever_more_seldom),
        JOURNAL_TEST(test_a_store_that_takes_no_writes_is_still_read),
        JOURNAL_TEST(test_a_lost_answer_makes_no_second_sample),
        JOURNAL_TEST(test_it_goes_away_while_it_is_read),
        JOURNAL_TEST(test_a_callback_that_fails_ends_the_loop),
        JOURNAL_TEST(test_what_waits_stands_in_order),
        JOURNAL_TEST(test_the_newer_sample_stays),
        JOURNAL_TEST(test_another_may_send_it_at_the_same_moment),
        JOURNAL_TEST(test_a_store_with_other_names_refuses),
        JOURNAL_TEST(test_refused_names_leave_no_journal),
        JOURNAL_TEST(test_a_store_that_denies_is_not_away),
        JOURNAL_TEST(test_a_store_that_begins_to_deny_loses_nothing),
        JOURNAL_TEST(test_new_names_find_no_old_ones_in_the_way),
        JOURNAL_TEST(test_killed_at_any_moment),
        JOURNAL_TEST(test_two_processes_share_a_journal),
        JOURNAL_TEST(test_a_journal_is_found_by_its_url),
        JOURNAL_TEST(test_journals_know_no_passwords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
