/* A CUPTI session on the current device: whether it can be profiled, its chip, the available
 * counters. */
#include <stdio.h>
#include <stdlib.h>

#include "proxies/profilers/profile_cupti.h"

static nitro_status find_context(cupti_session *self, CUdevice *device)
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
        {answer->vGpu,
         "it is a virtual GPU without permission to be profiled: its administrator can "
         "give it"},
        {answer->confidentialCompute, "confidential computing is on: profile with it off"},
        {answer->cmp, "it is a crypto-mining card: use another"},
        {answer->wsl, "under Windows' WSL it cannot be profiled: profile on Linux"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            reasons[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
            return reasons[i].reason;
    return "CUPTI gives no reason";
}

static nitro_status require_supported(cupti_session *self, CUdevice device)
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

static nitro_status read_chip(cupti_session *self, CUdevice device)
{
    CUpti_Device_GetChipName_Params params = {
        .structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE, .deviceIndex = (size_t)device};
    CUptiResult result = self->functions.chip_name(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "asking for the chip's name", result);
    snprintf(self->chip, sizeof self->chip, "%s", params.pChipName ? params.pChipName : "");
    return NITRO_OK;
}

static nitro_status read_availability(cupti_session *self)
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

static nitro_status initialize(cupti_session *self)
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
    cupti_session *self = state;
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
    cupti_session *self = nitro_calloc(context, 1, sizeof *self);
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
    const cupti_session *self = state;
    return cupti_host_has(&self->functions, self->chip, self->availability, counter);
}
