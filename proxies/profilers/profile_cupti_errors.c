/* CUPTI's error codes: their meaning, and what to do about each. */
#include <stddef.h>

#include "proxies/profilers/profile_cupti.h"

typedef struct error_row {
    CUptiResult result;
    const char *meaning; /* follows "starting the range profiler: CUPTI error 35: " */
} error_row;

static const error_row errors[] = {
    {CUPTI_ERROR_OUT_OF_MEMORY, "out of memory"},
    {CUPTI_ERROR_NOT_INITIALIZED,
     "it is not initialised: its library libnvperf_host.so was not found beside libcupti"},
    {CUPTI_ERROR_HARDWARE_BUSY, "the counters are in use: end the other profiler (Nsight Compute, "
                                "DCGM: 'dcgmi profile --pause') and try again"},
    {CUPTI_ERROR_NOT_SUPPORTED, "this device has no counters that CUPTI 13 can read: profile on a "
                                "device of compute capability 7.5 or later"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
     "counters of a virtual GPU cannot be read: profile on a GPU that is passed through whole"},
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     "this user may not read the counters: run as root or with CAP_SYS_ADMIN, or let the driver "
     "load with NVreg_RestrictProfilingToAdminUsers=0"},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED,
     "another CUPTI profiling interface is in use in this process: disable it"},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED,
     "its old event and metric interface is gone for this device: a library in this process still "
     "uses it"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
     "another tool is attached to this process (a profiler, a debugger or a tracer): run without "
     "it"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "the hypervisor does not let this virtual GPU be profiled: have its administrator enable "
     "profiling for it"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "confidential computing is on, which hides the counters: profile with it off"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED,
     "crypto-mining cards cannot be profiled: use another GPU"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
     "MIG instances cannot be profiled: use an unpartitioned GPU"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "SLI groups cannot be profiled: turn SLI off"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
     "the counters cannot be read under Windows' WSL: profile on Linux or allow it in Windows' "
     "NVIDIA control panel"},
    {CUPTI_ERROR_INVALID_CHIP_NAME,
     "this CUPTI does not know the chip: install the CUPTI of a newer CUDA 13"},
    {CUPTI_ERROR_UNKNOWN,
     "no reason given: check the kernel's log (dmesg), and whether another profiler is running"},
};

nitro_status cupti_fail(nitro_context *context, const char *doing, CUptiResult result)
{
    const char *meaning = "unexpected error; please report it";
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].result == result)
            meaning = errors[i].meaning;
    return nitro_fail(context, NITRO_ERR_IO, "%s: CUPTI error %d: %s", doing, (int)result, meaning);
}
