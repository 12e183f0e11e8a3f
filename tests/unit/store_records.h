/* store_records.h - records for tests of stores: names, a device, and samples whose numbers follow
 * from their input's name, so that a sample that comes back can be told from a wrong one. */
#ifndef NITRO_TESTS_UNIT_STORE_RECORDS_H
#define NITRO_TESTS_UNIT_STORE_RECORDS_H

#include <math.h>

#include "unit/unit.h"

static inline nitro_schema *records_schema(nitro_context *context, const char *computation)
{
    nitro_schema *schema = NULL;
    assert_ok(context, nitro_schema_create(context, computation, &schema));
    assert_ok(context, nitro_schema_add_feature(context, schema, "rows", "rows", NITRO_SCALE_LOG));
    assert_ok(context, nitro_schema_add_feature(context, schema, "fill", "1", NITRO_SCALE_AUTO));
    assert_ok(context, nitro_schema_add_variant(context, schema, "csr"));
    assert_ok(context, nitro_schema_add_variant(context, schema, "ell"));
    schema->default_variant = 1;
    return schema;
}

static inline nitro_device *records_device(nitro_context *context, const char *id)
{
    nitro_device *device = NULL;
    assert_ok(context, nitro_device_create(context, id, "recorded", &device));
    assert_ok(context,
              nitro_device_set(context, device, "peak_gbps", 208.125, NITRO_VALUE_MEASURED, 0.25));
    assert_ok(context, nitro_device_set_label(context, device, "model", "Tesla \"K20\", \xc3\xa9"));
    return device;
}

/* The names and the device, put into a store. */
static inline void records_put_names(nitro_store *store, const char *computation,
                                     const char *device_id)
{
    nitro_context *context = nitro_store_context(store);
    nitro_schema *schema = records_schema(context, computation);
    nitro_device *device = records_device(context, device_id);
    assert_ok(context, nitro_store_put_schema(store, schema));
    assert_ok(context, nitro_store_put_device(store, device));
    nitro_device_free(device);
    nitro_schema_free(schema);
}

/* Its second feature is missing, and its second variant crashed. */
static inline nitro_sample *records_sample(nitro_context *context, const char *input)
{
    nitro_sample *sample = NULL;
    assert_ok(context, nitro_sample_create(context, input, 2, 2, &sample));
    double number = (double)(nitro_hash(input, strlen(input), 7) % 1000000) / 7;
    sample->features[0] = number;
    sample->features_ms = number / 3;
    const double costs_ms[] = {number / 3, NAN};
    assert_ok(context, nitro_sample_set_feature_costs(context, sample, costs_ms, 2));
    sample->entries[0] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                       .median_ms = number + 0.1,
                                       .spread = 0.01,
                                       .prepare_ms = NAN,
                                       .count = 15,
                                       .blocks = 3,
                                       .version = strdup("2")};
    sample->entries[1].outcome = NITRO_OUTCOME_CRASHED;
    sample->entries[1].detail = strdup("SIGSEGV in run");
    sample->provenance.origin = strdup("measured");
    sample->provenance.time_s = 1234567890;
    return sample;
}

