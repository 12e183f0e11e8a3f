/* runtime.cpp - the device: memory, the queue of work, streams, events and graphs. The decisions
 * here: work of all streams is one queue, done in the order in which it came, when somebody waits
 * for it; and device time is made up (a launch costs 5 us, and what it does a little), so that
 * tests with events are the same everywhere. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "cuda_emulation.h"
#include "emulator.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)0)
#endif

using operation = std::function<cudaError_t()>;

struct CUgraph_st {
    std::vector<operation> operations;
};
struct CUgraphExec_st {
    std::vector<operation> operations;
};
struct CUstream_st {
    cudaGraph_t capture = nullptr; /* not NULL: what is enqueued goes there */
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    bool invalidated = false;
};
struct CUevent_st {
    bool recorded = false, done = false;
    double time_ns = 0;
};

namespace
{

constexpr size_t alignment = 256;
constexpr double start_ns = 5000;

struct device {
    cuda_emulation_settings settings = cuda_emulation_defaults();
    std::map<uintptr_t, size_t> memory, pinned; /* address, bytes */
    size_t used_bytes = 0;
    std::vector<operation> pending;
    std::set<cudaStream_t> streams;
    std::set<cudaEvent_t> events;
    std::set<cudaGraph_t> graphs;
    std::set<cudaGraphExec_t> executables;
    cudaError_t sticky = cudaSuccess, last = cudaSuccess;
    double now_ns = 0;
    unsigned num_mallocs = 0, num_launches = 0, num_waits = 0;
    int current = 0;
    char problem[512] = "";
};

device *the_device()
{
    static device d;
    return &d;
}

cudaError_t note(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        the_device()->last = error;
    return error;
}

cudaError_t complain(cudaError_t error, const char *why)
{
    device *d = the_device();
    snprintf(d->problem, sizeof(d->problem), "%s", why);
    return note(error);
}

/* What every call answers first: is there a device that works? */
cudaError_t trouble()
{
    const device *d = the_device();
    if (d->settings.no_driver)
        return note(cudaErrorInsufficientDriver);
    if (d->settings.num_devices == 0)
        return note(cudaErrorNoDevice);
    return note(d->sticky);
}

#define RETURN_IF_TROUBLE()                                                                        \
    do {                                                                                           \
        cudaError_t trouble_ = trouble();                                                          \
        if (trouble_ != cudaSuccess)                                                               \
            return trouble_;                                                                       \
    } while (0)

/* ---- Memory ---- */

const std::map<uintptr_t, size_t>::value_type *
find_range(const std::map<uintptr_t, size_t> &ranges, const volatile void *pointer, size_t bytes)
{
    auto after = ranges.upper_bound((uintptr_t)pointer);
    if (after == ranges.begin())
        return nullptr;
    const auto &range = *--after;
    size_t offset = (uintptr_t)pointer - range.first;
    return offset <= range.second && bytes <= range.second - offset ? &range : nullptr;
}

bool is_device(const volatile void *pointer, size_t bytes)
{
    return find_range(the_device()->memory, pointer, bytes) != nullptr;
}

bool is_pinned(const volatile void *pointer, size_t bytes)
{
    return find_range(the_device()->pinned, pointer, bytes) != nullptr;
}

/* The host must not touch device memory: under asan it cannot, but while the device works. */
struct device_works {
    device_works()
    {
        for ([[maybe_unused]] const auto &range : the_device()->memory)
            ASAN_UNPOISON_MEMORY_REGION((void *)range.first, range.second);
    }
    ~device_works()
    {
        for ([[maybe_unused]] const auto &range : the_device()->memory)
            ASAN_POISON_MEMORY_REGION((void *)range.first, range.second);
    }
};

cudaError_t allocate(void **pointer, size_t bytes)
{
    device *d = the_device();
    if (d->settings.fail_malloc > 0 && --d->settings.fail_malloc == 0)
        return complain(cudaErrorMemoryAllocation, "this allocation was told to fail");
    if (bytes > d->settings.memory_bytes - d->used_bytes)
        return complain(cudaErrorMemoryAllocation, "the device's memory is full");
    void *memory = nullptr;
    if (bytes > 0) {
        if (posix_memalign(&memory, alignment, bytes) != 0)
            return note(cudaErrorMemoryAllocation);
        memset(memory, 0xFF, bytes); /* NaN, and -1: nobody has written it yet */
        ASAN_POISON_MEMORY_REGION(memory, bytes);
        d->memory[(uintptr_t)memory] = bytes;
    }
    d->used_bytes += bytes;
    d->num_mallocs++;
    *pointer = memory;
    return cudaSuccess;
}

void release(std::map<uintptr_t, size_t>::iterator range)
{
    device *d = the_device();
    ASAN_UNPOISON_MEMORY_REGION((void *)range->first, range->second);
    free((void *)range->first);
    d->used_bytes -= range->second;
    d->memory.erase(range);
}

/* ---- The queue ---- */

cudaError_t run_now(const operation &what)
{
    device *d = the_device();
    if (d->sticky == cudaSuccess)
        d->sticky = what();
    return d->sticky;
}

/* Do what waits. */
cudaError_t catch_up()
{
    device *d = the_device();
    d->num_waits++;
    std::vector<operation> work;
    work.swap(d->pending);
    device_works now;
    for (const operation &what : work)
        run_now(what);
    return note(d->sticky);
}

cudaError_t enqueue(cudaStream_t stream, operation what)
{
    device *d = the_device();
    if (stream && !d->streams.count(stream))
        return complain(cudaErrorInvalidResourceHandle, "no such stream");
    if (stream && stream->capture) {
        if (stream->invalidated)
            return note(cudaErrorStreamCaptureInvalidated);
        stream->capture->operations.push_back(std::move(what));
        return cudaSuccess;
    }
    d->pending.push_back(std::move(what));
    if (d->settings.lazy)
        return cudaSuccess;
    unsigned waits = d->num_waits;
    cudaError_t error = catch_up();
    d->num_waits = waits;
    return error;
}

/* What must not be called while a stream captures makes the capture worthless. */
cudaError_t refuse_capture(const char *function)
{
    for (cudaStream_t stream : the_device()->streams)
        if (stream->capture && stream->mode != cudaStreamCaptureModeRelaxed) {
            char why[128];
            snprintf(why, sizeof(why), "%s was called while a stream captures", function);
            stream->invalidated = true;
            return complain(cudaErrorStreamCaptureUnsupported, why);
        }
    return cudaSuccess;
}

#define RETURN_IF_CAPTURING()                                                                      \
    do {                                                                                           \
        cudaError_t refused_ = refuse_capture(__func__);                                           \
        if (refused_ != cudaSuccess)                                                               \
            return refused_;                                                                       \
    } while (0)

void spend(double ns)
{
    the_device()->now_ns += start_ns + ns;
}

/* ---- Copies ---- */

/* May this be copied so? `kind` has been decided. */
cudaError_t check_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (is_device(to, to_device ? bytes : 0) != to_device)
        return complain(cudaErrorInvalidValue,
                        to_device ? "a copy to the device goes to the host, or past an allocation"
                                  : "a copy to the host goes to the device");
    if (is_device(from, from_device ? bytes : 0) != from_device)
        return complain(cudaErrorInvalidValue,
                        from_device
                            ? "a copy from the device comes from the host, or past an allocation"
                            : "a copy from the host comes from the device");
    return cudaSuccess;
}

