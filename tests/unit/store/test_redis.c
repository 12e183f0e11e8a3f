/* What only the Redis store does: URLs, credentials, damage, errors of the server. */
#include "unit/store/redis_fake.h"
#include "unit/store_records.h"

#define SECRET "s3cr3t/p@ss"

typedef struct fixture {
    nitro_context *context;
    char url[128];
    nitro_store *store;
    char log[UNIT_LOG_BYTES];
} fixture;

static redis_server server;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_DEBUG, unit_keep_log, f->log);
    assert_string_equal(redis_server_say(&server, "FLUSHALL"), "+OK\r\n");
    snprintf(f->url, sizeof(f->url), "redis+unix://%s?timeout=2", server.socket);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &f->store));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void say_ok(const char *command)
{
    const char *answer = redis_server_say(&server, command);
    if (answer[0] == '-' || answer[0] == '\0')
        fail_msg("%s: %s", command, answer);
}

static void put(fixture *f, size_t count)
{
    records_put_names(f->store, "spmv", "K20");
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 0, count, false));
}

static size_t count_samples(fixture *f)
{
    size_t count = 0;
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "K20", &count));
    return count;
}

static void assert_refused(fixture *f, const char *url, nitro_status status, const char *why)
{
    nitro_store *store = NULL;
    assert_fails(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &store), status,
                 why);
    assert_null(store);
}

/* ---- URLs ------------------------------------------------------------------------------------ */

static void test_malformed_urls_are_refused(void **state)
{
    fixture *f = *state;
    const char *const refused[][2] = {
        {"redis:host", "// is missing"},
        {"redis://", "no host"},
        {"redis://:pw@", "no host"},
        {"redis://host:65536", "port"},
        {"redis://host:6379x", "port"},
        {"redis://host/x", "database"},
        {"redis://host/-1", "database"},
        {"redis://[::1", "in [ ]"},
        {"redis://h%zz", "two hexadecimal digits"},
        {"redis://h%0", "two hexadecimal digits"},
        {"redis://u:a%00b@h", "two hexadecimal digits"},
        {"redis://host?timeout=0", "timeout"},
        {"redis://host?timeout=nan", "timeout"},
        {"redis://host?prefix=a:b", "prefix"},
        {"redis://host?prefix=", "prefix"},
        {"redis://host?speed=9", "option is unknown"},
        {"redis://host?ca=x", "option is unknown"},
        {"redis+unix://relative", "does not start with /"},
        {"redis+unix:///", "does not start with /"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        assert_refused(f, refused[i][0], NITRO_ERR_ARGUMENT, refused[i][1]);
}

static void assert_no_secret(const char *text, const char *secret)
{
    if (strstr(text, secret))
        fail_msg("the password is shown: %s", text);
}

static void assert_secret_is_kept(fixture *f, const char *url, const char *secret)
{
    char message[4096];
    nitro_store *store = NULL;
    nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store);
    nitro_context_last_error(f->context, message, sizeof(message));
    assert_true(message[0] != '\0');
    assert_no_secret(message, secret);
    assert_no_secret(f->log, secret);
    nitro_store_close(store);
}

static void test_no_error_shows_the_password(void **state)
{
    fixture *f = *state;
    assert_secret_is_kept(f, "redis://me:hunter2@127.0.0.1:1/0?timeout=0.1", "hunter2");
    assert_secret_is_kept(f, "redis://:hunter2@127.0.0.1:1?timeout=0.1", "hunter2");
    assert_secret_is_kept(f, "redis://me:hunter/2@127.0.0.1:1", "hunter");
    assert_secret_is_kept(f, "redis://me@lab:hunter#2@127.0.0.1:1?timeout=0.1", "hunter");
    assert_secret_is_kept(f, "redis://me:hunter@2@127.0.0.1:1?timeout=0.1", "hunter");
    assert_secret_is_kept(f, "redis://me:hunter2@127.0.0.1:port", "hunter2");
    assert_secret_is_kept(f, "redis://me:hunter2%@127.0.0.1", "hunter2");
    assert_secret_is_kept(f, "redi://me:hunter2@127.0.0.1", "hunter2");
    assert_secret_is_kept(f, "rediss://me:hunter2@127.0.0.1?speed=1", "hunter2");
    assert_secret_is_kept(f, "redis:/me:hunter2@127.0.0.1/0", "hunter2");
    assert_secret_is_kept(f, "redis:me:hunter2@127.0.0.1", "hunter2");
    assert_secret_is_kept(f, "redis//me:hunter2@127.0.0.1", "hunter2");
    assert_secret_is_kept(f, "://me:hunter2@127.0.0.1", "hunter2");
    assert_secret_is_kept(f, "http:/me:hunter2@127.0.0.1/x", "hunter2");
    assert_secret_is_kept(f, "https:me:hunter2@127.0.0.1/x", "hunter2");
    assert_secret_is_kept(f, "redis+unix://me:hunter2@/nowhere/socket?timeout=0.1", "hunter2");
}

/* A server may repeat what was sent, a password too. */
static void test_a_server_cannot_make_us_show_the_password(void **state)
{
    fixture *f = *state;
    const char *const answers[] = {"-ERR you said hunter2\r\n", NULL};
    redis_fake fake;
    char url[256];
    redis_fake_make(&fake, answers);
    snprintf(url, sizeof(url), "redis+unix://me:hunter2@%s?timeout=0.2", fake.socket);
    assert_secret_is_kept(f, url, "hunter2");
    redis_fake_remove(&fake);
}

/* ---- Credentials ----------------------------------------------------------------------------- */

static void make_user(void)
{
    say_ok("ACL SETUSER tuner on >" SECRET " ~* +@all");
}

static void open_with(fixture *f, const char *url)
{
    nitro_store *store = NULL;
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store));
    assert_no_secret(nitro_store_url(store), SECRET);
    assert_no_secret(nitro_store_url(store), "s3cr3t");
    assert_no_secret(f->log, "s3cr3t");
    nitro_store_close(store);
}