/* records_sample of this input as a record of spmv on K20, made by Nitros of earlier versions. */
#define RECORDS_EARLIER_INPUT "a \"quoted\" \xc3\xa9"
static const unsigned char records_version_5[] = {
    0x4E, 0x05, 0x23, 0x8E, 0x98, 0xE5, 0xA7, 0xBB, 0x60, 0x41, 0x81, 0x0C, 0x02, 0x00, 0x00, 0x00,
    0x00, 0x30, 0x6E, 0xF6, 0x40, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x2B, 0x00,
    0x9A, 0x99, 0x99, 0x99, 0x31, 0x6E, 0xF6, 0x40, 0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x84, 0x3F,
    0x0F, 0x01, 0x32, 0x03, 0x10, 0x05, 0x00, 0x0E, 0x53, 0x49, 0x47, 0x53, 0x45, 0x47, 0x56, 0x20,
    0x69, 0x6E, 0x20, 0x72, 0x75, 0x6E, 0xD2, 0x85, 0xD8, 0xCC, 0x04, 0x08, 0x6D, 0x65, 0x61, 0x73,
    0x75, 0x72, 0x65, 0x64, 0x00, 0x00, 0x00, 0x00, 0x40, 0xE8, 0xDD, 0x40, 0x02, 0x00, 0x00, 0x00,
    0x00, 0x40, 0xE8, 0xDD, 0x40, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
};
#define RECORDS_VERSION_6_SHARED 55 /* where its shared part begins */
static const unsigned char records_version_6[] = {
    0x4E, 0x06, 0x1F, 0x3C, 0x75, 0xA0, 0x30, 0xEB, 0xDC, 0x54, 0x03, 0x02, 0xB0, 0xDC,
    0x59, 0x1F, 0x02, 0x56, 0xF1, 0x9B, 0x81, 0x07, 0x12, 0x0F, 0x03, 0x21, 0x05, 0x0E,
    0x53, 0x49, 0x47, 0x53, 0x45, 0x47, 0x56, 0x20, 0x69, 0x6E, 0x20, 0x72, 0x75, 0x6E,
    0xD2, 0x85, 0xD8, 0xCC, 0x04, 0x90, 0xF4, 0x1D, 0x02, 0x90, 0xF4, 0x1D, 0x1F, 0x01,
    0x02, 0x01, 0x01, 0x32, 0x00, 0x08, 0x6D, 0x65, 0x61, 0x73, 0x75, 0x72, 0x65, 0x64,
};

/* Put samples "input-<first>" and on, as one batch. */
static inline nitro_status records_put_samples(nitro_store *store, const char *computation,
                                               const char *device, size_t first, size_t count,
                                               bool replace)
{
    nitro_sample *samples[64];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "input-%03zu", first + i);
        samples[i] = records_sample(nitro_store_context(store), name);
    }
    nitro_status status = nitro_store_put_samples(
        store, computation, device, (const nitro_sample *const *)samples, count, replace);
    for (size_t i = 0; i < count; i++)
        nitro_sample_free(samples[i]);
    return status;
}

/* A profile of spmv's variant csr on an input, or, without one, of proxy ATOMIC. */
static inline nitro_profile *records_profile(nitro_context *context, const char *input,
                                             double intensity, const char *kernel)
{
    nitro_profile *profile = NULL;
    if (input)
        assert_ok(context,
                  nitro_profile_create_of_variant(context, "spmv", "csr", input, kernel, &profile));
    else
        assert_ok(context,
                  nitro_profile_create_of_proxy(context, "ATOMIC", intensity, kernel, &profile));
    double number = (double)(nitro_hash(kernel, strlen(kernel), 8) % 1000000) / 7;
    assert_ok(context, nitro_profile_set(context, profile, "inst_issued", number));
    assert_ok(context,
              nitro_profile_set(context, profile,
                                "dram__throughput.avg.pct_of_peak_sustained_elapsed", -number / 3));
    profile->provenance.origin = strdup("measured");
    profile->provenance.time_s = 1234567890;
    return profile;
}

/* Two kernels of csr on each of `count` inputs "input-<first>" and on; and as many of proxies. */
static inline nitro_status records_put_profiles(nitro_store *store, const char *device,
                                                size_t first, size_t count, bool replace)
{
    nitro_context *context = nitro_store_context(store);
    nitro_profile *profiles[128];
    size_t filled = 0;
    assert_true(4 * count <= 128 && first + count <= 50);
    for (size_t i = first; i < first + count; i++) {
        char input[32];
        snprintf(input, sizeof(input), "input-%03zu", i);
        for (int k = 0; k < 2; k++) {
            const char *kernel = k ? "void scan<int, 4>(float*)" : "rows#2";
            profiles[filled++] = records_profile(context, input, NAN, kernel);
            profiles[filled++] = records_profile(context, NULL, (double)i / 10, kernel);
        }
    }
    nitro_status status = nitro_store_put_profiles(
        store, device, (const nitro_profile *const *)profiles, filled, replace);
    while (filled > 0)
        nitro_profile_free(profiles[--filled]);
    return status;
}

