/* Encodings of records: they decode to the same record, and altered ones are refused. */
#include <fenv.h>

#include "unit/store_records.h"

typedef struct fixture {
    nitro_context *context;
    nitro_schema *schema;
    nitro_sample *sample;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->schema = records_schema(f->context, "spmv");
    f->sample = records_sample(f->context, "a \"quoted\" \xc3\xa9");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_sample_free(f->sample);
    nitro_schema_free(f->schema);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static const nitro_record_form forms[] = {NITRO_RECORD_COMPACT, NITRO_RECORD_JSON};

static void assert_same_bytes(nitro_record_bytes *a, nitro_record_bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
    nitro_record_bytes_free(a);
    nitro_record_bytes_free(b);
}

static void test_a_schema_comes_back(void **state)
{
    fixture *f = *state;
    const nitro_relative_feature relative = {.name = "rows_per_core",
                                             .unit = "rows",
                                             .scale = NITRO_SCALE_LOG,
                                             .formula = "rows / device.cuda_cores",
                                             .replaces = "rows"};
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->schema, &relative));
    for (int i = 0; i < 2; i++) {
        nitro_record_bytes text = {0}, again = {0};
        nitro_schema *read = NULL;
        assert_ok(f->context, nitro_record_encode_schema(f->context, forms[i], f->schema, &text));
        assert_ok(f->context, nitro_record_decode_schema(f->context, "test", "spmv", text.bytes,
                                                         text.size, &read));
        assert_int_equal(read->default_variant, 1);
        assert_int_equal(read->num_relative, 1);
        assert_ok(f->context, nitro_record_encode_schema(f->context, forms[i], read, &again));
        nitro_schema_free(read);
        assert_fails(
            f->context,
            nitro_record_decode_schema(f->context, "test", "sort", text.bytes, text.size, &read),
            NITRO_ERR_FORMAT, "test: schema 'sort' is damaged or was altered");
        assert_same_bytes(&text, &again);
    }
}

static void test_a_device_comes_back(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    assert_ok(f->context, nitro_device_set(f->context, device, "tiny", 4.9406564584124654e-324,
                                           NITRO_VALUE_QUERY, 0));
    for (int i = 0; i < 2; i++) {
        nitro_record_bytes text = {0}, again = {0};
        assert_ok(f->context, nitro_record_encode_device(f->context, forms[i], device, &text));
        assert_ok(f->context, nitro_record_decode_device(f->context, "test", "K20", text.bytes,
                                                         text.size, &read));
        assert_true(nitro_device_value(read, "tiny") == 4.9406564584124654e-324);
        assert_ok(f->context, nitro_record_encode_device(f->context, forms[i], read, &again));
        nitro_device_free(read);
        assert_same_bytes(&text, &again);
    }
    nitro_device_free(device);
}

/* Every provenance field is set, so that a missing one in a list is found. */
static void fill_provenance(nitro_provenance *made)
{
    made->library = strdup("1.2");
    made->compiler = strdup("GCC");
    made->host = strdup("");
    made->driver = strdup("550");
    made->toolkit = strdup("12.4");
    made->device_digest = strdup("0123456789abcdef");
    made->device_state = strdup("1980 MHz; then 1755 MHz");
    made->cache = strdup("cold");
}

static void assert_same_provenance(const nitro_provenance *a, const nitro_provenance *b)
{
    assert_int_equal(a->time_s, b->time_s);
    assert_string_equal(a->origin, b->origin);
    assert_string_equal(a->library, b->library);
    assert_string_equal(a->compiler, b->compiler);
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->driver, b->driver);
    assert_string_equal(a->toolkit, b->toolkit);
    assert_string_equal(a->device_digest, b->device_digest);
    assert_string_equal(a->device_state, b->device_state);
    assert_string_equal(a->cache, b->cache);
}

