/* Plug-ins loaded on demand: where they are looked for, what is refused, and that they have what
 * the static library, which this test is linked to, has in it. */
#include "nitro/runtime/computation.h"
#include "unit/unit.h"
#include "variants/sort/sort.h"

static nitro_context *context_with(const char *folder)
{
    nitro_context *context = unit_context();
    assert_ok(context, nitro_context_set(context, NULL, "plugins", folder));
    return context;
}

static void assert_refused(const char *folder, const char *name, const char *text)
{
    nitro_context *context = context_with(folder);
    const void *functions = context;
    assert_fails(context, nitro_plugin_load(context, name, &functions), NITRO_ERR_NOT_BUILT, text);
    assert_ptr_equal(functions, context);
    nitro_context_free(context);
}

static void test_a_missing_one_is_named_with_its_package(void **state)
{
    (void)state;
    assert_refused("/no/such/folder", "redis", "/no/such/folder/redis.so: cannot open");
    assert_refused("/no/such/folder", "redis", "install the package libnitro0-plugins");
    assert_refused("/no/such/folder", "redis", "NITRO_PLUGINS");
}

static void test_other_objects_and_versions_are_refused(void **state)
{
    (void)state;
    assert_refused(FAKES, "no_plugin", "no_plugin.so is not a plug-in of Nitro");
    assert_refused(FAKES, "plugin_of_other_version", "is of Nitro 0.0.9, but this library is ");
}

static void test_without_the_setting_it_is_looked_for_beside_the_library(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const void *functions = NULL;
    assert_fails(context, nitro_plugin_load(context, "redis", &functions), NITRO_ERR_NOT_BUILT,
                 "/tests/nitro0/redis.so: cannot open"); /* this program has the library in it */
    nitro_context_free(context);
}

static void test_the_redis_plug_in_has_the_built_in_kinds(void **state)
{
    (void)state;
    nitro_context *context = context_with(PLUGINS);
    const void *functions = NULL, *again = NULL;
    assert_ok(context, nitro_plugin_load(context, "redis", &functions));
    assert_ok(context, nitro_plugin_load(context, "redis", &again));
    assert_ptr_equal(functions, again);
    size_t count = 0;
    for (const nitro_store_kind *const *kind = functions; *kind; kind++, count++) {
        const nitro_store_kind *const *built_in = nitro_builtin_stores();
        while (*built_in && strcmp((*built_in)->scheme, (*kind)->scheme) != 0)
            built_in++;
        assert_non_null(*built_in);
        assert_string_equal((*built_in)->description, (*kind)->description);
        assert_int_equal((*built_in)->remote, (*kind)->remote);
        assert_null((*kind)->plugin);
        assert_non_null((*kind)->open);
    }
    assert_int_equal(count, 3);
    nitro_context_free(context);
}

/* ---- A computation's variants ---- */

static const nitro_variant deferred = {.name = "vector_quick"};

/* Sorts by the variant vector_quick of a computation that finds it in the plug-in, or nowhere. */
static void sort_with_plugins_of(const char *folder, bool expect_loaded, const char *log_text)
{
    nitro_context *context = context_with(folder);
    char log[UNIT_LOG_BYTES] = "";
    nitro_kit kit = nitro_sort_kit;
    nitro_computation *computation;
    uint32_t keys[] = {3, 1, 2}, sorted[3], expected[] = {1, 2, 3};
    nitro_sort sort = {.num_keys = 3, .key_bytes = 4, .keys = keys, .sorted_keys = sorted};
    const nitro_variant *const variants[] = {nitro_sort_variants[2], &deferred}; /* radix */
    kit.variants = variants;
    kit.num_variants = 2;
    nitro_context_set_log(context, NITRO_LOG_WARNING, unit_keep_log, log);
    assert_ok(context, nitro_kit_create(context, &kit, false, &computation));
    assert_string_equal(computation->schema->variants[1], "vector_quick");
    const nitro_variant *variant = &computation->variants[1];
    bool is_allowed = !variant->allows || variant->allows(NULL, &sort, variant->user);
    assert_int_equal(is_allowed, expect_loaded);
    if (is_allowed) {
        assert_int_equal(variant->prepare(&sort, variant->user), 0);
        assert_int_equal(variant->run(&sort, variant->user), 0);
        assert_memory_equal(sorted, expected, sizeof(expected));
    }
    if (log_text)
        assert_non_null(strstr(log, log_text));
    else
        assert_string_equal(log, "");
    nitro_kit_release(&kit, &sort);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void test_a_variant_is_loaded_when_its_computation_is_declared(void **state)
{
    (void)state;
    sort_with_plugins_of(PLUGINS, nitro_sort_variant_vector_quick.prepare != NULL, NULL);
}

static void test_a_variant_whose_plug_in_is_missing_is_allowed_for_nothing(void **state)
{
    (void)state;
    sort_with_plugins_of("/no/such/folder", false,
                         "sort is without the variants of highway.so: cannot load a plug-in: "
                         "/no/such/folder/highway.so: cannot open shared object file: No such file "
                         "or directory; install the package libnitro0-plugins");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_missing_one_is_named_with_its_package),
        cmocka_unit_test(test_other_objects_and_versions_are_refused),
        cmocka_unit_test(test_without_the_setting_it_is_looked_for_beside_the_library),
        cmocka_unit_test(test_the_redis_plug_in_has_the_built_in_kinds),
        cmocka_unit_test(test_a_variant_is_loaded_when_its_computation_is_declared),
        cmocka_unit_test(test_a_variant_whose_plug_in_is_missing_is_allowed_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
