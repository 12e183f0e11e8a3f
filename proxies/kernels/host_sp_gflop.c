/* SP-GFLOP on the host: floating-point arithmetic in single precision. */
#include "proxies/kernels/proxy_host.h"

#define REAL float
#include "proxies/kernels/host_flops_body.h"

NITRO_PROXY_HOST_FUNCTIONS(kind)

const nitro_proxy_kernel nitro_proxy_host_sp_gflop = {
    .proxy = "SP-GFLOP",
    .device_kind = "host",
    .description = "scalar multiplications and additions in single precision",
    .create = create,
    .run = nitro_proxy_host_run,
    .check = nitro_proxy_host_check,
    .free = nitro_proxy_host_free,
    .code = code,
};