static void test_a_sample_comes_back(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 4; i++) { /* with little provenance, then with all of it */
        nitro_record_bytes text = {0};
        nitro_sample *read = NULL;
        if (i == 2)
            fill_provenance(&f->sample->provenance);
        f->sample->features[0] = i % 2 ? -0.0 : 0.1;
        assert_ok(f->context, nitro_record_encode_sample(f->context, forms[i % 2], "spmv", "K20",
                                                         f->sample, &text));
        assert_ok(f->context,
                  nitro_record_decode_sample(f->context, "test", f->schema, "K20", f->sample->input,
                                             text.bytes, text.size, &read));
        assert_memory_equal(read->features, f->sample->features, sizeof(double));
        assert_true(records_same_entry(&read->entries[0], &f->sample->entries[0]));
        assert_true(records_same_entry(&read->entries[1], &f->sample->entries[1]));
        if (i >= 2)
            assert_same_provenance(&read->provenance, &f->sample->provenance);
        nitro_sample_free(read);
        assert_fails(f->context,
                     nitro_record_decode_sample(f->context, "test", f->schema, "K40",
                                                f->sample->input, text.bytes, text.size, &read),
                     NITRO_ERR_FORMAT, "is damaged or was altered");
        assert_fails(f->context,
                     nitro_record_decode_sample(f->context, "test", f->schema, "K20", "other",
                                                text.bytes, text.size, &read),
                     NITRO_ERR_FORMAT, "'spmv on K20: other' is damaged or was altered");
        nitro_record_bytes_free(&text);
    }
}

static void test_a_profile_comes_back(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 4; i++) {
        nitro_record_bytes text = {0}, again = {0};
        nitro_profile *read = NULL;
        nitro_profile *profile = records_profile(f->context, i < 2 ? "input" : NULL, 2.5, "k");
        nitro_schema *schema = i < 2 ? f->schema : NULL;
        char *key = nitro_store_profile_key(f->context, profile);
        fill_provenance(&profile->provenance);
        assert_ok(f->context,
                  nitro_record_encode_profile(f->context, forms[i % 2], "K20", profile, &text));
        assert_ok(f->context, nitro_record_decode_profile(f->context, "test", schema, "K20", key,
                                                          text.bytes, text.size, &read));
        assert_same_provenance(&read->provenance, &profile->provenance);
        assert_ok(f->context,
                  nitro_record_encode_profile(f->context, forms[i % 2], "K20", read, &again));
        nitro_profile_free(read);
        assert_fails(f->context,
                     nitro_record_decode_profile(f->context, "test", schema, "K20", "csr\x1fx",
                                                 text.bytes, text.size, &read),
                     NITRO_ERR_FORMAT, "on K20: csr x' is damaged or was altered");
        assert_same_bytes(&text, &again);
        free(key);
        nitro_profile_free(profile);
    }
}

/* Models and bundles keep it, so it must not change with the way in which stores pack samples. */
static void test_the_checksum_of_a_sample_stays(void **state)
{
    fixture *f = *state;
    nitro_record_bytes json = {0};
    char hex[40];
    uint64_t checksum = 0;
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, forms[1], "spmv", "K20", f->sample, &json));
    assert_ok(f->context,
              nitro_record_sample_checksum(f->context, "spmv", "K20", f->sample, &checksum));
    assert_int_equal(checksum, 0x4160BBA7E5988E23);
    snprintf(hex, sizeof(hex), "\"checksum\":\"%016llx\"", (unsigned long long)checksum);
    assert_non_null(strstr(json.bytes, hex));
    nitro_record_bytes_free(&json);
}

static nitro_status decode(fixture *f, const char *bytes, size_t size)
{
    nitro_sample *read = NULL;
    nitro_status status = nitro_record_decode_sample(f->context, "lab.bundle:7", f->schema, "K20",
                                                     f->sample->input, bytes, size, &read);
    if (status == NITRO_OK)
        nitro_sample_free(read);
    return status;
}

/* Stores hold these bytes: numbers of 0 to 14 decimals, of which 13 are packed. */
static void test_the_bytes_of_a_sample_stay(void **state)
{
    fixture *f = *state;
    uint64_t hash = 0;
    for (int decimals = 0; decimals < 15; decimals++) {
        char number[16];
        nitro_record_bytes bytes = {0};
        snprintf(number, sizeof(number), "7e-%d", decimals);
        f->sample->features[0] = strtod(number, NULL);
        f->sample->features[1] = -f->sample->features[0];
        assert_ok(f->context, nitro_record_encode_sample(f->context, NITRO_RECORD_COMPACT, "spmv",
                                                         "K20", f->sample, &bytes));
        hash = nitro_hash(bytes.bytes, bytes.size, hash);
        nitro_record_bytes_free(&bytes);
    }
    assert_int_equal(hash, 0xEF1991DC6ECE53BC);
}

