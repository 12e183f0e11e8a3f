/* CUPTI's host half: makes a counter configuration for a chip. Needs neither driver nor GPU. */
#include <stdlib.h>

#include "proxies/profilers/profile_cupti.h"

static CUptiResult create_object(const cupti_functions *functions, const char *chip,
                                 const uint8_t *availability, CUpti_Profiler_Host_Object **object)
{
    CUpti_Profiler_Host_Initialize_Params params = {
        .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
        .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = chip,
        .pCounterAvailabilityImage = availability};
    CUptiResult result = functions->host_initialize(&params);
    if (result == CUPTI_SUCCESS)
        *object = params.pHostObject;
    return result;
}

static void free_object(const cupti_functions *functions, CUpti_Profiler_Host_Object *object)
{
    CUpti_Profiler_Host_Deinitialize_Params params = {
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, .pHostObject = object};
    functions->host_deinitialize(&params);
}

static CUptiResult add_counters(const cupti_functions *functions,
                                CUpti_Profiler_Host_Object *object, const char **counters,
                                size_t count)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params params = {
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = object,
        .ppMetricNames = counters,
        .numMetrics = count};
    return functions->host_add_metrics(&params);
}

/* An object that rejected a name is unusable, so each name is tried on a new one. */
bool cupti_host_has(const cupti_functions *functions, const char *chip, const uint8_t *availability,
                    const char *counter)
{
    CUpti_Profiler_Host_Object *object = NULL;
    if (create_object(functions, chip, availability, &object) != CUPTI_SUCCESS)
        return false;
    CUptiResult result = add_counters(functions, object, &counter, 1);
    free_object(functions, object);
    return result == CUPTI_SUCCESS;
}

static nitro_status make_config(cupti_host *self)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
        .pHostObject = self->object};
    CUptiResult result = self->functions->host_config_size(&size);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "sizing the counters' configuration", result);
    self->config = nitro_calloc(self->context, size.configImageSize, 1);
    if (!self->config)
        return NITRO_ERR_NO_MEMORY;
    self->config_bytes = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image = {
        .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
        .pHostObject = self->object,
        .configImageSize = self->config_bytes,
        .pConfigImage = self->config};
    result = self->functions->host_config_image(&image);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "making the counters' configuration", result);
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {
        .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
        .configImageSize = self->config_bytes,
        .pConfigImage = self->config};
    result = self->functions->host_num_passes(&passes);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "counting the passes", result);
    self->num_passes = passes.numOfPasses;
    return NITRO_OK;
}

nitro_status cupti_host_open(cupti_host *self, const nitro_string_list *counters)
{
    self->counters = nitro_calloc(self->context, counters->count + 1, sizeof(char *));
    if (!self->counters)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < counters->count; i++)
        self->counters[i] = counters->items[i];
    self->num_counters = counters->count;
    CUptiResult result =
        create_object(self->functions, self->chip, self->availability, &self->object);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "preparing CUPTI's host half", result);
    result = add_counters(self->functions, self->object, self->counters, self->num_counters);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "choosing the counters", result);
    return make_config(self);
}

void cupti_host_close(cupti_host *self)
{
    if (self->object)
        free_object(self->functions, self->object);
    free(self->config);
    free(self->counters);
    *self = (cupti_host){0};
}
