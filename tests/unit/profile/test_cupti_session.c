/* The profiler "cupti" on fake functions: kernels and their names, every call failing in turn,
 * devices that cannot be profiled, work that fails. Uses no GPU and no CUPTI library. */
#include "unit/profile/cupti_fake.h"

typedef struct work_state {
    unsigned runs, restores;
    int run_result, restore_result;
    unsigned num_launches;
} work_state;

static int run_work(void *user)
{
    static const char *const kernels[] = {"_Z10csr_kernelPKiPKd", "plain_kernel"};
    work_state *self = user;
    self->runs++;
    for (unsigned i = 0; i < self->num_launches; i++)
        fake_launch(kernels[i % 2]);
    return self->run_result;
}

static int restore_work(void *user)
{
    work_state *self = user;
    self->restores++;
    fake_launch("restoring"); /* is not to be seen */
    return self->restore_result;
}

typedef struct fixture {
    nitro_context *context;
    work_state work;
    nitro_string_list counters;
    void *session;
    unsigned num_kernels;
    char kernels[8][64];
    double values[8][2];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    f->work.num_launches = 3;
    assert_ok(f->context, nitro_string_list_split(f->context, &f->counters, "a.sum,b.sum"));
    fake_reset();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_string_list_free(&f->counters);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_status keep_kernel(void *user, const char *kernel, const double *values)
{
    fixture *f = user;
    assert_true(f->num_kernels < 8);
    snprintf(f->kernels[f->num_kernels], sizeof f->kernels[0], "%s", kernel);
    memcpy(f->values[f->num_kernels], values, sizeof f->values[0]);
    f->num_kernels++;
    return NITRO_OK;
}

/* Open, profile once, close. */
static nitro_status profile(fixture *f)
{
    const nitro_profiled_work work = {.restore = restore_work, .run = run_work, .user = &f->work};
    f->num_kernels = 0;
    nitro_status status = cupti_session_open(f->context, &fake_functions, &f->session);
    if (status != NITRO_OK)
        return status;
    status = cupti_session_collect(f->session, &f->counters, &work, keep_kernel, f);
    cupti_session_close(f->session);
    return status;
}

static double count_by_name(const char *kernel, const char *counter)
{
    return (double)strlen(kernel) + (counter[0] == 'b' ? 0.5 : 0);
}

static void test_kernels_of_a_run(void **state)
{
    fixture *f = *state;
    fake.count = count_by_name;
    assert_ok(f->context, profile(f));
    assert_int_equal(f->num_kernels, 3);
    assert_string_equal(f->kernels[0], "csr_kernel");
    assert_string_equal(f->kernels[1], "plain_kernel");
    assert_string_equal(f->kernels[2], "csr_kernel");
    assert_true(f->values[0][0] == 20);
    assert_true(f->values[1][1] == 12.5);
    assert_int_equal(f->work.runs, 2); /* once to count launches, once profiled */
    assert_int_equal(f->work.restores, 2);
    fake_check_all_off();
}

static void test_work_that_launches_nothing(void **state)
{
    fixture *f = *state;
    f->work.num_launches = 0;
    assert_ok(f->context, profile(f));
    assert_int_equal(f->num_kernels, 0);
    assert_int_equal(f->work.runs, 1);
    fake_check_all_off();
}

/* Each call fails once, in the order of the calls; everything is off again after it. */
static void test_every_call_failing(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, profile(f));
    int num_calls = fake.calls;
    unsigned num_failed = 0;
    assert_true(num_calls > 30);
    for (int call = 1; call <= num_calls; call++) {
        fake_reset();
        fake.fail_at = call;
        nitro_status status = profile(f);
        assert_non_null(fake.failed);
        bool is_work = strcmp(fake.failed, "fake_context_synchronize") == 0;
        if (is_work)
            assert_fails(f->context, status, NITRO_ERR_VARIANT_FAILED, "CUDA error 700");
        else
            assert_fails(f->context, status, NITRO_ERR_IO, "error ");
        fake_check_all_off();
        num_failed++;
    }
    assert_int_equal(num_failed, num_calls);
}

