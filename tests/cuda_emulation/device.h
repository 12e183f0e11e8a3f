/* device.h - the state of the emulated device, shared by device.cpp, memory.cpp, streams.cpp and
 * query.cpp. */
#ifndef NITRO_TESTS_CUDA_EMULATION_DEVICE_H
#define NITRO_TESTS_CUDA_EMULATION_DEVICE_H

#include <map>
#include <set>
#include <thread>
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
    bool blocking = true;          /* waits for the default stream, and it for this one */
    cudaGraph_t capture = nullptr; /* not NULL: what is enqueued goes there */
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id captured_by;
    bool invalidated = false;
};
struct CUevent_st {
    bool recorded = false, done = false;
    uint64_t operation = 0; /* that records it */
    double time_ns = 0;
};

namespace cuda_emulation
{

/* Work in a stream, and what must have run before it (numbers of operations). */
struct pending_operation {
    cudaStream_t stream;
    operation run;
    std::set<uint64_t> after;
};

struct device {
    cuda_emulation_settings settings = cuda_emulation_defaults();
    std::map<uintptr_t, size_t> memory, pinned; /* address, bytes */
    size_t used_bytes = 0;
    std::map<uint64_t, pending_operation> pending; /* by number, ascending as they were enqueued */
    uint64_t num_enqueued = 0, random = 0, most_blocks = 0;
    std::map<cudaStream_t, std::set<uint64_t>> awaited; /* by a stream's next operation: events' */
    std::map<const void *, size_t> shared_limits;       /* of kernels whose limit was raised */
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

device *the_device();

extern thread_local cudaStreamCaptureMode capture_mode; /* cudaThreadExchangeStreamCaptureMode's */

/* Keep an error for cudaGetLastError, and what went wrong for the test; both return it. */
cudaError_t note(cudaError_t error);
cudaError_t complain(cudaError_t error, const char *why);

/* What every call answers first: is there a device that works? */
cudaError_t trouble();
/* What must not be called while a stream captures makes the capture worthless. */
cudaError_t refuse_capture(const char *function);

#define RETURN_IF_TROUBLE()                                                                        \
    do {                                                                                           \
        cudaError_t trouble_ = trouble();                                                          \
        if (trouble_ != cudaSuccess)                                                               \
            return trouble_;                                                                       \
    } while (0)

#define RETURN_IF_CAPTURING()                                                                      \
    do {                                                                                           \
        cudaError_t refused_ = refuse_capture(__func__);                                           \
        if (refused_ != cudaSuccess)                                                               \
            return refused_;                                                                       \
    } while (0)

/* Do these bytes lie in one allocation, of the device or of pinned memory of the host? */
bool is_device(const volatile void *pointer, size_t bytes);
bool is_pinned(const volatile void *pointer, size_t bytes);
/* Has nothing written past the end of an allocation? Asan knows better, and sooner. */
bool guards_are_whole();
/* Give an allocation back. */
void release(std::map<uintptr_t, size_t>::iterator range);

/* Put work into a stream's queue, or into what it captures. */
cudaError_t enqueue(cudaStream_t stream, operation what);
/* Run all pending operations, or only a stream's (NULL: the default one) and what they wait for. */
cudaError_t catch_up();
cudaError_t catch_up_with(cudaStream_t stream);
cudaError_t catch_up_with(cudaEvent_t event);
/* Most bytes of dynamic shared memory that this kernel may use now. */
size_t shared_limit(const void *kernel);
/* Let device time pass: the start of an operation, and what it does. */
void spend(double ns);

} // namespace cuda_emulation

#endif
