/*
 * streams.cu - one computation on several streams at once: first by nitro_run, then as CUDA graphs
 * that are captured once and launched repeatedly.
 *
 *     cuda_streams               sums on four streams; NITRO_MODEL may name a model
 *     cuda_streams tune MODEL    measures both variants on this GPU, and writes a model
 *
 * Exit code 77: no GPU found.
 */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sum.h"

#define NUM_STREAMS  4
#define NUM_LAUNCHES 3
#define NUM_INPUTS   12 /* 2^10 to 2^21 numbers */

static int fail(const char *what)
{
    fprintf(stderr, "cuda_streams: %s\n", what);
    return 1;
}

static int fail_nitro(nitro_context *context)
{
    char message[1024];
    nitro_context_last_error(context, message, sizeof message);
    return fail(message);
}

/* ---- One stream's sum ------------------------------------------------------------------------ */

/** Numbers on the device: 1, 2, 3, 1, 2, 3... */
static cudaError_t upload(size_t count, sum_call *call)
{
    void *numbers = nullptr, *sum = nullptr;
    double *made = static_cast<double *>(malloc(count * sizeof(double)));
    cudaError_t error = made ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; made && i < count; i++)
        made[i] = static_cast<double>(1 + i % 3);
    if (error == cudaSuccess)
        error = cudaMalloc(&numbers, count * sizeof(double));
    if (error == cudaSuccess)
        error = cudaMemcpy(numbers, made, count * sizeof(double), cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaMalloc(&sum, sizeof(double));
    free(made);
    call->numbers = static_cast<double *>(numbers);
    call->sum = static_cast<double *>(sum);
    call->count = count;
    return error;
}

static double expected_sum(size_t count)
{
    static const double rest[] = {0, 1, 3};
    return 6.0 * static_cast<double>(count / 3) + rest[count % 3];
}

static void drop(sum_call *call)
{
    sum_release(call);
    cudaFree(const_cast<double *>(call->numbers));
    cudaFree(call->sum);
}

