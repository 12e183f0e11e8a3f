/* Generated samples: deterministic in seed and index, uniquely named, within their bins,
 * distributed as their family, and of sizes that keep a tune short. */
#include "unit/computations/generated_cases.h"
#include "unit/histogram_cases.h"

static uint64_t hash_of(const void *argument, const char *name)
{
    const nitro_histogram *histogram = argument;
    for (int64_t i = 0; i < histogram->num_samples; i++)
        if (histogram->samples[i] >= histogram->num_bins)
            fail_msg("%s: sample %lld is %u", name, (long long)i, histogram->samples[i]);
    return nitro_hash(histogram->samples, (size_t)histogram->num_samples * sizeof(uint32_t),
                      (uint64_t)histogram->num_bins);
}

static void same_seed_and_index_give_the_same_samples(void **state)
{
    (void)state;
    generated_check_same(&nitro_module_histogram, hash_of, NITRO_HISTOGRAM_NUM_FAMILIES);
}

static void names_are_valid_and_differ(void **state)
{
    (void)state;
    size_t with_256 = generated_check_names(&nitro_module_histogram, "in256#");
    assert_true(with_256 > 600 && with_256 < 900); /* half of them */
}

/* How many samples the fullest bin has, of all. */
static double fullest_share(nitro_context *context, const char *family, uint64_t seed)
{
    nitro_histogram *histogram = NULL;
    assert_ok(context, histogram_inputs_make(context, family, seed, 200000, 256, &histogram));
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
    assert_int_equal(sizeof(cases) / sizeof(cases[0]), NITRO_HISTOGRAM_NUM_FAMILIES);
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
    assert_ok(context, histogram_inputs_make(context, "image", 3, 512 * 512, 256, &histogram));
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
    (void)state;
    generated_check_room(&nitro_module_histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_and_index_give_the_same_samples),
        cmocka_unit_test(names_are_valid_and_differ),
        cmocka_unit_test(families_are_what_their_names_say),
        cmocka_unit_test(images_are_smooth),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
