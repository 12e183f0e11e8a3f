/* Conformance of modules of one name for several kinds of devices: they declare the same
 * computation. */
#include <string.h>

#include "unit/unit.h"

static void check_same(nitro_context *context, const nitro_module *a, const nitro_module *b)
{
    nitro_computation *host = NULL, *device = NULL;
    print_message("  %s on %s and %s\n", a->name, a->device_kind ? a->device_kind : "host",
                  b->device_kind);
    assert_ok(context, a->create(context, &host));
    assert_ok(context, b->create(context, &device));
    assert_string_equal(nitro_computation_device_kind(device), b->device_kind);
    size_t num_variants = nitro_computation_num_variants(host);
    size_t num_features = nitro_computation_num_features(host);
    assert_int_equal(num_variants, nitro_computation_num_variants(device));
    assert_int_equal(num_features, nitro_computation_num_features(device));
    for (size_t i = 0; i < num_variants; i++)
        assert_string_equal(nitro_computation_variant_name(host, i),
                            nitro_computation_variant_name(device, i));
    for (size_t i = 0; i < num_features; i++)
        assert_string_equal(nitro_computation_feature_name(host, i),
                            nitro_computation_feature_name(device, i));
    nitro_computation_free(host);
    nitro_computation_free(device);
}

static void test_same_variants_and_features_on_every_kind(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_module *const *modules = nitro_builtin_modules();
    size_t num_pairs = 0;
    for (size_t i = 0; modules[i]; i++)
        for (size_t j = i + 1; modules[j]; j++)
            if (strcmp(modules[i]->name, modules[j]->name) == 0) {
                check_same(context, modules[i], modules[j]);
                num_pairs++;
            }
    assert_true(num_pairs >= 2); /* spmv, histogram */
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_variants_and_features_on_every_kind),
    };
    return cmocka_run_group_tests_name("modules_cuda", tests, NULL, NULL);
}