static void test_credentials_come_from_url_environment_or_file(void **state)
{
    fixture *f = *state;
    char url[256], place[160];
    temporary folder = temporary_make();
    const char *path = temporary_write(&folder, "password", SECRET "\n");
    make_user();
    say_ok("ACL SETUSER default off");
    assert_refused(f, f->url, NITRO_ERR_DENIED, "NOAUTH");
    snprintf(url, sizeof(url), "redis+unix://tuner:s3cr3t%%2Fp%%40ss@%s", server.socket);
    open_with(f, url);
    snprintf(url, sizeof(url), "redis+unix://tuner:wrong@%s", server.socket);
    assert_refused(f, url, NITRO_ERR_DENIED, "user or password is wrong");
    snprintf(place, sizeof(place), "redis+unix://tuner@%s", server.socket);
    assert_refused(f, place, NITRO_ERR_ARGUMENT, "no password");
    setenv("NITRO_REDIS_PASSWORD", SECRET, 1);
    open_with(f, place);
    setenv("NITRO_REDIS_USER", "tuner", 1);
    open_with(f, f->url);
    unsetenv("NITRO_REDIS_PASSWORD");
    setenv("NITRO_REDIS_PASSWORD_FILE", path, 1);
    assert_int_equal(chmod(path, 0640), 0);
    assert_refused(f, f->url, NITRO_ERR_IO, "chmod 600");
    assert_int_equal(chmod(path, 0600), 0);
    open_with(f, f->url);
    setenv("NITRO_REDIS_PASSWORD_FILE", "/nowhere/password", 1);
    assert_refused(f, f->url, NITRO_ERR_NOT_FOUND, "/nowhere/password");
    unsetenv("NITRO_REDIS_PASSWORD_FILE");
    unsetenv("NITRO_REDIS_USER");
    temporary_remove(&folder);
}

static int teardown_users(void **state)
{
    char command[256];
    snprintf(command, sizeof(command), "AUTH tuner %s\r\nACL SETUSER default on nopass ~* &* +@all",
             SECRET);
    redis_server_say(&server, command);
    usleep(1000); /* two commands were sent at once: the second may take a little longer */
    for (int tries = 0; tries < 1000 && redis_server_say(&server, "PING")[0] != '+'; tries++)
        usleep(1000);
    say_ok("ACL DELUSER tuner");
    return teardown(state);
}

/* ---- Layouts and damage ---------------------------------------------------------------------- */

static void test_another_layout_is_refused(void **state)
{
    fixture *f = *state;
    say_ok("SET nitro:layout 8");
    assert_refused(f, f->url, NITRO_ERR_NEWER, "version 8");
    say_ok("SET nitro:layout 1");
    assert_refused(f, f->url, NITRO_ERR_FORMAT, "is of version 1");
    say_ok("SET nitro:layout hello");
    assert_refused(f, f->url, NITRO_ERR_FORMAT, "?prefix=");
    say_ok("DEL nitro:layout");
    say_ok("LPUSH nitro:layout 1");
    assert_refused(f, f->url, NITRO_ERR_FORMAT, "WRONGTYPE");
}

