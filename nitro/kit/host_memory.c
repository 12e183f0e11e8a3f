/* Memory of host variants. Large blocks use huge pages where the system grants them, and are kept
 * when they are freed: a first touch of new memory takes up to thirty times as long as filling it,
 * and dominates the cost of preparing a format. */
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nitro/computation_kit.h"

#define CACHE_LINE_BYTES 64
#define HUGE_PAGE_BYTES  (2 << 20)
#define LARGE_BYTES      (2 * HUGE_PAGE_BYTES)
#define NS_PER_BYTE      0.1 /* to clear it */

#define MAX_KEPT       16
#define SHARE_OF_KEPT  16 /* at most this part of the machine's memory */
#define LARGEST_EXCESS 2  /* by which a kept block may be larger than what is asked for */

/* Freed blocks, the oldest first. */
static struct {
    pthread_mutex_t lock;
    size_t count, bytes;
    void *blocks[MAX_KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Sanitizers look for uses of freed memory. */
static size_t most_kept_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    return (size_t)sysconf(_SC_PHYS_PAGES) / SHARE_OF_KEPT * (size_t)sysconf(_SC_PAGESIZE);
#endif
}

static void *take_kept(size_t index)
{
    void *block = kept.blocks[index];
    kept.bytes -= malloc_usable_size(block);
    kept.count--;
    memmove(&kept.blocks[index], &kept.blocks[index + 1],
            (kept.count - index) * sizeof(kept.blocks[0]));
    return block;
}

/* A forked child would wait forever for a thread of its parent. */
static void lock_kept(void)
{
    pthread_mutex_lock(&kept.lock);
}

static void unlock_kept(void)
{
    pthread_mutex_unlock(&kept.lock);
}

__attribute__((constructor)) static void hold_at_fork(void)
{
    pthread_atfork(lock_kept, unlock_kept, unlock_kept);
}

/* The smallest kept block that is large enough, and not much too large. */
static void *reuse(size_t bytes)
{
    size_t best = MAX_KEPT, best_bytes = LARGEST_EXCESS * bytes;
    lock_kept();
    for (size_t i = 0; i < kept.count; i++) {
        size_t has_bytes = malloc_usable_size(kept.blocks[i]);
        if (has_bytes >= bytes && has_bytes <= best_bytes) {
            best = i;
            best_bytes = has_bytes;
        }
    }
    void *block = best < MAX_KEPT ? take_kept(best) : NULL;
    unlock_kept();
    return block;
}

typedef struct cleared {
    char *memory;
    size_t bytes;
} cleared;

/* By several threads: these also share the cost of the first touch. */
static void clear_part(const void *state, int part, int parts)
{
    const cleared *block = state;
    int64_t begin = nitro_host_split_evenly((int64_t)block->bytes, part, parts);
    int64_t end = nitro_host_split_evenly((int64_t)block->bytes, part + 1, parts);
    memset(block->memory + begin, 0, (size_t)(end - begin));
}

void *nitro_host_allocate(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX / 2)
        return NULL;
    bool large = bytes >= LARGE_BYTES;
    size_t alignment = large ? HUGE_PAGE_BYTES : CACHE_LINE_BYTES;
    bytes = (bytes / alignment + 1) * alignment;
    void *memory = large ? reuse(bytes) : NULL;
    if (!memory) {
        memory = aligned_alloc(alignment, bytes);
        if (memory && large) {
            madvise(memory, bytes, MADV_DONTNEED); /* else pages that malloc kept stay small */
            madvise(memory, bytes, MADV_HUGEPAGE); /* best effort */
        }
    }
    if (!memory)
        return NULL;
    nitro_host_run_parts(clear_part, &(cleared){memory, bytes},
                         large ? nitro_host_num_parts(NS_PER_BYTE * (double)bytes) : 1);
    return memory;
}

void nitro_host_free(void *memory)
{
    size_t bytes = memory ? malloc_usable_size(memory) : 0, most_bytes = most_kept_bytes();
    void *dropped[MAX_KEPT];
    size_t num_dropped = 0;
    if (bytes < LARGE_BYTES || bytes > most_bytes) {
        free(memory);
        return;
    }
    lock_kept();
    while (kept.count == MAX_KEPT || kept.bytes + bytes > most_bytes)
        dropped[num_dropped++] = take_kept(0);
    kept.blocks[kept.count++] = memory;
    kept.bytes += bytes;
    unlock_kept();
    for (size_t i = 0; i < num_dropped; i++)
        free(dropped[i]);
}

int nitro_host_make_room(nitro_room *room, int64_t bytes)
{
    if (room->memory && room->bytes >= bytes)
        return 0;
    void *made = nitro_host_allocate(bytes, 1);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_host_free_room(room);
    *room = (nitro_room){made, bytes};
    return 0;
}

void nitro_host_free_room(nitro_room *room)
{
    nitro_host_free(room->memory);
    *room = (nitro_room){0};
}
