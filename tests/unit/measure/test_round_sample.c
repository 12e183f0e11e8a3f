/* The significant digits of measured samples: each number is the double of a short decimal. */
#include "nitro/measure/round_sample.h"
#include "unit/unit.h"

static nitro_context *context;

static int setup(void **state)
{
    (void)state;
    return nitro_context_create(&context) == NITRO_OK ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    nitro_context_free(context);
    return 0;
}

static nitro_sample *make_sample(void)
{
    const double costs_ms[] = {3.0003488063812256e-5, NAN};
    nitro_sample *sample = NULL;
    assert_ok(context, nitro_sample_create(context, "m", 2, 2, &sample));
    sample->features[0] = 1.0 / 3;
    sample->features[1] = 123456789;
    sample->entries[0] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                       .median_ms = 0.00064396252855658531,
                                       .spread = 0.099967,
                                       .prepare_ms = 123456.789,
                                       .count = 10};
    sample->entries[1] = (nitro_entry){
        .outcome = NITRO_OUTCOME_NOT_ALLOWED, .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    assert_ok(context, nitro_sample_set_feature_costs(context, sample, costs_ms, 2));
    sample->features_ms = 3.0003488063812256e-5;
    return sample;
}

static void assert_rounded(const nitro_sample *sample)
{
    assert_true(sample->features[0] == 0.33333);
    assert_true(sample->features[1] == 123456789);
    assert_true(sample->entries[0].median_ms == 0.000644);
    assert_true(sample->entries[0].spread == 0.1);
    assert_true(sample->entries[0].prepare_ms == 123457);
    assert_true(isnan(sample->entries[1].median_ms) && isnan(sample->entries[1].spread));
    assert_true(sample->feature_costs_ms[0] == 3e-5 && isnan(sample->feature_costs_ms[1]));
    assert_true(sample->features_ms == 3e-5);
}

static void test_numbers_are_short_and_stay_so(void **state)
{
    (void)state;
    nitro_sample *sample = make_sample();
    nitro_sample_round(sample);
    assert_rounded(sample);
    nitro_sample_round(sample);
    assert_rounded(sample);
    nitro_sample_free(sample);
}

/* Of many sizes, with any sign: the double nearest to the decimal number of five digits. */
static void test_features_of_many_sizes(void **state)
{
    (void)state;
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (int i = 0; i < 20000; i++) {
        double value = (nitro_random_uniform(&random) - 0.5) * pow(10, i % 16 - 10);
        double rounded = nitro_round_feature(value);
        char text[32];
        snprintf(text, sizeof(text), "%.5g", value);
        if (rounded != strtod(text, NULL) || nitro_round_feature(rounded) != rounded)
            fail_msg("%.17g became %.17g", value, rounded);
    }
    assert_true(nitro_round_feature(1e-30 / 3) == 1e-30 / 3);
    assert_true(nitro_round_feature(0) == 0);
    assert_true(isinf(nitro_round_feature(INFINITY)));
}

static void test_times_have_the_digits_that_their_spread_allows(void **state)
{
    (void)state;
    const double times[][3] = {{0.024, 14.64349, 14.643},
                               {0.026, 14.64349, 14.6},
                               {NAN, 14.64349, 14.643},
                               {0.5, 1234.5, 1235}};
    nitro_sample *sample = make_sample();
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        sample->entries[0].spread = times[i][0];
        sample->entries[0].median_ms = times[i][1];
        nitro_sample_round(sample);
        assert_true(sample->entries[0].median_ms == times[i][2]);
    }
    nitro_sample_free(sample);
}

/* A store's bytes for a sample of which nothing is known but its numbers. */
static size_t packed_bytes(const nitro_sample *sample)
{
    nitro_record_bytes bytes = {0};
    assert_ok(context,
              nitro_record_encode_sample(context, NITRO_RECORD_COMPACT, "c", "d", sample, &bytes));
    size_t size = bytes.size;
    nitro_record_bytes_free(&bytes);
    return size;
}

static void test_rounded_samples_are_packed_tightly(void **state)
{
    (void)state;
    nitro_sample *sample = make_sample();
    size_t before = packed_bytes(sample);
    nitro_sample_round(sample);
    assert_true(packed_bytes(sample) + 30 <= before);
    nitro_sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_short_and_stay_so),
        cmocka_unit_test(test_features_of_many_sizes),
        cmocka_unit_test(test_times_have_the_digits_that_their_spread_allows),
        cmocka_unit_test(test_rounded_samples_are_packed_tightly),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
