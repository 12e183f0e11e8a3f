/* Spaces of the kernels in examples/kernels: as many configurations as the KTT benchmarks have, and
 * what NVRTC says of them for two architectures, without a GPU.
 *
 * NITRO_TEST_COMPILED is how many of each kernel are compiled, evenly over its space (default 3);
 * "all" takes hours. NITRO_TEST_COMPILED_ONLY="ktt_gemm" leaves out other kernels, and
 * NITRO_TEST_COMPILED_FROM="sm_90 ktt_gemm 12000" continues where a run with the same count was
 * stopped: each line that it prints says how far it came. NITRO_TEST_COMPILED_OPTIONS are further
 * options of NVRTC: "--Ofast-compile=max" is many times as fast. */
#include <inttypes.h>

#include "nitro/kit/fields.h"
#include "unit/kernels/kernel_examples.h"

#define MANY   100  /* from here on, configurations share programs */
#define SHARED 32   /* configurations of a program */
#define REPORT 1024 /* configurations between two lines */

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

/* The first one is as large as generate_mb allows. */
static void generated_inputs_fit(void **state)
{
    nitro_context *context = unit_context();
    (void)state;
    assert_ok(context, nitro_context_set(context, NULL, "generate_mb", "16"));
    for (const nitro_module *each = nitro_module_get(); each->version; each++) {
        nitro_computation *computation;
        char name[NITRO_KIT_LABEL + 64];
        void *argument;
        double bytes = 0;
        assert_ok(context, each->create(context, &computation));
        assert_ok(context, each->generate(context, 1, 0, name, sizeof(name), &argument));
        const nitro_kit *kit = nitro_kernel_of(computation, 0)->kit;
        for (size_t f = 0; f < kit->num_fields; f++)
            bytes += (double)nitro_field_count_of(kit, &kit->fields[f], argument) *
                     (double)nitro_field_size(&kit->fields[f]);
        if (bytes > 2 * 16e6)
            fail_msg("%s: %s takes %.0f MB", each->name, name, bytes / 1e6);
        each->unload(argument);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

/* Of batched, which is compiled for one size: 336 configurations at 4. */
static void spaces_follow_the_size(void **state)
{
    static const double unlimited[3] = {(double)NAN, (double)NAN, (double)NAN};
    const nitro_module *module = nitro_module_get();
    nitro_context *context = unit_context();
    nitro_computation *computation;
    nitro_space *space;
    (void)state;
    while (strcmp(module->name, "ktt_batched") != 0)
        module++;
    assert_ok(context, module->create(context, &computation));
    nitro_kernel sized = *nitro_kernel_of(computation, 0);
    for (size_t p = 0; p < 3; p++) { /* SIZE_A, SIZE_B, SIZE_C */
        sized.parameters[p].values = "[4]";
        sized.parameters[p].usual = "4";
    }
    assert_ok(context, nitro_kernel_space(context, &sized, unlimited, &space));
    assert_int_equal(nitro_space_size(space), 336);
    nitro_space_free(space);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* One kernel for one architecture. */
typedef struct compiling {
    nitro_context *context;
    const nitro_kernel_backend *backend;
    const nitro_kernel_target *target;
    const nitro_kernel *kernel;
    const nitro_space *space;
    const char *name, *architecture;
    uint64_t count; /* of the space's configurations */
} compiling;

static void choose(const compiling *c, uint64_t i, const char **values)
{
    uint64_t size = nitro_space_size(c->space);
    examples_values(c->space,
                    size <= c->count ? i : size / c->count * i + size % c->count * i / c->count,
                    values);
}

/* As a variant is compiled. */
static bool compile_one(const compiling *c, uint64_t i)
{
    const char *values[NITRO_MAX_PARAMETERS];
    void *image = NULL;
    size_t bytes;
    double compile_ms;
    char message[1024];
    choose(c, i, values);
    if (nitro_kernel_compile(c->context, c->backend, c->target, c->kernel, values, &image, &bytes,
                             &compile_ms) == NITRO_OK) {
        assert_memory_equal(image, "\177ELF", 4);
        free(image);
        return true;
    }
    char *text = nitro_kernel_values_text(c->context, c->kernel, values, "=", " ");
    nitro_context_last_error(c->context, message, sizeof message);
    print_message("%s, %s: %s\n", c->name, text, message);
    free(text);
    return false;
}

/* The names that the source defines: the next configuration may define them otherwise. */
static void undefine(FILE *to, const char *source)
{
    static const char define[] = "#define ";
    for (const char *at = strstr(source, define); at; at = strstr(at, define)) {
        at += strlen(define);
        fprintf(to, "#undef %.*s\n", (int)strcspn(at, " (\n"), at);
    }
}

/* The source once for each configuration, its entries with numbers, everything else in a namespace
 * of its own. */
static char *join(const compiling *c, uint64_t begin, uint64_t end)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (uint64_t i = begin; i < end; i++) {
        const char *values[NITRO_MAX_PARAMETERS];
        choose(c, i, values);
        for (size_t p = 0; p < nitro_kernel_num_parameters(c->kernel); p++)
            fprintf(to, "#define %s %s\n", c->kernel->parameters[p].name, values[p]);
        for (size_t s = 0; s < nitro_kernel_num_steps(c->kernel); s++)
            fprintf(to, "#undef %1$s\n#define %1$s %1$s_%2$" PRIu64 "\n", c->kernel->steps[s].entry,
                    i);
        fprintf(to, "namespace of_%" PRIu64 " {\n%s\n}\n", i, c->kernel->source);
        for (size_t p = 0; p < nitro_kernel_num_parameters(c->kernel); p++)
            fprintf(to, "#undef %s\n", c->kernel->parameters[p].name);
        undefine(to, c->kernel->source);
    }
    assert_int_equal(fclose(to), 0);
    return text;
}

/* @return how many do not compile */
static uint64_t compile_shared(const compiling *c, uint64_t begin, uint64_t end)
{
    void *image = NULL;
    size_t bytes;
    uint64_t failed = 0;
    char *source = join(c, begin, end);
    bool is_compiled = c->backend->compile(c->context, c->target, c->kernel->origin, source,
                                           c->kernel->options, &image, &bytes) == NITRO_OK;
    free(source);
    free(image);
    if (is_compiled)
        return 0;
    for (uint64_t i = begin; i < end; i++)
        failed += !compile_one(c, i);
    if (failed == 0)
        fail_msg("%s, from %" PRIu64 " on: compiles only one by one", c->name, begin);
    return failed;
}

static uint64_t compile_some(const compiling *c, uint64_t begin)
{
    uint64_t failed = 0, each = c->count < MANY ? 1 : SHARED;
    for (uint64_t i = begin; i < c->count; i += each) {
        uint64_t end = i + each < c->count ? i + each : c->count;
        failed += each == 1 ? !compile_one(c, i) : compile_shared(c, i, end);
        if (end == c->count || end % REPORT == 0) {
            print_message(
                "%s %s %" PRIu64 " of %" PRIu64 ", space %" PRIu64 ": %" PRIu64 " failed\n",
                c->architecture, c->name, end, c->count, nitro_space_size(c->space), failed);
            fflush(stdout);
        }
    }
    return failed;
}

/* Where NITRO_TEST_COMPILED_FROM says to begin: a kernel is left out if it comes before. */
static bool is_left_out(const char *architecture, const char *name, bool *is_found, uint64_t *begin)
{
    char from[16], kernel[32];
    const char *text = getenv("NITRO_TEST_COMPILED_FROM"),
               *only = getenv("NITRO_TEST_COMPILED_ONLY");
    *begin = 0;
    if (text && !*is_found) {
        if (sscanf(text, "%15s %31s %" SCNu64, from, kernel, begin) != 3)
            fail_msg("NITRO_TEST_COMPILED_FROM is '%s', not as 'sm_90 ktt_gemm 12000'", text);
        *is_found = strcmp(from, architecture) == 0 && strcmp(kernel, name) == 0;
        if (!*is_found)
            return true;
    }
    return only && strcmp(only, name) != 0;
}

/* Of the space for the architecture's limits. @return how many do not compile */
static uint64_t compile_module(nitro_context *context, const nitro_module *module,
                               const char *architecture, const nitro_kernel_target *target,
                               uint64_t begin)
{
    const char *count = getenv("NITRO_TEST_COMPILED"),
               *more = getenv("NITRO_TEST_COMPILED_OPTIONS");
    nitro_computation *computation;
    nitro_space *space = space_of(context, module, &computation, target->limits);
    nitro_kernel kernel = *nitro_kernel_of(computation, 0);
    char *options =
        nitro_asprintf(context, "%s %s", kernel.options ? kernel.options : "", more ? more : "");
    kernel.options = options;
    compiling c = {.context = context,
                   .backend = nitro_kernel_backend_find("cuda"),
                   .target = target,
                   .kernel = &kernel,
                   .space = space,
                   .name = module->name,
                   .architecture = architecture,
                   .count = nitro_space_size(space)};
    if (!count || strcmp(count, "all") != 0) {
        uint64_t some = count ? strtoull(count, NULL, 10) : 3;
        c.count = some < c.count ? some : c.count;
    }
    uint64_t failed = compile_some(&c, begin);
    free(options);
    nitro_space_free(space);
    nitro_computation_free(computation);
    return failed;
}

static void nvrtc_compiles_what_is_in_the_space(void **state)
{
    static const char *const architectures[] = {"sm_80", "sm_90"};
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    nitro_context *context = unit_context();
    uint64_t failed = 0, begin, num_kernels = 0;
    bool is_found = false;
    (void)state;
    for (size_t a = 0; a < 2; a++) {
        nitro_kernel_target target;
        if (backend->open(context, architectures[a], NULL, &target) == NITRO_ERR_NOT_FOUND) {
            puts("SKIPPED: NVRTC is not here");
            nitro_context_free(context);
            skip();
        }
        for (const nitro_module *each = nitro_module_get(); each->version; each++)
            if (strcmp(each->device_kind, "cuda") == 0 &&
                !is_left_out(architectures[a], each->name, &is_found, &begin)) {
                failed += compile_module(context, each, architectures[a], &target, begin);
                num_kernels++;
            }
        backend->close(&target);
    }
    assert_int_equal(failed, 0);
    if (num_kernels == 0)
        fail_msg("NITRO_TEST_COMPILED_ONLY and NITRO_TEST_COMPILED_FROM leave out all kernels");
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
        cmocka_unit_test(generated_inputs_fit),
        cmocka_unit_test(spaces_follow_the_size),
        cmocka_unit_test(nvrtc_compiles_what_is_in_the_space),
        cmocka_unit_test(nvrtc_refuses_what_is_beyond_the_limits),
    };
    return cmocka_run_group_tests_name("kernel_spaces", tests, NULL, NULL);
}
