/* device.h - the state of the emulated device, shared by device.cpp, memory.cpp, streams.cpp and
 * query.cpp. */
#ifndef NITRO_TESTS_CUDA_EMULATION_DEVICE_H
#define NITRO_TESTS_CUDA_EMULATION_DEVICE_H

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

namespace cuda_emulation
{

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

device *the_device();

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
/* Run all pending operations. */
cudaError_t catch_up();
/* Let device time pass: the start of an operation, and what it does. */
void spend(double ns);

} // namespace cuda_emulation

#endif
