/* test_bundles_tampered.c - tampered bundles are refused with the reason, and the others are used.
 */
#include "unit/store/bundle_fixture.h"

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

static void test_a_truncated_or_missing_file(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    assert_int_equal(truncate(k20, 100), 0);
    assert_k20_refused(f, NULL, "has 100 bytes, but");
    unlink(k20);
    assert_k20_refused(f, NULL, "cannot open");
    free(k20);
}

/* An index with the right hash of a file, but wrong statements on its content. */
static void test_a_wrong_index(void **state)
{
    static const struct {
        size_t samples, less_content;
        const char *device, *why;
    } lies[] = {{1, 0, NULL, "number of samples or profiles differs"},
                {0, 1, NULL, "unpacks to more bytes"},
                {0, 0, "K21", "computation or device differs"}};
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

/* The file of another bundle under this bundle's name. */
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
    assert_k20_refused(f, NULL, "computation or device differs");
    free(k20);
    free(k40);
}

/* What a shell command prints becomes K20's bundle, and the index has its size and checksum. */
static void replace_k20(fixture *f, const char *lines)
{
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    char *command = nitro_asprintf(f->context, "%s | zstd -q -f -o %s", lines, k20);
    bool replaced = system(command) == 0;
    free(command);
    if (replaced) {
        nitro_bundle_index *index = read_index(f);
        assert_ok(f->context, nitro_bundle_hash_file(f->context, k20, index->bundles[1].sha256,
                                                     &index->bundles[1].bytes));
        write_index(f, index);
    }
    free(k20);
    if (!replaced) {
        print_message("SKIPPED: no zstd program here to make a bundle with\n");
        skip();
    }
}

static void test_a_version_that_never_was(void **state)
{
    fixture *f = *state;
    replace_k20(f, "echo '{\"format\": \"nitro-bundle\", \"version\": 0, \"computation\": "
                   "\"spmv\", \"device\": \"K20\"}'");
    assert_k20_refused(f, NULL, "line 1: version is 0, but must be 1 or more");
}

static void test_a_bomb(void **state)
{
    fixture *f = *state;
    replace_k20(f, "head -c 300000000 /dev/zero");
    assert_k20_refused(f, NULL, "than");
    nitro_bundle_index *index = read_index(f);
    index->bundles[1].content_bytes = 300000000;
    write_index(f, index);
    assert_k20_refused(f, NULL, "a line exceeds the limit");
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
                 NITRO_ERR_NEWER, "reads up to 1: update it");
    static const char *const versions[] = {"0", "-1", "\"1\"", "null"};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        snprintf(text, sizeof(text),
                 "{\"format\": \"nitro-bundles\", \"version\": %s, \"bundles\": []}", versions[i]);
        assert_fails(f->context,
                     nitro_bundle_index_parse(f->context, "x", text, strlen(text), &index),
                     NITRO_ERR_FORMAT, "x: version: not an integer of at least 1");
    }
    nitro_bundle_index many = {.count = NITRO_BUNDLE_MAX_COUNT + 1};
    char *printed = NULL;
    size_t size = 0;
    many.bundles = calloc(many.count, sizeof(*many.bundles));
    for (size_t i = 0; i < many.count; i++)
        many.bundles[i].device = text;
    assert_fails(f->context, nitro_bundle_index_print(f->context, &many, &printed, &size),
                 NITRO_ERR_FORMAT, "100001 bundles");
    free(many.bundles);
    assert_fails(f->context, nitro_bundle_index_parse(f->context, "x", sha, 64, &index),
                 NITRO_ERR_FORMAT, "x: line 1, column 1: not JSON");
    temporary_write(&f->folder, "www/pub/index.json", "[]");
    assert_fails(f->context, pull(f, NULL), NITRO_ERR_FORMAT, "not an index");
    snprintf(f->url, sizeof(f->url), "%s/nowhere", f->folder.folder);
    assert_fails(f->context, pull(f, NULL), NITRO_ERR_NOT_FOUND, "nowhere");
}

/* The store has the schema in another order: nothing of that computation is added. */
/* Parsed, it would take 50 times its size. */
static void test_a_huge_index(void **state)
{
    fixture *f = *state;
    const size_t size = (size_t)60 << 20;
    char *text = malloc(size + 1);
    assert_non_null(text);
    for (size_t i = 0; i < size; i += 6)
        memcpy(text + i, "{},{},", size - i < 6 ? size - i : 6);
    text[0] = '[';
    text[size] = '\0';
    fill(f);
    publish(f);
    temporary_write(&f->folder, "www/pub/index.json", text);
    assert_fails(f->context, pull(f, NULL), NITRO_ERR_FORMAT, "would take gigabytes of memory");
    free(text);
}

static void test_another_schema_than_the_store_has(void **state)
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

static nitro_status count_sample(void *user, const nitro_sample *sample)
{
    (void)sample;
    ++*(size_t *)user;
    return NITRO_OK;
}

static void replace_file(const char *path, const char *with)
{
    unlink(path);
    assert_int_equal(symlink(with, path), 0);
}

/* The owner of a local folder changes a bundle after it was checked: what was checked is used. */
static void test_a_swapped_file(void **state)
{
    fixture *f = *state;
    nitro_store *opened = NULL;
    size_t count = 0;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1), *k40 = bundle_file(f, 2);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_READ, &opened));
    nitro_device *device = NULL;
    assert_ok(f->context, nitro_store_get_device(opened, "K20", &device));
    replace_file(k20, k40);
    assert_ok(f->context, nitro_store_each_sample(opened, "spmv", "K20", count_sample, &count));
    assert_int_equal(count, 120);
    nitro_device_free(device);
    nitro_store_close(opened);
    free(k20);
    free(k40);
}

static void test_a_pipe(void **state)
{
    fixture *f = *state;
    fill(f);
    publish(f);
    char *k20 = bundle_file(f, 1);
    unlink(k20);
    assert_int_equal(mkfifo(k20, 0600), 0);
    assert_k20_refused(f, NULL, "not a regular file");
    free(k20);
}

/* Someone guesses the name of a bundle that is being written, and links it to another's file. */
static void test_a_link_in_place_of_the_draft(void **state)
{
    fixture *f = *state;
    fill(f);
    const char *victim = temporary_write(&f->folder, "victim", "precious");
    mkdir(f->published, 0777);
    mkdir(temporary_path(&f->folder, "www/pub/bundles"), 0777);
    assert_int_equal(symlink(victim, temporary_path(&f->folder, "www/pub/bundles/draft")), 0);
    publish(f);
    struct stat file;
    assert_int_equal(stat(victim, &file), 0);
    assert_int_equal(file.st_size, 8);
    assert_int_equal(f->report.bundles, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_wrong_byte),  TEST(test_a_truncated_or_missing_file),
        TEST(test_a_wrong_index), TEST(test_another_content),
        TEST(test_a_bomb),        TEST(test_a_swapped_file),
        TEST(test_a_pipe),        TEST(test_a_link_in_place_of_the_draft),
        TEST(test_bad_indexes),   TEST(test_another_schema_than_the_store_has),
        TEST(test_a_huge_index),  TEST(test_a_version_that_never_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
