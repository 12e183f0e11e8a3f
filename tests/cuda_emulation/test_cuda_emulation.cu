/* Tests of the emulation itself: barriers, warps, atomics, memory, the queue, graphs, and
 * detection of faulty kernels. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#include "cuda_emulation/cuda_emulation.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

static void reset_with(uint64_t seed)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.seed = seed;
    assert_int_equal(cuda_emulation_reset(&settings), 0);
}

static int setup(void **)
{
    reset_with(0);
    return 0;
}

/* Every test gives back what it took. */
static int teardown(void **)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    size_t handles = cuda_emulation_num_handles();
    return cuda_emulation_reset(&settings) != 0 || handles != 0;
}

template <typename T> static T *upload(const std::vector<T> &values)
{
    T *device = nullptr;
    assert_int_equal(cudaMalloc(&device, values.size() * sizeof(T)), cudaSuccess);
    assert_int_equal(
        cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        cudaSuccess);
    return device;
}

template <typename T> static std::vector<T> download(const T *device, size_t count)
{
    std::vector<T> values(count);
    assert_int_equal(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost),
                     cudaSuccess);
    return values;
}

template <typename... Expected, typename... Actual>
static cudaError_t run(unsigned blocks, unsigned threads, void (*kernel)(Expected...),
                       Actual... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/* ---- Threads together ---- */

/* The textbook's sum: shuffles within warps, shared memory between them, an atomic at the end. */
__global__ static void __launch_bounds__(256)
    sum_all(const double *__restrict__ values, int count, double *sum)
{
    __shared__ double sums[8];
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double mine = i < count ? __ldg(values + i) : 0;
    for (int delta = warpSize / 2; delta > 0; delta /= 2)
        mine += __shfl_down_sync(0xFFFFFFFF, mine, delta);
    if (threadIdx.x % warpSize == 0)
        sums[threadIdx.x / warpSize] = mine;
    __syncthreads();
    if (threadIdx.x < 8) {
        mine = sums[threadIdx.x];
        for (int delta = 4; delta > 0; delta /= 2)
            mine += __shfl_xor_sync(0xFF, mine, delta);
        if (threadIdx.x == 0)
            atomicAdd(sum, mine);
    }
}

static void sums_are_right_in_any_order(void **)
{
    std::vector<double> values(1000);
    double expected = 0;
    for (size_t i = 0; i < values.size(); i++)
        expected += values[i] = (double)(i * i % 97);
    for (uint64_t seed = 0; seed < 20; seed++) {
        reset_with(seed);
        double *in = upload(values), *out = upload(std::vector<double>{0});
        assert_int_equal(run(4, 256, sum_all, in, (int)values.size(), out), cudaSuccess);
        assert_true(download(out, 1)[0] == expected);
        cudaFree(in);
        cudaFree(out);
    }
}

__global__ static void note_order(unsigned *next, unsigned *order)
{
    if (threadIdx.x == 0)
        order[atomicAdd(next, 1)] = blockIdx.x;
}

static void blocks_come_in_an_order_of_the_seed(void **)
{
    std::vector<unsigned> in_order(50), zero(50, 0);
    for (unsigned i = 0; i < 50; i++)
        in_order[i] = i;
    unsigned num_shuffled = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        reset_with(seed);
        unsigned *next = upload(zero), *order = upload(zero);
        assert_int_equal(run(50, 32, note_order, next, order), cudaSuccess);
        std::vector<unsigned> seen = download(order, 50);
        assert_int_equal(seen == in_order, seed == 0);
        std::vector<bool> once(50, false);
        for (unsigned block : seen)
            once[block] = true;
        assert_true(std::vector<bool>(50, true) == once);
        num_shuffled += seen != in_order;
        cudaFree(next);
        cudaFree(order);
    }
    assert_int_equal(num_shuffled, 4);
}

/* Each lane's view of the warp functions, by hand: {up, down, xor, from, ballot, any, all, match}
 */