/** Synchronize the stream and check its sum. */
static int check(int number, const sum_call *call, const char *how)
{
    double sum = -1;
    cudaError_t error =
        cudaMemcpyAsync(&sum, call->sum, sizeof sum, cudaMemcpyDeviceToHost, call->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(call->stream);
    if (error != cudaSuccess)
        return fail(cudaGetErrorString(error));
    printf("stream %d: %zu numbers, %s: %.0f\n", number, call->count, how, sum);
    return sum == expected_sum(call->count) ? 0 : fail("the sum is wrong");
}

/* ---- Sums on all streams ---------------------------------------------------------------- */

/** Enqueues all sums before it waits for the first, so the streams overlap. */
static int run_all(nitro_context *context, nitro_computation *computation, sum_call *calls)
{
    nitro_decision made[NUM_STREAMS];
    for (int i = 0; i < NUM_STREAMS; i++)
        if (nitro_run(computation, &calls[i], &made[i]) != NITRO_OK)
            return fail_nitro(context);
    for (int i = 0; i < NUM_STREAMS; i++)
        if (check(i, &calls[i], made[i].variant_name) != 0)
            return 1;
    return 0;
}

/** Decides and prepares before the capture, so that the graph holds the variant's kernels only. */
static int capture(nitro_context *context, nitro_computation *computation, sum_call *call,
                   cudaGraphExec_t *executable)
{
    nitro_decision decision;
    cudaGraph_t graph = nullptr;
    if (nitro_prepare(computation, call, &decision) != NITRO_OK)
        return fail_nitro(context);
    if (cudaStreamBeginCapture(call->stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
        return fail("the stream cannot be captured");
    nitro_status status = nitro_run_decided(computation, call, &decision);
    cudaError_t error = cudaStreamEndCapture(call->stream, &graph);
    if (status != NITRO_OK)
        return fail_nitro(context);
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(executable, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return error == cudaSuccess ? 0 : fail(cudaGetErrorString(error));
}

static int launch_all(nitro_context *context, nitro_computation *computation, sum_call *calls)
{
    cudaGraphExec_t graphs[NUM_STREAMS] = {};
    int code = 0;
    for (int i = 0; i < NUM_STREAMS && code == 0; i++)
        code = capture(context, computation, &calls[i], &graphs[i]);
    for (int launch = 0; launch < NUM_LAUNCHES; launch++)
        for (int i = 0; i < NUM_STREAMS && code == 0; i++)
            if (cudaMemsetAsync(calls[i].sum, 0xFF, sizeof(double), calls[i].stream) !=
                    cudaSuccess ||
                cudaGraphLaunch(graphs[i], calls[i].stream) != cudaSuccess)
                code = fail("a graph cannot be launched");
    for (int i = 0; i < NUM_STREAMS && code == 0; i++)
        code = check(i, &calls[i], "as a graph");
    for (int i = 0; i < NUM_STREAMS; i++)
        if (graphs[i])
            cudaGraphExecDestroy(graphs[i]);
    return code;
}

static int sum_on_streams(nitro_context *context, nitro_computation *computation)
{
    int num_devices = 0;
    if (cudaGetDeviceCount(&num_devices) != cudaSuccess || num_devices == 0) {
        printf("cuda_streams: there is no GPU here\n");
        return 77;
    }
    if (nitro_computation_configure(computation) != NITRO_OK)
        return fail_nitro(context);
    sum_call calls[NUM_STREAMS] = {};
    int code = 0;
    for (int i = 0; i < NUM_STREAMS && code == 0; i++)
        if (cudaStreamCreate(&calls[i].stream) != cudaSuccess ||
            upload(static_cast<size_t>(100) << (3 * i), &calls[i]) != cudaSuccess)
            code = fail("no stream, or no memory for its numbers");
    if (code == 0)
        code = run_all(context, computation, calls);
    if (code == 0)
        code = launch_all(context, computation, calls);
    for (int i = 0; i < NUM_STREAMS; i++) {
        drop(&calls[i]);
        if (calls[i].stream)
            cudaStreamDestroy(calls[i].stream);
    }
    if (code == 0)
        printf("%d streams, %d graphs: all sums are right\n", NUM_STREAMS, NUM_STREAMS);
    return code;
}

/* ---- Tuning ----------------------------------------------------------------------------- */

/** Runs in a worker process; the parent never touches the GPU, because it forks further workers. */
static nitro_status load(nitro_context *context, void *state, void **argument)
{
    sum_call *made = static_cast<sum_call *>(calloc(1, sizeof *made));
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory");
    cudaError_t error = upload(*static_cast<size_t *>(state), made);
    if (error != cudaSuccess) {
        drop(made);
        free(made);
        return nitro_fail(context, NITRO_ERR_IO, "cannot upload the numbers: %s",
                          cudaGetErrorString(error));
    }
    *argument = made;
    return NITRO_OK;
}

static void unload(void *argument)
{
    drop(static_cast<sum_call *>(argument));
    free(argument);
}

static int tune(nitro_context *context, nitro_computation *computation, const char *path)
{
    size_t counts[NUM_INPUTS];
    char names[NUM_INPUTS][32], url[512];
    nitro_input inputs[NUM_INPUTS];
    nitro_store *store = nullptr;
    nitro_model *model = nullptr;
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        counts[i] = static_cast<size_t>(1) << (10 + i);
        snprintf(names[i], sizeof names[i], "%zu-numbers", counts[i]);
        inputs[i].name = names[i];
        inputs[i].load = load;
        inputs[i].unload = unload;
        inputs[i].state = &counts[i];
    }
    snprintf(url, sizeof url, "%s.samples.db", path);
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = nitro_tune(computation, store, "cuda", inputs, NUM_INPUTS, nullptr);
    if (status == NITRO_OK)
        status = nitro_learn_own(context, store, "cuda-sum", "cuda", nullptr, &model);
    if (status == NITRO_OK)
        status = nitro_model_save(model, path);
    nitro_model_free(model);
    nitro_store_close(store);
    return status == NITRO_OK ? 0 : fail_nitro(context);
}

int main(int num_words, char **words)
{
    nitro_context *context = nullptr;
    nitro_computation *computation = nullptr;
    int code = 0;
    if (num_words != 1 && (num_words != 3 || strcmp(words[1], "tune") != 0))
        return fail("usage: cuda_streams [tune MODEL]");
    if (nitro_context_create(&context) != NITRO_OK)
        return fail("out of memory");
    if (sum_declare(context, &computation) != NITRO_OK)
        code = fail_nitro(context);
    else if (num_words == 3)
        code = tune(context, computation, words[2]);
    else
        code = sum_on_streams(context, computation);
    nitro_computation_free(computation);
    nitro_context_free(context);
    return code;
}