static void test_every_altered_byte_is_found(void **state)
{
    fixture *f = *state;
    nitro_record_bytes text = {0};
    fill_provenance(&f->sample->provenance);
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, forms[0], "spmv", "K20", f->sample, &text));
    for (size_t i = 0; i < text.size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text.bytes[i] = (char)(text.bytes[i] ^ (1 << bit));
            nitro_status status = decode(f, text.bytes, text.size);
            assert_true(status == NITRO_ERR_FORMAT || (status == NITRO_ERR_NEWER && i == 1));
            text.bytes[i] = (char)(text.bytes[i] ^ (1 << bit));
        }
        assert_int_equal(decode(f, text.bytes, i), NITRO_ERR_FORMAT);
    }
    assert_ok(f->context, decode(f, text.bytes, text.size));
    nitro_record_bytes_free(&text);
}

static const double packed_numbers[] = {0,
                                        1,
                                        -1,
                                        0.1,
                                        -0.25,
                                        7e14,
                                        999999999999999,
                                        1e15,
                                        123456.7,
                                        1.7e-12,
                                        1e-13,
                                        1e-14,
                                        1e300,
                                        5e-324,
                                        0.1 + 0.2,
                                        1.0 / 3,
                                        -0.0,
                                        0.0123456789012345,
                                        99.99999999999999,
                                        1e22,
                                        4503599627370497.5};

/* Numbers come back bit for bit, in any rounding mode, and always as the same bytes. */
static void test_packed_numbers_are_exact(void **state)
{
    fixture *f = *state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof(packed_numbers) / sizeof(packed_numbers[0]); i++) {
        nitro_record_bytes first = {0};
        for (size_t m = 0; m < 3; m++) {
            nitro_record_bytes text = {0};
            nitro_sample *read = NULL;
            f->sample->features[0] = packed_numbers[i];
            fesetround(modes[m]);
            nitro_status written =
                nitro_record_encode_sample(f->context, forms[0], "spmv", "K20", f->sample, &text);
            nitro_status status =
                nitro_record_decode_sample(f->context, "test", f->schema, "K20", f->sample->input,
                                           text.bytes, text.size, &read);
            fesetround(FE_TONEAREST);
            assert_ok(f->context, written);
            assert_ok(f->context, status);
            assert_memory_equal(read->features, &packed_numbers[i], sizeof(double));
            nitro_sample_free(read);
            if (m == 0)
                assert_ok(f->context,
                          nitro_record_bytes_append(f->context, &first, text.bytes, text.size));
            assert_int_equal(text.size, first.size);
            assert_memory_equal(text.bytes, first.bytes, first.size);
            nitro_record_bytes_free(&text);
        }
        nitro_record_bytes_free(&first);
    }
}

/* A compact sample is a head of two bytes, the size of the shared part (here one byte), that part,
 * and its own part: the checksum and the numbers. */
static size_t own_part(const char *record)
{
    return 3 + (size_t)(unsigned char)record[2];
}

/* Set the checksum that belongs to the payload, as whoever forges a record would. */
static void forge(const fixture *f, char *record, size_t size)
{
    size_t own = own_part(record), payload = own + NITRO_SAMPLE_CHECKSUM_BYTES;
    uint64_t hash = nitro_hash("spmv", 5, 0);
    hash = nitro_hash("K20", 4, hash);
    hash = nitro_hash(f->sample->input, strlen(f->sample->input) + 1, hash);
    hash = nitro_hash(record + 3, own - 3, hash);
    hash = nitro_hash(record + payload, size - payload, hash);
    for (size_t i = 0; i < NITRO_SAMPLE_CHECKSUM_BYTES; i++)
        record[own + i] = (char)(hash >> (8 * i));
}

