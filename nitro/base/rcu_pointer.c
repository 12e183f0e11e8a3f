/*
 * Readers are counted in shards, chosen by thread. A reader of a replaced value entered its shard
 * before the replacement. A value can therefore be freed once every shard has been observed empty
 * since its replacement, not necessarily all at once; shards still in use are checked again at the
 * next replacement.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "nitro/base/lock.h"
#include "nitro/base/rcu_pointer.h"
#include "nitro/base/thread_shard.h"
#include "nitro/nitro_backend.h"

typedef struct shard {
    _Alignas(NITRO_SHARD_BYTES) atomic_size_t readers;
} shard;

/** A replaced value; bit s of `maybe_held`: shard s has not been observed empty since. */
typedef struct retired {
    void *value;
    uint64_t maybe_held;
    struct retired *next;
} retired;

struct nitro_rcu_pointer {
    shard shards[NITRO_NUM_SHARDS];
    _Alignas(NITRO_SHARD_BYTES) _Atomic(void *) value;
    void (*free_value)(void *);
    nitro_lock replacing;
    retired *retired;
};

nitro_status nitro_rcu_pointer_create(nitro_context *context, void (*free_value)(void *),
                                      nitro_rcu_pointer **published)
{
    nitro_rcu_pointer *made = aligned_alloc(NITRO_SHARD_BYTES, sizeof *made);
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu bytes", sizeof *made);
    for (size_t s = 0; s < NITRO_NUM_SHARDS; s++)
        atomic_init(&made->shards[s].readers, 0);
    atomic_init(&made->value, NULL);
    made->free_value = free_value;
    made->replacing = (nitro_lock){0};
    made->retired = NULL;
    *published = made;
    return NITRO_OK;
}

void *nitro_rcu_pointer_enter(nitro_rcu_pointer *published)
{
    /* Increment before the load, both seq_cst: a replacement sees the count or the load sees the
     * replacement. */
    atomic_fetch_add(&published->shards[nitro_thread_shard()].readers, 1);
    return atomic_load(&published->value);
}

void nitro_rcu_pointer_leave(nitro_rcu_pointer *published)
{
    atomic_fetch_sub_explicit(&published->shards[nitro_thread_shard()].readers, 1,
                              memory_order_release);
}

static void free_unheld(nitro_rcu_pointer *published)
{
    uint64_t busy = 0;
    for (size_t s = 0; s < NITRO_NUM_SHARDS; s++)
        if (atomic_load(&published->shards[s].readers) != 0)
            busy |= UINT64_C(1) << s;
    retired **link = &published->retired;
    while (*link) {
        retired *each = *link;
        each->maybe_held &= busy;
        if (each->maybe_held) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        published->free_value(each->value);
        free(each);
    }
}

nitro_status nitro_rcu_pointer_replace(nitro_context *context, nitro_rcu_pointer *published,
                                       void *value)
{
    retired *old = nitro_calloc(context, 1, sizeof *old);
    if (!old)
        return NITRO_ERR_NO_MEMORY;
    nitro_lock_acquire(&published->replacing);
    old->value = atomic_exchange(&published->value, value);
    old->maybe_held = UINT64_MAX;
    old->next = published->retired;
    published->retired = old;
    free_unheld(published);
    nitro_lock_release(&published->replacing);
    return NITRO_OK;
}

size_t nitro_rcu_pointer_num_retired(nitro_rcu_pointer *published)
{
    size_t count = 0;
    nitro_lock_acquire(&published->replacing);
    for (const retired *each = published->retired; each; each = each->next)
        count++;
    nitro_lock_release(&published->replacing);
    return count;
}

void nitro_rcu_pointer_free(nitro_rcu_pointer *published)
{
    if (!published)
        return;
    while (published->retired) {
        retired *each = published->retired;
        published->retired = each->next;
        published->free_value(each->value);
        free(each);
    }
    published->free_value(atomic_load(&published->value));
    free(published);
}
