/* test_bundles.c - published bundles: publishing and pulling, reproducible bytes, signatures, HTTP.
 */
#include "unit/certificates.h"
#include "unit/store/bundle_fixture.h"

static size_t count_profiles(fixture *f, nitro_store *store, const char *device,
                             const char *computation)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_profiles(store, device, computation, &count));
    return count;
}

static void test_publish_and_pull(void **state)
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
    nitro_record_bytes record = {0};
    nitro_context *context = unit_context();
    assert_ok(context,
              nitro_record_encode_profile(context, NITRO_RECORD_COMPACT, device, profile, &record));
    sum->checksum = nitro_hash(record.bytes, record.size, sum->checksum);
    nitro_record_bytes_free(&record);
    nitro_context_free(context);
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

/* Profiles of variants are in the bundle of their samples, those of proxies in the device's. */
static void test_profiles(void **state)
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
                 NITRO_ERR_ARGUMENT, "are read-only");
}

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
    assert_int_equal(access(k40, F_OK), 0); /* for readers of the previous index */
    publish(f);
    assert_int_equal(f->report.unchanged, 3);
    assert_int_equal(f->report.removed, 1);
    assert_int_equal(access(k40, F_OK), -1);
    free(k20);
    free(k40);
}

/* A damaged bundle is written again, and other files are kept. */
static void test_publishing_repairs(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    char *k40 = bundle_file(f, 2);
    assert_int_equal(truncate(k20, 10), 0);
    assert_int_equal(unlink(k40), 0);
    assert_int_equal(mkfifo(k40, 0600), 0); /* nobody writes to it */
    temporary_write(&f->folder, "www/pub/bundles/README", "not ours");
    temporary_write(&f->folder, "www/pub/index.json", "{");
    publish(f);
    assert_int_equal(f->report.unchanged, 1);
    assert_int_equal(access(temporary_path(&f->folder, "www/pub/bundles/README"), F_OK), 0);
    assert_ok(f->context, pull(f, NULL));
    assert_int_equal(f->pulled.refused.count, 0);
    free(k20);
    free(k40);
}

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
    assert_ok(f->context, nitro_signing_key_create(f->context, path, name, NULL));
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
    char *k20 = bundle_file(f, 1), *k40 = bundle_file(f, 2);
    char *move = nitro_asprintf(f->context, "cp %s.minisig %s.minisig", k40, k20);
    assert_int_equal(system(move), 0);
    assert_k20_refused(f, ours.trusted, "signature");
    publish_to(f, f->store, f->published, ours.key);
    publish(f); /* without a key, signatures of unchanged bundles stay */
    assert_ok(f->context, pull(f, ours.trusted));
    assert_int_equal(f->pulled.refused.count, 0);
    free(k20);
    free(k40);
    free(move);
    free_keys(&ours);
    free_keys(&theirs);
}

static char *signer_of(fixture *f, nitro_store *store, const char *device)
{
    nitro_device *found = NULL;
    assert_ok(f->context, nitro_store_get_device(store, device, &found));
    const char *label = nitro_device_label(found, NITRO_LABEL_SIGNED_BY);
    char *signer = label ? strdup(label) : NULL;
    nitro_device_free(found);
    return signer;
}

/* Nobody can claim to be a signer in a bundle. */
static void test_devices_name_their_signer(void **state)
{
    fixture *f = *state;
    nitro_device *forged = NULL;
    nitro_store *from = NULL;
    fill(f);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &forged));
    assert_ok(f->context, nitro_device_set_label(f->context, forged, NITRO_LABEL_SIGNED_BY, "lab"));
    assert_ok(f->context, nitro_store_put_device(f->store, forged));
    nitro_device_free(forged);
    publish(f);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &from));
    assert_null(signer_of(f, from, "K20"));
    nitro_store_close(from);
    key_pair ours = make_keys(f, "ours");
    publish_to(f, f->store, f->published, ours.key);
    assert_ok(f->context, pull(f, ours.trusted));
    char *signer = signer_of(f, f->target, "K20");
    assert_string_equal(signer, "ours");
    free(signer);
    nitro_device *again = records_device(f->context, "K20"); /* as a tune describes it */
    assert_ok(f->context, nitro_store_update_device(f->target, again));
    nitro_device_free(again);
    signer = signer_of(f, f->target, "K20");
    assert_non_null(signer);
    assert_string_equal(signer, "ours");
    free(signer);
    free_keys(&ours);
}