/* Replace `count` bytes of the sample's record at `at` and expect this; `why` NULL: it is read. */
static void assert_forged(fixture *f, const nitro_record_bytes *text, size_t at, size_t count,
                          const char *bytes, size_t size, const char *why)
{
    nitro_sample *read = NULL;
    char forged[512] = {0};
    size_t total = text->size + size - count;
    memcpy(forged, text->bytes, at);
    memcpy(forged + at, bytes, size);
    memcpy(forged + at + size, text->bytes + at + count, text->size - at - count);
    if (at < own_part(text->bytes))
        forged[2] = (char)(forged[2] + (int)size - (int)count);
    forge(f, forged, total);
    nitro_status status = nitro_record_decode_sample(f->context, "test", f->schema, "K20",
                                                     f->sample->input, forged, total, &read);
    if (why)
        assert_fails(f->context, status, NITRO_ERR_FORMAT, why);
    else
        assert_ok(f->context, status);
    nitro_sample_free(read);
}

/* The first number is that of the first feature. */
static void assert_number_refused(fixture *f, const char *number, size_t size, const char *why)
{
    nitro_record_bytes text = {0};
    f->sample->features[0] = 1; /* one byte */
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, forms[0], "spmv", "K20", f->sample, &text));
    size_t at = own_part(text.bytes) + NITRO_SAMPLE_CHECKSUM_BYTES;
    assert_int_equal(text.bytes[at], 16);
    assert_forged(f, &text, at, 1, number, size, why);
    nitro_record_bytes_free(&text);
}

#define REFUSED(number, why) assert_number_refused(f, number, sizeof(number) - 1, why)

/* Every record has one encoding: whoever forges a checksum cannot make a second one. */
static void test_other_encodings_are_refused(void **state)
{
    fixture *f = *state;
    REFUSED("\x10", NULL);                                            /* 1 */
    REFUSED("\x90\x00", "leading zeros");                             /* 1 in two bytes */
    REFUSED("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", "too large"); /* 2^64 */
    REFUSED("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "ends early");
    REFUSED("\xA1\x01", "shortest form");                     /* 10 / 10 */
    REFUSED("\x01", "shortest form");                         /* 0 / 10 */
    REFUSED("\x80\x80\xA0\xE3\xA4\xFD\xB5\x1C", "too large"); /* 10^15 */
    REFUSED("\x0E\x10", NULL);                                /* -1 */
    REFUSED("\x0E\x00", "negative number is zero");
    REFUSED("\x0E\x0E\x10", "shortest form"); /* - -1 */
    REFUSED("\x1E", "shortest form");
    REFUSED("\x2F", "shortest form");
    REFUSED("\x1F", NULL);                                            /* NaN */
    REFUSED("\x0F\x00\x00\x00\x00\x00\x00\xF0\x3F", "shortest form"); /* 1 as a double */
    REFUSED("\x0F\x00\x00\x00\x00\x00\x00\x00\x00", "shortest form");
    REFUSED("\x0F\x00\x00\x00\x00\x00\x00\x00\x80", NULL);            /* -0 */
    REFUSED("\x0F\x00\x00\x00\x00\x00\x00\xF8\x7F", "shortest form"); /* NaN */
    REFUSED("\x0F\x55\x55\x55\x55\x55\x55\xD5\x3F", NULL);            /* 1/3 */
}

/* The shared part: presence of the sample's fields, the number of features, of variants, which of
 * their counts are the same in all (here none), and presence of the first variant's fields. */
static void test_other_structures_are_refused(void **state)
{
    fixture *f = *state;
    nitro_record_bytes text = {0};
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, forms[0], "spmv", "K20", f->sample, &text));
    const size_t features = 4, same = 6;
    assert_int_equal(text.bytes[features], 2);
    assert_int_equal(text.bytes[same], 0);
    assert_forged(f, &text, features, 1, "\x02", 1, NULL);
    assert_forged(f, &text, features, 1, "\x03", 1, "");
    assert_forged(f, &text, features, 1, "\x7F", 1, "too many rows");
    assert_forged(f, &text, same, 1, "\x10", 1, "counts are not in their shortest form");
    assert_forged(f, &text, same, 1, "\x20", 1,
                  "counts are not in their shortest form"); /* a text */
    assert_forged(f, &text, same, 1, "\xFF\x01", 2, "counts are not in their shortest form");
    assert_forged(f, &text, text.size, 0, "\0", 1, "after its last field");
    nitro_record_bytes_free(&text);
}