cudaMemcpyKind decide_kind(const void *to, const void *from, cudaMemcpyKind kind)
{
    if (kind != cudaMemcpyDefault)
        return kind;
    return (cudaMemcpyKind)((is_device(to, 0) ? 1 : 0) + (is_device(from, 0) ? 2 : 0));
}

operation copy_operation(void *to, const void *from, size_t bytes)
{
    return [=] {
        spend((double)bytes / 16);
        memcpy(to, from, bytes);
        return cudaSuccess;
    };
}

const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
};

const struct {
    cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1000000},
    {cudaDevAttrMultiProcessorCount, 4},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrMemoryClockRate, 1000000},
    {cudaDevAttrGlobalMemoryBusWidth, 512},
    {cudaDevAttrL2CacheSize, 1 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrAsyncEngineCount, 2},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)cuda_emulation::max_dynamic_shared_bytes},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
};

} // namespace

/* ---- What kernels need ---- */

namespace cuda_emulation
{

bool is_device_pointer(const volatile void *pointer)
{
    return !pointer || is_device(pointer, 0) || is_pinned(pointer, 0);
}

long long clock()
{
    return (long long)the_device()->now_ns;
}

static cudaError_t run_kernel(const cudaLaunchConfig_t &config, const std::function<void()> &kernel,
                              unsigned bad_argument)
{
    device *d = the_device();
    uint64_t number = ++d->num_launches;
    spend((double)config.gridDim.x * config.gridDim.y * config.gridDim.z * config.blockDim.x);
    if (d->settings.fail_launch > 0 && --d->settings.fail_launch == 0)
        return complain(cudaErrorIllegalAddress, "this kernel was told to fail");
    if (bad_argument) {
        char why[128];
        snprintf(why, sizeof(why), "argument %u of a kernel (from 1) is a pointer to the host",
                 bad_argument);
        return complain(cudaErrorIllegalAddress, why);
    }
    uint64_t seed = d->settings.seed ? d->settings.seed + number : 0;
    if (!run_grid(config, kernel, seed, d->problem, sizeof(d->problem)))
        return note(cudaErrorLaunchFailure);
    return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t &config, std::function<void()> kernel,
                   unsigned bad_argument)
{
    RETURN_IF_TROUBLE();
    dim3 g = config.gridDim, b = config.blockDim;
    if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0 || g.x > INT32_MAX ||
        g.y > 65535 || g.z > 65535 || b.z > 64 || (uint64_t)b.x * b.y * b.z > 1024 ||
        config.dynamicSmemBytes > max_dynamic_shared_bytes)
        return complain(cudaErrorInvalidConfiguration,
                        "a grid or block is empty, or larger than a device allows");
    cudaLaunchConfig_t copy = config;
    copy.attrs = nullptr;
    return enqueue(config.stream, [=] { return run_kernel(copy, kernel, bad_argument); });
}

} // namespace cuda_emulation