static size_t count_problems(fixture *f, const char *expected)
{
    nitro_string_list problems = {0};
    bool found = false;
    assert_int_equal(nitro_store_verify(f->store, records_keep_problem, &problems),
                     NITRO_ERR_FORMAT);
    size_t count = problems.count;
    for (size_t i = 0; i < count; i++)
        found = found || strstr(problems.items[i], expected);
    if (!found)
        fail_msg("none of %zu problems contains '%s'; the first: %s", count, expected,
                 count ? problems.items[0] : "-");
    nitro_string_list_free(&problems);
    return count;
}

static size_t read_samples(fixture *f)
{
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    return count;
}

static void test_damage_is_found(void **state)
{
    fixture *f = *state;
    put(f, 5);
    records_assert_sound(f->store);
    say_ok("HSET nitro:7:{spmv}:samples:K20 input-001 garbage");
    assert_int_equal(count_problems(f, "sample 'spmv on K20: input-001' is damaged"), 1);
    assert_int_equal(read_samples(f), 4);
    assert_non_null(strstr(f->log, "input-001"));
    say_ok("HDEL nitro:7:{spmv}:samples:K20 input-001");
    records_assert_sound(f->store);
    say_ok("DEL nitro:7:{spmv}:shared:K20");
    assert_int_equal(count_problems(f, "input-000' is damaged or was altered: its shared part"), 4);
    assert_int_equal(read_samples(f), 0);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 7, 1, false));
    records_assert_sound(f->store); /* the others have the same shared part */
    say_ok("DEL nitro:7:{@devices}:record:K20");
    assert_int_equal(count_problems(f, "but the device is missing"), 1);
    say_ok("SET nitro:7:{@devices}:record:K20 {}");
    assert_int_equal(count_problems(f, "device 'K20' is damaged or was altered"), 1);
    say_ok("DEL nitro:7:{spmv}:schema");
    assert_int_equal(count_problems(f, "schema is missing"), 2);
    say_ok("SADD nitro:7:{@computations}:index \"a b\"");
    assert_int_equal(count_problems(f, "1 name in the index of computations is not valid"), 3);
}

/* Names that an index lost: every list lacks what is there. */
static void test_what_no_index_names_is_found(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0}, devices = {0};
    put(f, 3);
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 2, false));
    say_ok("DEL nitro:7:{spmv}:devices");
    say_ok("DEL nitro:7:{@proxies}:devices");
    assert_int_equal(count_problems(f, "K20: the index of spmv lacks this device"), 2);
    assert_int_equal(count_problems(f, "K20: the index of proxies lacks this device"), 2);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, true, records_keep_problem, &said));
    assert_int_equal(said.count, 2);
    assert_int_equal(count_problems(f, "gc --quarantined --apply' adds it"), 2);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    say_ok("DEL nitro:7:{@devices}:index");
    assert_int_equal(count_problems(f, "K20: the index of devices lacks this device"), 1);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &devices));
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &devices));
    assert_int_equal(devices.count, 2);
    assert_int_equal(read_samples(f), 3);
    nitro_string_list_free(&devices);
    nitro_string_list_free(&said);
}

/* A sample copied under another name does not match its checksum. */
static void test_a_record_belongs_to_its_name(void **state)
{
    fixture *f = *state;
    put(f, 2);
    say_ok("EVAL \"local r = redis.call('HGET', KEYS[1], 'input-000'); return "
           "redis.call('HSET', KEYS[1], 'input-001', r)\" 1 nitro:7:{spmv}:samples:K20");
    assert_int_equal(count_problems(f, "sample 'spmv on K20: input-001' is damaged"), 1);
    assert_int_equal(read_samples(f), 1);
}

static void test_damage_is_removed(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0};
    put(f, 6);
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 2, false));
    say_ok("HSET nitro:7:{spmv}:samples:K20 input-001 garbage");
    say_ok("HSET nitro:7:{spmv}:samples:K20 input-002 \"\"");
    say_ok("HSET nitro:7:{spmv}:shared:K20 123456 garbage");
    say_ok("SADD nitro:7:{spmv}:devices K99");
    say_ok("HSET nitro:7:{spmv}:samples:K99 input x");
    assert_ok(f->context, nitro_store_remove_damaged(f->store, true, records_keep_problem, &said));
    assert_int_equal(said.count, 4);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    assert_int_equal(said.count, 8);
    records_assert_sound(f->store);
    assert_int_equal(count_samples(f), 4);
    assert_int_equal(read_samples(f), 4);
    nitro_string_list_free(&said);
}

