/* Counts with CUPTI's range profiler (one range a kernel, kernel replay): every kernel is run
 * again, its memory saved and restored, until all counters are read, so times of a profiled run
 * are meaningless. All exits disable what was enabled. */
#include <stdio.h>
#include <stdlib.h>

#include "proxies/profilers/kernel_name.h"
#include "proxies/profilers/profile_cupti.h"

#define MAX_LAUNCHES    10000 /* of one run */
#define SPARE_RANGES    16    /* a run may launch a few kernels more than the previous one */
#define MAX_KERNEL_NAME 256

/** State of counting one run. */
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

/* An unprofiled run determines the number of ranges and the kernels' names. */
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

/* Always stops what was started; reports the first failure. */
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
                            "CUPTI did not collect all passes of the counters, so none is kept: "
                            "close other profilers and profile again");
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
    if (info.numTotalRanges == 0)
        return nitro_fail(self->context, NITRO_ERR_IO,
                          "CUPTI saw none of the %zu kernels that were launched",
                          self->launches.kernels.count);
    *count = info.numTotalRanges;
    return NITRO_OK;
}

/* Ranges are named by launch number, from 0. If the numbers of ranges and launches differ, names
 * cannot be assigned. */
static nitro_status name_range(const counting *self, size_t range, size_t count, char *name,
                               size_t size)
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
    bool is_number = end && end != info.rangeName && *end == '\0';
    if (is_number && launch < count && count == self->launches.kernels.count)
        nitro_kernel_name(self->launches.kernels.items[launch], name, size);
    else
        snprintf(name, size, "kernel");
    return NITRO_OK;
}

static nitro_status hand_on(const counting *self, size_t range, size_t count, double *values,
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
    nitro_status status = name_range(self, range, count, name, sizeof name);
    return status == NITRO_OK ? function(user, name, values) : status;
}

static nitro_status hand_on_all(const counting *self, nitro_kernel_function function, void *user)
{
    size_t count = 0;
    nitro_status status = decode(self, &count);
    double *values = nitro_calloc(self->context, self->host.num_counters + 1, sizeof *values);
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && count != self->launches.kernels.count)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%zu kernels were launched and %zu profiled: they cannot be matched, so they are "
                  "named 'kernel'",
                  self->launches.kernels.count, count);
    for (size_t range = 0; range < count && status == NITRO_OK; range++)
        status = hand_on(self, range, count, values, function, user);
    free(values);
    return status;
}

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
    nitro_string_list_free(&self->launches.kernels);
    free(self->data);
}

nitro_status cupti_session_collect(void *state, const nitro_string_list *counters,
                                   const nitro_profiled_work *work, nitro_kernel_function function,
                                   void *user)
{
    const cupti_session *session = state;
    counting self = {.context = session->context,
                     .functions = &session->functions,
                     .cuda_context = session->cuda_context,
                     .work = work,
                     .launches = {.context = session->context, .functions = &session->functions},
                     .host = {.context = session->context,
                              .functions = &session->functions,
                              .chip = session->chip,
                              .availability = session->availability}};
    nitro_status status = profile(&self, counters, function, user);
    end(&self);
    return status;
}
