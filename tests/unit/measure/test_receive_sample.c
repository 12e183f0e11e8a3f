/* What a worker sends is not trusted: records out of range change nothing or end the input with an
 * error, and texts are made printable, so that the sample can always be stored. */
#include <math.h>

#include "nitro/measure/receive_sample.h"
#include "unit/unit.h"

static nitro_received_sample received;
static char log_text[UNIT_LOG_BYTES];

static int evaluate_nothing(const void *argument, double *values, void *user)
{
    (void)argument, (void)user;
    values[0] = values[1] = 0;
    return 0;
}

static int setup(void **state)
{
    static const nitro_variant variants[] = {{.name = "csr", .run = run_nothing},
                                             {.name = "ell", .run = run_nothing}};
    static const nitro_feature features[] = {{.name = "rows"}, {.name = "fill"}};
    nitro_context *context = unit_context();
    (void)state;
    log_text[0] = '\0';
    nitro_context_set_log(context, NITRO_LOG_DEBUG, unit_keep_log, log_text);
    received = (nitro_received_sample){.context = context, .todo = 3};
    assert_ok(context, nitro_computation_create(context, "spmv", &received.computation));
    for (size_t v = 0; v < 2; v++)
        assert_ok(context, nitro_computation_add_variant(received.computation, &variants[v]));
    assert_ok(context, nitro_computation_add_features(received.computation, features, 2,
                                                      evaluate_nothing, NULL));
    assert_ok(context, nitro_sample_create(context, "input", 2, 2, &received.sample));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    nitro_sample_free(received.sample);
    nitro_computation_free(received.computation);
    nitro_context_free(received.context);
    return 0;
}

static nitro_worker_record entry_of(uint32_t index, nitro_outcome outcome, double median_ms,
                                    const char *text)
{
    nitro_worker_record record = {.kind = NITRO_RECORD_ENTRY, .index = index};
    record.entry.outcome = (uint32_t)outcome;
    record.entry.median_ms = median_ms;
    record.entry.spread = -1;
    record.entry.prepare_ms = INFINITY;
    record.entry.count = 7;
    snprintf(record.text, sizeof record.text, "%s", text);
    return record;
}

static void add(nitro_worker_record record)
{
    nitro_received_sample_add_record(&received, &record);
}

static void test_entries_out_of_range_are_dropped(void **state)
{
    (void)state;
    add(entry_of(2, NITRO_OUTCOME_MEASURED, 1.0, ""));
    add(entry_of(UINT32_MAX, NITRO_OUTCOME_CRASHED, 1.0, "beyond the last variant"));
    add(entry_of(0, NITRO_OUTCOME_MEASURED, 0.0, ""));
    add(entry_of(0, NITRO_OUTCOME_MEASURED, -1.0, ""));
    add(entry_of(0, NITRO_OUTCOME_MEASURED, INFINITY, ""));
    add(entry_of(0, NITRO_OUTCOME_MEASURED, NAN, ""));
    add(entry_of(0, (nitro_outcome)77, 1.0, ""));
    add(entry_of(0, NITRO_OUTCOME_MISSING, 1.0, ""));
    assert_int_equal(received.todo, 3);
    assert_int_equal(received.usable, 0);
    assert_int_equal(received.sample->entries[0].outcome, NITRO_OUTCOME_MISSING);
    assert_string_equal(log_text, "");
}

static void test_numbers_that_make_no_sense_are_unknown(void **state)
{
    (void)state;
    add(entry_of(1, NITRO_OUTCOME_MEASURED, 0.5, ""));
    assert_true(received.sample->entries[1].median_ms == 0.5);
    add(entry_of(1, NITRO_OUTCOME_MEASURED, 2.5, ""));
    const nitro_entry *entry = &received.sample->entries[1];
    assert_true(entry->median_ms == 2.5 && entry->count == 7);
    assert_true(isnan(entry->spread) && isnan(entry->prepare_ms));
    nitro_worker_record without = entry_of(1, NITRO_OUTCOME_MEASURED, 2.5, "");
    without.entry.spread = without.entry.prepare_ms = 0; /* known */
    add(without);
    assert_true(entry->spread == 0 && entry->prepare_ms == 0);
    assert_int_equal(received.todo, 1);
    assert_int_equal(received.usable, 2);
    add(entry_of(1, NITRO_OUTCOME_WRONG_RESULT, 2.5, "row 3")); /* replaces the time */
    assert_true(isnan(entry->median_ms) && entry->count == 0);
    assert_int_equal(received.usable, 0);
    add(entry_of(1, NITRO_OUTCOME_NOT_CONVERGED, -2.5, "slowly"));
    assert_true(isnan(entry->median_ms));
    add(entry_of(1, NITRO_OUTCOME_NOT_CONVERGED, 2.5, "slowly"));
    assert_true(entry->median_ms == 2.5);
}

