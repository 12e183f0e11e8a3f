/* MEM-BW on the host: loads and stores that stream through more memory than the caches hold. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxies/kernels/host_exchange_body.h"
#include "proxies/kernels/proxy_host.h"

#define MIN_BYTES ((size_t)64 << 20)
#define MAX_BYTES ((size_t)1 << 30)

/* Four times the last-level cache. */
static size_t memory_bytes(size_t num_threads)
{
    (void)num_threads;
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t bytes = cache > 0 ? 4 * (size_t)cache : MIN_BYTES;
    bytes = bytes > MIN_BYTES ? bytes : MIN_BYTES;
    return bytes < MAX_BYTES ? bytes : MAX_BYTES;
}

static const nitro_proxy_host_kind kind = {
    .loops = NITRO_PROXY_HOST_LOOP_TABLE,
    .memory_bytes = memory_bytes,
    .expect = expect,
};

NITRO_PROXY_HOST_KERNEL(mem_bw, "MEM-BW",
                        "loads and stores that stream through more memory than the caches hold")
