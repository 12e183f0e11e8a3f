/* What a store accepts as a record: every rule refuses what breaks it, and nothing at its boundary.
 */
#include "unit/store_records.h"

typedef struct fixture {
    nitro_context *context;
    nitro_schema *schema;
    nitro_device *device;
    nitro_sample *sample;
    nitro_profile *of_variant, *of_proxy;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->schema = records_schema(f->context, "spmv");
    f->device = records_device(f->context, "K20");
    f->sample = records_sample(f->context, "input");
    f->of_variant = records_profile(f->context, "input", NAN, "kernel");
    f->of_proxy = records_profile(f->context, NULL, 2.0, "kernel");
    assert_ok(f->context,
              nitro_device_set(f->context, f->device, "year", 2013, NITRO_VALUE_STATIC, 0));
    assert_ok(f->context, nitro_device_set_label(f->context, f->device, "vendor", "X"));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_profile_free(f->of_proxy);
    nitro_profile_free(f->of_variant);
    nitro_sample_free(f->sample);
    nitro_device_free(f->device);
    nitro_schema_free(f->schema);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

#define SCHEMA nitro_store_check_schema(f->context, "here", f->schema, NITRO_ERR_FORMAT)
#define DEVICE nitro_store_check_device(f->context, "here", f->device, NITRO_ERR_FORMAT)
#define SAMPLE                                                                                     \
    nitro_store_check_sample(f->context, "here", f->schema, "K20", f->sample, NITRO_ERR_FORMAT)
#define OF_VARIANT                                                                                 \
    nitro_store_check_profile(f->context, "here", f->schema, "K20", f->of_variant, NITRO_ERR_FORMAT)
#define OF_PROXY                                                                                   \
    nitro_store_check_profile(f->context, "here", NULL, "K20", f->of_proxy, NITRO_ERR_FORMAT)

/* With this value the check fails and says why; with the value before, it does not. */
#define REFUSES(check, place, value, why)                                                          \
    do {                                                                                           \
        __typeof__(place) before = place;                                                          \
        place = value;                                                                             \
        assert_fails(f->context, check, NITRO_ERR_FORMAT, why);                                    \
        place = before;                                                                            \
        assert_ok(f->context, check);                                                              \
    } while (0)
#define ACCEPTS(check, place, value)                                                               \
    do {                                                                                           \
        __typeof__(place) before = place;                                                          \
        place = value;                                                                             \
        assert_ok(f->context, check);                                                              \
        place = before;                                                                            \
    } while (0)

static char bad_name[] = "a b",
            control[] = "a\x01"
                        "b",
            other[] = "other", empty[] = "";

static void test_schemas(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = f->schema;
    REFUSES(SCHEMA, schema->computation, bad_name, "computation's name is not valid");
    REFUSES(SCHEMA, schema->num_variants, 0, "has 0 variants");
    REFUSES(SCHEMA, schema->num_variants, NITRO_MAX_VARIANTS + 1, "are kept");
    REFUSES(SCHEMA, schema->num_features, NITRO_MAX_FEATURES + 1, "are kept");
    REFUSES(SCHEMA, schema->num_relative, NITRO_MAX_FEATURES + 1, "are kept");
    for (size_t i = 0; i < 2; i++) {
        REFUSES(SCHEMA, schema->features[i].name, bad_name, "no valid name of its own");
        REFUSES(SCHEMA, schema->features[i].name, schema->features[1 - i].name, "of its own");
        REFUSES(SCHEMA, schema->features[i].unit, NULL, "no valid unit");
        REFUSES(SCHEMA, schema->features[i].unit, control, "no valid unit");
        REFUSES(SCHEMA, schema->features[i].scale, (nitro_scale)99, "no known scale");
        REFUSES(SCHEMA, schema->variants[i], bad_name, "no valid name of its own");
        REFUSES(SCHEMA, schema->variants[i], schema->variants[1 - i], "of its own");
    }
    REFUSES(SCHEMA, schema->default_variant, 2, "number 2 of 2");
    ACCEPTS(SCHEMA, schema->default_variant, 1);
    ACCEPTS(SCHEMA, schema->default_variant, NITRO_NONE);
    for (size_t i = schema->num_variants; i < NITRO_MAX_VARIANTS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "v%zu", i);
        assert_ok(f->context, nitro_schema_add_variant(f->context, schema, name));
    }
    assert_int_equal(schema->num_variants, NITRO_MAX_VARIANTS);
    for (size_t i = schema->num_features; i < NITRO_MAX_FEATURES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%zu", i);
        assert_ok(f->context,
                  nitro_schema_add_feature(f->context, schema, name, "1", NITRO_SCALE_LOG));
    }
    assert_int_equal(schema->num_features, NITRO_MAX_FEATURES);
    assert_ok(f->context, SCHEMA);
}

