/* Published bundles: what is published comes back, the same bytes each time; what was tampered with
 * is refused and named, and the rest used. */
#include "store/bundle.h"
#include "unit/http_fixture.h"
#include "unit/store_records.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    http_server server;
    char published[128];
    char url[160]; /* of the published folder */
    nitro_publish_report report;
    nitro_pull_report pulled;
    nitro_store *target;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store");
    f->target = temporary_store(f->context, &f->folder, "target");
    mkdir(temporary_path(&f->folder, "www"), 0777);
    snprintf(f->published, sizeof(f->published), "%s/www/pub", f->folder.folder);
    snprintf(f->url, sizeof(f->url), "file:%s", f->published);
    setenv("XDG_CACHE_HOME", temporary_path(&f->folder, "cache"), 1);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    http_stop(&f->server);
    nitro_pull_report_free(&f->pulled);
    nitro_store_close(f->store);
    nitro_store_close(f->target);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* Two devices with samples of spmv, one without. */
static void fill(fixture *f)
{
    static const char *const devices[] = {"K20", "K40"};
    for (size_t i = 0; i < 2; i++) {
        records_put_names(f->store, "spmv", devices[i]);
        for (size_t first = 0; first < 120; first += 60)
            assert_ok(f->context,
                      records_put_samples(f->store, "spmv", devices[i], first, 60, false));
    }
    records_put_names(f->store, "spmv", "spare");
}

static size_t count_profiles(fixture *f, nitro_store *store, const char *device,
                             const char *computation)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_profiles(store, device, computation, &count));
    return count;
}

static void publish_to(fixture *f, nitro_store *store, const char *folder,
                       const nitro_signing_key *key)
{
    nitro_status status = nitro_store_publish(
        store, &(nitro_publish_options){.folder = folder, .key = key}, &f->report);
    if (status == NITRO_ERR_NOT_BUILT) {
        print_message("SKIPPED: this build has no bundles\n");
        skip();
    }
    assert_ok(f->context, status);
}

static void publish(fixture *f)
{
    publish_to(f, f->store, f->published, NULL);
}

static nitro_status pull(fixture *f, const nitro_trusted_keys *keys)
{
    nitro_pull_report_free(&f->pulled);
    return nitro_store_pull(f->context, nitro_store_url(f->target),
                            &(nitro_pull_options){.url = f->url, .keys = keys}, &f->pulled);
}

static size_t count_in(fixture *f, nitro_store *store, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(store, "spmv", device, &count));
    return count;
}

static nitro_bundle_index *read_index(fixture *f)
{
    char *text = NULL;
    size_t size = 0;
    nitro_bundle_index *index = NULL;
    assert_ok(f->context,
              nitro_file_read(f->context, temporary_path(&f->folder, "www/pub/index.json"), 1 << 20,
                              &text, &size));
    assert_ok(f->context, nitro_bundle_index_parse(f->context, "index", text, size, &index));
    free(text);
    return index;
}

static void write_index(fixture *f, nitro_bundle_index *index)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_bundle_index_print(f->context, index, &text, &size));
    temporary_write(&f->folder, "www/pub/index.json", text);
    free(text);
    nitro_bundle_index_free(index);
}

/* Path of the file of a bundle, by its place in the index: spare, K20, K40. */
static char *bundle_file(fixture *f, size_t number)
{
    nitro_bundle_index *index = read_index(f);
    char *path = nitro_bundle_path(f->context, f->published, &index->bundles[number]);
    nitro_bundle_index_free(index);
    return path;
}

/* ---- There and back -------------------------------------------------------------------------- */

typedef struct collected {
    size_t count;
    uint64_t checksum;
} collected;

static nitro_status collect(void *user, const nitro_sample *sample)
{
    collected *all = user;
    uint64_t one = nitro_store_sample_checksum("spmv", "any", sample);
    all->checksum = nitro_hash(&one, sizeof(one), all->checksum);
    all->count++;
    return NITRO_OK;
}

static void assert_same_samples(fixture *f, nitro_store *a, nitro_store *b, const char *device)
{
    collected in_a = {0}, in_b = {0};
    assert_ok(f->context, nitro_store_each_sample(a, "spmv", device, collect, &in_a));
    assert_ok(f->context, nitro_store_each_sample(b, "spmv", device, collect, &in_b));
    assert_int_equal(in_a.count, 120);
    assert_int_equal(in_b.count, 120);
    assert_true(in_a.checksum == in_b.checksum);
}

