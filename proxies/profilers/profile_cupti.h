/* profile_cupti.h - shared by the files of the profiler "cupti": CUPTI's functions, loaded at run
 * time, and the two halves of its range profiler.
 *
 * The host half (metric names, number of passes, values from counter data) needs neither a driver
 * nor a GPU: tests check every name of the proxies' table with it for every chip. The target half
 * (counting on a device) calls a table of functions, which a test can replace. */
#ifndef NITRO_PROXIES_PROFILERS_PROFILE_CUPTI_H
#define NITRO_PROXIES_PROFILERS_PROFILE_CUPTI_H

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_target.h>
#include <cupti_result.h>
#include <cupti_target.h>
/* In this order: those above declare what these need. cupti_profiler_host.h includes the C++ header
 * <string>, for which proxies/profilers/shim has an empty file. */
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>

#include "nitro/nitro_backend.h"

/* ---- Functions ------------------------------------------------------------------------------- */

/** X(member, symbol): of CUDA's driver, libcuda.so.1. */
#define CUPTI_DRIVER_FUNCTIONS(X)                                                                  \
    X(context_current, cuCtxGetCurrent)                                                            \
    X(context_device, cuCtxGetDevice)                                                              \
    X(context_synchronize, cuCtxSynchronize)

/** X(member, symbol): of CUPTI, libcupti.so.13. */
#define CUPTI_FUNCTIONS(X)                                                                         \
    X(initialize, cuptiProfilerInitialize)                                                         \
    X(deinitialize, cuptiProfilerDeInitialize)                                                     \
    X(device_supported, cuptiProfilerDeviceSupported)                                              \
    X(chip_name, cuptiDeviceGetChipName)                                                           \
    X(counter_availability, cuptiProfilerGetCounterAvailability)                                   \
    X(host_initialize, cuptiProfilerHostInitialize)                                                \
    X(host_deinitialize, cuptiProfilerHostDeinitialize)                                            \
    X(host_chips, cuptiProfilerHostGetSupportedChips)                                              \
    X(host_add_metrics, cuptiProfilerHostConfigAddMetrics)                                         \
    X(host_config_size, cuptiProfilerHostGetConfigImageSize)                                       \
    X(host_config_image, cuptiProfilerHostGetConfigImage)                                          \
    X(host_num_passes, cuptiProfilerHostGetNumOfPasses)                                            \
    X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues)                                         \
    X(range_enable, cuptiRangeProfilerEnable)                                                      \
    X(range_disable, cuptiRangeProfilerDisable)                                                    \
    X(range_data_size, cuptiRangeProfilerGetCounterDataSize)                                       \
    X(range_data_initialize, cuptiRangeProfilerCounterDataImageInitialize)                         \
    X(range_configure, cuptiRangeProfilerSetConfig)                                                \
    X(range_start, cuptiRangeProfilerStart)                                                        \
    X(range_stop, cuptiRangeProfilerStop)                                                          \
    X(range_decode, cuptiRangeProfilerDecodeData)                                                  \
    X(range_count, cuptiRangeProfilerGetCounterDataInfo)                                           \
    X(range_info, cuptiRangeProfilerCounterDataGetRangeInfo)                                       \
    X(subscribe, cuptiSubscribe)                                                                   \
    X(unsubscribe, cuptiUnsubscribe)                                                               \
    X(enable_callback, cuptiEnableCallback)

#define CUPTI_MEMBER(member, symbol) __typeof__(symbol) *member;

typedef struct cupti_functions {
    CUPTI_DRIVER_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_FUNCTIONS(CUPTI_MEMBER)
} cupti_functions;

/**
 * Open libcupti and, from its folder, the library that its host half needs, and find its functions;
 * those of the driver stay as they are. The libraries stay open until the process ends.
 * @return NITRO_OK; NITRO_ERR_IO: the error lists the places searched.
 */
nitro_status cupti_open_library(nitro_context *context, cupti_functions *functions);
/** The same for CUDA's driver. */
nitro_status cupti_open_driver(nitro_context *context, cupti_functions *functions);

/**
 * Report a failed CUPTI function: purpose, error code, meaning and remedy. @param[in] doing
 * "starting the range profiler".
 * @return NITRO_ERR_IO.
 */
nitro_status cupti_fail(nitro_context *context, const char *doing, CUptiResult result);

/* ---- The host half: from names to passes ----------------------------------------------------- */

/** Configured counters of one chip. */
typedef struct cupti_host {
    nitro_context *context;
    const cupti_functions *functions;
    const char *chip; /* borrowed */
    const uint8_t
        *availability; /* the available counters of the device, borrowed; NULL: not queried */
    CUpti_Profiler_Host_Object *object;
    const char **counters; /* shape [num_counters], borrowed from the caller's list */
    size_t num_counters;
    uint8_t *config; /* shape [config_bytes] */
    size_t config_bytes;
    size_t num_passes; /* number of runs of each kernel for these counters */
} cupti_host;

/** Does this chip have the counter? The name includes its roll-up: "smsp__inst_issued.sum". */
bool cupti_host_has(const cupti_functions *functions, const char *chip, const uint8_t *availability,
                    const char *counter);
/**
 * Configure counting: the first four members of `host` are set, the others zero.
 * @param[in] counters  available on the chip; borrowed while `host` lives.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NO_MEMORY. Must be closed, also on error.
 */
nitro_status cupti_host_open(cupti_host *host, const nitro_string_list *counters);
void cupti_host_close(cupti_host *host);

/* ---- The target half: counting --------------------------------------------------------------- */

/**
 * Names of the kernels that some work launches, in order. Work runs between begin and end, which
 * have to come in pairs; launches inside of CUDA graphs are not seen.
 */
typedef struct cupti_launches {
    nitro_context *context;
    const cupti_functions *functions;
    CUpti_SubscriberHandle subscriber;
    nitro_string_list kernels; /* as in the driver: C++ names are mangled */
    bool out_of_memory;
} cupti_launches;

nitro_status cupti_launches_begin(cupti_launches *launches);
/** @return NITRO_OK; NITRO_ERR_NO_MEMORY (some names are missing). */
nitro_status cupti_launches_end(cupti_launches *launches);

/** An open device that can be profiled. */
typedef struct cupti_session {
    nitro_context *context;
    cupti_functions functions;
    CUcontext cuda_context;
    char chip[64];
    uint8_t *availability; /* available counters, for the host half */
    bool initialized;
} cupti_session;

/** The profiler "cupti" with a given table of functions. */
nitro_status cupti_session_open(nitro_context *context, const cupti_functions *functions,
                                void **state);
bool cupti_session_has(void *state, const char *counter);
nitro_status cupti_session_collect(void *state, const nitro_string_list *counters,
                                   const nitro_profiled_work *work, nitro_kernel_function function,
                                   void *user);
void cupti_session_close(void *state);

#endif