static void test_devices(void **state)
{
    fixture *f = *state;
    nitro_device *device = f->device;
    REFUSES(DEVICE, device->id, bad_name, "id or kind");
    REFUSES(DEVICE, device->kind, bad_name, "id or kind");
    REFUSES(DEVICE, device->num_features, NITRO_STORE_MAX_DEVICE_VALUES + 1, "are kept");
    REFUSES(DEVICE, device->num_labels, NITRO_STORE_MAX_DEVICE_VALUES + 1, "are kept");
    for (size_t i = 0; i < 2; i++) {
        nitro_device_feature *feature = &device->features[i];
        REFUSES(DEVICE, feature->name, bad_name, "no valid name");
        REFUSES(DEVICE, feature->name, device->features[1 - i].name, "two features");
        REFUSES(DEVICE, feature->value, INFINITY, "must be finite");
        REFUSES(DEVICE, feature->value, NAN, "must be finite");
        REFUSES(DEVICE, feature->spread, -0.5, "must be finite");
        REFUSES(DEVICE, feature->spread, INFINITY, "must be finite");
        REFUSES(DEVICE, feature->source, (nitro_value_source)99, "no known source");
        ACCEPTS(DEVICE, feature->spread, 0.0);
        REFUSES(DEVICE, device->labels[i].name, bad_name, "no valid name of its own");
        REFUSES(DEVICE, device->labels[i].name, device->labels[1 - i].name, "of its own");
        REFUSES(DEVICE, device->labels[i].text, control, "UTF-8");
    }
    for (size_t i = device->num_features; i < NITRO_STORE_MAX_DEVICE_VALUES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%zu", i);
        assert_ok(f->context,
                  nitro_device_set(f->context, device, name, 1.0, NITRO_VALUE_QUERY, 0));
    }
    assert_int_equal(device->num_features, NITRO_STORE_MAX_DEVICE_VALUES);
    assert_ok(f->context, DEVICE);
}

static void test_samples(void **state)
{
    fixture *f = *state;
    nitro_sample *sample = f->sample;
    nitro_entry *measured = &sample->entries[0], *crashed = &sample->entries[1];
    REFUSES(SAMPLE, sample->input, empty, "input's name is not valid");
    REFUSES(SAMPLE, sample->num_features, 1, "has 1 features and 2 variants");
    REFUSES(SAMPLE, sample->num_entries, 1, "has 2 features and 1 variants");
    REFUSES(SAMPLE, sample->features[0], INFINITY, "rows is infinite");
    REFUSES(SAMPLE, sample->features[1], -INFINITY, "fill is infinite");
    ACCEPTS(SAMPLE, sample->features[0], NAN);
    REFUSES(SAMPLE, sample->features_ms, -1.0, "cost of its features");
    REFUSES(SAMPLE, sample->features_ms, INFINITY, "cost of its features");
    ACCEPTS(SAMPLE, sample->features_ms, NAN);
    ACCEPTS(SAMPLE, sample->features_ms, 0.0);
    REFUSES(SAMPLE, sample->num_feature_costs, 1, "costs of 1 features, not 2");
    ACCEPTS(SAMPLE, sample->num_feature_costs, 0);
    for (size_t i = 0; i < 2; i++) {
        REFUSES(SAMPLE, sample->feature_costs_ms[i], -1.0, "the cost of feature");
        REFUSES(SAMPLE, sample->feature_costs_ms[i], INFINITY, "the cost of feature");
        REFUSES(SAMPLE, sample->entries[i].outcome, (nitro_outcome)99, "no known outcome");
        REFUSES(SAMPLE, sample->entries[i].spread, -0.1, "has a spread");
        REFUSES(SAMPLE, sample->entries[i].spread, INFINITY, "has a spread");
        REFUSES(SAMPLE, sample->entries[i].prepare_ms, -0.1, "has a prepare time");
        REFUSES(SAMPLE, sample->entries[i].prepare_ms, INFINITY, "has a prepare time");
        ACCEPTS(SAMPLE, sample->entries[i].spread, NAN);
        ACCEPTS(SAMPLE, sample->entries[i].prepare_ms, 0.0);
    }
    REFUSES(SAMPLE, measured->median_ms, 0.0, "without a time above 0");
    REFUSES(SAMPLE, measured->median_ms, NAN, "without a time above 0");
    REFUSES(SAMPLE, measured->median_ms, INFINITY, "without a time above 0");
    ACCEPTS(SAMPLE, measured->median_ms, 1e-300);
    REFUSES(SAMPLE, crashed->median_ms, 1.0, "but is not 'measured'");
    REFUSES(SAMPLE, crashed->detail, control, "UTF-8");
    REFUSES(SAMPLE, sample->provenance.origin, control, "UTF-8");
}

