/* Proxy kernels on CUDA in a build without it: errors say how to build with it. */
#include "nitro/nitro_backend.h"

static nitro_status create(nitro_context *context, const nitro_proxy_work *work, void **state)
{
    (void)work;
    (void)state;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "proxy kernels for cuda are not in this build: install the CUDA toolkit "
                      "(nvcc), and configure with -DNITRO_CUDA=ON (the default)");
}

static nitro_status refuse(void *state)
{
    (void)state;
    return NITRO_ERR_NOT_BUILT; /* nothing was created */
}

static void free_nothing(void *state)
{
    (void)state;
}

#define KERNEL(name, proxy_name)                                                                   \
    const nitro_proxy_kernel nitro_proxy_cuda_##name = {                                           \
        .proxy = proxy_name,                                                                       \
        .device_kind = "cuda",                                                                     \
        .description = "not in this build: needs nvcc and -DNITRO_CUDA=ON",                        \
        .create = create,                                                                          \
        .run = refuse,                                                                             \
        .check = refuse,                                                                           \
        .free = free_nothing,                                                                      \
        .symbol = "nitro_proxy_" #name}

KERNEL(sp_gflop, "SP-GFLOP");
KERNEL(dp_gflop, "DP-GFLOP");
KERNEL(atomic, "ATOMIC");
KERNEL(mem_bw, "MEM-BW");
KERNEL(sh_mem_bw, "SH-MEM-BW");