/* Counts that are the same for all variants are written once. */
static void test_equal_counts_are_written_once(void **state)
{
    fixture *f = *state;
    size_t sizes[2];
    for (uint32_t i = 0; i < 2; i++) {
        nitro_record_bytes own = {0}, shared = {0};
        nitro_sample *read = NULL;
        f->sample->entries[0].count = 20;
        f->sample->entries[1].count = 20 + i;
        f->sample->entries[1].blocks = i; /* 0: unknown */
        assert_ok(f->context, nitro_record_encode_sample_parts(f->context, "spmv", "K20", f->sample,
                                                               &own, &shared));
        assert_ok(f->context, nitro_record_decode_sample_parts(
                                  f->context, "test", f->schema, "K20", f->sample->input, own.bytes,
                                  own.size, shared.bytes, shared.size, &read));
        for (size_t v = 0; v < 2; v++)
            assert_true(records_same_entry(&read->entries[v], &f->sample->entries[v]));
        sizes[i] = own.size;
        nitro_sample_free(read);
        nitro_record_bytes_free(&own);
        nitro_record_bytes_free(&shared);
    }
    assert_int_equal(sizes[1], sizes[0] + 2); /* a count and a number of blocks */
}

/* A sample as the stores of earlier Nitros hold it. */
static void check_earlier_version(const fixture *f, const void *record, size_t size)
{
    nitro_sample *read = NULL;
    assert_ok(f->context, nitro_record_decode_sample(f->context, "test", f->schema, "K20",
                                                     f->sample->input, record, size, &read));
    assert_memory_equal(read->features, f->sample->features, sizeof(double));
    assert_true(records_same_entry(&read->entries[0], &f->sample->entries[0]));
    assert_true(records_same_entry(&read->entries[1], &f->sample->entries[1]));
    nitro_sample_free(read);
}

static void test_samples_of_earlier_versions_are_read(void **state)
{
    check_earlier_version(*state, records_version_5, sizeof(records_version_5));
    check_earlier_version(*state, records_version_6, sizeof(records_version_6));
}

/* The text with `from` replaced once by `to`; static storage. */
static const char *altered(const char *text, const char *from, const char *to)
{
    static char copy[4096];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(copy, sizeof(copy), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}

static void assert_refused(fixture *f, const char *text, nitro_status status, const char *why)
{
    assert_fails(f->context, decode(f, text, strlen(text)), status, why);
    assert_fails(f->context, decode(f, text, strlen(text)), status, "lab.bundle:7: sample 'spmv");
}

static void test_altered_text_is_refused(void **state)
{
    fixture *f = *state;
    nitro_record_bytes json = {0};
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, forms[1], "spmv", "K20", f->sample, &json));
    const char *text = json.bytes;
    assert_refused(f, altered(text, ",15,", ",16,"), NITRO_ERR_FORMAT, "checksum");
    assert_refused(f, altered(text, "\"version\":5", "\"version\":6"), NITRO_ERR_NEWER, "newer");
    assert_refused(f, altered(text, "\"version\":5", "\"version\":1"), NITRO_ERR_FORMAT, "older");
    assert_refused(f, altered(text, "\"measured\"", "\"guessed\""), NITRO_ERR_FORMAT, "'outcome'");
    assert_refused(f, altered(text, "\"entries\":[[", "\"entries\":[[],["), NITRO_ERR_FORMAT,
                   "field 'outcome' is missing");
    assert_refused(f, altered(text, ",\"time_s\"", ",\"mood\":1,\"time_s\""), NITRO_ERR_NEWER,
                   "unknown members");
    assert_refused(f, altered(text, "\"features\"", "\"feature\""), NITRO_ERR_FORMAT, "'features'");
    assert_refused(f, altered(text, "null]", "1e999]"), NITRO_ERR_FORMAT, "overflow");
    assert_refused(f, altered(text, "\"nitro\":\"sample\"", "\"nitro\":\"device\""),
                   NITRO_ERR_FORMAT, "another sort");
    assert_refused(f, "", NITRO_ERR_FORMAT, "damaged");
    assert_refused(f, "[]", NITRO_ERR_FORMAT, "damaged");
    assert_refused(f, "{}", NITRO_ERR_FORMAT, "another sort");
    nitro_record_bytes_free(&json);
}

