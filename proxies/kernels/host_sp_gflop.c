/* SP-GFLOP on the host: floating-point arithmetic in single precision. */
#include "proxies/kernels/proxy_host.h"

#define REAL float
#include "proxies/kernels/host_flops_body.h"

NITRO_PROXY_HOST_KERNEL(sp_gflop, "SP-GFLOP",
                        "scalar multiplications and additions in single precision")
