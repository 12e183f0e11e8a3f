/* thread_shard.h - counters in shards, so that threads do not write each other's cache lines.
 * Internal to nitro/. */
#ifndef NITRO_THREAD_SHARD_H
#define NITRO_THREAD_SHARD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/** How many shards there are: one bit each in a uint64_t. */
#define NITRO_NUM_SHARDS 64

/** Bytes that a shard should fill, for its own cache line. */
#define NITRO_SHARD_BYTES 64

/** The calling thread's shard, the same as long as it lives; others may have it too. */
static inline size_t nitro_thread_shard(void)
{
    uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
    return (size_t)(thread * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

#endif
