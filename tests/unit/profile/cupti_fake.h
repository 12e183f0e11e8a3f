/* cupti_fake.h - fake CUPTI functions: a device that launches scripted kernels, counts by a
 * formula, and fails at any chosen call. Checks that everything that is enabled is disabled. */
#ifndef NITRO_TESTS_UNIT_PROFILE_CUPTI_FAKE_H
#define NITRO_TESTS_UNIT_PROFILE_CUPTI_FAKE_H

#include <math.h>

#include "proxies/profilers/profile_cupti.h"
#include "unit/unit.h"

enum { FAKE_MOST_LAUNCHES = 64, FAKE_DATA_BYTES = 4096, FAKE_CONFIG_BYTES = 64 };

typedef struct fake_cupti {
    /* What it shall do. */
    int fail_at;        /* the call, from 1, that fails; 0: none */
    int fail_with;      /* this CUPTI error */
    const char *failed; /* which one it was */
    const char *chip;
    CUpti_Profiler_DeviceSupported_Params support; /* levels */
    bool lacks_context;
    size_t num_dropped;
    bool lacks_passes; /* not all were collected */
    bool sees_nothing;
    unsigned late_launches; /* kernels that only a profiled run launches */
    double (*count)(const char *kernel, const char *counter);
    bool (*has)(const char *counter);

    /* What it has done. */
    int calls;
    int initialized, host_objects, enabled, started, subscribed; /* on, less off */
    CUpti_CallbackFunc callback;
    void *callback_user;
    const char *launches[FAKE_MOST_LAUNCHES]; /* of the run that is profiled */
    size_t num_launches, max_ranges;
    size_t num_counters;
    uint8_t *data;
    char range_names[FAKE_MOST_LAUNCHES][8];
} fake_cupti;

static fake_cupti fake;

/* Functions that switch off do not fail: nothing could be done about it. */
static int fake_step(const char *name)
{
    if (++fake.calls != fake.fail_at)
        return 0;
    fake.failed = name;
    return fake.fail_with ? fake.fail_with : CUPTI_ERROR_UNKNOWN;
}
#define FAKE_STEP                                                                                  \
    do {                                                                                           \
        int fake_step_result = fake_step(__func__);                                                \
        if (fake_step_result)                                                                      \
            return (CUptiResult)fake_step_result;                                                  \
    } while (0)

/* ---- The driver ------------------------------------------------------------------------------ */

static CUresult fake_context_current(CUcontext *context)
{
    if (fake_step(__func__))
        return CUDA_ERROR_NOT_INITIALIZED;
    *context = fake.lacks_context ? NULL : (CUcontext)(void *)&fake;
    return CUDA_SUCCESS;
}

static CUresult fake_context_device(CUdevice *device)
{
    if (fake_step(__func__))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = 3;
    return CUDA_SUCCESS;
}