static void test_what_errors_mean(void **state)
{
    fixture *f = *state;
    static const struct {
        int error;
        const char *text;
    } errors[] = {{15, "libnvperf_host.so was not found"},
                  {26, "end the other profiler"},
                  {27, "compute capability 7.5"},
                  {33, "virtual GPU"},
                  {35, "NVreg_RestrictProfilingToAdminUsers=0"},
                  {36, "another CUPTI profiling interface"},
                  {38, "old event and metric interface"},
                  {39, "another tool is attached"},
                  {40, "hypervisor"},
                  {41, "confidential computing"},
                  {42, "crypto-mining"},
                  {43, "MIG"},
                  {44, "SLI"},
                  {45, "WSL"},
                  {46, "does not know the chip"},
                  {999, "dmesg"},
                  {5, "please report it"}};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        char number[32];
        fake_reset();
        fake.fail_at = 3; /* initialize, after the driver's two */
        fake.fail_with = errors[i].error;
        snprintf(number, sizeof number, "CUPTI error %d: ", errors[i].error);
        assert_fails(f->context, profile(f), NITRO_ERR_IO, number);
        assert_fails(f->context, NITRO_ERR_IO, NITRO_ERR_IO, errors[i].text);
    }
}

static void test_devices_that_cannot_be_profiled(void **state)
{
    fixture *f = *state;
    fake.lacks_context = true;
    assert_fails(f->context, profile(f), NITRO_ERR_IO, "no CUDA device open");
#define REFUSED_FOR(reason, level, text)                                                           \
    do {                                                                                           \
        fake_reset();                                                                              \
        fake.support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;                       \
        fake.support.reason = CUPTI_PROFILER_CONFIGURATION_##level;                                \
        assert_fails(f->context, profile(f), NITRO_ERR_IO, text);                                  \
        fake_check_all_off();                                                                      \
    } while (0)
    REFUSED_FOR(architecture, UNSUPPORTED, "compute capability 7.5");
    REFUSED_FOR(sli, UNSUPPORTED, "SLI");
    REFUSED_FOR(vGpu, DISABLED, "virtual GPU without permission");
    REFUSED_FOR(confidentialCompute, UNSUPPORTED, "confidential computing is on");
    REFUSED_FOR(cmp, UNSUPPORTED, "crypto-mining");
    REFUSED_FOR(wsl, UNSUPPORTED, "WSL");
    REFUSED_FOR(wsl, SUPPORTED, "gives no reason");
    assert_int_equal(f->work.runs, 0);
}

static void test_work_that_fails(void **state)
{
    fixture *f = *state;
    f->work.run_result = 7;
    assert_fails(f->context, profile(f), NITRO_ERR_VARIANT_FAILED, "run returned 7");
    fake_check_all_off();
    f->work = (work_state){.restore_result = 3};
    assert_fails(f->context, profile(f), NITRO_ERR_VARIANT_FAILED, "restore_input returned 3");
    assert_int_equal(f->work.runs, 0);
    fake_check_all_off();
}

static void test_lost_kernels(void **state)
{
    fixture *f = *state;
    fake.num_dropped = 2;
    assert_fails(f->context, profile(f), NITRO_ERR_VARIANT_FAILED, "2 were lost, so none is kept");
    fake_check_all_off();
    fake_reset();
    fake.late_launches = 1; /* each twice: there is room for some */
    assert_ok(f->context, profile(f));
    assert_int_equal(f->num_kernels, 6);
    for (unsigned i = 0; i < 6; i++) /* it is not known which is which */
        assert_string_equal(f->kernels[i], "kernel");
    fake_reset();
    fake.late_launches = 8;
    assert_fails(f->context, profile(f), NITRO_ERR_VARIANT_FAILED, "8 were lost");
    fake_check_all_off();
    fake_reset();
    fake.lacks_passes = true;
    assert_fails(f->context, profile(f), NITRO_ERR_IO, "did not collect all passes");
    fake_check_all_off();
    fake_reset();
    fake.sees_nothing = true;
    assert_fails(f->context, profile(f), NITRO_ERR_IO, "saw none of the 3 kernels");
    fake_check_all_off();
}

static bool is_known(const char *counter)
{
    return counter[0] == 'a';
}

static void test_what_can_be_counted(void **state)
{
    fixture *f = *state;
    fake.has = is_known;
    assert_ok(f->context, cupti_session_open(f->context, &fake_functions, &f->session));
    assert_true(cupti_session_has(f->session, "a.sum"));
    assert_false(cupti_session_has(f->session, "b.sum"));
    assert_int_equal(fake.host_objects, 0);
    cupti_session_close(f->session);
    cupti_session_close(NULL);
    fake_check_all_off();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kernels_of_a_run),
        TEST(test_work_that_launches_nothing),
        TEST(test_every_call_failing),
        TEST(test_what_errors_mean),
        TEST(test_devices_that_cannot_be_profiled),
        TEST(test_work_that_fails),
        TEST(test_lost_kernels),
        TEST(test_what_can_be_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