/* Samples of a damaged device go with it, which a dry run says. */
static void test_what_a_damaged_device_takes_along(void **state)
{
    fixture *f = *state;
    nitro_string_list dry = {0}, said = {0};
    put(f, 6);
    say_ok("SET nitro:7:{@devices}:record:K20 {}");
    assert_ok(f->context, nitro_store_remove_damaged(f->store, true, records_keep_problem, &dry));
    assert_int_equal(count_samples(f), 6);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    assert_int_equal(dry.count, said.count);
    for (size_t i = 0; i < said.count; i++)
        assert_string_equal(dry.items[i], said.items[i]);
    records_assert_sound(f->store);
    nitro_string_list_free(&dry);
    nitro_string_list_free(&said);
}

/* A record of a newer Nitro is skipped and reported, but not removed. */
static void test_a_newer_record_is_not_removed(void **state)
{
    fixture *f = *state;
    nitro_string_list removed = {0};
    size_t before = 0, after = 0;
    put(f, 2);
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 2, false));
    assert_ok(f->context, nitro_store_count_profiles(f->store, "K20", "spmv", &before));
    say_ok("EVAL \"return redis.call('HSET', KEYS[1], redis.call('HKEYS', KEYS[1])[1], "
           "'N\\\\00712345678')\" 1 nitro:7:{spmv}:profiles:K20");
    assert_ok(f->context,
              nitro_store_remove_damaged(f->store, false, records_keep_problem, &removed));
    assert_int_equal(removed.count, 0);
    assert_ok(f->context, nitro_store_count_profiles(f->store, "K20", "spmv", &after));
    assert_int_equal(after, before);
    assert_int_equal(count_problems(f, "was written by a newer Nitro"), 1);
}

static size_t add_hex(char *line, size_t size, const void *bytes, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(line + length, size - length, "\\x%02x",
                                   ((const unsigned char *)bytes)[i]);
    return length;
}

/* A store of layout 6, as an earlier Nitro left it, is read and copied, but not written. */
static void test_a_store_of_layout_6_is_read(void **state)
{
    fixture *f = *state;
    nitro_store *old = NULL, *copy = NULL;
    nitro_sample *sample = NULL;
    nitro_copy_report report = {0};
    const nitro_sync_options options = {.conflict = NITRO_CONFLICT_KEEP};
    const unsigned char *shared = records_version_6 + RECORDS_VERSION_6_SHARED;
    const size_t shared_size = sizeof(records_version_6) - RECORDS_VERSION_6_SHARED;
    char line[2048], url[256];
    put(f, 1);
    nitro_schema *schema = records_schema(f->context, "spmv");
    uint64_t hash = schema->num_features;
    for (size_t i = 0; i < schema->num_features; i++)
        hash = nitro_hash(schema->features[i].name, strlen(schema->features[i].name) + 1, hash);
    for (size_t i = 0; i < schema->num_variants; i++)
        hash = nitro_hash(schema->variants[i], strlen(schema->variants[i]) + 1, hash);
    nitro_schema_free(schema);
    hash = nitro_hash(shared, shared_size, hash); /* the id: 8 bytes, the lowest first */
    static const char *const keys[] = {"{spmv}:schema", "{spmv}:devices", "{@devices}:index",
                                       "{@devices}:record:K20", "{@computations}:index"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(line, sizeof(line), "RENAME nitro:7:%s nitro:6:%s", keys[i], keys[i]);
        say_ok(line);
    }
    size_t length =
        (size_t)snprintf(line, sizeof(line), "HSET nitro:6:{spmv}:samples:K20 \"%s\" \"",
                         "a \\\"quoted\\\" \xc3\xa9");
    length += add_hex(line + length, sizeof(line) - length, &hash, sizeof(hash));
    length += add_hex(line + length, sizeof(line) - length, records_version_6 + 2,
                      RECORDS_VERSION_6_SHARED - 2);
    snprintf(line + length, sizeof(line) - length, "\"");
    say_ok(line);
    length = (size_t)snprintf(line, sizeof(line), "HSET nitro:6:{spmv}:shared:K20 \"");
    length += add_hex(line + length, sizeof(line) - length, &hash, sizeof(hash));
    length += (size_t)snprintf(line + length, sizeof(line) - length, "\" \"");
    length += add_hex(line + length, sizeof(line) - length, shared, shared_size);
    snprintf(line + length, sizeof(line) - length, "\"");
    say_ok(line);
    say_ok("SET nitro:layout 6");
    assert_fails(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &old),
                 NITRO_ERR_FORMAT, "nitro store copy");
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &old));
    assert_ok(f->context,
              nitro_store_get_sample(old, "spmv", "K20", RECORDS_EARLIER_INPUT, &sample));
    nitro_sample_free(sample);
    records_assert_sound(old);
    snprintf(url, sizeof(url), "%s&prefix=copy", f->url);
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &copy));
    assert_ok(f->context, nitro_store_sync(old, copy, &options, &report));
    assert_int_equal(report.samples, 1);
    assert_ok(f->context,
              nitro_store_get_sample(copy, "spmv", "K20", RECORDS_EARLIER_INPUT, &sample));
    nitro_sample_free(sample);
    records_assert_sound(copy);
    nitro_store_close(copy);
    nitro_store_close(old);
}

