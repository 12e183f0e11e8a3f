/* The kernels of the OpenCL microbenchmarks do what is timed. They are small here, so that a
 * simulator can look for races and accesses outside of arrays (run_oclgrind.sh). */
#include <math.h>

#include "nitro/kernels.h"
#include "unit/opencl_here.h"

#define BLOCK  256
#define GROUPS 2
#define ITEMS  (GROUPS * BLOCK)
#define RATIO  1000

extern const char nitro_opencl_measure_cl[];

static const char *const entries[] = {"nothing",    "copy",        "read_cache", "add_local",
                                      "add_global", "multiply_sp", "multiply_dp"};
enum { NOTHING, COPY, READ_CACHE, ADD_LOCAL, ADD_GLOBAL, MULTIPLY_SP, MULTIPLY_DP, NUM_ENTRIES };

typedef struct compiled {
    const nitro_kernel_backend *backend;
    nitro_kernel_target target;
    void *program, *functions[NUM_ENTRIES];
    nitro_on_device on;
} compiled;

static compiled compile(nitro_context *context, const char *options)
{
    compiled made = {.backend = nitro_kernel_backend_find("opencl")};
    void *image;
    size_t bytes;
    assert_ok(context, made.backend->open(context, NULL, NULL, &made.target));
    assert_ok(context, made.backend->compile(context, &made.target, "opencl_measure.cl",
                                             nitro_opencl_measure_cl, options, &image, &bytes));
    assert_ok(context, made.backend->load(context, &made.target, image, bytes, entries, NUM_ENTRIES,
                                          &made.program, made.functions));
    free(image);
    return made;
}

static void release(compiled *made)
{
    made->backend->unload(made->program, made->functions, NUM_ENTRIES);
    made->backend->close(&made->target);
}

/* Launch a kernel (output, first, amount[, input]) and take `bytes` of its output back. */
static void run(compiled *made, size_t entry, uint32_t first, uint32_t amount, const void *input,
                size_t input_bytes, void *output, size_t bytes)
{
    const nitro_device_memory *memory = &nitro_opencl_memory;
    void *from = NULL, *to;
    char problem[256] = "";
    assert_int_equal(memory->allocate(&made->on, (int64_t)bytes, 1, &to), 0);
    assert_int_equal(memory->fill(&made->on, to, (int64_t)bytes, 1, 0), 0);
    if (input)
        assert_int_equal(memory->upload(&made->on, input, (int64_t)input_bytes, 1, &from), 0);
    nitro_kernel_launch launch = {.local = {BLOCK, 1, 1},
                                  .global = {ITEMS, 1, 1},
                                  .arguments = {{&to, sizeof(to)},
                                                {&first, sizeof(first)},
                                                {&amount, sizeof(amount)},
                                                {&from, sizeof(from)}},
                                  .num_arguments = entry == NOTHING ? 1
                                                   : input          ? 4
                                                                    : 3};
    if (entry == COPY) {
        launch.arguments[0].value = &from;
        launch.arguments[1] = (nitro_kernel_value_bytes){&to, sizeof(to)};
        launch.num_arguments = 2;
    }
    if (made->backend->launch(made->functions[entry], &launch, problem, sizeof(problem)) != 0)
        fail_msg("%s: %s", entries[entry], problem);
    assert_int_equal(memory->download(&made->on, to, (int64_t)bytes, 1, output), 0);
    memory->free(from);
    memory->free(to);
}

static void copies_and_reads_are_whole(void **state)
{
    enum { SHARE = 3, PASSES = 2 };
    uint32_t words[ITEMS * SHARE * 4], copied[ITEMS * 4], sums[ITEMS];
    nitro_context *context = unit_context();
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = (uint32_t)i % 97 + 1;
    for (int is_processor = 0; is_processor < 2; is_processor++) {
        uint64_t expected = 0, read = 0;
        compiled made = compile(context, is_processor ? "-DIS_PROCESSOR=1 -DHAS_DOUBLE"
                                                      : "-DIS_PROCESSOR=0 -DHAS_DOUBLE");
        run(&made, NOTHING, 0, 0, NULL, 0, sums, sizeof(sums));
        run(&made, COPY, 0, 0, words, sizeof(copied), copied, sizeof(copied));
        assert_memory_equal(copied, words, sizeof(copied));
        run(&made, READ_CACHE, SHARE, PASSES, words, sizeof(words), sums, sizeof(sums));
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            expected += PASSES * words[i];
        for (size_t i = 0; i < ITEMS; i++)
            read += sums[i];
        assert_int_equal(read, expected); /* each word once in every pass */
        release(&made);
    }
    nitro_context_free(context);
}

static void additions_are_counted(void **state)
{
    enum { ADDITIONS = 5, COUNTERS = 256 };
    uint32_t counters[COUNTERS], shared[GROUPS], used = 0, sum = 0;
    nitro_context *context = unit_context();
    compiled made = compile(context, "-DIS_PROCESSOR=0 -DHAS_DOUBLE");
    (void)state;
    run(&made, ADD_GLOBAL, 0, ADDITIONS, NULL, 0, counters, sizeof(counters));
    assert_int_equal(counters[0], ITEMS * ADDITIONS);
    run(&made, ADD_GLOBAL, COUNTERS - 1, ADDITIONS, NULL, 0, counters, sizeof(counters));
    for (size_t i = 0; i < COUNTERS; i++) {
        sum += counters[i];
        used += counters[i] > 0;
    }
    assert_int_equal(sum, ITEMS * ADDITIONS);
    assert_true(used > COUNTERS * 9 / 10);
    run(&made, ADD_LOCAL, 0, ADDITIONS, NULL, 0, shared, sizeof(shared));
    for (size_t g = 0; g < GROUPS; g++)
        assert_int_equal(shared[g], BLOCK * ADDITIONS);
    run(&made, ADD_LOCAL, COUNTERS - 1, ADDITIONS, NULL, 0, shared, sizeof(shared));
    for (size_t g = 0; g < GROUPS; g++)
        assert_true(shared[g] < BLOCK * ADDITIONS / 10);
    release(&made);
    nitro_context_free(context);
}

/* Eight chains of x = x (1 - 1 / RATIO) + 1 / RATIO, 32 steps a round. */
static void chains_are_multiplied(void **state)
{
    enum { ROUNDS = 2, CHAINS = 8, STEPS = 32 };
    float singles[ITEMS];
    double doubles[ITEMS];
    nitro_context *context = unit_context();
    compiled made = compile(context, "-DIS_PROCESSOR=0 -DHAS_DOUBLE");
    (void)state;
    run(&made, MULTIPLY_SP, RATIO, ROUNDS, NULL, 0, singles, sizeof(singles));
    run(&made, MULTIPLY_DP, RATIO, ROUNDS, NULL, 0, doubles, sizeof(doubles));
    for (size_t i = 0; i < ITEMS; i++) {
        double expected = 0;
        for (size_t k = 0; k < CHAINS; k++)
            expected += 1 + ((double)(i + k) - 1) * pow(1 - 1.0 / RATIO, ROUNDS * STEPS);
        assert_near(singles[i], expected, 1e-4 * expected);
        assert_near(doubles[i], expected, 1e-12 * expected);
    }
    release(&made);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_reads_are_whole),
        cmocka_unit_test(additions_are_counted),
        cmocka_unit_test(chains_are_multiplied),
    };
    return opencl_here() ? cmocka_run_group_tests_name("opencl_measure", tests, NULL, NULL)
                         : opencl_skip();
}