static void test_what_is_published_comes_back(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    assert_int_equal(f->report.bundles, 3);
    assert_int_equal(f->report.samples, 240);
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.bundles, 3);
    assert_int_equal(f->pulled.devices, 3);
    assert_int_equal(f->pulled.copied.samples, 240);
    assert_int_equal(f->pulled.refused.count, 0);
    assert_same_samples(f, f->store, f->target, "K20");
    assert_same_samples(f, f->store, f->target, "K40");
    records_assert_sound(f->target);
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.copied.samples, 0);
    assert_int_equal(f->pulled.copied.samples_skipped, 240);
    assert_int_equal(f->pulled.devices, 0);
}

typedef struct profile_sum {
    size_t count;
    uint64_t checksum;
} profile_sum;

static nitro_status add_profile(void *user, const char *device, const nitro_profile *profile)
{
    profile_sum *sum = user;
    uint64_t one = nitro_store_profile_checksum(device, profile);
    sum->checksum = nitro_hash(&one, sizeof(one), sum->checksum);
    sum->count++;
    return NITRO_OK;
}

static void assert_same_profiles(fixture *f, nitro_store *a, nitro_store *b,
                                 const char *computation)
{
    profile_sum in_a = {0}, in_b = {0};
    assert_ok(f->context, nitro_store_each_profile(a, NULL, computation, add_profile, &in_a));
    assert_ok(f->context, nitro_store_each_profile(b, NULL, computation, add_profile, &in_b));
    assert_int_equal(in_a.count, in_b.count);
    assert_true(in_a.count > 0 && in_a.checksum == in_b.checksum);
}

/* Of variants they come with their samples, of proxies with the device by itself. */
static void test_profiles_come_along(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    fill(f);
    assert_ok(f->context, records_put_profiles(f->store, "K40", 0, 5, false));
    assert_ok(f->context, records_put_profiles(f->store, "spare", 0, 2, false));
    publish(f);
    assert_int_equal(f->report.bundles, 5); /* K20, K40, K40's proxies; spare's of both sorts */
    assert_int_equal(f->report.profiles, 28);
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.refused.count, 0);
    assert_int_equal(f->pulled.copied.profiles, 28);
    assert_same_profiles(f, f->store, f->target, "spmv");
    assert_same_profiles(f, f->store, f->target, NULL);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &store));
    assert_same_profiles(f, f->store, store, "spmv");
    assert_same_profiles(f, f->store, store, NULL);
    assert_int_equal(count_profiles(f, store, "K40", "spmv"), 10);
    assert_int_equal(count_profiles(f, store, NULL, NULL), 14);
    assert_int_equal(count_profiles(f, store, "K20", NULL), 0);
    nitro_store_close(store);
}

static void test_a_folder_is_a_store(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    nitro_device *device = NULL;
    nitro_string_list ids = {0};
    uint64_t bytes = 0;
    fill(f);
    publish(f);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &store));
    assert_same_samples(f, f->store, store, "K40");
    assert_ok(f->context, nitro_store_list_devices(store, "spmv", &ids));
    assert_int_equal(ids.count, 2);
    assert_ok(f->context, nitro_store_get_device(store, "spare", &device));
    assert_true(nitro_device_value(device, "peak_gbps") == 208.125);
    assert_int_equal(count_in(f, store, "K20"), 120);
    assert_int_equal(count_in(f, store, "spare"), 0);
    assert_ok(f->context, nitro_store_size_bytes(store, &bytes));
    assert_int_equal(bytes, f->report.bytes);
    records_assert_sound(store);
    assert_int_equal(nitro_store_put_device(store, device), NITRO_ERR_ARGUMENT);
    nitro_device_free(device);
    assert_int_equal(nitro_store_get_device(store, "K80", &device), NITRO_ERR_NOT_FOUND);
    nitro_store_close(store);
    nitro_string_list_free(&ids);
    assert_fails(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "cannot be written to");
}

/* ---- The same bytes -------------------------------------------------------------------------- */

static void assert_same_folders(fixture *f, const char *a, const char *b)
{
    char command[512];
    snprintf(command, sizeof(command), "diff -r %s %s", a, b);
    assert_int_equal(system(command), 0);
    (void)f;
}

