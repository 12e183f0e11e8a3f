/* What every kind of store must do with profiles. */
#include <math.h>

#include "unit/repository/store_places.h"

static size_t count_profiles(fixture *f, const char *device, const char *computation)
{
    size_t count = 999, num_read = 0;
    assert_ok(f->context, nitro_store_count_profiles(f->store, device, computation, &count));
    assert_ok(f->context, nitro_store_each_profile(f->store, device, computation,
                                                   records_count_same_profile, &num_read));
    assert_int_equal(num_read, count);
    return count;
}

static nitro_status append_description(void *user, const char *device, const nitro_profile *profile)
{
    nitro_context *context = unit_context();
    char text[256];
    snprintf(text, sizeof(text), "%s %s %s %g %s", device, profile->name,
             profile->input ? profile->input : "-", profile->intensity, profile->kernel);
    assert_ok(context, nitro_string_list_add(context, user, text));
    nitro_context_free(context);
    return NITRO_OK;
}

static void assert_profiles(fixture *f, const char *device, const char *computation,
                            const char *const *expected, size_t count)
{
    nitro_string_list read = {0};
    assert_ok(f->context,
              nitro_store_each_profile(f->store, device, computation, append_description, &read));
    assert_int_equal(read.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(read.items[i], expected[i]);
    nitro_string_list_free(&read);
}

static void test_profiles_come_back_in_order(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K40");
    put_schema_and_device(f, "spmv", "K20");
    const struct {
        const char *input;
        double intensity;
        const char *kernel;
    } given[] = {{NULL, 5, "k"},    {NULL, 0.5, "k"}, {NULL, 1e-7, "k"},
                 {NULL, -0.0, "k"}, {"b", NAN, "k"},  {"a b", NAN, "k"},
                 {"a", NAN, "k#2"}, {"a", NAN, "k"},  {"\xc3\xa9", NAN, "f<A, B>(int)"}};
    nitro_profile *profiles[9];
    for (size_t i = 0; i < 9; i++)
        profiles[i] =
            records_profile(f->context, given[i].input, given[i].intensity, given[i].kernel);
    assert_ok(f->context, nitro_store_put_profiles(
                              f->store, "K20", (const nitro_profile *const *)profiles, 9, false));
    assert_ok(f->context, nitro_store_put_profiles(
                              f->store, "K40", (const nitro_profile *const *)profiles, 1, false));
    for (size_t i = 0; i < 9; i++)
        nitro_profile_free(profiles[i]);
    reopen(f, NITRO_STORE_READ);
    const char *proxies[] = {"K20 ATOMIC - 0 k", "K20 ATOMIC - 1e-07 k", "K20 ATOMIC - 0.5 k",
                             "K20 ATOMIC - 5 k", "K40 ATOMIC - 5 k"};
    assert_profiles(f, NULL, NULL, proxies, 5);
    assert_profiles(f, "K40", NULL, proxies + 4, 1);
    const char *variants[] = {"K20 csr a nan k", "K20 csr a nan k#2", "K20 csr a b nan k",
                              "K20 csr b nan k", "K20 csr \xc3\xa9 nan f<A, B>(int)"};
    assert_profiles(f, NULL, "spmv", variants, 5);
    assert_profiles(f, "K40", "spmv", NULL, 0);
    assert_int_equal(count_profiles(f, "K20", NULL), 4);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 5);
    assert_int_equal(count_profiles(f, "K99", NULL), 0);
    nitro_string_list none = {0};
    assert_fails(f->context,
                 nitro_store_each_profile(f->store, NULL, "sort", append_description, &none),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort' in this store; known: spmv");
    assert_fails(f->context, records_put_profiles(f->store, "K20", 0, 1, false), NITRO_ERR_ARGUMENT,
                 "open for reading");
}

static void test_a_profile_is_stored_once_or_its_run_replaced(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    assert_fails(f->context, records_put_profiles(f->store, "K20", 2, 2, false), NITRO_ERR_EXISTS,
                 "4 of the 8 profiles on K20 exist already (csr on input-002: rows#2, "
                 "ATOMIC on 0.2: rows#2");
    assert_int_equal(count_profiles(f, "K20", "spmv"), 6); /* nothing of the batch was written */
    assert_ok(f->context, records_put_profiles(f->store, "K20", 2, 2, true));
    assert_int_equal(count_profiles(f, "K20", "spmv"), 8);
    assert_int_equal(count_profiles(f, "K20", NULL), 8);
    /* Profiling a run again replaces all its kernels, even if it launches others. */
    nitro_profile *profile = records_profile(f->context, "input-000", NAN, "other");
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(f->store, "K20", batch, 1, true));
    assert_int_equal(count_profiles(f, "K20", "spmv"), 7);
    nitro_profile_free(profile);
    records_assert_sound(f->store);
}

