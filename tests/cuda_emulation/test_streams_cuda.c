/* The variants of examples/cuda_streams on the emulated device, beside a stream that captures. */
#include "cuda_emulation/cuda_emulation.h"
#include "examples/cuda_streams/sum.h"
#include "unit/unit.h"

enum { COUNT = 1000 };

/* A sum of numbers that nobody has written: it is prepared, but not run. */
static sum_call make_call(void)
{
    sum_call call = {.count = COUNT};
    assert_int_equal(cudaStreamCreateWithFlags(&call.stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&call.numbers, COUNT * sizeof(double)), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&call.sum, sizeof(double)), cudaSuccess);
    return call;
}

static void free_call(sum_call *call)
{
    assert_int_equal(cudaFree((void *)call->numbers), cudaSuccess);
    assert_int_equal(cudaFree(call->sum), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(call->stream), cudaSuccess);
}

/* Another part of the program captures a graph, in the default mode; that graph is whole in the
 * end. */
static void sums_are_prepared_and_released_while_others_capture(void **state)
{
    const cuda_emulation_settings settings = cuda_emulation_defaults();
    nitro_context *context = unit_context();
    nitro_computation *computation;
    nitro_decision decision;
    cudaStream_t other;
    cudaGraph_t graph;
    (void)state;
    cuda_emulation_reset(&settings);
    assert_ok(context, sum_declare(context, &computation));
    sum_call call = make_call();
    assert_int_equal(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_ok(context, nitro_prepare(computation, &call, &decision));
    assert_string_equal(decision.variant_name, "partial");
    assert_non_null(call.partial_sums);
    sum_release(&call);
    assert_int_equal(cudaStreamEndCapture(other, &graph), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(other), cudaSuccess);
    free_call(&call);
    nitro_computation_free(computation);
    assert_int_equal(cuda_emulation_used_bytes(), 0);
    assert_string_equal(cuda_emulation_problem(), "");
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_prepared_and_released_while_others_capture),
    };
    return cmocka_run_group_tests_name("streams_cuda", tests, NULL, NULL);
}
