/* device.cpp - the device's state and its queue of work. The work of all streams is one queue,
 * executed in order when a call waits for it. Device time is simulated (a launch takes 5 us, and
 * its work a little), so that tests with events are deterministic. */
#include "device.h"

#include <cstdio>
#include <cstdlib>

namespace cuda_emulation
{

constexpr double start_ns = 5000;

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

cudaError_t trouble()
{
    const device *d = the_device();
    if (d->settings.no_driver)
        return note(cudaErrorInsufficientDriver);
    if (d->settings.num_devices == 0)
        return note(cudaErrorNoDevice);
    return note(d->sticky);
}

static const std::map<uintptr_t, size_t>::value_type *
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

namespace
{

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

} // namespace

static cudaError_t run_now(const operation &what)
{
    device *d = the_device();
    if (d->sticky == cudaSuccess)
        d->sticky = what();
    return d->sticky;
}

cudaError_t catch_up()
{
    device *d = the_device();
    d->num_waits++;
    std::vector<operation> work;
    work.swap(d->pending);
    device_works now;
    for (const operation &what : work)
        run_now(what);
    if (d->sticky == cudaSuccess && !guards_are_whole())
        d->sticky =
            complain(cudaErrorIllegalAddress, "something wrote past the end of an allocation");
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

void spend(double ns)
{
    the_device()->now_ns += start_ns + ns;
}

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

using namespace cuda_emulation;

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
