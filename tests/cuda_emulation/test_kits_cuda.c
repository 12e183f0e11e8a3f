/* Conformance of the computations on CUDA devices, emulated: every variant on every family in
 * several orders of threads, allocations that fail, captures. */
#include "cuda/computation_cases.h"
#include "cuda_emulation/emulated_cases.h"
#include "unit/computations/kit_cases.h"
#include "variants/transpose/transpose.h"

/* Graphs that are as deep as a path take launches in proportion to their size, and all are alike:
 * what takes so many at one size is not repeated at the next. */
#define MANY_LAUNCHES 600

static void check_family(cuda_cases *cases, const nitro_kit *kit, size_t family)
{
    static const double sizes[] = {0, 1, 33, 120, 700};
    unsigned num_launches = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && num_launches < MANY_LAUNCHES; i++) {
        unsigned before = cuda_emulation_num_launches();
        computation_cases_check(cases, kit, computation_cases_load(cases, kit, family, sizes[i]));
        num_launches = cuda_emulation_num_launches() - before;
    }
}

static void every_variant_on_every_family(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++)
        for (unsigned seed = 1; seed <= 2; seed++) {
            const nitro_kit *kit = cuda_computations[c].kit;
            cuda_emulation_settings settings = cuda_emulation_defaults();
            settings.seed = seed;
            cuda_emulation_reset(&settings);
            cuda_cases *cases =
                cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
            for (size_t family = 0; family < kit->inputs->num_families; family++)
                check_family(cases, kit, family);
            assert_int_equal(emulated_cases_close(cases), 0);
        }
}

/* More keys than locality sorts in a block. */
static void sorts_merge_tiles(void **state)
{
    (void)state;
    emulated_cases_start_device();
    cuda_cases *cases = cuda_cases_open(&nitro_module_sort_cuda, nitro_kit_allows_nothing);
    for (size_t family = 0; family < nitro_sort_kit.inputs->num_families; family++)
        computation_cases_check(cases, &nitro_sort_kit,
                                computation_cases_load(cases, &nitro_sort_kit, family, 5001));
    assert_int_equal(emulated_cases_close(cases), 0);
}

static void two_arguments_on_two_streams(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        emulated_cases_start_device();
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        computation_cases_check_two(cases, cuda_computations[c].kit, 1500, 700);
        assert_int_equal(emulated_cases_close(cases), 0);
    }
}

/* Another part of the program captures a graph, in the default mode, which forbids everybody to
 * allocate; that graph is whole in the end. */
static void arguments_are_prepared_and_freed_while_others_capture(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        emulated_cases_start_device();
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        const nitro_hooks *hooks = &cases->computation->hooks;
        void *argument = computation_cases_load(cases, cuda_computations[c].kit, 0, 1000);
        cudaStream_t other;
        cudaGraph_t graph;
        assert_int_equal(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
        assert_int_equal(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), cudaSuccess);
        assert_int_equal(hooks->prepare_input(argument, hooks->user), 0);
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
            const nitro_variant *variant = cuda_cases_variant(cases, v);
            if (!cases->is_here[v] || !cuda_cases_allow(cases, variant, argument))
                continue;
            if (variant->prepare && variant->prepare(argument, variant->user) != 0)
                fail_msg("%s: %s", variant->name, cuda_cases_problem(cases, argument));
            if (variant->release)
                variant->release(argument, variant->user);
        }
        cases->module->unload(argument);
        assert_int_equal(cudaStreamEndCapture(other, &graph), cudaSuccess);
        assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
        assert_int_equal(cudaStreamDestroy(other), cudaSuccess);
        assert_int_equal(emulated_cases_close(cases), 0);
    }
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        emulated_cases_start_device();
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        const nitro_hooks *hooks = &cases->computation->hooks;
        void *argument = computation_cases_load(cases, cuda_computations[c].kit, 0, 1000);
        assert_true(
            emulated_cases_fail_mallocs(cases, argument, hooks->prepare_input, hooks->user) > 0);
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
            const nitro_variant *variant = cuda_cases_variant(cases, v);
            if (cases->is_here[v])
                emulated_cases_fail_mallocs(cases, argument, variant->prepare, variant->user);
        }
        cases->module->unload(argument);
        assert_int_equal(emulated_cases_close(cases), 0);
    }
}