__global__ static void query_warp(int width, int *seen)
{
    int lane = (int)threadIdx.x;
    int *mine = seen + 8 * lane;
    mine[0] = __shfl_up_sync(0xFFFFFFFF, lane, 1, width);
    mine[1] = __shfl_down_sync(0xFFFFFFFF, lane, 3, width);
    mine[2] = __shfl_xor_sync(0xFFFFFFFF, lane, 5, width);
    mine[3] = __shfl_sync(0xFFFFFFFF, lane, 2, width);
    mine[4] = (int)__ballot_sync(0xFFFFFFFF, lane % 3 == 0);
    mine[5] = __any_sync(0xFFFFFFFF, lane == 31);
    mine[6] = __all_sync(0xFFFFFFFF, lane < 31);
    mine[7] = (int)__match_any_sync(0xFFFFFFFF, lane / 16);
}

static void warp_functions_are_as_documented(void **)
{
    for (int width = 1; width <= 32; width *= 2) {
        int *device = upload(std::vector<int>(256, -1));
        assert_int_equal(run(1, 32, query_warp, width, device), cudaSuccess);
        std::vector<int> seen = download(device, 256);
        for (int lane = 0; lane < 32; lane++) {
            const int *mine = seen.data() + 8 * lane;
            int first = lane / width * width, in_group = lane % width;
            assert_int_equal(mine[0], in_group >= 1 ? lane - 1 : lane);
            assert_int_equal(mine[1], in_group + 3 < width ? lane + 3 : lane);
            assert_int_equal(mine[2], (lane ^ 5) < first + width ? lane ^ 5 : lane);
            assert_int_equal(mine[3], first + 2 % width);
            assert_int_equal(mine[4], 0x49249249);
            assert_int_equal(mine[5], 1);
            assert_int_equal(mine[6], 0);
            assert_int_equal(mine[7], lane < 16 ? 0x0000FFFF : (int)0xFFFF0000);
        }
        cudaFree(device);
    }
}

/* A lane that is not there gives NaN, not a number that happens to be right. */
__global__ static void query_absent(double *seen)
{
    if (threadIdx.x < 16)
        seen[threadIdx.x] = __shfl_down_sync(0xFFFF, 1.0, 8);
}

static void absent_lanes_give_nan(void **)
{
    double *device = upload(std::vector<double>(16, 0));
    assert_int_equal(run(1, 32, query_absent, device), cudaSuccess);
    std::vector<double> seen = download(device, 16);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(std::isnan(seen[i]), i >= 8);
    cudaFree(device);
}

/* Chunks from a queue, as kernels with dynamic shares take them; counted in shared memory whose
 * size the launch says. */
__global__ static void count_by_queue(const int *values, int count, int *next, int *counts)
{
    extern __shared__ int dynamic_shared[];
    __shared__ int chunk;
    if (threadIdx.x < 16)
        dynamic_shared[threadIdx.x] = 0;
    __syncthreads();
    for (;;) {
        if (threadIdx.x == 0)
            chunk = atomicAdd(next, 1);
        __syncthreads();
        int i = chunk * (int)blockDim.x + (int)threadIdx.x;
        if (__syncthreads_count(i < count) == 0)
            break;
        if (i < count)
            atomicAdd_block(&dynamic_shared[values[i]], 1);
    }
    if (threadIdx.x < 16)
        atomicAdd(counts + threadIdx.x, dynamic_shared[threadIdx.x]);
}

static void queues_give_each_chunk_once(void **)
{
    std::vector<int> values(777), expected(16, 0);
    for (size_t i = 0; i < values.size(); i++)
        expected[(size_t)(values[i] = (int)(i * 7 % 16))]++;
    for (uint64_t seed = 0; seed < 10; seed++) {
        reset_with(seed);
        int *in = upload(values), *next = upload(std::vector<int>(1, 0)),
            *counts = upload(std::vector<int>(16, 0));
        cudaLaunchConfig_t config = {};
        config.gridDim = 3;
        config.blockDim = 64;
        config.dynamicSmemBytes = 16 * sizeof(int);
        assert_int_equal(
            cudaLaunchKernelEx(&config, count_by_queue, (const int *)in, 777, next, counts),
            cudaSuccess);
        assert_true(download(counts, 16) == expected);
        cudaFree(in);
        cudaFree(next);
        cudaFree(counts);
    }
}

/* ---- Kernels that are wrong ---- */

__global__ static void half_waits()
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __shfl_sync(0xFFFFFFFF, 1, 0);
}

__global__ static void waits_in_two_places()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

__global__ static void is_not_in_its_mask()
{
    __syncwarp(0x0000FFFF);
}

