/*
 * CUPTI's target half: every kernel of some work is run again and again, its memory saved and
 * restored, until all counters were read (range profiler, a range a kernel, kernel replay). So no
 * time of a profiled run means anything. The steps are those that CUPTI's documentation asks for;
 * whatever was switched on is switched off again, on every way out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxies/kernel_name.h"
#include "proxies/profile_cupti.h"

#define MAX_LAUNCHES    10000 /* of one run: each is profiled and stored by itself */
#define SPARE_RANGES    16    /* a run may launch a few kernels more than the last one did */
#define MAX_KERNEL_NAME 256

typedef struct session {
    nitro_context *context;
    cupti_functions functions;
    CUcontext cuda_context;
    char chip[64];
    uint8_t *availability; /* what can be counted here, for the host half */
    bool initialized;
} session;

/** Counting one piece of work. */
typedef struct counting {
    nitro_context *context;
    const cupti_functions *functions;
    CUcontext cuda_context;
    const nitro_profiled_work *work;
    cupti_launches launches;
    cupti_host host;
    CUpti_RangeProfiler_Object *ranges; /* NULL: not enabled */
    size_t max_ranges;
    uint8_t *data; /* shape [data_bytes] */
    size_t data_bytes;
} counting;

/* ---- The device ------------------------------------------------------------------------------ */

static nitro_status find_context(session *self, CUdevice *device)
{
    CUresult result = self->functions.context_current(&self->cuda_context);
    if (result == CUDA_SUCCESS && self->cuda_context)
        result = self->functions.context_device(device);
    if (result == CUDA_SUCCESS && self->cuda_context)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_IO,
                      "there is no CUDA device open in this process to profile on (CUDA error %d)",
                      (int)result);
}

static const char *explain_unsupported(const CUpti_Profiler_DeviceSupported_Params *answer)
{
    const struct {
        CUpti_Profiler_Support_Level level;
        const char *reason;
    } reasons[] = {
        {answer->architecture, "CUPTI 13 profiles devices of compute capability 7.5 or later"},
        {answer->sli, "cards joined by SLI cannot be profiled: turn it off"},
        {answer->vGpu, "it is a virtual GPU without leave to be profiled: its administrator can "
                       "give it"},
        {answer->confidentialCompute, "confidential computing is on: profile with it off"},
        {answer->cmp, "it is a crypto-mining card: use another"},
        {answer->wsl, "under Windows' WSL it cannot be profiled: profile on Linux"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            reasons[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
            return reasons[i].reason;
    return "CUPTI does not say why";
}

static nitro_status require_supported(session *self, CUdevice device)
{
    CUpti_Profiler_DeviceSupported_Params params = {
        .structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
        .cuDevice = device,
        .api = CUPTI_PROFILER_RANGE_PROFILING};
    CUptiResult result = self->functions.device_supported(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "asking whether the device can be profiled", result);
    if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_IO, "this device cannot be profiled: %s",
                      explain_unsupported(&params));
}

static nitro_status read_chip(session *self, CUdevice device)
{
    CUpti_Device_GetChipName_Params params = {
        .structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE, .deviceIndex = (size_t)device};
    CUptiResult result = self->functions.chip_name(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "asking for the chip's name", result);
    snprintf(self->chip, sizeof self->chip, "%s", params.pChipName ? params.pChipName : "");
    return NITRO_OK;
}

static nitro_status read_availability(session *self)
{
    CUpti_Profiler_GetCounterAvailability_Params params = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
        .ctx = self->cuda_context};
    CUptiResult result = self->functions.counter_availability(&params);
    if (result == CUPTI_SUCCESS) {
        self->availability = nitro_calloc(self->context, params.counterAvailabilityImageSize, 1);
        if (!self->availability)
            return NITRO_ERR_NO_MEMORY;
        params.pCounterAvailabilityImage = self->availability;
        result = self->functions.counter_availability(&params);
    }
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "asking what can be counted", result);
    return NITRO_OK;
}