/* A variant that was not prepared may find room that another one made: it refuses to run, or does
 * with so much. */
static void rooms_of_other_variants_are_not_overrun(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        emulated_cases_start_device();
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        size_t num_variants = nitro_computation_num_variants(cases->computation);
        for (size_t i = 0; i < num_variants * num_variants; i++) {
            const nitro_variant *other = cuda_cases_variant(cases, i / num_variants);
            const nitro_variant *variant = cuda_cases_variant(cases, i % num_variants);
            if (!cases->is_here[i / num_variants] || !cases->is_here[i % num_variants])
                continue;
            void *argument = computation_cases_load(cases, cuda_computations[c].kit, 0, 130);
            if (cuda_cases_allow(cases, other, argument) &&
                cuda_cases_allow(cases, variant, argument)) {
                assert_int_equal(other->prepare(argument, other->user), 0);
                if (variant->run(argument, variant->user) == 0)
                    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
                else
                    assert_non_null(
                        strstr(cuda_cases_problem(cases, argument), "was not prepared"));
            }
            cases->module->unload(argument);
        }
        assert_int_equal(emulated_cases_close(cases), 0);
    }
}

/* ---- Fields on the device ---- */

typedef struct order_call {
    int64_t count, *places;
    nitro_kept *kept;
} order_call;

typedef struct order_cuda {
    order_call host;
    nitro_cuda cuda;
    int32_t count, *places;
} order_cuda;

extern const nitro_kit order_kit;
static const int32_t order[3] = {2, -1, INT32_MAX};

static int run_order(void *argument, void *user)
{
    order_cuda *call = argument;
    (void)user;
    return cudaMemcpyAsync(call->places, order, sizeof(order), cudaMemcpyHostToDevice,
                           (cudaStream_t)call->cuda.stream);
}

static int upload_order(void *argument, void *user)
{
    (void)user;
    return nitro_kit_upload(&order_kit, argument);
}

static int order_plainly(void *argument, double *magnitudes)
{
    (void)magnitudes;
    for (size_t i = 0; i < 3; i++)
        ((order_call *)argument)->places[i] = order[i];
    return 0;
}

static int count_of(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const order_call *)argument)->count;
    return 0;
}

static nitro_status add_count(nitro_computation *computation)
{
    static const nitro_feature count = {"count", "numbers", NITRO_SCALE_LINEAR, 0};
    return nitro_computation_add_features(computation, &count, 1, count_of, NULL);
}

static const nitro_field order_fields[] = {
    {.name = "count", .offset = offsetof(order_call, count), NITRO_ON_DEVICE(order_cuda, count)},
    NITRO_ARRAY(order_call, places, NITRO_OUT, NITRO_INDEX64, "3",
                NITRO_ON_DEVICE(order_cuda, places)),
};
static const nitro_variant order_variant = {.name = "order", .run = run_order};
static const nitro_variant *const order_variants[] = {&order_variant};
static const nitro_kit_device order_device =
    NITRO_CUDA_DEVICE(order_cuda, order_variants, .prepare = upload_order);
const nitro_kit order_kit = {.name = "order",
                             .argument_bytes = sizeof(order_call),
                             .kept = offsetof(order_call, kept),
                             .fields = order_fields,
                             .num_fields = 2,
                             .variants = order_variants,
                             .num_variants = 1,
                             .usual = "order",
                             .add_features = add_count,
                             .reference = order_plainly,
                             .device = &order_device};

static order_cuda *make_order(nitro_context *context, int64_t count)
{
    const order_call sizes = {.count = count};
    void *made;
    assert_ok(context, nitro_kit_allocate(context, &order_kit, &sizes, &made));
    order_cuda *call = calloc(1, sizeof(*call));
    assert_non_null(call);
    call->host = *(order_call *)made;
    free(made);
    return call;
}