/* The checksum covers texts to their last character, and the rules hold for what has a right one.
 */
static void test_sound_bytes_of_unsound_records(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    nitro_schema *schema = NULL;
    nitro_sample *sample = NULL;
    f->sample->provenance.driver = strdup("550");
    for (int i = 0; i < 2; i++) {
        nitro_record_bytes bytes = {0};
        device->features[0].spread = -1;
        assert_ok(f->context, nitro_record_encode_device(f->context, forms[i], device, &bytes));
        assert_fails(
            f->context,
            nitro_record_decode_device(f->context, "test", "K20", bytes.bytes, bytes.size, &read),
            NITRO_ERR_FORMAT, "must be finite");
        nitro_record_bytes_free(&bytes);
        for (size_t size = 0; size < 2; size++) {
            assert_int_equal(
                nitro_record_decode_device(f->context, "test", "K20", "{", size, &read),
                NITRO_ERR_FORMAT);
            assert_int_equal(nitro_record_decode_sample(f->context, "test", f->schema, "K20",
                                                        f->sample->input, "{", size, &sample),
                             NITRO_ERR_FORMAT);
        }
    }
    nitro_record_bytes text = {0};
    assert_ok(f->context, nitro_record_encode_sample(f->context, NITRO_RECORD_COMPACT, "spmv",
                                                     "K20", f->sample, &text));
    assert_int_equal(nitro_record_decode_sample(f->context, "test", f->schema, "K21",
                                                f->sample->input, text.bytes, text.size, &sample),
                     NITRO_ERR_FORMAT);
    nitro_record_bytes_free(&text);
    f->schema->default_variant = 2;
    assert_ok(f->context,
              nitro_record_encode_schema(f->context, NITRO_RECORD_COMPACT, f->schema, &text));
    assert_int_equal(
        nitro_record_decode_schema(f->context, "test", "spmv", text.bytes, text.size, &schema),
        NITRO_ERR_FORMAT);
    nitro_record_bytes_free(&text);
    f->schema->default_variant = 1;
    assert_ok(f->context,
              nitro_record_encode_schema(f->context, NITRO_RECORD_COMPACT, f->schema, &text));
    --((char *)text.bytes)[1]; /* of a version that is no longer read */
    assert_fails(
        f->context,
        nitro_record_decode_schema(f->context, "test", "spmv", text.bytes, text.size, &schema),
        NITRO_ERR_FORMAT, "does not start as a record does");
    nitro_record_bytes_free(&text);
    nitro_profile *profile = records_profile(f->context, "input", NAN, "k"), *read_profile = NULL;
    profile->metrics[0].value = INFINITY;
    assert_ok(f->context,
              nitro_record_encode_profile(f->context, NITRO_RECORD_COMPACT, "K20", profile, &text));
    nitro_profile_free(profile);
    assert_fails(f->context,
                 nitro_record_decode_profile(f->context, "test", f->schema, "K20", NULL, text.bytes,
                                             text.size, &read_profile),
                 NITRO_ERR_FORMAT, "no finite value");
    nitro_record_bytes_free(&text);
    assert_ok(f->context, nitro_record_encode_sample(f->context, NITRO_RECORD_JSON, "spmv", "K20",
                                                     f->sample, &text));
    char *line = nitro_asprintf(f->context, "%.*s", (int)text.size, (const char *)text.bytes);
    char *driver = strstr(line, "\"550\"");
    assert_non_null(driver);
    driver[3] = '1';
    assert_fails(f->context,
                 nitro_record_decode_sample(f->context, "test", f->schema, "K20", f->sample->input,
                                            line, strlen(line), &sample),
                 NITRO_ERR_FORMAT, "does not match its checksum");
    free(line);
    nitro_record_bytes_free(&text);
    nitro_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_schema_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_device_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sample_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_packed_numbers_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_encodings_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_structures_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_equal_counts_are_written_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_of_earlier_versions_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_profile_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_checksum_of_a_sample_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_bytes_of_a_sample_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_altered_byte_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(test_altered_text_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sound_bytes_of_unsound_records, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