static CUresult fake_context_synchronize(void)
{
    return fake_step(__func__) ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

/** What a variant does that launches a kernel. */
static void fake_launch(const char *symbol)
{
    const CUpti_CallbackData entered = {.callbackSite = CUPTI_API_ENTER, .symbolName = symbol};
    const CUpti_CallbackData left = {.callbackSite = CUPTI_API_EXIT, .symbolName = symbol};
    if (fake.callback) {
        fake.callback(fake.callback_user, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &entered);
        fake.callback(fake.callback_user, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &left);
    }
    for (unsigned i = 0; fake.started && i <= fake.late_launches; i++)
        if (fake.num_launches < FAKE_MOST_LAUNCHES)
            fake.launches[fake.num_launches++] = symbol;
}

/* ---- CUPTI ----------------------------------------------------------------------------------- */

static CUptiResult fake_initialize(CUpti_Profiler_Initialize_Params *params)
{
    assert_int_equal(params->structSize, CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    FAKE_STEP;
    fake.initialized++;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_deinitialize(CUpti_Profiler_DeInitialize_Params *params)
{
    assert_int_equal(params->structSize, CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE);
    assert_int_equal(fake.enabled, 0);
    fake.initialized--;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_device_supported(CUpti_Profiler_DeviceSupported_Params *params)
{
    assert_int_equal(params->cuDevice, 3);
    assert_int_equal(params->api, CUPTI_PROFILER_RANGE_PROFILING);
    FAKE_STEP;
    params->isSupported = fake.support.isSupported;
    params->architecture = fake.support.architecture;
    params->sli = fake.support.sli;
    params->vGpu = fake.support.vGpu;
    params->confidentialCompute = fake.support.confidentialCompute;
    params->cmp = fake.support.cmp;
    params->wsl = fake.support.wsl;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_chip_name(CUpti_Device_GetChipName_Params *params)
{
    assert_int_equal(params->deviceIndex, 3);
    FAKE_STEP;
    params->pChipName = fake.chip;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_counter_availability(CUpti_Profiler_GetCounterAvailability_Params *params)
{
    assert_int_equal(fake.enabled, 0); /* asked for before the profiler is enabled */
    assert_int_equal(fake.initialized, 1);
    FAKE_STEP;
    if (params->pCounterAvailabilityImage)
        memset(params->pCounterAvailabilityImage, 0xa5, params->counterAvailabilityImageSize);
    params->counterAvailabilityImageSize = 16;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_initialize(CUpti_Profiler_Host_Initialize_Params *params)
{
    assert_string_equal(params->pChipName, fake.chip);
    assert_int_equal(params->pCounterAvailabilityImage[15], 0xa5);
    FAKE_STEP;
    fake.host_objects++;
    params->pHostObject = (CUpti_Profiler_Host_Object *)(void *)&fake;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_deinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
    assert_ptr_equal(params->pHostObject, &fake);
    fake.host_objects--;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
    FAKE_STEP;
    for (size_t i = 0; i < params->numMetrics; i++)
        if (fake.has && !fake.has(params->ppMetricNames[i]))
            return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_config_size(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
    FAKE_STEP;
    params->configImageSize = FAKE_CONFIG_BYTES;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_config_image(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
    FAKE_STEP;
    memset(params->pConfigImage, 0x5a, params->configImageSize);
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_num_passes(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
    FAKE_STEP;
    params->numOfPasses = 7;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_enable(CUpti_RangeProfiler_Enable_Params *params)
{
    assert_ptr_equal(params->ctx, &fake);
    assert_null(fake.callback); /* no callbacks while kernels are replayed */
    FAKE_STEP;
    fake.enabled++;
    params->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)(void *)&fake;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_disable(CUpti_RangeProfiler_Disable_Params *params)
{
    assert_ptr_equal(params->pRangeProfilerObject, &fake);
    assert_int_equal(fake.started, 0);
    fake.enabled--;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_data_size(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
    assert_true(params->maxNumRangeTreeNodes >= params->maxNumOfRanges);
    FAKE_STEP;
    fake.max_ranges = params->maxNumOfRanges;
    fake.num_counters = params->numMetrics;
    params->counterDataSize = FAKE_DATA_BYTES;
    return CUPTI_SUCCESS;
}

static CUptiResult
fake_range_data_initialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params)
{
    FAKE_STEP;
    assert_int_equal(params->counterDataSize, FAKE_DATA_BYTES);
    memset(params->pCounterData, 1, FAKE_DATA_BYTES);
    fake.data = params->pCounterData;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_configure(CUpti_RangeProfiler_SetConfig_Params *params)
{
    FAKE_STEP;
    assert_int_equal(params->configSize, FAKE_CONFIG_BYTES);
    assert_int_equal(params->pConfig[FAKE_CONFIG_BYTES - 1], 0x5a);
    assert_ptr_equal(params->pCounterDataImage, fake.data);
    assert_int_equal(params->range, CUPTI_AutoRange);
    assert_int_equal(params->replayMode, CUPTI_KernelReplay);
    assert_int_equal(params->maxRangesPerPass, fake.max_ranges);
    assert_true(params->numNestingLevels == 1 && params->minNestingLevel == 1 &&
                params->targetNestingLevel == 1 && params->passIndex == 0);
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_start(CUpti_RangeProfiler_Start_Params *params)
{
    assert_ptr_equal(params->pRangeProfilerObject, &fake);
    FAKE_STEP;
    fake.started++;
    fake.num_launches = 0;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_stop(CUpti_RangeProfiler_Stop_Params *params)
{
    assert_int_equal(fake.started, 1);
    fake.started--; /* also where it says that it failed */
    FAKE_STEP;
    params->isAllPassSubmitted = !fake.lacks_passes;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_decode(CUpti_RangeProfiler_DecodeData_Params *params)
{
    assert_int_equal(fake.started, 0);
    FAKE_STEP;
    bool too_many = fake.num_launches > fake.max_ranges;
    params->numOfRangeDropped =
        fake.num_dropped + (too_many ? fake.num_launches - fake.max_ranges : 0);
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_count(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
    FAKE_STEP;
    params->numTotalRanges = fake.sees_nothing ? 0 : fake.num_launches;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_range_info(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)
{
    FAKE_STEP;
    char *name = fake.range_names[params->rangeIndex];
    snprintf(name, sizeof fake.range_names[0], "%zu", params->rangeIndex);
    params->rangeName = name;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
    FAKE_STEP;
    assert_ptr_equal(params->pCounterDataImage, fake.data);
    for (size_t i = 0; i < params->numMetrics; i++)
        params->pMetricValues[i] =
            fake.count ? fake.count(fake.launches[params->rangeIndex], params->ppMetricNames[i])
                       : (double)(params->rangeIndex + 1);
    return CUPTI_SUCCESS;
}

static CUptiResult fake_host_chips(CUpti_Profiler_Host_GetSupportedChips_Params *params)
{
    params->numChips = 1;
    params->ppChipNames = &fake.chip;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                                  void *user)
{
    FAKE_STEP;
    fake.subscribed++;
    fake.callback_user = user;
    fake.callback = callback;
    *subscriber = (CUpti_SubscriberHandle)(void *)&fake;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_unsubscribe(CUpti_SubscriberHandle subscriber)
{
    assert_ptr_equal(subscriber, &fake);
    fake.subscribed--;
    fake.callback = NULL;
    return CUPTI_SUCCESS;
}

static CUptiResult fake_enable_callback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                        CUpti_CallbackDomain domain, CUpti_CallbackId function)
{
    assert_true(enable && function > 0 && domain == CUPTI_CB_DOMAIN_DRIVER_API);
    assert_ptr_equal(subscriber, &fake);
    FAKE_STEP;
    return CUPTI_SUCCESS;
}

#define FAKE_ROW(member, symbol) .member = fake_##member,
static const cupti_functions fake_functions = {CUPTI_DRIVER_FUNCTIONS(FAKE_ROW)
                                                   CUPTI_FUNCTIONS(FAKE_ROW)};

/** A device that can do all. */
static inline void fake_reset(void)
{
    fake = (fake_cupti){.chip = "GH100"};
    fake.support.isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
}

static inline void fake_check_all_off(void)
{
    assert_int_equal(fake.initialized, 0);
    assert_int_equal(fake.host_objects, 0);
    assert_int_equal(fake.enabled, 0);
    assert_int_equal(fake.started, 0);
    assert_int_equal(fake.subscribed, 0);
}

#endif