static void indices_that_are_results_get_64_bits(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation;
    (void)state;
    emulated_cases_start_device();
    order_cuda *call = make_order(context, 3);
    assert_ok(context, nitro_kit_create(context, &order_kit, true, &computation));
    kit_case_check(context, &order_kit, computation, call, "order");
    assert_int_equal(call->count, 3);
    nitro_kit_free(&order_kit, true, call);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void numbers_beyond_32_bits_are_not_uploaded(void **state)
{
    nitro_context *context = unit_context();
    (void)state;
    emulated_cases_start_device();
    order_cuda *call = make_order(context, INT64_C(1) << 32);
    assert_int_equal(nitro_kit_upload(&order_kit, call), 1);
    assert_string_equal(call->cuda.problem, "the input of order: count is 4294967296, and numbers "
                                            "on the device have 32 bits");
    nitro_kit_free(&order_kit, true, call);
    nitro_context_free(context);
}

static void inputs_that_are_nowhere_are_named(void **state)
{
    static const nitro_field fields[] = {
        {.name = "count",
         .offset = offsetof(order_call, count),
         NITRO_ON_DEVICE(order_cuda, count)},
        NITRO_ARRAY(order_call, places, NITRO_IN, NITRO_INDEX64, "count",
                    NITRO_ON_DEVICE(order_cuda, places)),
    };
    nitro_kit kit = order_kit;
    order_cuda call = {.host.count = 3};
    (void)state;
    kit.fields = fields;
    emulated_cases_start_device();
    assert_int_equal(nitro_kit_upload(&kit, &call), 1);
    assert_string_equal(call.cuda.problem,
                        "the input of order: places is NULL, on the host and on the device");
    call.host.count = 0;
    assert_int_equal(nitro_kit_upload(&kit, &call), 0);
    nitro_kit_release_device(&kit, &call);
}

/* The caller's arrays on the device do for runs, not for measuring. */
static void results_without_a_place_on_the_host_are_named(void **state)
{
    nitro_context *context = unit_context();
    nitro_transpose_cuda call = {
        .host = {.num_rows = 3, .num_cols = 5, .element_bytes = 8, .is_row_major = 1}};
    nitro_computation *computation;
    (void)state;
    emulated_cases_start_device();
    assert_ok(context, nitro_kit_create(context, &nitro_transpose_inplace_kit, true, &computation));
    assert_int_equal(cudaMalloc(&call.data, 3 * 5 * 8), cudaSuccess);
    const nitro_hooks *hooks = &computation->hooks;
    assert_int_equal(hooks->prepare_input(&call, hooks->user), 1);
    assert_string_equal(call.cuda.problem, "transpose_inplace: data is NULL on the host, where "
                                           "results are compared: allocate it there, too");
    nitro_kit_release_device(&nitro_transpose_inplace_kit, &call);
    cudaFree(call.data);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void a_wrong_reference_variant_is_told_where(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    nitro_computation *computation;
    (void)state;
    emulated_cases_start_device();
    assert_ok(context, nitro_kit_create(context, &nitro_spmv_kit, true, &computation));
    void *argument = kit_case_make(context, &nitro_spmv_kit, true, 0, 1000, label);
    const nitro_hooks *hooks = &computation->hooks;
    assert_int_equal(hooks->prepare_input(argument, hooks->user), 0);
    assert_int_equal(hooks->keep_reference(argument, hooks->user), 1);
    assert_non_null(
        strstr(nitro_computation_problem(computation, argument), "y[0] is nan instead"));
    nitro_kit_free(&nitro_spmv_kit, true, argument);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_on_every_family),
        cmocka_unit_test(sorts_merge_tiles),
        cmocka_unit_test(two_arguments_on_two_streams),
        cmocka_unit_test(arguments_are_prepared_and_freed_while_others_capture),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(rooms_of_other_variants_are_not_overrun),
        cmocka_unit_test(indices_that_are_results_get_64_bits),
        cmocka_unit_test(numbers_beyond_32_bits_are_not_uploaded),
        cmocka_unit_test(inputs_that_are_nowhere_are_named),
        cmocka_unit_test(results_without_a_place_on_the_host_are_named),
        cmocka_unit_test(a_wrong_reference_variant_is_told_where),
    };
    return cmocka_run_group_tests_name("kits_cuda", tests, NULL, NULL);
}
