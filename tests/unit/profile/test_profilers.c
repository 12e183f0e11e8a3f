/* Conformance of the built-in profilers. One that cannot be opened must report an error with a
 * remedy. */
#include <math.h>

#include "unit/unit.h"

typedef struct fixture {
    nitro_context *context;
    const nitro_profiler *profiler;
    void *state;
    nitro_string_list counters;
    unsigned runs, restores, kernels;
    int run_result;
    nitro_status answer;
    double sum;
} fixture;

static int run_work(void *user)
{
    fixture *f = user;
    volatile double sum = 0;
    f->runs++;
    for (int i = 1; i < 100000; i++)
        sum += 1.0 / i;
    f->sum = sum;
    return f->run_result;
}

static int restore_work(void *user)
{
    ((fixture *)user)->restores++;
    return 0;
}

static nitro_status take_kernel(void *user, const char *kernel, const double *values)
{
    fixture *f = user;
    assert_true(strlen(kernel) > 0);
    for (size_t i = 0; i < f->counters.count; i++)
        assert_true(isnan(values[i]) || (isfinite(values[i]) && values[i] >= 0));
    f->kernels++;
    return f->answer;
}

static bool has(void *user, const char *counter)
{
    const fixture *f = user;
    return f->profiler->has(f->state, counter);
}

static nitro_status collect(fixture *f)
{
    const nitro_profiled_work work = {.restore = restore_work, .run = run_work, .user = f};
    return f->profiler->collect(f->state, &f->counters, &work, take_kernel, f);
}

static void check_refusal(const fixture *f, nitro_status status)
{
    char message[1024];
    nitro_context_last_error(f->context, message, sizeof message);
    print_message("%s: not available here: %s\n", f->profiler->name, message);
    assert_true(status == NITRO_ERR_IO || status == NITRO_ERR_NOT_BUILT);
    assert_true(strlen(message) > 20);
    assert_null(strchr(message, '\n'));
    assert_null(f->state); /* untouched */
}

static void check_work(fixture *f)
{
    nitro_proxies *proxies = NULL;
    assert_ok(f->context, nitro_proxies_create(f->context, NULL, &proxies));
    assert_false(has(f, "no_such_counter"));
    assert_false(has(f, ""));
    assert_ok(f->context, nitro_proxies_choose_counters(f->context, proxies, has, f, &f->counters));
    nitro_proxies_free(proxies);
    assert_ok(f->context, collect(f));
    assert_true(f->runs > 0);
    assert_true(f->restores >= f->runs);
    f->answer = NITRO_ERR_NO_DATA;
    assert_int_equal(collect(f), f->kernels > 0 ? NITRO_ERR_NO_DATA : NITRO_OK);
    f->run_result = 1;
    assert_fails(f->context, collect(f), NITRO_ERR_VARIANT_FAILED, "run returned 1");
}

static void check_profiler(const nitro_profiler *profiler)
{
    fixture f = {.context = unit_context(), .profiler = profiler};
    nitro_status status = profiler->open(f.context, profiler->device_kind, &f.state);
    if (status == NITRO_OK) {
        check_work(&f);
        profiler->close(f.state);
    } else {
        check_refusal(&f, status);
    }
    nitro_string_list_free(&f.counters);
    nitro_context_free(f.context);
}

static void test_names(void **state)
{
    (void)state;
    const nitro_profiler *const *all = nitro_builtin_profilers();
    assert_non_null(all[0]);
    for (size_t i = 0; all[i]; i++) {
        assert_true(nitro_name_is_valid(all[i]->name));
        assert_true(nitro_name_is_valid(all[i]->device_kind));
        assert_true(nitro_text_is_valid(all[i]->description, 200));
        assert_null(strchr(all[i]->description, '\n'));
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(all[k]->name, all[i]->name);
            assert_string_not_equal(all[k]->device_kind, all[i]->device_kind);
        }
    }
}

static void test_all(void **state)
{
    (void)state;
    for (const nitro_profiler *const *each = nitro_builtin_profilers(); *each; each++)
        check_profiler(*each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