static void test_unclean_profiles_are_refused(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_profile *profile = records_profile(f->context, "input", NAN, "k");
    const nitro_profile *batch[] = {profile, profile};
#define ASSERT_REFUSED(device, count, status, text)                                                \
    assert_fails(f->context, nitro_store_put_profiles(f->store, device, batch, count, false),      \
                 status, text)
    ASSERT_REFUSED("K20", 2, NITRO_ERR_ARGUMENT, "kernel 'k' of one run is given twice");
    ASSERT_REFUSED("K40", 1, NITRO_ERR_NOT_FOUND, "no device 'K40' in this store; known: K20");
    profile->intensity = 1;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "a variant has no intensity");
    profile->intensity = NAN;
    profile->metrics[1].value = INFINITY;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "kernel 'k': metric 1 has no valid name");
    profile->metrics[1].value = NAN;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "or no finite value");
    profile->metrics[1].value = 1;
    profile->metrics[1].name[0] = '/';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "metric 1 has no valid name");
    profile->metrics[1].name[0] = 'a'; /* out of order */
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "in byte order");
    profile->metrics[1].name[0] = 'i';
    profile->name[0] = 'x';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_MISMATCH, "computation spmv has no variant 'xsr'");
    profile->name[0] = 'c';
    profile->computation[0] = 'x';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_NOT_FOUND, "no computation 'xpmv'");
    profile->computation[0] = 's';
    profile->kernel[0] = '\n';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "kernel's name is not valid");
    nitro_profile_free(profile);
    profile = records_profile(f->context, NULL, 5, "k");
    batch[0] = profile;
    profile->intensity = 5.5;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "a proxy's intensity must be from 0 to 5");
    nitro_profile_free(profile);
    assert_int_equal(count_profiles(f, NULL, "spmv") + count_profiles(f, NULL, NULL), 0);
#undef ASSERT_REFUSED
}

static void test_removing_profiles(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    assert_ok(f->context, records_put_profiles(f->store, "K40", 0, 2, false));
    assert_ok(f->context, put_samples(f, "K40", 0, 4, false));
    size_t removed = 0;
    assert_ok(f->context, nitro_store_remove_profiles(f->store, "K20", NULL, &removed));
    assert_int_equal(removed, 6);
    assert_fails(f->context, nitro_store_remove_profiles(f->store, "K20", NULL, &removed),
                 NITRO_ERR_NOT_FOUND, "no profiles of proxies on K20 to remove");
    assert_fails(f->context, nitro_store_remove_profiles(f->store, NULL, "sort", &removed),
                 NITRO_ERR_NOT_FOUND, "no profiles of sort to remove");
    assert_int_equal(count_profiles(f, NULL, NULL), 4);
    /* Removing a device's samples removes its profiles, also if it has only profiles. */
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K40", &removed));
    assert_int_equal(removed, 4);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 6);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed));
    assert_int_equal(removed, 0);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 0);
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 1, false));
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
    records_assert_sound(f->store);
    assert_int_equal(count_profiles(f, NULL, NULL), 6); /* proxies belong to no computation */
}

static void test_copying_adds_runs_that_are_missing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    char url[128];
    nitro_store *to = NULL;
    nitro_copy_report report;
    make_url(f, "other", url, sizeof(url));
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &to));
    records_put_names(to, "spmv", "K20");
    nitro_profile *profile = records_profile(f->context, "input-001", NAN, "older");
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(to, "K20", batch, 1, false));
    nitro_profile_free(profile);
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.profiles, 10); /* the target's run is not changed */
    assert_int_equal(report.profiles_skipped, 2);
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.profiles, 0);
    assert_int_equal(report.profiles_skipped, 12);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_profile(to, NULL, "spmv", records_count_same_profile, &num_read));
    assert_int_equal(num_read, 5);
    nitro_store_close(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_profiles_come_back_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_profile_is_stored_once_or_its_run_replaced, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_unclean_profiles_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removing_profiles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copying_adds_runs_that_are_missing, setup, teardown),
    };
    return RUN_EVERYWHERE(tests);
}