/* Right only if blocks come in order. */
__global__ static void adds_up_its_predecessors(double *sums)
{
    sums[blockIdx.x] = blockIdx.x == 0 ? 1 : sums[blockIdx.x - 1] + 1;
}

/* Right only if a warp's lanes run in step, as before Volta. */
__global__ static void forgets_to_wait(int *values, int more)
{
    __shared__ int shared[32];
    shared[threadIdx.x] = (int)threadIdx.x + more;
    values[threadIdx.x] = shared[31 - threadIdx.x];
}

static void wrong_barriers_are_errors(void **)
{
    void (*const kernels[])() = {half_waits, waits_in_two_places, is_not_in_its_mask};
    const char *const says[] = {"wait for each other", "at the barrier of line", "lacks itself"};
    for (size_t i = 0; i < 3; i++) {
        reset_with(i);
        assert_int_equal(run(2, 64, kernels[i]), cudaErrorLaunchFailure);
        assert_non_null(strstr(cuda_emulation_problem(), says[i]));
        void *memory = nullptr; /* the context is lost, as on a device */
        assert_int_equal(cudaMalloc(&memory, 8), cudaErrorLaunchFailure);
    }
    reset_with(0);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

__global__ static void writes_between_vectors()
{
    alignas(16) __shared__ unsigned words[8];
    __stcg((uint4 *)(words + 1), uint4{0, 0, 0, 0});
}

static void misaligned_vectors_are_errors(void **)
{
    reset_with(0);
    assert_int_equal(run(1, 1, writes_between_vectors), cudaErrorLaunchFailure);
    assert_non_null(strstr(cuda_emulation_problem(), "misaligned"));
    reset_with(0);
}

static void luck_with_the_order_ends(void **)
{
    unsigned num_wrong = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        reset_with(seed);
        double *sums = upload(std::vector<double>(40, 0));
        int *values = upload(std::vector<int>(32, 0));
        assert_int_equal(run(40, 1, adds_up_its_predecessors, sums), cudaSuccess);
        assert_int_equal(run(1, 32, forgets_to_wait, values, (int)seed), cudaSuccess);
        num_wrong += download(sums, 40)[39] != 40;
        bool is_right = true;
        for (int i = 0; i < 32; i++)
            is_right &= download(values, 32)[(size_t)i] == 31 - i + (int)seed;
        num_wrong += !is_right;
        cudaFree(sums);
        cudaFree(values);
    }
    assert_int_equal(num_wrong, 10);
}

__global__ static void store(double *to, double value)
{
    to[threadIdx.x] = value;
}

