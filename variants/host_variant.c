/* Memory and threads of host variants. Large arrays use huge pages where the system grants them;
 * small inputs stay on one thread. */
#include "variants/host_variant.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_LINE_BYTES 64
#define HUGE_PAGE_BYTES  (2 << 20)
#define LARGE_BYTES      (2 * HUGE_PAGE_BYTES)

void *nitro_host_allocate(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX / 2)
        return NULL;
    bool large = bytes >= LARGE_BYTES;
    size_t alignment = large ? HUGE_PAGE_BYTES : CACHE_LINE_BYTES;
    bytes = (bytes / alignment + 1) * alignment;
    void *memory = aligned_alloc(alignment, bytes);
    if (!memory)
        return NULL;
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE); /* best effort */
    memset(memory, 0, bytes);
    return memory;
}

int nitro_host_num_threads(int64_t work, int64_t serial_work)
{
#ifdef __SANITIZE_THREAD__
    return 1; /* the thread sanitizer does not know the OpenMP runtime's barriers */
#endif
    if (work < serial_work)
        return 1;
    int threads = omp_get_max_threads();
    return threads < NITRO_HOST_MAX_THREADS ? threads : NITRO_HOST_MAX_THREADS;
}

int64_t nitro_host_split_evenly(int64_t count, int part, int parts)
{
    return count / parts * part + count % parts * part / parts;
}