/* ---- For tests ---- */

cuda_emulation_settings cuda_emulation_defaults(void)
{
    return {0, 1u << 30, 0, 0, 1, false, true, false};
}

size_t cuda_emulation_reset(const cuda_emulation_settings *settings)
{
    device *d = the_device();
    size_t left = d->used_bytes;
    while (!d->memory.empty())
        release(d->memory.begin());
    for (const auto &range : d->pinned)
        free((void *)range.first);
    for (cudaStream_t stream : d->streams)
        delete stream;
    for (cudaEvent_t event : d->events)
        delete event;
    for (cudaGraph_t graph : d->graphs)
        delete graph;
    for (cudaGraphExec_t executable : d->executables)
        delete executable;
    *d = device();
    d->settings = *settings;
    return left;
}

void cuda_emulation_configure(const cuda_emulation_settings *settings)
{
    the_device()->settings = *settings;
}

size_t cuda_emulation_used_bytes(void)
{
    return the_device()->used_bytes;
}

unsigned cuda_emulation_num_mallocs(void)
{
    return the_device()->num_mallocs;
}

unsigned cuda_emulation_num_launches(void)
{
    return the_device()->num_launches;
}

unsigned cuda_emulation_num_waits(void)
{
    return the_device()->num_waits;
}

size_t cuda_emulation_num_handles(void)
{
    const device *d = the_device();
    return d->streams.size() + d->events.size() + d->graphs.size() + d->executables.size();
}

size_t cuda_emulation_num_pending(void)
{
    return the_device()->pending.size();
}

const char *cuda_emulation_problem(void)
{
    return the_device()->problem;
}

/* ---- Errors and devices ---- */

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &known : errors)
        if (known.error == error)
            return known.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &known : errors)
        if (known.error == error)
            return known.text;
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void)
{
    device *d = the_device();
    cudaError_t last = d->last;
    d->last = d->sticky;
    return last;
}

cudaError_t cudaPeekAtLastError(void)
{
    return the_device()->last;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const device *d = the_device();
    if (d->settings.no_driver)
        return note(cudaErrorInsufficientDriver);
    if (d->settings.num_devices == 0)
        return note(cudaErrorNoDevice);
    *count = d->settings.num_devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device_number)
{
    RETURN_IF_TROUBLE();
    *device_number = the_device()->current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    the_device()->current = device_number;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    for (const auto &known : attributes)
        if (known.attribute == attribute) {
            *value = known.value;
            return cudaSuccess;
        }
    return note(cudaErrorInvalidValue);
}