/* Another store, filled in another order, publishes the same bytes. */
static void test_the_same_content_gives_the_same_bytes(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    nitro_store *other = temporary_store(f->context, &f->folder, "other");
    records_put_names(other, "spmv", "spare");
    for (size_t i = 2; i > 0; i--) {
        records_put_names(other, "spmv", i == 2 ? "K40" : "K20");
        for (size_t first = 120; first > 0; first -= 40)
            assert_ok(f->context, records_put_samples(other, "spmv", i == 2 ? "K40" : "K20",
                                                      first - 40, 40, false));
    }
    const char *again = temporary_path(&f->folder, "again");
    publish_to(f, other, again, NULL);
    nitro_store_close(other);
    assert_same_folders(f, f->published, again);
}

static void test_only_what_changed_is_new(void **state)
{
    fixture *f = *state;
    struct stat before, after;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1), *k40 = bundle_file(f, 2);
    assert_int_equal(stat(k20, &before), 0);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K40", 120, 1, false));
    publish(f);
    assert_int_equal(f->report.unchanged, 2);
    assert_int_equal(stat(k20, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(access(k40, F_OK), 0); /* for those who read the last index */
    publish(f);
    assert_int_equal(f->report.unchanged, 3);
    assert_int_equal(f->report.removed, 1);
    assert_int_equal(access(k40, F_OK), -1);
    free(k20);
    free(k40);
}

/* A damaged file of the right name is written anew, and files of others are left alone. */
static void test_publishing_mends(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    assert_int_equal(truncate(k20, 10), 0);
    temporary_write(&f->folder, "www/pub/bundles/README", "not ours");
    temporary_write(&f->folder, "www/pub/index.json", "{");
    publish(f);
    assert_int_equal(f->report.unchanged, 2);
    assert_int_equal(access(temporary_path(&f->folder, "www/pub/bundles/README"), F_OK), 0);
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.refused.count, 0);
    free(k20);
}

/* ---- Tampered with --------------------------------------------------------------------------- */

static void flip_byte(const char *path, long place)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, place, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

/* K20's bundle is refused for this reason; the others are taken. */
static void assert_k20_refused(fixture *f, const nitro_trusted_keys *keys, const char *why)
{
    assert_ok(f->context, pull(f, keys));
    assert_int_equal(f->pulled.refused.count, 1);
    if (!strstr(f->pulled.refused.items[0], "bundle of spmv on K20 refused") ||
        !strstr(f->pulled.refused.items[0], why))
        fail_msg("not refused because %s: %s", why, f->pulled.refused.items[0]);
    assert_int_equal(count_in(f, f->target, "K20"), 0);
    assert_int_equal(count_in(f, f->target, "K40"), 120);
}

static void test_a_wrong_byte(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    flip_byte(k20, 100);
    assert_k20_refused(f, NULL, "checksum (SHA-256)");
    free(k20);
}

static void test_a_file_that_is_cut_or_gone(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    assert_int_equal(truncate(k20, 100), 0);
    assert_k20_refused(f, NULL, "it has 100 bytes");
    unlink(k20);
    assert_k20_refused(f, NULL, "cannot open");
    free(k20);
}

/* Whoever writes the index vouches for the file, but not for what is in it. */
static void test_an_index_that_lies(void **state)
{
    static const struct {
        size_t samples, less_content;
        const char *device, *why;
    } lies[] = {{1, 0, NULL, "another number of samples"},
                {0, 1, NULL, "unpacks to more bytes"},
                {0, 0, "K21", "of another computation or device"}};
    fixture *f = *state;
    fill(f);
    for (size_t i = 0; i < 3; i++) {
        publish(f);
        nitro_bundle_index *index = read_index(f);
        nitro_bundle *bundle = &index->bundles[1];
        bundle->samples -= lies[i].samples;
        bundle->content_bytes -= lies[i].less_content;
        if (lies[i].device) {
            free(bundle->device);
            bundle->device = strdup(lies[i].device);
        }
        write_index(f, index);
        assert_ok(f->context, pull(f, NULL));
        assert_int_equal(f->pulled.refused.count, 1);
        if (!strstr(f->pulled.refused.items[0], lies[i].why))
            fail_msg("not because %s: %s", lies[i].why, f->pulled.refused.items[0]);
    }
}

/* The lines' checksum is the file's name: an index that gives another one finds no file. */
static void test_another_content(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1), *k40 = bundle_file(f, 2);
    nitro_bundle_index *index = read_index(f);
    nitro_bundle *bundle = &index->bundles[1];
    bundle->bytes = index->bundles[2].bytes;
    bundle->content_bytes = index->bundles[2].content_bytes;
    memcpy(bundle->sha256, index->bundles[2].sha256, sizeof(bundle->sha256));
    write_index(f, index);
    unlink(k20);
    assert_int_equal(link(k40, k20), 0);
    assert_k20_refused(f, NULL, "of another computation or device");
    free(k20);
    free(k40);
}

