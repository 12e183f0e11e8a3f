/* SH-MEM-BW on the host: loads and stores within each core's level-1 cache, the counterpart of a
 * multiprocessor's shared memory. */
#include <stdlib.h>
#include <string.h>

#include "proxies/kernels/host_exchange_body.h"
#include "proxies/kernels/proxy_host.h"

#define BYTES_PER_THREAD                                                                           \
    ((size_t)16 << 10) /* half of the smallest L1 cache of current processors */

static size_t memory_bytes(size_t num_threads)
{
    return num_threads * BYTES_PER_THREAD;
}

static const nitro_proxy_host_kind kind = {
    .loops = NITRO_PROXY_HOST_LOOP_TABLE,
    .num_passes = 20000,
    .memory_bytes = memory_bytes,
    .expect = expect,
};

NITRO_PROXY_HOST_KERNEL(sh_mem_bw, "SH-MEM-BW",
                        "loads and stores that stay in the first cache of each core")