static void pointers_to_the_host_are_found(void **)
{
    double host[4] = {0}, *device = upload(std::vector<double>(4, 0));
    assert_int_equal(cudaMemcpy(host, device, 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(device, host, 32, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(device, host, 33, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemset(host, 0, 32), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(device, host, 32, cudaMemcpyDefault), cudaSuccess);
    assert_int_equal(cudaFree(host), cudaErrorInvalidValue);
    cudaFree(device);
    assert_int_equal(run(1, 1, store, &host[0], 1.0), cudaErrorIllegalAddress);
    assert_non_null(strstr(cuda_emulation_problem(), "pointer to the host"));
    reset_with(0);
}

static void empty_grids_are_refused(void **)
{
    assert_int_equal(run(0, 32, store, (double *)nullptr, 1.0), cudaErrorInvalidConfiguration);
    assert_int_equal(run(1, 1025, store, (double *)nullptr, 1.0), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/* Without it, a cooperative kernel would run as any other does. */
static void attributes_of_launches_are_refused(void **)
{
    cudaLaunchAttribute cooperative = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &cooperative;
    config.numAttrs = 1;
    assert_int_equal(cudaLaunchKernelEx(&config, store, (double *)nullptr, 1.0),
                     cudaErrorNotSupported);
    assert_non_null(strstr(cuda_emulation_problem(), "attributes of launches"));
    reset_with(0);
}

/* ---- Memory and the queue ---- */

static void memory_ends_and_allocations_fail_when_told(void **)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 1000;
    settings.fail_malloc = 2;
    cuda_emulation_reset(&settings);
    void *a = nullptr, *b = nullptr;
    size_t free_bytes = 0, total_bytes = 0;
    assert_int_equal(cudaMalloc(&a, 400), cudaSuccess);
    assert_int_equal(cudaMalloc(&b, 400), cudaErrorMemoryAllocation); /* told to */
    assert_int_equal(cudaMalloc(&b, 601), cudaErrorMemoryAllocation); /* full */
    assert_int_equal(cudaMalloc(&b, 600), cudaSuccess);
    assert_int_equal(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    assert_int_equal(free_bytes, 0);
    assert_int_equal(total_bytes, 1000);
    assert_true(std::isnan(download((double *)a, 50)[49])); /* what nobody wrote */
    cudaFree(a);
    assert_int_equal(cuda_emulation_used_bytes(), 600);
    assert_int_equal(cuda_emulation_reset(&settings), 600); /* and what nobody freed */
}

static void work_waits_until_somebody_does(void **)
{
    double *device = upload(std::vector<double>(4, 0)), host[4] = {1, 2, 3, 4};
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float elapsed_ms = -1;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaEventCreate(&start), cudaSuccess);
    assert_int_equal(cudaEventCreate(&stop), cudaSuccess);
    unsigned launches = cuda_emulation_num_launches();
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 2;
    config.stream = stream;
    assert_int_equal(cudaMemcpyAsync(device, host, 32, cudaMemcpyHostToDevice, stream),
                     cudaSuccess);
    assert_int_equal(cudaEventRecord(start, stream), cudaSuccess);
    assert_int_equal(cudaLaunchKernelEx(&config, store, device, 7), cudaSuccess);
    assert_int_equal(cudaEventRecord(stop, stream), cudaSuccess);
    assert_int_equal(cuda_emulation_num_launches(), launches);
    assert_int_equal(cuda_emulation_num_pending(), 4);
    assert_int_equal(cudaEventElapsedTime(&elapsed_ms, start, stop), cudaErrorNotReady);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(cuda_emulation_num_launches(), launches + 1);
    assert_true(download(device, 4) == (std::vector<double>{7, 7, 3, 4}));
    assert_int_equal(cudaEventElapsedTime(&elapsed_ms, start, stop), cudaSuccess);
    assert_true(elapsed_ms > 0.004 && elapsed_ms < 0.006);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(stream);
    cudaFree(device);
}

static void streams_wait_only_for_what_they_are_told_to(void **)
{
    double *a = upload(std::vector<double>(1, 0)), *b = upload(std::vector<double>(1, 0));
    cudaStream_t first, second;
    cudaEvent_t done;
    double host = 3;
    assert_int_equal(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreate(&done), cudaSuccess);
    cudaMemcpyAsync(a, &host, sizeof(host), cudaMemcpyHostToDevice, first);
    cudaMemcpyAsync(b, a, sizeof(host), cudaMemcpyDeviceToDevice, second);
    assert_int_equal(cudaStreamSynchronize(second), cudaSuccess);
    assert_int_equal(cuda_emulation_num_pending(), 1); /* the first stream's */
    assert_int_equal(cudaEventRecord(done, first), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(second, done, 0), cudaSuccess);
    cudaMemcpyAsync(b, a, sizeof(host), cudaMemcpyDeviceToDevice, second);
    assert_int_equal(cudaStreamSynchronize(second), cudaSuccess);
    assert_int_equal(cuda_emulation_num_pending(), 0);
    assert_true(download(b, 1)[0] == 3);
    cudaEventDestroy(done);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
    cudaFree(b);
    cudaFree(a);
}

static void streams_are_in_an_order_of_the_seed(void **)
{
    unsigned num_first = 0;
    const double one = 1, two = 2;
    for (uint64_t seed = 0; seed <= 20; seed++) {
        reset_with(seed);
        double *last = upload(std::vector<double>(1, 0));
        cudaStream_t first, second;
        assert_int_equal(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess);
        assert_int_equal(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
        cudaMemcpyAsync(last, &one, sizeof(one), cudaMemcpyHostToDevice, first);
        cudaMemcpyAsync(last, &two, sizeof(two), cudaMemcpyHostToDevice, second);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
        bool first_was_last = download(last, 1)[0] == 1;
        assert_false(seed == 0 && first_was_last);
        num_first += first_was_last;
        cudaStreamDestroy(second);
        cudaStreamDestroy(first);
        cudaFree(last);
    }
    assert_in_range(num_first, 1, 19);
}

static __global__ void use_shared(double *)
{
}

static void shared_memory_has_a_limit_of_each_kernel(void **)
{
    int num_blocks = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.dynamicSmemBytes = 64 << 10;
    assert_int_equal(cudaLaunchKernelEx(&config, use_shared, (double *)nullptr),
                     cudaErrorInvalidValue);
    assert_int_equal(
        cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10),
        cudaSuccess);
    assert_int_equal(cudaLaunchKernelEx(&config, use_shared, (double *)nullptr), cudaSuccess);
    assert_int_equal(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&num_blocks, use_shared, 256, 64 << 10),
        cudaSuccess);
    assert_int_equal(num_blocks, 3); /* of 64 and 1 KB in 228 */
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

static void a_relaxed_thread_allocates_during_a_capture(void **)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *memory = nullptr;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(mode, cudaStreamCaptureModeGlobal);
    assert_int_equal(cudaMalloc(&memory, 8), cudaSuccess);
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(memory);
}

static void graphs_replay_what_was_captured(void **)
{
    double *device = upload(std::vector<double>(4, 0));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCaptureStatus status;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_int_equal(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 4;
    config.stream = stream;
    assert_int_equal(cudaLaunchKernelEx(&config, store, device, 7.0), cudaSuccess);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(download(device, 1)[0], 0);
    assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int round = 0; round < 2; round++) {
        cudaMemset(device, 0, 32);
        assert_int_equal(cudaGraphLaunch(executable, stream), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
        assert_int_equal(download(device, 4)[3], 7);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);

    void *memory = nullptr; /* allocating spoils a capture */
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_int_equal(cudaMalloc(&memory, 8), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    cudaStreamDestroy(stream);
    cudaFree(device);
}

static void a_failed_kernel_spoils_all_that_follows(void **)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    double *device = upload(std::vector<double>(4, 0));
    settings.fail_launch = 2;
    cuda_emulation_configure(&settings);
    assert_int_equal(run(1, 4, store, device, 1.0), cudaSuccess);
    assert_int_equal(run(1, 4, store, device, 1.0), cudaErrorIllegalAddress);
    assert_int_equal(run(1, 4, store, device, 1.0), cudaErrorIllegalAddress);
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings);
    settings.no_driver = true;
    cuda_emulation_configure(&settings);
    int count = -1;
    assert_int_equal(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
    assert_int_equal(count, -1); /* as the real one leaves it */
}

#ifndef __SANITIZE_ADDRESS__
static void writes_past_the_end_are_found(void **)
{
    double *device = upload(std::vector<double>(3, 0));
    assert_int_equal(run(1, 3, store, device, 1.0), cudaSuccess);
    assert_int_equal(run(1, 4, store, device, 1.0), cudaErrorIllegalAddress);
    assert_non_null(strstr(cuda_emulation_problem(), "past the end"));
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_reset(&settings);
}
#else
/* Asan ends a program at the first fault, so only what it would say is asked. */
static void the_host_and_neighbours_are_out_of_bounds(void **)
{
    char *device = (char *)upload(std::vector<char>(100, 'x'));
    assert_true(__asan_address_is_poisoned(device));
    assert_true(__asan_address_is_poisoned(device + 100));
    cudaFree(device);
}
#endif

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const CMUnitTest tests[] = {
        TEST(sums_are_right_in_any_order),
        TEST(blocks_come_in_an_order_of_the_seed),
        TEST(warp_functions_are_as_documented),
        TEST(absent_lanes_give_nan),
        TEST(queues_give_each_chunk_once),
        TEST(wrong_barriers_are_errors),
        TEST(misaligned_vectors_are_errors),
        TEST(luck_with_the_order_ends),
        TEST(pointers_to_the_host_are_found),
        TEST(empty_grids_are_refused),
        TEST(attributes_of_launches_are_refused),
        TEST(memory_ends_and_allocations_fail_when_told),
        TEST(work_waits_until_somebody_does),
        TEST(streams_wait_only_for_what_they_are_told_to),
        TEST(streams_are_in_an_order_of_the_seed),
        TEST(shared_memory_has_a_limit_of_each_kernel),
        TEST(a_relaxed_thread_allocates_during_a_capture),
        TEST(graphs_replay_what_was_captured),
        TEST(a_failed_kernel_spoils_all_that_follows),
#ifndef __SANITIZE_ADDRESS__
        TEST(writes_past_the_end_are_found),
#else
        TEST(the_host_and_neighbours_are_out_of_bounds),
#endif
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