/* A trusted key is no licence to add to another's devices. */
static void test_one_signer_a_device(void **state)
{
    fixture *f = *state;
    char both[256], other_folder[128];
    fill(f);
    key_pair ours = make_keys(f, "ours"), theirs = make_keys(f, "theirs");
    nitro_trusted_keys *trusted = NULL;
    snprintf(both, sizeof(both), "cd %s && cat ours.pub theirs.pub >both", f->folder.folder);
    assert_int_equal(system(both), 0);
    assert_ok(f->context,
              nitro_trusted_keys_read(f->context, temporary_path(&f->folder, "both"), &trusted));
    publish_to(f, f->store, f->published, ours.key);
    assert_ok(f->context, pull(f, trusted));
    nitro_store *second = temporary_store(f->context, &f->folder, "second");
    records_put_names(second, "spmv", "K20");
    records_put_names(second, "spmv", "K80");
    assert_ok(f->context, records_put_samples(second, "spmv", "K20", 500, 10, false));
    assert_ok(f->context, records_put_samples(second, "spmv", "K80", 500, 10, false));
    snprintf(other_folder, sizeof(other_folder), "%.100s/www/other", f->folder.folder);
    publish_to(f, second, other_folder, theirs.key);
    snprintf(f->url, sizeof(f->url), "file:%s", other_folder);
    assert_ok(f->context, pull(f, trusted));
    assert_int_equal(f->pulled.refused.count, 1);
    assert_non_null(
        strstr(f->pulled.refused.items[0],
               "spmv on K20 refused: the store has samples of the device signed by ours; these "
               "are signed by theirs"));
    assert_int_equal(f->pulled.bundles, 1);
    assert_int_equal(count_in(f, f->target, "K20"), 120);
    assert_int_equal(count_in(f, f->target, "K80"), 10);
    nitro_store_close(second);
    nitro_trusted_keys_free(trusted);
    free_keys(&ours);
    free_keys(&theirs);
}

static void test_minisign_verifies_bundles(void **state)
{
    fixture *f = *state;
    if (system("command -v minisign >/dev/null") != 0) {
        print_message("SKIPPED: minisign is not installed (Debian package minisign)\n");
        skip();
    }
    fill(f);
    key_pair ours = make_keys(f, "ours");
    publish_to(f, f->store, f->published, ours.key);
    char *k20 = bundle_file(f, 1);
    char *verify = nitro_asprintf(f->context, "minisign -V -Q -H -p %s/ours.pub -m %s >%s/out",
                                  f->folder.folder, k20, f->folder.folder);
    assert_int_equal(system(verify), 0);
    char *comment = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_file_read(f->context, temporary_path(&f->folder, "out"), 1 << 12,
                                          &comment, &size));
    assert_non_null(strstr(comment, "nitro-bundle:1 computation:spmv device:K20 content-sha256:"));
    free(comment);
    free(verify);
    free(k20);
    free_keys(&ours);
}

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
    assert_ok(f->context, pull(f, NULL)); /* from the cache, except the index */
    assert_int_equal(http_requests(&f->server, "/bundles/"), 3);
    assert_int_equal(http_requests(&f->server, "/index.json - - \""), 1);
}

static void test_signed_over_http(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    serve(f, "ok");
    key_pair ours = make_keys(f, "ours");
    nitro_status status = pull(f, ours.trusted);
    if (status == NITRO_ERR_NOT_BUILT)
        skip();
    assert_ok(f->context, status);
    assert_int_equal(f->pulled.refused.count, 3);
    assert_int_equal(http_requests(&f->server, ".zst -"), 0); /* unsigned: not downloaded */
    publish_to(f, f->store, f->published, ours.key);
    assert_ok(f->context, pull(f, ours.trusted));
    assert_int_equal(f->pulled.refused.count, 0);
    assert_int_equal(f->pulled.copied.samples, 240);
    free_keys(&ours);
}

static void test_over_https(void **state)
{
    fixture *f = *state;
    char files[2][160];
    if (!certificates_possible())
        skip();
    fill(f);
    publish(f);
    certificates_make_authority(&f->folder, "ca");
    certificates_make(&f->folder, "server", 2);
    snprintf(files[0], sizeof(files[0]), "%s/server.pem", f->folder.folder);
    snprintf(files[1], sizeof(files[1]), "%s/server.key", f->folder.folder);
    f->server = http_start(&f->folder, files[0], files[1]);
    snprintf(f->url, sizeof(f->url), "https://localhost:%u/ok/pub", f->server.port);
    nitro_status status = pull(f, NULL);
    if (status == NITRO_ERR_NOT_BUILT)
        skip();
    assert_fails(f->context, status, NITRO_ERR_IO, "is not trusted");
    setenv("NITRO_HTTPS_CA", temporary_path(&f->folder, "ca.pem"), 1);
    assert_ok(f->context, pull(f, NULL));
    unsetenv("NITRO_HTTPS_CA");
    assert_int_equal(f->pulled.copied.samples, 240);
}

/* Garbled downloads are refused, and do not affect later ones. */
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
    serve(f, "cutonce"); /* another URL: another cache */
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

/* A bundle that the server lacks is refused. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_publish_and_pull),
        TEST(test_profiles),
        TEST(test_a_folder_is_a_store),
        TEST(test_the_same_content_gives_the_same_bytes),
        TEST(test_only_what_changed_is_new),
        TEST(test_publishing_repairs),
        TEST(test_signatures),
        TEST(test_devices_name_their_signer),
        TEST(test_one_signer_a_device),
        TEST(test_minisign_verifies_bundles),
        TEST(test_over_http),
        TEST(test_signed_over_http),
        TEST(test_over_https),
        TEST(test_garbled_on_the_way),
        TEST(test_missing_on_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