/* ---- Refusals and missing servers ------------------------------------------------------------ */

static void test_a_full_server_says_so_and_keeps_whole_batches(void **state)
{
    fixture *f = *state;
    put(f, 3);
    say_ok("CONFIG SET maxmemory 1");
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false),
                 NITRO_ERR_IO, "maxmemory");
    say_ok("CONFIG SET maxmemory 0");
    assert_int_equal(count_samples(f), 3);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false));
    records_assert_sound(f->store);
}

static void test_a_replica_is_read_but_not_written(void **state)
{
    fixture *f = *state;
    put(f, 3);
    say_ok("REPLICAOF 127.0.0.1 1");
    assert_int_equal(count_samples(f), 3);
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false),
                 NITRO_ERR_IO, "name the primary");
    say_ok("REPLICAOF NO ONE");
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false));
}

/* An open store outlives its server: the next command connects again. */
static void test_a_server_comes_back(void **state)
{
    fixture *f = *state;
    put(f, 3);
    redis_server_kill(&server);
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false),
                 NITRO_ERR_IO, server.socket);
    redis_server_start(&server);
    assert_int_equal(count_samples(f), 3); /* the server logs writes */
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 3, 2, false));
    records_assert_sound(f->store);
}

/* Whoever may add samples may add some of a device that nobody describes. */
static void test_samples_of_no_device_keep_none_from_reading(void **state)
{
    fixture *f = *state;
    nitro_string_list ids = {0};
    put(f, 3);
    say_ok("SADD nitro:7:{spmv}:devices A100");
    say_ok("HSET nitro:7:{spmv}:samples:A100 one record");
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_int_equal(ids.count, 1);
    assert_string_equal(ids.items[0], "K20");
    assert_non_null(strstr(f->log, "samples of spmv and no description, which are skipped: 1"));
    nitro_string_list_free(&ids);
}

/* FLUSHALL, or a server without its data in the place of the old one. */
static void test_an_emptied_server_gets_all_that_samples_need(void **state)
{
    fixture *f = *state;
    put(f, 3);
    say_ok("FLUSHALL");
    assert_int_equal(records_put_samples(f->store, "spmv", "K20", 3, 2, false),
                     NITRO_ERR_NOT_FOUND);
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_sample *sample = records_sample(f->context, "one");
    const nitro_sample *samples[] = {sample};
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, NULL, "K20", samples, 1, false),
                 NITRO_ERR_NOT_FOUND, "no device 'K20'");
    put(f, 2);
    nitro_store_close(f->store);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &f->store));
    assert_int_equal(count_samples(f), 2);
    records_assert_sound(f->store);
    nitro_sample_free(sample);
    nitro_schema_free(schema);
}

static void test_a_stopped_server_is_not_waited_for_for_ever(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    char url[160];
    size_t count = 0;
    put(f, 3);
    snprintf(url, sizeof(url), "redis+unix://%s?timeout=0.1", server.socket);
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &store));
    kill(server.process, SIGSTOP);
    assert_fails(f->context, nitro_store_count_samples(store, "spmv", "K20", &count), NITRO_ERR_IO,
                 "no answer within 0.1 s");
    kill(server.process, SIGCONT);
    assert_ok(f->context, nitro_store_count_samples(store, "spmv", "K20", &count));
    assert_int_equal(count, 3);
    nitro_store_close(store);
}

/* The server wrote the samples, but its reply was lost: sent again they are no conflict; samples
 * stored before are. */
