/* Profiles as records: names, order of metrics, copies. */
#include <math.h>

#include "unit/unit.h"

static void test_metric_names(void **state)
{
    (void)state;
    char name[129];
    memset(name, 'a', 128);
    name[128] = '\0';
    assert_false(nitro_metric_name_is_valid(name));
    assert_true(nitro_metric_name_is_valid(name + 1));
    assert_true(nitro_metric_name_is_valid("lts__t_sectors.avg.pct_of_peak_sustained_elapsed"));
    assert_false(nitro_metric_name_is_valid("a b"));
    assert_false(nitro_metric_name_is_valid(""));
    assert_false(nitro_metric_name_is_valid(NULL));
}

static void test_names_and_intensities_are_checked(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_profile *none = NULL;
    assert_fails(context,
                 nitro_profile_create_of_variant(context, "a b", "csr", "input", "k", &none),
                 NITRO_ERR_ARGUMENT, "'a b' is not a valid name of a computation");
    assert_fails(context, nitro_profile_create_of_variant(context, "spmv", NULL, "i", "k", &none),
                 NITRO_ERR_ARGUMENT, "'(null)' is not a valid name of a variant");
    assert_fails(context, nitro_profile_create_of_variant(context, "spmv", "csr", "", "k", &none),
                 NITRO_ERR_ARGUMENT, "'' is not a valid name of an input");
    assert_fails(context, nitro_profile_create_of_variant(context, "spmv", "csr", "i", "", &none),
                 NITRO_ERR_ARGUMENT, "'' is not a valid name of a kernel");
    assert_fails(context, nitro_profile_create_of_proxy(context, "MEM-BW", 5.01, "k", &none),
                 NITRO_ERR_ARGUMENT, "intensity must be in 0 to 5, not 5.01");
    assert_fails(context, nitro_profile_create_of_proxy(context, "MEM-BW", -1, "k", &none),
                 NITRO_ERR_ARGUMENT, "not -1");
    assert_fails(context, nitro_profile_create_of_proxy(context, "MEM-BW", NAN, "k", &none),
                 NITRO_ERR_ARGUMENT, "not nan");
    assert_null(none);
    nitro_context_free(context);
}

static void test_metrics_are_kept_in_order_and_replaced(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_profile *profile = NULL, *copy = NULL;
    assert_ok(context, nitro_profile_create_of_proxy(context, "MEM-BW", 0, "copy", &profile));
    const char *names[] = {"c", "a", "b.sum", "b"};
    for (size_t i = 0; i < 4; i++)
        assert_ok(context, nitro_profile_set(context, profile, names[i], (double)i));
    assert_ok(context, nitro_profile_set(context, profile, "b", 7));
    assert_fails(context, nitro_profile_set(context, profile, "b", NAN), NITRO_ERR_ARGUMENT,
                 "metric b is nan");
    assert_fails(context, nitro_profile_set(context, profile, "b/", 1), NITRO_ERR_ARGUMENT,
                 "'b/' is not a valid metric name");
    profile->provenance.host = strdup("lab");
    assert_ok(context, nitro_profile_copy(context, profile, &copy));
    nitro_profile_free(profile);
    const char *sorted[] = {"a", "b", "b.sum", "c"};
    const double values[] = {1, 7, 2, 0};
    assert_int_equal(copy->num_metrics, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(copy->metrics[i].name, sorted[i]);
        assert_true(nitro_profile_value(copy, sorted[i]) == values[i]);
    }
    assert_true(isnan(nitro_profile_value(copy, "d")));
    assert_null(copy->computation);
    assert_string_equal(copy->provenance.host, "lab");
    nitro_profile_free(copy);
    nitro_profile_free(NULL);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metric_names),
        cmocka_unit_test(test_names_and_intensities_are_checked),
        cmocka_unit_test(test_metrics_are_kept_in_order_and_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
