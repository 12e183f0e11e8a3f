/* Generated samples: the same from the same seed and index, named apart, within their bins, spread
 * as their family says, and of sizes that keep a tune short. */
#include "unit/histogram_cases.h"

extern const nitro_module nitro_module_histogram;

static uint64_t hash_of(const nitro_histogram *histogram)
{
    return nitro_hash(histogram->samples, (size_t)histogram->num_samples * sizeof(uint32_t),
                      (uint64_t)histogram->num_bins);
}

static uint64_t generate(nitro_context *context, uint64_t seed, size_t index, char name[256])
{
    nitro_histogram *histogram = NULL;
    assert_ok(context, nitro_histogram_generate(context, seed, index, name, 256, &histogram));
    for (int64_t i = 0; i < histogram->num_samples; i++)
        if (histogram->samples[i] >= histogram->num_bins)
            fail_msg("%s: sample %lld is %u", name, (long long)i, histogram->samples[i]);
    uint64_t hash = hash_of(histogram);
    nitro_histogram_samples_free(histogram);
    return hash;
}

static void same_seed_and_index_give_the_same_samples(void **state)
{
    nitro_context *context = unit_context();
    char name[256], again[256], only[256], other[256];
    (void)state;
    for (size_t index = 0; index < nitro_histogram_num_families(); index++) {
        uint64_t hash = generate(context, 4, index, name);
        assert_true(hash == generate(context, 4, index, again));
        assert_string_equal(name, again);
        assert_true(hash != generate(context, 5, index, other));
        assert_true(hash != generate(context, 4, index + nitro_histogram_num_families(), other));
        /* the name alone, without the samples */
        assert_ok(context,
                  nitro_module_histogram.generate(context, 4, index, only, sizeof(only), NULL));
        assert_string_equal(name, only);
    }
    nitro_context_free(context);
}

static void names_are_clean_and_differ(void **state)
{
    nitro_context *context = unit_context();
    nitro_string_list names = {0};
    char name[256];
    size_t with_256 = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t index = 0; index < 500; index++) {
            assert_ok(context,
                      nitro_histogram_generate(context, seed, index, name, sizeof(name), NULL));
            assert_true(nitro_input_name_is_clean(name));
            with_256 += strstr(name, "in256#") != NULL;
            assert_ok(context, nitro_string_list_add(context, &names, name));
        }
    nitro_string_list_sort(&names);
    for (size_t i = 1; i < names.count; i++)
        assert_string_not_equal(names.items[i - 1], names.items[i]);
    assert_true(with_256 > 600 && with_256 < 900); /* half of them */
    nitro_string_list_free(&names);
    nitro_context_free(context);
}

/* How many samples the fullest bin has, of all. */
static double fullest_share(nitro_context *context, const char *family, uint64_t seed)
{
    nitro_histogram *histogram = NULL;
    assert_ok(context,
              nitro_histogram_generate_family(context, family, seed, 200000, 256, &histogram));
    uint32_t counts[256] = {0}, most = 0;
    for (int64_t i = 0; i < histogram->num_samples; i++)
        counts[histogram->samples[i]]++;
    for (int bin = 0; bin < 256; bin++)
        most = counts[bin] > most ? counts[bin] : most;
    nitro_histogram_samples_free(histogram);
    return most / 200000.0;
}

static void families_are_what_their_names_say(void **state)
{
    static const struct {
        const char *family;
        double low, high;
    } cases[] = {{"uniform", 0.0039, 0.0055}, {"gaussian", 0.005, 0.1}, {"image", 0.004, 0.1},
                 {"power_law", 0.1, 0.9},     {"crowded", 0.2, 0.82},   {"constant", 1, 1}};
    nitro_context *context = unit_context();
    (void)state;
    assert_int_equal(sizeof(cases) / sizeof(cases[0]), nitro_histogram_num_families());
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            double share = fullest_share(context, cases[i].family, seed);
            if (share < cases[i].low || share > cases[i].high)
                fail_msg("%s: the fullest bin has %g, not %g to %g", cases[i].family, share,
                         cases[i].low, cases[i].high);
        }
    nitro_context_free(context);
}

/* Neighbours in an image are alike, also from one row to the next; they are not all equal. */
static void images_are_smooth(void **state)
{
    nitro_context *context = unit_context();
    nitro_histogram *histogram = NULL;
    double beside = 0, below = 0;
    (void)state;
    assert_ok(context,
              nitro_histogram_generate_family(context, "image", 3, 512 * 512, 256, &histogram));
    for (int64_t i = 0; i < 511 * 512; i++) {
        beside += abs((int)histogram->samples[i] - (int)histogram->samples[i + 1]);
        below += abs((int)histogram->samples[i] - (int)histogram->samples[i + 512]);
    }
    assert_true(beside / (511 * 512) > 0.5 && beside / (511 * 512) < 10);
    assert_true(below / (511 * 512) > 0.5 && below / (511 * 512) < 10);
    nitro_histogram_samples_free(histogram);
    nitro_context_free(context);
}

static void what_cannot_be_is_refused(void **state)
{
    nitro_context *context = unit_context();
    nitro_histogram *histogram = NULL;
    char name[8] = "before";
    (void)state;
    assert_fails(context, nitro_histogram_generate(context, 1, 0, name, sizeof(name), NULL),
                 NITRO_ERR_ARGUMENT, "there is room for 8");
    assert_string_equal(name, "before");
    assert_fails(context, nitro_histogram_generate_family(context, "normal", 1, 10, 10, &histogram),
                 NITRO_ERR_NOT_FOUND, "'normal'");
    assert_null(histogram);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_and_index_give_the_same_samples),
        cmocka_unit_test(names_are_clean_and_differ),
        cmocka_unit_test(families_are_what_their_names_say),
        cmocka_unit_test(images_are_smooth),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