static void test_a_bomb(void **state)
{
    fixture *f = *state;
    char *command = NULL, *k20;
    fill(f);
    publish(f);
    k20 = bundle_file(f, 1);
    command = nitro_asprintf(f->context, "head -c 300000000 /dev/zero | zstd -q -f -o %s", k20);
    if (system(command) != 0) {
        print_message("SKIPPED: no zstd program here to make a bomb with\n");
        free(command);
        free(k20);
        skip();
    }
    nitro_bundle_index *index = read_index(f);
    assert_ok(f->context, nitro_bundle_hash_file(f->context, k20, index->bundles[1].sha256,
                                                 &index->bundles[1].bytes));
    write_index(f, index);
    assert_k20_refused(f, NULL, "than");
    index = read_index(f);
    index->bundles[1].content_bytes = 300000000;
    write_index(f, index);
    assert_k20_refused(f, NULL, "a line is longer than the limit");
    free(command);
    free(k20);
}

static void test_bad_indexes(void **state)
{
    static const char sha[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const struct {
        const char *bundle, *why;
        nitro_status status;
    } bad[] = {
        {"7", "bundles[0].device", NITRO_ERR_FORMAT},
        {"{\"device\": \"../x\"}", "bundles[0].device", NITRO_ERR_FORMAT},
        {"{\"device\": \"d\", \"computation\": 1}", "bundles[0].computation", NITRO_ERR_FORMAT},
        {"{\"device\": \"d\", \"computation\": null, \"samples\": -1}", "bundles[0].samples",
         NITRO_ERR_FORMAT},
        {"{\"device\": \"d\", \"computation\": null, \"samples\": 0, \"profiles\": 0, \"bytes\": "
         "9223372036854775807}",
         "bundles[0].bytes", NITRO_ERR_FORMAT},
        {"{\"device\": \"d\", \"computation\": null, \"samples\": 0, \"profiles\": 0, \"bytes\": "
         "1, \"sha256\": "
         "\"../../../../../../../../../../../../../../../../../../../../../etc\"}",
         "bundles[0].sha256", NITRO_ERR_FORMAT},
    };
    fixture *f = *state;
    char text[1024];
    nitro_bundle_index *index = NULL;
    if (nitro_store_publish(f->store, &(nitro_publish_options){.folder = f->published}, NULL) ==
        NITRO_ERR_NOT_BUILT)
        skip();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text),
                 "{\"format\": \"nitro-bundles\", \"version\": 1, \"bundles\": [%s]}",
                 bad[i].bundle);
        assert_fails(f->context,
                     nitro_bundle_index_parse(f->context, "x", text, strlen(text), &index),
                     bad[i].status, bad[i].why);
    }
    snprintf(text, sizeof(text), "{\"format\": \"nitro-bundles\", \"version\": 2}");
    assert_fails(f->context, nitro_bundle_index_parse(f->context, "x", text, strlen(text), &index),
                 NITRO_ERR_NEWER, "use a newer one");
    assert_fails(f->context, nitro_bundle_index_parse(f->context, "x", sha, 64, &index),
                 NITRO_ERR_FORMAT, "x:1");
    temporary_write(&f->folder, "www/pub/index.json", "[]");
    assert_fails(f->context, pull(f, NULL), NITRO_ERR_FORMAT, "not an index");
    snprintf(f->url, sizeof(f->url), "%s/nowhere", f->folder.folder);
    assert_fails(f->context, pull(f, NULL), NITRO_ERR_NOT_FOUND, "nowhere");
}

/* Names that a store has in another order: nothing of that computation comes in. */
static void test_other_names_than_the_store_has(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = NULL;
    fill(f);
    publish(f);
    assert_ok(f->context, nitro_schema_create(f->context, "spmv", &schema));
    assert_ok(f->context, nitro_schema_add_feature(f->context, schema, "rows", "1", 0));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "other"));
    assert_ok(f->context, nitro_store_put_schema(f->target, schema));
    nitro_schema_free(schema);
    assert_int_equal(pull(f, NULL), NITRO_ERR_MISMATCH);
}

/* ---- Signed ---------------------------------------------------------------------------------- */

typedef struct key_pair {
    nitro_signing_key *key;
    nitro_trusted_keys *trusted;
} key_pair;