static nitro_status initialize(session *self)
{
    CUpti_Profiler_Initialize_Params params = {.structSize =
                                                   CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUptiResult result = self->functions.initialize(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "starting CUPTI", result);
    self->initialized = true;
    return NITRO_OK;
}

void cupti_session_close(void *state)
{
    session *self = state;
    CUpti_Profiler_DeInitialize_Params params = {
        .structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    if (!self)
        return;
    if (self->initialized)
        self->functions.deinitialize(&params);
    free(self->availability);
    free(self);
}

nitro_status cupti_session_open(nitro_context *context, const cupti_functions *functions,
                                void **state)
{
    CUdevice device = 0;
    session *self = nitro_calloc(context, 1, sizeof *self);
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->context = context;
    self->functions = *functions;
    nitro_status status = find_context(self, &device);
    if (status == NITRO_OK)
        status = initialize(self);
    if (status == NITRO_OK)
        status = require_supported(self, device);
    if (status == NITRO_OK)
        status = read_chip(self, device);
    if (status == NITRO_OK)
        status = read_availability(self);
    if (status == NITRO_OK)
        *state = self;
    else
        cupti_session_close(self);
    return status;
}

bool cupti_session_has(void *state, const char *counter)
{
    const session *self = state;
    return cupti_host_has(&self->functions, self->chip, self->availability, counter);
}

/* ---- Running --------------------------------------------------------------------------------- */

static nitro_status synchronize(const counting *self)
{
    CUresult result = self->functions->context_synchronize();
    if (result == CUDA_SUCCESS)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED,
                      "its kernels failed while they were profiled: CUDA error %d", (int)result);
}

static nitro_status restore(const counting *self)
{
    int failure = self->work->restore ? self->work->restore(self->work->user) : 0;
    if (failure)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "restore_input returned %d",
                          failure);
    return synchronize(self);
}

static nitro_status run(const counting *self)
{
    int failure = self->work->run(self->work->user);
    nitro_status status = synchronize(self);
    if (failure)
        status = nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "run returned %d", failure);
    return status;
}

/* A run that is not profiled tells how many ranges there will be, and their kernels' names. */
static nitro_status count_launches(counting *self)
{
    nitro_status status = restore(self);
    if (status == NITRO_OK)
        status = cupti_launches_begin(&self->launches);
    if (status != NITRO_OK)
        return status;
    status = run(self);
    nitro_status ended = cupti_launches_end(&self->launches);
    if (status == NITRO_OK)
        status = ended;
    if (status == NITRO_OK && self->launches.kernels.count > MAX_LAUNCHES)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED,
                          "it launches %zu kernels, and at most %d of one run are profiled: give "
                          "it a smaller input",
                          self->launches.kernels.count, MAX_LAUNCHES);
    return status;
}

/* ---- The range profiler ---------------------------------------------------------------------- */

static nitro_status enable(counting *self)
{
    CUpti_RangeProfiler_Enable_Params params = {
        .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE, .ctx = self->cuda_context};
    CUptiResult result = self->functions->range_enable(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "enabling the range profiler", result);
    self->ranges = params.pRangeProfilerObject;
    return NITRO_OK;
}

static nitro_status make_room(counting *self)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->ranges,
        .pMetricNames = self->host.counters,
        .numMetrics = self->host.num_counters,
        .maxNumOfRanges = self->max_ranges,
        .maxNumRangeTreeNodes = (uint32_t)self->max_ranges};
    CUptiResult result = self->functions->range_data_size(&size);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "sizing the counters' data", result);
    self->data_bytes = size.counterDataSize;
    self->data = nitro_calloc(self->context, self->data_bytes, 1);
    if (!self->data)
        return NITRO_ERR_NO_MEMORY;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->ranges,
        .counterDataSize = self->data_bytes,
        .pCounterData = self->data};
    result = self->functions->range_data_initialize(&image);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "preparing the counters' data", result);
    return NITRO_OK;
}

static nitro_status configure(const counting *self)
{
    CUpti_RangeProfiler_SetConfig_Params params = {
        .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->ranges,
        .configSize = self->host.config_bytes,
        .pConfig = self->host.config,
        .counterDataImageSize = self->data_bytes,
        .pCounterDataImage = self->data,
        .range = CUPTI_AutoRange,
        .replayMode = CUPTI_KernelReplay,
        .maxRangesPerPass = self->max_ranges,
        .numNestingLevels = 1,
        .minNestingLevel = 1,
        .targetNestingLevel = 1};
    CUptiResult result = self->functions->range_configure(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "configuring the range profiler", result);
    return NITRO_OK;
}

/* What was started is stopped, also where the work fails: the first failure is the one to tell. */
static nitro_status run_profiled(const counting *self)
{
    CUpti_RangeProfiler_Start_Params start = {.structSize =
                                                  CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = self->ranges};
    CUpti_RangeProfiler_Stop_Params stop = {.structSize =
                                                CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = self->ranges};
    nitro_status status = restore(self);
    if (status != NITRO_OK)
        return status;
    CUptiResult result = self->functions->range_start(&start);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "starting the range profiler", result);
    status = run(self);
    result = self->functions->range_stop(&stop);
    if (status == NITRO_OK && result != CUPTI_SUCCESS)
        status = cupti_fail(self->context, "stopping the range profiler", result);
    if (status == NITRO_OK && !stop.isAllPassSubmitted)
        status = nitro_fail(self->context, NITRO_ERR_IO,
                            "CUPTI stopped before all %zu passes were made", self->host.num_passes);
    return status;
}