static void test_a_lost_answer_is_not_an_error(void **state)
{
    fixture *f = *state;
    redis_fake fake;
    nitro_store *store = NULL;
    put(f, 2);
    redis_fake_make_lossy(&fake, &server, "EXEC", NULL);
    assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 2, 3, false));
    assert_int_equal(count_samples(f), 5);
    records_assert_sound(f->store);
    nitro_store_close(store);
    redis_fake_remove(&fake);
}

static void test_what_was_removed_is_counted_though_the_answer_was_lost(void **state)
{
    fixture *f = *state;
    redis_fake fake;
    nitro_store *store = NULL;
    size_t removed = 0;
    put(f, 4);
    redis_fake_make_lossy(&fake, &server, "EXEC", NULL);
    assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_remove(store, "spmv", "K20", &removed));
    assert_int_equal(removed, 4);
    assert_int_equal(count_samples(f), 0);
    nitro_store_close(store);
    redis_fake_remove(&fake);
    redis_fake_make_lossy(&fake, &server, "\r\nDEL\r\n", NULL);
    assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_remove_device(store, "K20"));
    assert_fails(f->context, nitro_store_remove_device(store, "K20"), NITRO_ERR_NOT_FOUND, "K20");
    nitro_store_close(store);
    redis_fake_remove(&fake);
}

/* Repeated, such a removal finds nothing. */
static void test_a_command_that_may_have_been_carried_out_says_so(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"EXEC", "WATCH"}; /* a removal begins with WATCH */
    for (size_t i = 0; i < 2; i++) {
        redis_fake fake;
        nitro_store *store = NULL;
        size_t removed = 0;
        char error[1024];
        put(f, 4);
        redis_fake_make_lossy_once(&fake, &server, words[i], NULL, true);
        snprintf(strrchr(fake.url, '?'), 20, "?timeout=0.3");
        assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
        assert_int_equal(nitro_store_remove(store, "spmv", "K20", &removed), NITRO_ERR_IO);
        nitro_context_last_error(f->context, error, sizeof(error));
        assert_int_equal(strstr(error, "may have carried out") != NULL, i == 0);
        assert_int_equal(count_samples(f), i == 0 ? 0 : 4);
        nitro_store_close(store);
        redis_fake_remove(&fake);
    }
}

static void test_a_lost_answer_does_not_hide_that_others_were_first(void **state)
{
    fixture *f = *state;
    redis_fake fake;
    nitro_store *store = NULL;
    put(f, 2);
    say_ok("HSET nitro:7:{spmv}:samples:K20 input-001 other");
    redis_fake_make_lossy(&fake, &server, "EXEC", NULL);
    assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
    assert_fails(f->context, records_put_samples(store, "spmv", "K20", 1, 3, false),
                 NITRO_ERR_EXISTS, "1 of the 3 inputs exist already (input-001)");
    nitro_store_close(store);
    redis_fake_remove(&fake);
}

/* What no server would answer came from elsewhere: nothing counts as damaged, and is removed. */
static void test_a_garbled_answer_is_no_damage(void **state)
{
    fixture *f = *state;
    static const char *const garbage[] = {"?!", "+OK\r\n"};
    put(f, 3);
    for (size_t i = 0; i < 2; i++) {
        redis_fake fake;
        nitro_store *store = NULL;
        nitro_string_list said = {0};
        size_t count = 0;
        redis_fake_make_lossy(&fake, &server, "HSCAN", garbage[i]);
        assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_WRITE, &store));
        assert_ok(f->context,
                  nitro_store_remove_damaged(store, false, records_keep_problem, &said));
        assert_int_equal(said.count, 0);
        assert_int_equal(count_samples(f), 3);
        nitro_store_close(store);
        redis_fake_remove(&fake);
        redis_fake_make_lossy(&fake, &server, "HSCAN", garbage[i]);
        assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_READ, &store));
        assert_ok(f->context,
                  nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
        assert_int_equal(count, 3);
        nitro_store_close(store);
        redis_fake_remove(&fake);
        nitro_string_list_free(&said);
    }
}

/* ---- Hostile servers ------------------------------------------------------------------------- */

#define LAYOUT "$1\r\n7\r\n"

