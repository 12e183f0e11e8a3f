/* Spaces of the kernels in examples/kernels: as many configurations as the KTT benchmarks have, and
 * what NVRTC says of them for two architectures, without a GPU. NITRO_TEST_COMPILED is how many
 * of each kernel are compiled: "1000000000" stands for all, which takes hours. */
#include "unit/kernels/kernel_examples.h"

static const struct {
    const char *computation;
    uint64_t opencl, cuda;
} counts[] = {
    {"ktt_reduction", 175, 105},     {"ktt_transpose", 10752, 9408}, {"ktt_gemm", 241600, 205216},
    {"ktt_convolution", 5248, 5248}, {"ktt_coulomb", 1260, 210},     {"ktt_nbody", 9408, 6272},
    {"ktt_bicg", 5122, 5122},        {"ktt_hotspot", 480, 480},      {"ktt_batched", 424, 424},
};

static nitro_space *space_of(nitro_context *context, const nitro_module *module,
                             nitro_computation **computation, const double *limits)
{
    nitro_space *space;
    assert_ok(context, module->create(context, computation));
    const nitro_kernel *kernel = nitro_kernel_of(*computation, 0);
    assert_non_null(kernel);
    assert_ok(context, nitro_kernel_space(context, kernel, limits, &space));
    return space;
}

static void spaces_have_the_benchmarks_counts(void **state)
{
    static const double unlimited[3] = {(double)NAN, (double)NAN, (double)NAN};
    nitro_context *context = unit_context();
    size_t i = 0;
    (void)state;
    for (const nitro_module *each = nitro_module_get(); each->version; each++, i++) {
        nitro_computation *computation;
        nitro_space *space = space_of(context, each, &computation, unlimited);
        bool is_cuda = strcmp(each->device_kind, "cuda") == 0;
        assert_string_equal(each->name, counts[i / 2].computation);
        if (nitro_space_size(space) != (is_cuda ? counts[i / 2].cuda : counts[i / 2].opencl))
            fail_msg("%s on %s: %llu configurations", each->name, each->device_kind,
                     (unsigned long long)nitro_space_size(space));
        nitro_space_free(space);
        nitro_computation_free(computation);
    }
    assert_int_equal(i, 2 * sizeof(counts) / sizeof(counts[0]));
    nitro_context_free(context);
}

/* Of the space for the architecture's limits. @return how many do not compile */
static uint64_t compile_some(nitro_context *context, const nitro_module *module,
                             const char *architecture, const nitro_kernel_target *target,
                             uint64_t count)
{
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    nitro_computation *computation;
    nitro_space *space = space_of(context, module, &computation, target->limits);
    const nitro_kernel *kernel = nitro_kernel_of(computation, 0);
    uint64_t size = nitro_space_size(space), failed = 0;
    nitro_random random;
    nitro_random_seed(&random, 1);
    count = count < size ? count : size;
    for (uint64_t i = 0; i < count; i++) {
        const char *values[NITRO_MAX_PARAMETERS];
        void *image = NULL;
        size_t bytes;
        double compile_ms;
        char message[1024];
        examples_values(space, examples_draw(space, count, i, &random), values);
        if (nitro_kernel_compile(context, backend, target, kernel, values, &image, &bytes,
                                 &compile_ms) == NITRO_OK) {
            assert_memory_equal(image, "\177ELF", 4);
            free(image);
            continue;
        }
        char *text = nitro_kernel_values_text(context, kernel, values, "");
        nitro_context_last_error(context, message, sizeof message);
        print_message("%s, %s: %s\n", module->name, text, message);
        free(text);
        failed++;
    }
    print_message("%s for %s: %llu of %llu compiled, %llu failed\n", module->name, architecture,
                  (unsigned long long)count, (unsigned long long)size, (unsigned long long)failed);
    nitro_space_free(space);
    nitro_computation_free(computation);
    return failed;
}

static void nvrtc_compiles_what_is_in_the_space(void **state)
{
    static const char *const architectures[] = {"sm_80", "sm_90"};
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    uint64_t count = examples_count("NITRO_TEST_COMPILED", 3);
    nitro_context *context = unit_context();
    uint64_t failed = 0;
    (void)state;
    for (size_t a = 0; a < 2; a++) {
        nitro_kernel_target target;
        if (backend->open(context, architectures[a], NULL, &target) == NITRO_ERR_NOT_FOUND) {
            puts("SKIPPED: NVRTC is not here");
            nitro_context_free(context);
            skip();
        }
        for (const nitro_module *each = nitro_module_get(); each->version; each++)
            if (strcmp(each->device_kind, "cuda") == 0)
                failed += compile_some(context, each, architectures[a], &target, count);
        backend->close(&target);
    }
    assert_int_equal(failed, 0);
    nitro_context_free(context);
}

/* A tile beyond the 48 KB of static shared memory, which the space for the architecture lacks. */
static void nvrtc_refuses_what_is_beyond_the_limits(void **state)
{
    static const char *const values[] = {"64", "64", "1", "8", "8", "1", "1", "0"};
    static const double unlimited[3] = {(double)NAN, (double)NAN, (double)NAN};
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    const nitro_module *convolution = nitro_module_get() + 7;
    nitro_context *context = unit_context();
    nitro_kernel_target target;
    nitro_computation *computation;
    void *image;
    size_t bytes;
    double compile_ms;
    (void)state;
    nitro_space_free(space_of(context, convolution, &computation, unlimited));
    assert_string_equal(nitro_computation_name(computation), "ktt_convolution");
    if (backend->open(context, "sm_90", NULL, &target) == NITRO_OK) {
        assert_fails(context,
                     nitro_kernel_compile(context, backend, &target,
                                          nitro_kernel_of(computation, 0), values, &image, &bytes,
                                          &compile_ms),
                     NITRO_ERR_FORMAT, "too much shared data");
        backend->close(&target);
    }
    nitro_computation_free(computation);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_have_the_benchmarks_counts),
        cmocka_unit_test(nvrtc_compiles_what_is_in_the_space),
        cmocka_unit_test(nvrtc_refuses_what_is_beyond_the_limits),
    };
    return cmocka_run_group_tests_name("kernel_spaces", tests, NULL, NULL);
}
