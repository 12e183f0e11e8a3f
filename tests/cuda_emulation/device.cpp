/* device.cpp - the device's state and its streams' queues of work, executed when a call waits for
 * them: in the order of the calls, or with a seed in any that the streams allow. Device time is
 * simulated (a launch takes 5 us, and its work a little), so that tests with events are
 * deterministic. */
#include "device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cuda_emulation
{

constexpr double start_ns = 5000;

thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

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

/* Adds what an operation waits for, directly and indirectly. */
static void add_wanted(uint64_t number, std::set<uint64_t> *wanted)
{
    const device *d = the_device();
    std::vector<uint64_t> todo = {number};
    while (!todo.empty()) {
        uint64_t next = todo.back();
        todo.pop_back();
        auto found = d->pending.find(next);
        if (found != d->pending.end() && wanted->insert(next).second)
            todo.insert(todo.end(), found->second.after.begin(), found->second.after.end());
    }
}

static bool may_run(const pending_operation &waiting)
{
    const device *d = the_device();
    return std::none_of(waiting.after.begin(), waiting.after.end(),
                        [=](uint64_t number) { return d->pending.count(number) > 0; });
}

/* The first; with a seed, any of those that need not wait for each other. */
static uint64_t choose(const std::set<uint64_t> &wanted)
{
    device *d = the_device();
    if (d->settings.seed == 0)
        return *wanted.begin();
    std::vector<uint64_t> can;
    for (uint64_t number : wanted)
        if (may_run(d->pending.at(number)))
            can.push_back(number);
    return can[draw(&d->random, (unsigned)can.size())];
}

static cudaError_t run_pending(std::set<uint64_t> wanted)
{
    device *d = the_device();
    d->num_waits++;
    device_works now;
    while (!wanted.empty()) {
        uint64_t number = choose(wanted);
        operation run = std::move(d->pending.at(number).run);
        d->pending.erase(number);
        wanted.erase(number);
        run_now(run);
    }
    if (d->sticky == cudaSuccess && !guards_are_whole())
        d->sticky =
            complain(cudaErrorIllegalAddress, "something wrote past the end of an allocation");
    return note(d->sticky);
}

cudaError_t catch_up()
{
    std::set<uint64_t> wanted;
    for (const auto &each : the_device()->pending)
        wanted.insert(each.first);
    return run_pending(wanted);
}

cudaError_t catch_up_with(cudaStream_t stream)
{
    std::set<uint64_t> wanted;
    for (const auto &each : the_device()->pending)
        if (each.second.stream == stream)
            add_wanted(each.first, &wanted);
    return run_pending(wanted);
}

cudaError_t catch_up_with(cudaEvent_t event)
{
    std::set<uint64_t> wanted;
    add_wanted(event->operation, &wanted);
    return run_pending(wanted);
}

/* The default stream and the blocking ones wait for each other. */
static bool are_in_order(cudaStream_t before, cudaStream_t after)
{
    if (before == after)
        return true;
    return (!before && after->blocking) || (!after && before->blocking);
}

static void add_pending(cudaStream_t stream, operation what)
{
    device *d = the_device();
    pending_operation made = {stream, std::move(what), std::move(d->awaited[stream])};
    d->awaited[stream].clear();
    for (const auto &each : d->pending)
        if (are_in_order(each.second.stream, stream))
            made.after.insert(each.first);
    d->pending.emplace(++d->num_enqueued, std::move(made));
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
    add_pending(stream, std::move(what));
    if (d->settings.lazy)
        return cudaSuccess;
    unsigned waits = d->num_waits;
    cudaError_t error = catch_up();
    d->num_waits = waits;
    return error;
}

/* Does this stream's capture forbid the calling thread what could disturb it? */
static bool forbids(cudaStream_t stream)
{
    cudaStreamCaptureMode own = capture_mode;
    bool is_mine = stream->captured_by == std::this_thread::get_id();
    if (own == cudaStreamCaptureModeRelaxed || stream->mode == cudaStreamCaptureModeRelaxed)
        return false;
    return is_mine ||
           (own == cudaStreamCaptureModeGlobal && stream->mode == cudaStreamCaptureModeGlobal);
}

cudaError_t refuse_capture(const char *function)
{
    for (cudaStream_t stream : the_device()->streams)
        if (stream->capture && forbids(stream)) {
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

/* A kernel that waits for the clock must end. */
long long clock()
{
    the_device()->now_ns += 1000;
    return (long long)the_device()->now_ns;
}

static cudaError_t run_kernel(const cudaLaunchConfig_t &config, const std::function<void()> &kernel,
                              unsigned bad_argument)
{
    device *d = the_device();
    uint64_t number = ++d->num_launches;
    uint64_t num_blocks = (uint64_t)config.gridDim.x * config.gridDim.y * config.gridDim.z;
    d->most_blocks = std::max(d->most_blocks, num_blocks);
    spend((double)num_blocks * config.blockDim.x);
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

size_t shared_limit(const void *kernel)
{
    constexpr size_t usual_bytes = 48 << 10;
    auto found = the_device()->shared_limits.find(kernel);
    return found == the_device()->shared_limits.end() ? usual_bytes : found->second;
}

cudaError_t launch(const void *kernel, const cudaLaunchConfig_t &config, std::function<void()> run,
                   unsigned bad_argument)
{
    RETURN_IF_TROUBLE();
    dim3 g = config.gridDim, b = config.blockDim;
    if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0 || g.x > INT32_MAX ||
        g.y > 65535 || g.z > 65535 || b.z > 64 || (uint64_t)b.x * b.y * b.z > 1024 ||
        config.dynamicSmemBytes > max_dynamic_shared_bytes)
        return complain(cudaErrorInvalidConfiguration,
                        "a grid or block is empty, or larger than a device allows");
    if (config.dynamicSmemBytes > shared_limit(kernel))
        return complain(cudaErrorInvalidValue,
                        "a kernel gets more dynamic shared memory than its limit allows");
    if (config.numAttrs > 0)
        return complain(cudaErrorNotSupported,
                        "attributes of launches, such as cooperative, are not emulated");
    cudaLaunchConfig_t copy = config;
    return enqueue(config.stream, [=] { return run_kernel(copy, run, bad_argument); });
}

} // namespace cuda_emulation

using namespace cuda_emulation;

cuda_emulation_settings cuda_emulation_defaults(void)
{
    return {0, 1u << 30, 0, 0, 1, false, true, 0, false};
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
    d->random = settings->seed;
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

uint64_t cuda_emulation_take_most_blocks(void)
{
    return std::exchange(the_device()->most_blocks, 0);
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