static nitro_status decode(const counting *self, size_t *count)
{
    CUpti_RangeProfiler_DecodeData_Params decoded = {
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
        .pRangeProfilerObject = self->ranges};
    CUptiResult result = self->functions->range_decode(&decoded);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "decoding the counters", result);
    if (decoded.numOfRangeDropped > 0)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED,
                          "it launched %zu kernels when they were counted and more when they were "
                          "profiled: %zu were lost, so none is kept",
                          self->launches.kernels.count, decoded.numOfRangeDropped);
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = self->data,
        .counterDataImageSize = self->data_bytes};
    result = self->functions->range_count(&info);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "counting the profiled kernels", result);
    *count = info.numTotalRanges;
    return NITRO_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Ranges are called by the number of their launch, from 0. */
static nitro_status name_range(const counting *self, size_t range, char *name, size_t size)
{
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params info = {
        .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = self->data,
        .counterDataImageSize = self->data_bytes,
        .rangeIndex = range,
        .rangeDelimiter = "/"};
    char *end = NULL;
    CUptiResult result = self->functions->range_info(&info);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "naming a profiled kernel", result);
    unsigned long launch = info.rangeName ? strtoul(info.rangeName, &end, 10) : 0;
    bool known = end && end != info.rangeName && *end == '\0';
    if (known && launch < self->launches.kernels.count)
        nitro_kernel_name(self->launches.kernels.items[launch], name, size);
    else
        snprintf(name, size, "kernel");
    return NITRO_OK;
}

static nitro_status hand_on(const counting *self, size_t range, double *values,
                            nitro_kernel_function function, void *user)
{
    char name[MAX_KERNEL_NAME];
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = self->host.object,
        .pCounterDataImage = self->data,
        .counterDataImageSize = self->data_bytes,
        .rangeIndex = range,
        .ppMetricNames = self->host.counters,
        .numMetrics = self->host.num_counters,
        .pMetricValues = values};
    CUptiResult result = self->functions->host_evaluate(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "evaluating the counters", result);
    nitro_status status = name_range(self, range, name, sizeof name);
    return status == NITRO_OK ? function(user, name, values) : status;
}

static nitro_status hand_on_all(const counting *self, nitro_kernel_function function, void *user)
{
    size_t count = 0;
    nitro_status status = decode(self, &count);
    double *values = nitro_calloc(self->context, self->host.num_counters + 1, sizeof *values);
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t range = 0; range < count && status == NITRO_OK; range++)
        status = hand_on(self, range, values, function, user);
    free(values);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static nitro_status profile(counting *self, const nitro_string_list *counters,
                            nitro_kernel_function function, void *user)
{
    nitro_status status = count_launches(self);
    if (status != NITRO_OK || self->launches.kernels.count == 0)
        return status;
    self->max_ranges = self->launches.kernels.count + SPARE_RANGES;
    status = cupti_host_open(&self->host, counters);
    if (status == NITRO_OK)
        status = enable(self);
    if (status == NITRO_OK)
        status = make_room(self);
    if (status == NITRO_OK)
        status = configure(self);
    if (status == NITRO_OK)
        status = run_profiled(self);
    return status == NITRO_OK ? hand_on_all(self, function, user) : status;
}

static void end(counting *self)
{
    CUpti_RangeProfiler_Disable_Params params = {.structSize =
                                                     CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = self->ranges};
    if (self->ranges)
        self->functions->range_disable(&params);
    cupti_host_close(&self->host);
    cupti_launches_free(&self->launches);
    free(self->data);
}

nitro_status cupti_session_collect(void *state, const nitro_string_list *counters,
                                   const nitro_profiled_work *work, nitro_kernel_function function,
                                   void *user)
{
    const session *opened = state;
    counting self = {.context = opened->context,
                     .functions = &opened->functions,
                     .cuda_context = opened->cuda_context,
                     .work = work,
                     .launches = {.context = opened->context, .functions = &opened->functions},
                     .host = {.context = opened->context,
                              .functions = &opened->functions,
                              .chip = opened->chip,
                              .availability = opened->availability}};
    nitro_status status = profile(&self, counters, function, user);
    end(&self);
    return status;
}
