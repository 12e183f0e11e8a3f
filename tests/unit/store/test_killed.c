/* Processes killed at any moment while they repair, publish or pull: nothing is lost, and the next
 * one completes the work. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "unit/redis_server.h"
#include "unit/store/bundle_fixture.h"

enum { NUM_SOUND = 60, NUM_DAMAGED = 200, NUM_ROUNDS = 12, BATCH = 20 };

/* Run the work again and again in a child, and kill it between 0 and `most_ms` later. */
static void run_and_kill(void (*work)(fixture *f), fixture *f, nitro_random *random,
                         unsigned most_ms)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        nitro_context *own = NULL;
        if (nitro_context_create(&own) != NITRO_OK)
            _exit(1);
        f->context = own; /* connections and locks are the parent's */
        for (;;)
            work(f);
    }
    usleep((useconds_t)(nitro_random_below(random, most_ms) * 1000 + 500));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* ---- gc -------------------------------------------------------------------------------------- */

static char url[160]; /* of the store that is repaired */

static void repair(fixture *f)
{
    nitro_store *store = NULL;
    if (nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store) != NITRO_OK)
        return;
    nitro_store_remove_damaged(store, false, NULL, NULL);
    nitro_store_remove_device(store, "spare");
    nitro_store_close(store);
}

static void damage_file(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE samples SET record = x'4e' WHERE name >= 'input-1'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

static redis_server server;

static void damage_server(const char *unused)
{
    char command[96];
    (void)unused;
    for (size_t i = 0; i < NUM_DAMAGED; i++) {
        snprintf(command, sizeof(command), "HSET nitro:7:{spmv}:samples:K20 input-%03zu garbage",
                 100 + i);
        redis_server_say(&server, command);
    }
}

/* Sound samples before input-100, and as many as are to be damaged from there on. */
static void prepare(fixture *f, void (*damage)(const char *path), const char *path)
{
    nitro_store *store = NULL;
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store));
    records_put_names(store, "spmv", "K20");
    records_put_names(store, "spmv", "spare");
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 0, NUM_SOUND, true));
    for (size_t i = 0; i < NUM_DAMAGED; i += BATCH)
        assert_ok(f->context, records_put_samples(store, "spmv", "K20", 100 + i, BATCH, true));
    nitro_store_close(store);
    damage(path);
}

static void check_repairs(fixture *f, void (*damage)(const char *path), const char *path)
{
    nitro_random random;
    nitro_random_seed(&random, 5);
    for (int round = 0; round < NUM_ROUNDS; round++) {
        nitro_store *store = NULL;
        prepare(f, damage, path);
        run_and_kill(repair, f, &random, 40);
        repair(f);
        assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &store));
        records_assert_sound(store);
        assert_int_equal(count_in(f, store, "K20"), NUM_SOUND);
        nitro_store_close(store);
    }
}

static void test_repairs_of_a_file(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "damaged");
    snprintf(url, sizeof(url), "sqlite:%.140s", path);
    check_repairs(f, damage_file, url + strlen("sqlite:"));
}

static void test_repairs_of_a_server(void **state)
{
    if (!redis_server_possible())
        skip();
    redis_server_make(&server, NULL, false);
    snprintf(url, sizeof(url), "redis+unix://%s", server.socket);
    check_repairs(*state, damage_server, NULL);
    redis_server_remove(&server);
}

/* ---- Publishing and pulling at the same time --------------------------------------------------
 */

/* Both work on stores of their own connection; what is published grows. */
static void publish_more(fixture *f)
{
    nitro_store *store = NULL;
    size_t count = 0;
    const nitro_publish_options options = {.folder = f->published};
    if (nitro_store_open(f->context, temporary_path(&f->folder, "store"), NITRO_STORE_WRITE,
                         &store) != NITRO_OK)
        return;
    if (nitro_store_count_samples(store, "spmv", "K20", &count) == NITRO_OK && count < 2000)
        records_put_samples(store, "spmv", "K20", count, BATCH, true);
    nitro_store_publish(store, &options, NULL);
    nitro_store_close(store);
}

static void pull_once(fixture *f)
{
    nitro_store_pull(f->context, temporary_path(&f->folder, "pulled"),
                     &(nitro_pull_options){.url = f->url}, NULL);
}

/* A reader finds a whole folder: only what a second publication replaced meanwhile may be missing.
 */
static void pull_and_check(fixture *f)
{
    nitro_pull_report report = {0};
    assert_ok(f->context, nitro_store_pull(f->context, temporary_path(&f->folder, "pulled"),
                                           &(nitro_pull_options){.url = f->url}, &report));
    for (size_t i = 0; i < report.refused.count; i++)
        fail_msg("%s", report.refused.items[i]);
    nitro_pull_report_free(&report);
}

/* Private copies of killed pulls, all of which are made to look old. */
static size_t count_left(const fixture *f)
{
    char command[256];
    unsigned count = 999;
    snprintf(command, sizeof(command),
             "cd %s && touch -c -d '1 hour ago' nitro-bundles-* 2>/dev/null; ls | grep -c "
             "^nitro-bundles-",
             f->folder.folder);
    FILE *out = popen(command, "r");
    assert_int_equal(fscanf(out, "%u", &count), 1);
    pclose(out);
    return count;
}

static void test_publishing_and_pulling(void **state)
{
    fixture *f = *state;
    nitro_random random;
    nitro_random_seed(&random, 7);
    setenv("TMPDIR", f->folder.folder, 1);
    fill(f);
    publish(f);
    for (int round = 0; round < NUM_ROUNDS; round++) {
        pid_t publisher = fork();
        assert_true(publisher >= 0);
        if (publisher == 0) {
            nitro_random own;
            nitro_random_seed(&own, (uint64_t)round);
            run_and_kill(publish_more, f, &own, 120);
            _exit(0);
        }
        run_and_kill(pull_once, f, &random, 120);
        assert_int_equal(waitpid(publisher, NULL, 0), publisher);
        pull_and_check(f); /* of what the killed publisher left */
    }
    publish(f);
    assert_true(count_left(f) > 0);
    pull_and_check(f);
    assert_int_equal(count_left(f), 0);
    nitro_store *pulled = NULL;
    assert_ok(f->context, nitro_store_open(f->context, temporary_path(&f->folder, "pulled"),
                                           NITRO_STORE_READ, &pulled));
    records_assert_sound(pulled);
    assert_true(count_in(f, f->store, "K20") > 120);
    assert_same_samples(f, f->store, pulled, "K20");
    nitro_store_close(pulled);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_repairs_of_a_file),
        TEST(test_repairs_of_a_server),
        TEST(test_publishing_and_pulling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