static void test_hostile_answers_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        const char *answers[6];
        nitro_status status;
        const char *why;
    } cases[] = {
        {{"HTTP/1.1 400 Bad Request\r\n\r\n"}, NITRO_ERR_FORMAT, "no Redis server"},
        {{"\x15\x03\x03"}, NITRO_ERR_FORMAT, "it may want TLS: rediss://"},
        {{"*1\r\n$1\r\n1\r\n"}, NITRO_ERR_FORMAT, "no version"},
        {{":1\r\n"}, NITRO_ERR_FORMAT, "no version"},
        {{"$3\r\n1x1\r\n"}, NITRO_ERR_FORMAT, "no version"},
        {{"$99999999999999999999\r\n"}, NITRO_ERR_FORMAT, "redis+unix"},
        {{"*4294967296\r\n"}, NITRO_ERR_FORMAT, "redis+unix"},
        {{"*2000000000\r\n"}, NITRO_ERR_IO, "larger than any"},
        {{"*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n*9\r\n"},
         NITRO_ERR_IO,
         "nested deeper"},
        {{"$10\r\n1"}, NITRO_ERR_IO, "redis+unix"},
        {{""}, NITRO_ERR_IO, "redis+unix"},
        {{"-MOVED 1 127.0.0.1:1\r\n"}, NITRO_ERR_IO, "MOVED"},
        {{"-\x1b[31mred\r\n"}, NITRO_ERR_IO, "?[31mred"},
        {{"-NOAUTH Authentication required.\r\n"}, NITRO_ERR_DENIED, "wants a password"},
        {{"-WRONGPASS invalid\r\n"}, NITRO_ERR_DENIED, "is wrong"},
        {{"-NOPERM no\r\n"}, NITRO_ERR_DENIED, "may not do that"},
        {{"-ERR unknown command 'GET'\r\n"}, NITRO_ERR_DENIED, "Redis 6"},
        {{"-ERR something else\r\n"}, NITRO_ERR_IO, "Redis 6"},
        {{"-LOADING soon\r\n", "-LOADING soon\r\n"}, NITRO_ERR_IO, "still starting"},
        {{LAYOUT, ":3\r\n"}, NITRO_ERR_IO, "an unexpected type"},
        {{LAYOUT, "*2\r\n$1\r\n0\r\n*1\r\n:5\r\n"}, NITRO_ERR_IO, "an unexpected type"},
        {{LAYOUT, "*2\r\n$1\r\n0\r\n*1\r\n$-1\r\n"}, NITRO_ERR_IO, "an unexpected type"},
        {{LAYOUT, "*2\r\n$1\r\n0\r\n*1\r\n$4\r\nspmv\r\n", "$4\r\nspmv\r\n"},
         NITRO_ERR_IO,
         "an unexpected type"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        redis_fake fake;
        nitro_store *store = NULL;
        nitro_string_list names = {0};
        redis_fake_make(&fake, cases[i].answers);
        snprintf(strrchr(fake.url, '?'), 20, "?timeout=0.3");
        nitro_status status = nitro_store_open(f->context, fake.url, NITRO_STORE_READ, &store);
        if (status == NITRO_OK)
            status = nitro_store_list_computations(store, &names);
        assert_fails(f->context, status, cases[i].status, cases[i].why);
        nitro_string_list_free(&names);
        nitro_store_close(store);
        redis_fake_remove(&fake);
    }
}

static int listen_on(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(descriptor, 4), 0);
    return descriptor;
}

/* A password goes only to servers that the cluster's slots list. */
static void test_a_redirection_to_a_stranger_gets_no_password(void **state)
{
    fixture *f = *state;
    int port = redis_server_free_port(), other_port = redis_server_free_port();
    int named = listen_on(port), stranger = listen_on(other_port);
    struct pollfd called = {.fd = stranger, .events = POLLIN};
    char moved[64], slots[128], url[96];
    nitro_store *store = NULL;
    snprintf(moved, sizeof(moved), "-MOVED 1 127.0.0.1:%d\r\n", other_port);
    for (int listed = 0; listed < 2; listed++) {
        snprintf(slots, sizeof(slots), "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n",
                 listed ? other_port : port);
        const char *const answers[] = {"+OK\r\n", moved, slots, NULL};
        pid_t process = fork();
        if (process == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            redis_fake_answer(named, answers);
        }
        snprintf(url, sizeof(url), "redis://me:hunter2@127.0.0.1:%d?timeout=0.3", port);
        assert_fails(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &store),
                     listed ? NITRO_ERR_IO : NITRO_ERR_DENIED,
                     listed ? "no answer within" : "slots do not list");
        assert_int_equal(poll(&called, 1, 0), listed);
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    close(named);
    close(stranger);
}

