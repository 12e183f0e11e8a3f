/* libnitro-runtime has no stores; libnitro has record_to.c instead. */
#include "nitro/runtime/computation.h"

nitro_status nitro_configure_recorder(nitro_computation *computation, const char *url,
                                      double interval_s)
{
    (void)url;
    (void)interval_s;
    return nitro_fail(computation->context, NITRO_ERR_NOT_BUILT,
                      "%s: libnitro-runtime has no stores: link libnitro to record calls in one",
                      nitro_computation_name(computation));
}

void nitro_recorder_end(nitro_recorder *recorder)
{
    (void)recorder;
}