static key_pair make_keys(fixture *f, const char *name)
{
    key_pair made = {0};
    char public_path[256];
    const char *path = temporary_path(&f->folder, name);
    snprintf(public_path, sizeof(public_path), "%s.pub", path);
    assert_ok(f->context, nitro_signing_key_create(f->context, path, name));
    assert_ok(f->context, nitro_signing_key_read(f->context, path, &made.key));
    assert_ok(f->context, nitro_trusted_keys_read(f->context, public_path, &made.trusted));
    return made;
}

static void free_keys(key_pair *keys)
{
    nitro_signing_key_free(keys->key);
    nitro_trusted_keys_free(keys->trusted);
}

static void test_signatures(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    key_pair ours = make_keys(f, "ours"), theirs = make_keys(f, "theirs");
    assert_ok(f->context, pull(f, ours.trusted));
    assert_int_equal(f->pulled.refused.count, 3); /* not signed */
    assert_non_null(strstr(f->pulled.refused.items[0], "not signed"));
    publish_to(f, f->store, f->published, ours.key);
    assert_ok(f->context, pull(f, theirs.trusted));
    assert_int_equal(f->pulled.refused.count, 3);
    nitro_bundle_index *index = read_index(f); /* K40's signature under K20's content */
    free(index->bundles[1].signatures.items[0]);
    index->bundles[1].signatures.items[0] = strdup(index->bundles[2].signatures.items[0]);
    write_index(f, index);
    assert_k20_refused(f, ours.trusted, "signature");
    publish_to(f, f->store, f->published, ours.key);
    assert_ok(f->context, pull(f, ours.trusted));
    assert_int_equal(f->pulled.refused.count, 0);
    free_keys(&ours);
    free_keys(&theirs);
}

/* ---- Over HTTP ------------------------------------------------------------------------------- */

static void serve(fixture *f, const char *mode)
{
    if (!f->server.process)
        f->server = http_start(&f->folder, NULL, NULL);
    snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%u/%s/pub", f->server.port, mode);
}

static void test_over_http(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    serve(f, "ok");
    nitro_status status = pull(f, NULL);
    if (status == NITRO_ERR_NOT_BUILT) {
        print_message("SKIPPED: this build has no libcurl\n");
        skip();
    }
    assert_ok(f->context, status);
    assert_int_equal(f->pulled.copied.samples, 240);
    assert_same_samples(f, f->store, f->target, "K20");
    assert_ok(f->context, pull(f, NULL)); /* from the cache, but for the index */
    assert_int_equal(http_requests(&f->server, "/bundles/"), 3);
    assert_int_equal(http_requests(&f->server, "/index.json - - \""), 1);
}

/* Whatever is garbled on the way is refused, and a later download is not spoilt by it. */
static void test_garbled_on_the_way(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    serve(f, "ok");
    if (pull(f, NULL) == NITRO_ERR_NOT_BUILT)
        skip();
    char command[256];
    snprintf(command, sizeof(command), "rm -r %s/cache/nitro/*/bundles/*", f->folder.folder);
    assert_int_equal(system(command), 0);
    serve(f, "cutonce"); /* another address: a cache of its own */
    nitro_store *before = f->target;
    f->target = temporary_store(f->context, &f->folder, "second");
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.copied.samples, 240);
    nitro_store_close(before);
    serve(f, "garble");
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.refused.count, 3);
    assert_non_null(strstr(f->pulled.refused.items[2], "spmv on K40 refused"));
}

/* A bundle that the server has no more is named; one that it cuts off ends the pull. */
static void test_missing_on_the_server(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    unlink(k20);
    free(k20);
    serve(f, "ok");
    if (pull(f, NULL) == NITRO_ERR_NOT_BUILT)
        skip();
    assert_k20_refused(f, NULL, "answers 404");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_published_comes_back),
        TEST(test_profiles_come_along),
        TEST(test_a_folder_is_a_store),
        TEST(test_the_same_content_gives_the_same_bytes),
        TEST(test_only_what_changed_is_new),
        TEST(test_publishing_mends),
        TEST(test_a_wrong_byte),
        TEST(test_a_file_that_is_cut_or_gone),
        TEST(test_an_index_that_lies),
        TEST(test_another_content),
        TEST(test_a_bomb),
        TEST(test_bad_indexes),
        TEST(test_other_names_than_the_store_has),
        TEST(test_signatures),
        TEST(test_over_http),
        TEST(test_garbled_on_the_way),
        TEST(test_missing_on_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