/* An endless reply. */
static void test_an_endless_answer_is_cut(void **state)
{
    fixture *f = *state;
    redis_fake fake;
    nitro_store *store = NULL;
    redis_fake_begin(&fake);
    int listening = redis_fake_listen(fake.socket);
    fake.process = fork();
    if (fake.process == 0) {
        static char zeros[1 << 20];
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int client = accept(listening, NULL, NULL);
        redis_fake_send(client, "$500000000\r\n", 12);
        for (int i = 0; i < 400; i++)
            redis_fake_send(client, zeros, sizeof(zeros));
        pause();
    }
    close(listening);
    assert_fails(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_READ, &store),
                 NITRO_ERR_IO, "larger than any");
    redis_fake_remove(&fake);
}

/* In front of the real server; its cursors never return to 0. */
static void answer_scans_without_end(int listening)
{
    static const char page[] = "*2\r\n$1\r\n7\r\n*0\r\n";
    int client = accept(listening, NULL, NULL), real = redis_server_connect(&server);
    char bytes[4096];
    ssize_t size;
    while ((size = recv(client, bytes, sizeof(bytes), 0)) > 0) {
        if (memmem(bytes, (size_t)size, "SCAN", 4)) {
            redis_fake_send(client, page, strlen(page));
            continue;
        }
        redis_fake_send(real, bytes, (size_t)size);
        size = recv(real, bytes, sizeof(bytes), 0);
        redis_fake_send(client, bytes, size > 0 ? (size_t)size : 0);
    }
}

static void test_a_scan_without_end_is_cut(void **state)
{
    fixture *f = *state;
    nitro_string_list names = {0};
    nitro_store *store = NULL;
    char log[UNIT_LOG_BYTES] = "";
    size_t count = 0;
    redis_fake fake;
    records_put_names(f->store, "spmv", "K20");
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 0, 3, false));
    redis_fake_begin(&fake);
    int listening = redis_fake_listen(fake.socket);
    fake.process = fork();
    if (fake.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        answer_scans_without_end(listening);
        _exit(0);
    }
    close(listening);
    assert_ok(f->context, nitro_store_open(f->context, fake.url, NITRO_STORE_READ, &store));
    assert_fails(f->context, nitro_store_list_computations(store, &names), NITRO_ERR_FORMAT,
                 "there are more names");
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, log);
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, 0);
    assert_non_null(strstr(log, "there are more pages")); /* the others can be read */
    nitro_store_close(store);
    redis_fake_remove(&fake);
}

int main(void)
{
    static const char *const options[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};
    const struct CMUnitTest tests[] = {
#define REDIS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        REDIS_TEST(test_malformed_urls_are_refused),
        REDIS_TEST(test_no_error_shows_the_password),
        REDIS_TEST(test_a_server_cannot_make_us_show_the_password),
        cmocka_unit_test_setup_teardown(test_credentials_come_from_url_environment_or_file, setup,
                                        teardown_users),
        REDIS_TEST(test_another_layout_is_refused),
        REDIS_TEST(test_damage_is_found),
        REDIS_TEST(test_what_no_index_names_is_found),
        REDIS_TEST(test_a_record_belongs_to_its_name),
        REDIS_TEST(test_damage_is_removed),
        REDIS_TEST(test_what_a_damaged_device_takes_along),
        REDIS_TEST(test_a_newer_record_is_not_removed),
        REDIS_TEST(test_a_store_of_layout_6_is_read),
        REDIS_TEST(test_a_full_server_says_so_and_keeps_whole_batches),
        REDIS_TEST(test_a_replica_is_read_but_not_written),
        REDIS_TEST(test_a_server_comes_back),
        REDIS_TEST(test_samples_of_no_device_keep_none_from_reading),
        REDIS_TEST(test_an_emptied_server_gets_all_that_samples_need),
        REDIS_TEST(test_a_stopped_server_is_not_waited_for_for_ever),
        REDIS_TEST(test_a_lost_answer_is_not_an_error),
        REDIS_TEST(test_what_was_removed_is_counted_though_the_answer_was_lost),
        REDIS_TEST(test_a_command_that_may_have_been_carried_out_says_so),
        REDIS_TEST(test_a_lost_answer_does_not_hide_that_others_were_first),
        REDIS_TEST(test_a_garbled_answer_is_no_damage),
        REDIS_TEST(test_hostile_answers_are_refused),
        REDIS_TEST(test_a_redirection_to_a_stranger_gets_no_password),
        REDIS_TEST(test_an_endless_answer_is_cut),
        REDIS_TEST(test_a_scan_without_end_is_cut),
    };
    REDIS_SERVER_RUN_TESTS(&server, options, tests);
}