static void test_profiles(void **state)
{
    fixture *f = *state;
    nitro_profile *own = f->of_variant, *proxy = f->of_proxy;
    REFUSES(OF_VARIANT, own->name, bad_name, "name is not valid");
    REFUSES(OF_VARIANT, own->kernel, empty, "name is not valid");
    REFUSES(OF_VARIANT, own->computation, other, "of another computation");
    REFUSES(OF_VARIANT, own->computation, NULL, "of another computation");
    REFUSES(OF_VARIANT, own->input, empty, "input's name");
    REFUSES(OF_VARIANT, own->intensity, 1.0, "no intensity");
    REFUSES(OF_VARIANT, own->name, other, "has no variant 'other'");
    REFUSES(OF_VARIANT, own->num_metrics, 0, "has 0 metrics");
    REFUSES(OF_VARIANT, own->num_metrics, NITRO_STORE_MAX_METRICS + 1, "are kept");
    REFUSES(OF_VARIANT, own->metrics[0].value, INFINITY, "metric 0");
    REFUSES(OF_VARIANT, own->metrics[1].value, NAN, "metric 1");
    REFUSES(OF_VARIANT, own->metrics[1].name, own->metrics[0].name, "metric 1");
    REFUSES(OF_VARIANT, own->metrics[0].name, control, "metric 0");
    REFUSES(OF_VARIANT, own->provenance.origin, control, "UTF-8");
    REFUSES(OF_PROXY, proxy->intensity, -0.1, "from 0 to 5");
    REFUSES(OF_PROXY, proxy->intensity, 5.1, "from 0 to 5");
    ACCEPTS(OF_PROXY, proxy->intensity, 0.0);
    ACCEPTS(OF_PROXY, proxy->intensity, 5.0);
    REFUSES(OF_PROXY, proxy->computation, other, "no computation and no input");
    REFUSES(OF_PROXY, proxy->input, other, "no computation and no input");
    char *name = own->name;
    own->name = other;
    assert_fails(
        f->context,
        nitro_store_check_profile(f->context, "here", f->schema, "K20", own, NITRO_ERR_ARGUMENT),
        NITRO_ERR_MISMATCH, "has no variant");
    own->name = name;
}

static void test_as_many_metrics_as_are_kept(void **state)
{
    fixture *f = *state;
    nitro_profile *own = f->of_variant;
    nitro_metric *few = own->metrics, *many = calloc(NITRO_STORE_MAX_METRICS, sizeof(*many));
    size_t num_few = own->num_metrics;
    char(*names)[16] = calloc(NITRO_STORE_MAX_METRICS, sizeof(*names));
    for (size_t i = 0; i < NITRO_STORE_MAX_METRICS; i++) {
        snprintf(names[i], sizeof(names[i]), "m%06zu", i);
        many[i] = (nitro_metric){.name = names[i], .value = 1};
    }
    own->metrics = many;
    own->num_metrics = NITRO_STORE_MAX_METRICS;
    assert_ok(f->context, OF_VARIANT);
    own->metrics = few;
    own->num_metrics = num_few;
    free(many);
    free(names);
}

int main(void)
{
#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CHECK_TEST(test_schemas),
        CHECK_TEST(test_devices),
        CHECK_TEST(test_samples),
        CHECK_TEST(test_profiles),
        CHECK_TEST(test_as_many_metrics_as_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
