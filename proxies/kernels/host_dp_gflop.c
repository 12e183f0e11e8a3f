/* DP-GFLOP on the host: floating-point arithmetic in double precision. */
#include "proxies/kernels/proxy_host.h"

#define REAL double
#include "proxies/kernels/host_flops_body.h"

NITRO_PROXY_HOST_KERNEL(dp_gflop, "DP-GFLOP",
                        "scalar multiplications and additions in double precision")
