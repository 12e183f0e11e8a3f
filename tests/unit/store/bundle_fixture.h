/* bundle_fixture.h - a store to publish, a published folder, and a store to pull into. */
#ifndef NITRO_TESTS_UNIT_STORE_BUNDLE_FIXTURE_H
#define NITRO_TESTS_UNIT_STORE_BUNDLE_FIXTURE_H

#include "store/bundle/bundle.h"
#include "unit/store/http_fixture.h"
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

static inline int setup(void **state)
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

static inline int teardown(void **state)
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
static inline void fill(fixture *f)
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

static inline void publish_to(fixture *f, nitro_store *store, const char *folder,
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

static inline void publish(fixture *f)
{
    publish_to(f, f->store, f->published, NULL);
}

static inline nitro_status pull(fixture *f, const nitro_trusted_keys *keys)
{
    nitro_pull_report_free(&f->pulled);
    return nitro_store_pull(f->context, nitro_store_url(f->target),
                            &(nitro_pull_options){.url = f->url, .keys = keys}, &f->pulled);
}

static inline size_t count_in(fixture *f, nitro_store *store, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(store, "spmv", device, &count));
    return count;
}

static inline nitro_bundle_index *read_index(fixture *f)
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

static inline void write_index(fixture *f, nitro_bundle_index *index)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_bundle_index_print(f->context, index, &text, &size));
    temporary_write(&f->folder, "www/pub/index.json", text);
    free(text);
    nitro_bundle_index_free(index);
}

/* Path of the file of a bundle, by its place in the index: spare, K20, K40. */
static inline char *bundle_file(fixture *f, size_t number)
{
    nitro_bundle_index *index = read_index(f);
    char *path = nitro_bundle_path(f->context, f->published, &index->bundles[number]);
    nitro_bundle_index_free(index);
    return path;
}

/* K20's bundle is refused for this reason, and the others are used. */
static inline void assert_k20_refused(fixture *f, const nitro_trusted_keys *keys, const char *why)
{
    assert_ok(f->context, pull(f, keys));
    assert_int_equal(f->pulled.refused.count, 1);
    if (!strstr(f->pulled.refused.items[0], "bundle of spmv on K20 refused") ||
        !strstr(f->pulled.refused.items[0], why))
        fail_msg("not refused because %s: %s", why, f->pulled.refused.items[0]);
    assert_int_equal(count_in(f, f->target, "K20"), 0);
    assert_int_equal(count_in(f, f->target, "K40"), 120);
}

typedef struct collected {
    size_t count;
    uint64_t checksum;
} collected;

static inline nitro_status collect(void *user, const nitro_sample *sample)
{
    collected *all = user;
    nitro_record_bytes record = {0};
    nitro_context *context = unit_context();
    assert_ok(context, nitro_record_encode_sample(context, NITRO_RECORD_COMPACT, "spmv", "any",
                                                  sample, &record));
    all->checksum = nitro_hash(record.bytes, record.size, all->checksum);
    nitro_record_bytes_free(&record);
    nitro_context_free(context);
    all->count++;
    return NITRO_OK;
}

static inline void assert_same_samples(fixture *f, nitro_store *a, nitro_store *b,
                                       const char *device)
{
    collected in_a = {0}, in_b = {0};
    assert_ok(f->context, nitro_store_each_sample(a, "spmv", device, collect, &in_a));
    assert_ok(f->context, nitro_store_each_sample(b, "spmv", device, collect, &in_b));
    assert_true(in_a.count >= 120);
    assert_int_equal(in_a.count, in_b.count);
    assert_true(in_a.checksum == in_b.checksum);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
