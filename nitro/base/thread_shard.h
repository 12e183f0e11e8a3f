/* thread_shard.h - counters in shards, so that threads do not write each other's cache lines.
 * Internal to nitro/. */
#ifndef NITRO_BASE_THREAD_SHARD_H
#define NITRO_BASE_THREAD_SHARD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/** Number of shards: one bit each in a uint64_t. */
#define NITRO_NUM_SHARDS 64

/** Size of a shard in bytes: whole cache lines. */
#define NITRO_SHARD_BYTES 64

/** Identifies the calling thread among live ones; not 0. May be reused after a thread has ended. */
static inline uint64_t nitro_thread_identity(void)
{
    return (uint64_t)(uintptr_t)pthread_self();
}

/** The calling thread's shard, constant during its life; threads may share it. */
static inline size_t nitro_shard_of(uint64_t identity)
{
    return (size_t)(identity * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

static inline size_t nitro_thread_shard(void)
{
    return nitro_shard_of(nitro_thread_identity());
}

#endif
