/* thread_shard.h - counters in shards, so that threads do not write each other's cache lines.
 * Internal to nitro/. */
#ifndef NITRO_BASE_THREAD_SHARD_H
#define NITRO_BASE_THREAD_SHARD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/** How many shards there are: one bit each in a uint64_t. */
#define NITRO_NUM_SHARDS 64

/** Bytes that a shard should fill, for its own cache line. */
#define NITRO_SHARD_BYTES 64

/** What tells the calling thread from others that live now; not 0. One that begins when another has
 *  ended may be given the same. */
static inline uint64_t nitro_thread_identity(void)
{
    return (uint64_t)(uintptr_t)pthread_self();
}

/** A thread's shard, the same as long as it lives; others may have it too. */
static inline size_t nitro_shard_of(uint64_t identity)
{
    return (size_t)(identity * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

static inline size_t nitro_thread_shard(void)
{
    return nitro_shard_of(nitro_thread_identity());
}

#endif
