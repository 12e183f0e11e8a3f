/* Names of the kernels that are launched, from CUPTI's driver callbacks. The range profiler
 * numbers its ranges in this order. */
#include "proxies/profilers/profile_cupti.h"

/* Every launch by the runtime calls one of these once. */
static const CUpti_CallbackId launch_functions[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

static void CUPTIAPI see_launch(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId function,
                                const void *data)
{
    cupti_launches *self = user;
    const CUpti_CallbackData *call = data;
    (void)domain;
    (void)function;
    if (call->callbackSite != CUPTI_API_ENTER)
        return;
    const char *symbol = call->symbolName ? call->symbolName : "kernel";
    if (nitro_string_list_add(self->context, &self->kernels, symbol) != NITRO_OK)
        self->out_of_memory = true;
}

nitro_status cupti_launches_begin(cupti_launches *self)
{
    CUptiResult result = self->functions->subscribe(&self->subscriber, see_launch, self);
    if (result != CUPTI_SUCCESS)
        return cupti_fail(self->context, "observing kernel launches", result);
    for (size_t i = 0; i < sizeof launch_functions / sizeof launch_functions[0]; i++) {
        result = self->functions->enable_callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                                  launch_functions[i]);
        if (result != CUPTI_SUCCESS) {
            self->functions->unsubscribe(self->subscriber);
            return cupti_fail(self->context, "observing kernel launches", result);
        }
    }
    return NITRO_OK;
}

nitro_status cupti_launches_end(cupti_launches *self)
{
    self->functions->unsubscribe(self->subscriber);
    return self->out_of_memory ? NITRO_ERR_NO_MEMORY : NITRO_OK;
}