static int attribute_of(cudaDeviceAttr attribute)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, 0);
    return value;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    cudaDeviceProp p = {};
    snprintf(p.name, sizeof(p.name), "NVIDIA Emulated");
    p.uuid.bytes[0] = (char)device_number;
    p.totalGlobalMem = the_device()->settings.memory_bytes;
    p.sharedMemPerBlock = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlock);
    p.regsPerBlock = attribute_of(cudaDevAttrMaxRegistersPerBlock);
    p.warpSize = 32;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = INT32_MAX;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = 64 << 10;
    p.major = attribute_of(cudaDevAttrComputeCapabilityMajor);
    p.minor = attribute_of(cudaDevAttrComputeCapabilityMinor);
    p.multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
    p.ECCEnabled = attribute_of(cudaDevAttrEccEnabled);
    p.pciBusID = device_number;
    p.asyncEngineCount = attribute_of(cudaDevAttrAsyncEngineCount);
    p.memoryBusWidth = attribute_of(cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = attribute_of(cudaDevAttrL2CacheSize);
    p.maxThreadsPerMultiProcessor = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.sharedMemPerMultiprocessor =
        (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    p.regsPerMultiprocessor = attribute_of(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.sharedMemPerBlockOptin = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    p.maxBlocksPerMultiProcessor = attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor);
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device_number)
{
    RETURN_IF_TROUBLE();
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)device_number);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return catch_up();
}

cudaError_t cudaDeviceReset(void)
{
    RETURN_IF_TROUBLE();
    cuda_emulation_settings settings = the_device()->settings;
    cuda_emulation_reset(&settings);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = the_device()->settings.no_driver ? 0 : CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    RETURN_IF_TROUBLE();
    *total_bytes = the_device()->settings.memory_bytes;
    *free_bytes = *total_bytes - the_device()->used_bytes;
    return cudaSuccess;
}

/* ---- Memory ---- */

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return allocate(pointer, bytes);
}

