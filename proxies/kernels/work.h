/* work.h - host code shared by the proxy kernels of all kinds of device. */
#ifndef NITRO_PROXIES_KERNELS_WORK_H
#define NITRO_PROXIES_KERNELS_WORK_H

#include "nitro/nitro_backend.h"
#include "proxies/kernels/intensity.h"

/** NITRO_ERR_ARGUMENT names the kind of device, the count and its limit. */
nitro_status nitro_proxy_work_check(nitro_context *context, const nitro_proxy_work *work,
                                    const char *device_kind, size_t max_threads);

/** Passes that cover at least `bytes` of memory; at least 1. */
size_t nitro_proxy_work_passes(size_t bytes, size_t pass_bytes);

/** The result of a thread's neutral steps, computed in sequence. */
uint32_t nitro_proxy_expect_neutral(unsigned intensity, size_t num_passes, uint32_t lane);

#endif
