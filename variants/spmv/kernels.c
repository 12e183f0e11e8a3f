/* Work for threads, and memory for formats. The decision here: parts have equal numbers of entries
 * plus rows, since an empty row costs something too; and small matrices stay on one thread. */
#include "variants/spmv/kernels.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Waking threads costs about as much as this many non-zeros. */
#define SERIAL_WORK 32768
#define MAX_PARTS   NITRO_SPMV_MAX_PARTS

#define CACHE_LINE_BYTES 64
#define HUGE_PAGE_BYTES  (2 << 20)
#define LARGE_BYTES      (2 * HUGE_PAGE_BYTES)

void *nitro_spmv_allocate(int64_t count, size_t size)
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
        madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: refused, small pages work as well */
    memset(memory, 0, bytes);
    return memory;
}

int64_t nitro_spmv_stride(int64_t num_rows)
{
    int64_t lines = (num_rows + NITRO_SPMV_LANES - 1) / NITRO_SPMV_LANES;
    return (lines | 1) * NITRO_SPMV_LANES;
}

int nitro_spmv_num_parts(int64_t work)
{
#ifdef __SANITIZE_THREAD__
    return 1; /* the OpenMP run time's barriers are invisible to the thread sanitizer */
#endif
    if (work < SERIAL_WORK)
        return 1;
    int threads = omp_get_max_threads();
    return threads < MAX_PARTS ? threads : MAX_PARTS;
}

int64_t nitro_spmv_split_evenly(int64_t count, int part, int parts)
{
    return count / parts * part + count % parts * part / parts;
}

int64_t nitro_spmv_split(const int64_t *offsets, int64_t count, int part, int parts)
{
    int64_t target = nitro_spmv_split_evenly(offsets[count] + count, part, parts);
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] + middle < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