cudaError_t cudaFree(void *pointer)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!pointer)
        return cudaSuccess;
    auto range = the_device()->memory.find((uintptr_t)pointer);
    if (range == the_device()->memory.end())
        return complain(cudaErrorInvalidValue, "what is freed was not allocated");
    cudaError_t error = catch_up(); /* as devices do */
    release(range);
    return error;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (stream && stream->capture)
        return complain(cudaErrorStreamCaptureUnsupported,
                        "cudaMallocAsync in a capture is not emulated");
    return allocate(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    return enqueue(stream, [=] {
        auto range = the_device()->memory.find((uintptr_t)pointer);
        if (range == the_device()->memory.end())
            return complain(cudaErrorInvalidValue, "what is freed was not allocated");
        release(range);
        return cudaSuccess;
    });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        return note(cudaErrorMemoryAllocation);
    the_device()->pinned[(uintptr_t)memory] = bytes;
    *pointer = memory;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!pointer)
        return cudaSuccess;
    cudaError_t error = catch_up();
    if (the_device()->pinned.erase((uintptr_t)pointer) == 0)
        return complain(cudaErrorInvalidValue, "what is freed was not allocated");
    free(pointer);
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = check_copy(to, from, bytes, decide_kind(to, from, kind));
    if (error != cudaSuccess)
        return error;
    the_device()->pending.push_back(copy_operation(to, from, bytes));
    return catch_up();
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (bytes == 0)
        return cudaSuccess;
    kind = decide_kind(to, from, kind);
    cudaError_t error = check_copy(to, from, bytes, kind);
    if (error != cudaSuccess)
        return error;
    bool captures = stream && the_device()->streams.count(stream) && stream->capture;
    if (kind == cudaMemcpyHostToDevice && !is_pinned(from, bytes) && !captures) {
        /* Pageable memory is read before the call returns. */
        std::vector<char> staged((const char *)from, (const char *)from + bytes);
        return enqueue(stream, [=] {
            spend((double)bytes / 16);
            memcpy(to, staged.data(), bytes);
            return cudaSuccess;
        });
    }
    error = enqueue(stream, copy_operation(to, from, bytes));
    if (error == cudaSuccess && kind == cudaMemcpyDeviceToHost && !is_pinned(to, bytes) &&
        !captures)
        error = catch_up(); /* and written before it returns */
    return error;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (bytes == 0)
        return cudaSuccess;
    if (!is_device(to, bytes))
        return complain(cudaErrorInvalidValue,
                        "cudaMemset goes to the host, or past an allocation");
    return enqueue(stream, [=] {
        spend((double)bytes / 64);
        memset(to, value, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return cudaMemsetAsync(to, value, bytes, nullptr);
}

/* ---- Streams and graphs ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    RETURN_IF_TROUBLE();
    *stream = new CUstream_st;
    the_device()->streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (the_device()->streams.erase(stream) == 0)
        return complain(cudaErrorInvalidResourceHandle, "no such stream");
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (stream && !the_device()->streams.count(stream))
        return complain(cudaErrorInvalidResourceHandle, "no such stream");
    return catch_up();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned)
{
    RETURN_IF_TROUBLE();
    return the_device()->events.count(event) ? cudaSuccess : note(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    RETURN_IF_TROUBLE();
    *status = cudaStreamCaptureStatusNone;
    if (stream && stream->capture)
        *status = stream->invalidated ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RETURN_IF_TROUBLE();
    if (!stream || !the_device()->streams.count(stream) || stream->capture)
        return complain(cudaErrorStreamCaptureUnsupported,
                        "only a stream of one's own can capture, and once at a time");
    stream->capture = new CUgraph_st;
    stream->mode = mode;
    stream->invalidated = false;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    RETURN_IF_TROUBLE();
    if (!stream || !the_device()->streams.count(stream) || !stream->capture)
        return note(cudaErrorIllegalState);
    cudaGraph_t captured = stream->capture;
    stream->capture = nullptr;
    if (stream->invalidated) {
        delete captured;
        *graph = nullptr;
        return note(cudaErrorStreamCaptureInvalidated);
    }
    the_device()->graphs.insert(captured);
    *graph = captured;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    RETURN_IF_TROUBLE();
    *executable = new CUgraphExec_st{graph->operations};
    the_device()->executables.insert(*executable);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    cudaError_t error = cudaSuccess;
    for (const operation &what : executable->operations)
        if (error == cudaSuccess)
            error = enqueue(stream, what);
    return error;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    the_device()->graphs.erase(graph);
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    the_device()->executables.erase(executable);
    delete executable;
    return cudaSuccess;
}

/* ---- Events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    RETURN_IF_TROUBLE();
    *event = new CUevent_st;
    the_device()->events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RETURN_IF_TROUBLE();
    if (the_device()->events.erase(event) == 0)
        return note(cudaErrorInvalidResourceHandle);
    catch_up();
    delete event;
    return cudaSuccess;
}

static double host_now_ns()
{
    using namespace std::chrono;
    return (double)nanoseconds(steady_clock::now().time_since_epoch()).count();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (!the_device()->events.count(event))
        return note(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->done = false;
    return enqueue(stream, [=] {
        event->done = true;
        event->time_ns = the_device()->settings.real_clock ? host_now_ns() : the_device()->now_ns;
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!the_device()->events.count(event))
        return note(cudaErrorInvalidResourceHandle);
    return catch_up();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *elapsed_ms, cudaEvent_t start, cudaEvent_t stop)
{
    RETURN_IF_TROUBLE();
    if (!the_device()->events.count(start) || !the_device()->events.count(stop) ||
        !start->recorded || !stop->recorded)
        return note(cudaErrorInvalidResourceHandle);
    if (!start->done || !stop->done)
        return cudaErrorNotReady;
    *elapsed_ms = (float)((stop->time_ns - start->time_ns) / 1e6);
    return cudaSuccess;
}

/* ---- Kernels ---- */

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    RETURN_IF_TROUBLE();
    bool fits = attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
                (value >= 0 && (size_t)value <= cuda_emulation::max_dynamic_shared_bytes);
    return kernel && fits ? cudaSuccess : note(cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks, const void *,
                                                          int block_size, size_t)
{
    RETURN_IF_TROUBLE();
    if (block_size < 1 || block_size > 1024)
        return note(cudaErrorInvalidValue);
    int blocks = 2048 / block_size;
    *num_blocks = blocks < 32 ? blocks : 32;
    return cudaSuccess;
}
