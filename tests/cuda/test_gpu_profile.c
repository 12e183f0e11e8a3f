/* The profiler "cupti" on a GPU: a kernel that increments every counter gives every metric of the
 * proxies a value. Skipped without a GPU or CUPTI, and where this user may not read counters. */
#include <math.h>

#include "cuda/gpu_profile.h"
#include "unit/unit.h"

enum { MOST_METRICS = 256 };

typedef struct fixture {
    nitro_context *context;
    const nitro_device_access *access;
    nitro_device_session *device;
    const nitro_profiler *profiler;
    nitro_proxies *proxies;
    void *state;
    nitro_string_list counters;
    size_t num_kernels;
    char denied[1024]; /* why the counters cannot be read; "": they can */
} fixture;

static bool has(void *user, const char *counter)
{
    const fixture *f = user;
    return f->profiler->has(f->state, counter);
}

/* Every counter that was asked for was collected, and every metric can be made and is not 0. */
static nitro_status check_kernel(void *user, const char *kernel, const double *values)
{
    fixture *f = user;
    double made[MOST_METRICS];
    nitro_profile *profile = NULL;
    assert_string_equal(kernel, "move_everything");
    assert_true(f->proxies->num_metrics <= MOST_METRICS);
    assert_ok(f->context, nitro_profile_create_of_proxy(f->context, "ATOMIC", 1, kernel, &profile));
    for (size_t i = 0; i < f->counters.count; i++) {
        print_message("%s = %g\n", f->counters.items[i], values[i]);
        assert_true(isfinite(values[i]));
        assert_ok(f->context,
                  nitro_profile_set(f->context, profile, f->counters.items[i], values[i]));
    }
    assert_ok(f->context, nitro_proxies_values(f->context, f->proxies, profile, made));
    for (size_t i = 0; i < f->proxies->num_metrics; i++) {
        const char *name = f->proxies->metrics[i].name;
        bool dram = strncmp(name, "dram_", 5) == 0; /* integrated GPUs have none */
        if (!(made[i] > 0) && !(dram && isnan(made[i])))
            fail_msg("metric %s is %g", name, made[i]);
    }
    nitro_profile_free(profile);
    f->num_kernels++;
    return NITRO_OK;
}

static nitro_status profile(fixture *f)
{
    const nitro_profiled_work work = {.run = move_every_counter};
    nitro_status status = f->profiler->open(f->context, "cuda", &f->state);
    if (status != NITRO_OK)
        return status;
    assert_ok(f->context,
              nitro_proxies_choose_counters(f->context, f->proxies, has, f, &f->counters));
    assert_true(f->counters.count > 40);
    status = f->profiler->collect(f->state, &f->counters, &work, check_kernel, f);
    f->profiler->close(f->state);
    return status;
}

/* Does this machine, its administrator or the build forbid it? */
static bool is_forbidden(nitro_status status, const char *why)
{
    static const char *const reasons[] = {"may not read the counters", "cannot be profiled",
                                          "cannot be read", "hides the counters",
                                          "does not let this virtual GPU be profiled"};
    bool is_known = status == NITRO_ERR_NOT_BUILT;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons) && status == NITRO_ERR_IO; i++)
        is_known |= strstr(why, reasons[i]) != NULL;
    return is_known;
}

static void test_every_metric_moves(void **state)
{
    fixture *f = *state;
    nitro_status status = profile(f);
    nitro_context_last_error(f->context, f->denied, sizeof f->denied);
    if (is_forbidden(status, f->denied))
        skip();
    f->denied[0] = '\0';
    assert_ok(f->context, status);
    assert_int_equal(f->num_kernels, 1);
}

static bool open_gpu(fixture *f)
{
    const nitro_device_kind *kind = nitro_device_kind_find(f->context, "cuda");
    f->access = kind ? kind->access : NULL;
    for (const nitro_profiler *const *each = nitro_builtin_profilers(); *each; each++)
        if (strcmp((*each)->device_kind, "cuda") == 0)
            f->profiler = *each;
    return f->access && f->access->open(f->context, "cuda", &f->device) == NITRO_OK;
}

int main(void)
{
    static fixture f;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_every_metric_moves, &f)};
    char message[1024];
    f.context = unit_context();
    if (!open_gpu(&f)) {
        nitro_context_last_error(f.context, message, sizeof message);
        printf("SKIPPED: no GPU to profile: %s\n", message);
        return 77;
    }
    assert_ok(f.context, nitro_proxies_create(f.context, NULL, &f.proxies));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    f.access->close(f.device);
    if (f.denied[0])
        printf("SKIPPED: %s\n", f.denied);
    return f.denied[0] ? 77 : failed;
}