/** A message may be cut inside a character, run to the record's end, or mean to be a terminal's. */
static void test_texts_are_printable(void **state)
{
    (void)state;
    add(entry_of(0, NITRO_OUTCOME_FAILED, NAN, "two\nlines, \x1b[31mred, cut \xe2\x82"));
    assert_string_equal(received.sample->entries[0].detail, "two lines, ?[31mred, cut ??");
    assert_non_null(strstr(log_text, "variant csr: failed: two lines"));
    assert_null(strchr(log_text, '\x1b'));
    add(entry_of(0, NITRO_OUTCOME_FAILED, NAN, "?"));
    assert_string_equal(received.sample->entries[0].detail, "?");
    nitro_worker_record record = {.kind = NITRO_RECORD_LOG, .index = NITRO_LOG_WARNING};
    memset(record.text, 0x1b, sizeof record.text); /* without an end */
    log_text[0] = '\0';
    add(record);
    assert_null(strchr(log_text, '\x1b'));
    assert_int_equal(strspn(log_text, "?"), sizeof record.text - 1);
    record.index = NITRO_LOG_DEBUG;
    snprintf(record.text, sizeof record.text, "%s", "at the last level");
    add(record);
    assert_non_null(strstr(log_text, "at the last level"));
    record.index = NITRO_LOG_DEBUG + 1;
    snprintf(record.text, sizeof record.text, "%s", "at no level");
    add(record);
    assert_null(strstr(log_text, "at no level"));
    record = (nitro_worker_record){.kind = NITRO_RECORD_STATE, .index = 77};
    snprintf(record.text, sizeof record.text, "%s", "1980 MHz\nthen\xe2");
    add(record);
    assert_ok(received.context, nitro_received_sample_set_conditions(&received, NITRO_CACHE_WARM));
    assert_string_equal(received.sample->provenance.device_state, "1980 MHz then?");
    record.index = 1; /* what was kept of it ends inside a character */
    snprintf(record.text, sizeof record.text, "%510s\xc3\xa9", "");
    add(record);
    nitro_provenance_clear(&received.sample->provenance);
    assert_ok(received.context, nitro_received_sample_set_conditions(&received, NITRO_CACHE_WARM));
    assert_true(nitro_text_is_valid(received.sample->provenance.device_state, 1024));
}

static void test_states_before_and_after(void **state)
{
    static const char *const cases[][3] = {
        {"a", "b", "a; then b"}, {"a", "a", "a"}, {"a", "", "a"}, {"", "b", "b"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint32_t after = 0; after < 2; after++) {
            nitro_worker_record record = {.kind = NITRO_RECORD_STATE, .index = after};
            snprintf(record.text, sizeof record.text, "%s", cases[i][after]);
            add(record);
        }
        nitro_provenance_clear(&received.sample->provenance);
        assert_ok(received.context,
                  nitro_received_sample_set_conditions(&received, NITRO_CACHE_COLD));
        assert_string_equal(received.sample->provenance.device_state, cases[i][2]);
        assert_string_equal(received.sample->provenance.cache, "cold");
    }
}

static void test_errors_have_a_status_and_a_message(void **state)
{
    static const struct {
        uint32_t sent;
        nitro_status status;
    } cases[] = {{NITRO_ERR_NO_MEMORY, NITRO_ERR_NO_MEMORY},
                 {NITRO_ERR_UNSUPPORTED, NITRO_ERR_UNSUPPORTED},
                 {NITRO_OK, NITRO_ERR_IO},
                 {NITRO_ERR_UNSUPPORTED + 1, NITRO_ERR_IO},
                 {UINT32_MAX, NITRO_ERR_IO}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nitro_worker_record record = {.kind = NITRO_RECORD_ERROR, .index = cases[i].sent};
        add(record);
        assert_int_equal(received.failure, cases[i].status);
        assert_string_equal(received.message, "its loader failed without a message");
        record.text[0] = 'x';
        add(record);
        assert_string_equal(received.message, "x");
    }
}