static inline bool records_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static inline bool records_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline bool records_same_entry(const nitro_entry *a, const nitro_entry *b)
{
    return a->outcome == b->outcome && records_same_number(a->median_ms, b->median_ms) &&
           records_same_number(a->spread, b->spread) &&
           records_same_number(a->prepare_ms, b->prepare_ms) && a->count == b->count &&
           a->blocks == b->blocks && records_same_text(a->version, b->version) &&
           records_same_text(a->detail, b->detail);
}

/* Is this what records_sample made under this name? */
static inline bool records_is_sample(nitro_context *context, const nitro_sample *read)
{
    nitro_sample *made = records_sample(context, read->input);
    const nitro_provenance *a = &made->provenance, *b = &read->provenance;
    bool same =
        read->num_features == 2 && read->num_entries == 2 &&
        records_same_number(read->features[0], made->features[0]) &&
        records_same_number(read->features[1], made->features[1]) &&
        records_same_number(read->features_ms, made->features_ms) && read->num_feature_costs == 2 &&
        records_same_number(read->feature_costs_ms[0], made->feature_costs_ms[0]) &&
        isnan(read->feature_costs_ms[1]) &&
        records_same_entry(&read->entries[0], &made->entries[0]) &&
        records_same_entry(&read->entries[1], &made->entries[1]) &&
        records_same_text(a->origin, b->origin) && records_same_text(a->library, b->library) &&
        records_same_text(a->compiler, b->compiler) && records_same_text(a->host, b->host) &&
        a->time_s == b->time_s;
    nitro_sample_free(made);
    return same;
}

/* As a nitro_sample_function: every sample is what was put; counts them in a size_t. */
static inline nitro_status records_count_same(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    nitro_context *context = unit_context();
    bool same = records_is_sample(context, sample);
    nitro_context_free(context);
    if (!same)
        fail_msg("sample '%s' is not what was stored", sample->input);
    ++*count;
    return NITRO_OK;
}

/* As a nitro_profile_function: every profile is what was put; counts them in a size_t. */
static inline nitro_status records_count_same_profile(void *user, const char *device,
                                                      const nitro_profile *read)
{
    size_t *count = user;
    nitro_context *context = unit_context();
    nitro_profile *made = records_profile(context, read->input, read->intensity, read->kernel);
    bool same = read->num_metrics == made->num_metrics &&
                records_same_text(read->name, made->name) &&
                records_same_text(read->computation, made->computation) &&
                records_same_number(read->intensity, made->intensity) &&
                records_same_text(read->provenance.origin, made->provenance.origin) &&
                records_same_text(read->provenance.library, made->provenance.library) &&
                read->provenance.time_s == made->provenance.time_s;
    for (size_t i = 0; i < made->num_metrics && same; i++)
        same = records_same_text(read->metrics[i].name, made->metrics[i].name) &&
               records_same_number(read->metrics[i].value, made->metrics[i].value);
    if (!same)
        fail_msg("the profile of '%s' on %s is not what was stored", read->kernel, device);
    nitro_profile_free(made);
    nitro_context_free(context);
    ++*count;
    return NITRO_OK;
}

/* Problems that nitro_store_verify reports, as a nitro_problem_function on a nitro_string_list. */
static inline void records_keep_problem(void *user, const char *problem)
{
    nitro_context *context = unit_context();
    assert_ok(context, nitro_string_list_add(context, user, problem));
    nitro_context_free(context);
}

static inline void records_assert_sound(nitro_store *store)
{
    nitro_string_list problems = {0};
    nitro_status status = nitro_store_verify(store, records_keep_problem, &problems);
    for (size_t i = 0; i < problems.count; i++)
        print_message("%s\n", problems.items[i]);
    nitro_string_list_free(&problems);
    assert_ok(nitro_store_context(store), status);
}

#endif