static void test_features_are_finite(void **state)
{
    (void)state;
    nitro_worker_record record = {.kind = NITRO_RECORD_FEATURES};
    record.features[0] = 3.0;
    record.costs_ms[0] = 0.5;
    add(record);
    assert_int_equal(received.failure, NITRO_OK);
    assert_true(received.sample->features[0] == 3.0 &&
                nitro_sample_features_ms(received.sample) == 0.5);
    record.costs_ms[1] = 0.25;
    add(record);
    assert_true(nitro_sample_features_ms(received.sample) == 0.75);
    record.costs_ms[1] = NAN; /* its group's costs are the first feature's */
    add(record);
    assert_true(nitro_sample_features_ms(received.sample) == 0.5);
    record.costs_ms[0] = -1.0; /* unknown: the costs known so far stay */
    record.costs_ms[1] = 2.0;
    add(record);
    assert_true(nitro_sample_features_ms(received.sample) == 0.5);
    record.features[1] = NAN;
    add(record);
    assert_int_equal(received.failure, NITRO_ERR_BAD_FEATURE);
    received.failure = NITRO_OK;
    record.features[1] = 0.0;
    received.sample->num_features = 1;
    record.costs_ms[0] = 4.0;
    add(record);
    assert_true(nitro_sample_features_ms(received.sample) == 4.0);
    received.sample->num_features = 2;
    record.features[0] = INFINITY;
    add(record);
    assert_int_equal(received.failure, NITRO_ERR_BAD_FEATURE);
    assert_true(received.sample->features[0] == 3.0);
}

static void test_other_records_are_ignored(void **state)
{
    (void)state;
    nitro_worker_record record = {.kind = 1000};
    add(record);
    for (record.kind = NITRO_RECORD_KERNEL; record.kind <= NITRO_RECORD_UNAVAILABLE;
         record.kind++) {
        record.index = UINT32_MAX; /* profiles, of which none were asked for */
        add(record);
    }
    assert_int_equal(received.todo, 3);
    assert_false(received.done || received.broke);
    assert_int_equal(received.failure, NITRO_OK);
}

static nitro_status name_profile(void *user, size_t variant, const char *kernel,
                                 nitro_profile **profile)
{
    static const char *const variants[] = {"csr", "ell"};
    assert_true(variant < 2);
    return nitro_profile_create_of_variant(user, "spmv", variants[variant], "input", kernel,
                                           profile);
}

static void add_launch(uint32_t variant, const char *kernel)
{
    nitro_worker_record record = {.kind = NITRO_RECORD_KERNEL, .index = variant};
    snprintf(record.text, sizeof record.text, "%s", kernel);
    add(record);
}

/** Profiles are kept of variants that were asked for, exist, and ran to their end. */
static void test_profiles_are_of_requested_variants(void **state)
{
    (void)state;
    nitro_proxies proxies = {0};
    const nitro_profiling profiling = {.proxies = &proxies, .device = "host"};
    nitro_received_profiles profiles = {.context = received.context,
                                        .profiling = &profiling,
                                        .name = name_profile,
                                        .name_user = received.context};
    received.profiles = &profiles;
    received.todo = 1;
    add((nitro_worker_record){.kind = NITRO_RECORD_PROFILED, .index = 2});
    add_launch(2, "beyond");
    assert_int_equal(profiles.count, 0);
    add_launch(1, "unwanted");
    assert_int_equal(profiles.count, 1);
    add((nitro_worker_record){.kind = NITRO_RECORD_PROFILED, .index = 1});
    assert_int_equal(profiles.count, 0);
    assert_int_equal(received.usable, 0);
    add_launch(0, "rows");
    add_launch(0, "rows");
    add((nitro_worker_record){.kind = NITRO_RECORD_PROFILED, .index = 0});
    assert_int_equal(profiles.num_finished, 2);
    assert_string_equal(profiles.profiles[1]->kernel, "rows#2");
    assert_int_equal(received.todo, 0);
    assert_int_equal(received.usable, 1);
    assert_string_equal(log_text, "");
    received.todo = 2; /* the next block */
    add((nitro_worker_record){.kind = NITRO_RECORD_PROFILED, .index = 1});
    assert_int_equal(profiles.num_finished, 2);
    assert_int_equal(received.todo, 0);
    assert_int_equal(received.usable, 3);
    assert_non_null(strstr(log_text, "variant ell launches no kernel that the profiler sees"));
    nitro_received_profiles_clear(&profiles);
    received.profiles = NULL;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_entries_out_of_range_are_dropped),
        TEST(test_numbers_that_make_no_sense_are_unknown),
        TEST(test_texts_are_printable),
        TEST(test_states_before_and_after),
        TEST(test_errors_have_a_status_and_a_message),
        TEST(test_features_are_finite),
        TEST(test_other_records_are_ignored),
        TEST(test_profiles_are_of_requested_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
