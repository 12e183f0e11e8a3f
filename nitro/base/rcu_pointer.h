/*
 * rcu_pointer.h - one pointer that any number of threads read while another thread replaces it:
 * readers take no lock, write no line that they share with threads of another shard, and never see
 * what was freed. Internal to nitro/.
 */
#ifndef NITRO_BASE_RCU_POINTER_H
#define NITRO_BASE_RCU_POINTER_H

#include "nitro/nitro.h"

typedef struct nitro_rcu_pointer nitro_rcu_pointer;

/** @param[in] free_value  frees what was replaced, once its last reader has left. */
nitro_status nitro_rcu_pointer_create(nitro_context *context, void (*free_value)(void *),
                                      nitro_rcu_pointer **published);
/** Frees the value too, and whatever was replaced. No reader may be in. */
void nitro_rcu_pointer_free(nitro_rcu_pointer *published);

/**
 * The value, NULL before the first; it lives until the reader leaves. Every enter is followed by a
 * leave in the same thread; in between a thread should not wait for anything.
 */
void *nitro_rcu_pointer_enter(nitro_rcu_pointer *published);
void nitro_rcu_pointer_leave(nitro_rcu_pointer *published);

/**
 * Replace the value, which is the published's from then on. Does not wait for readers: what they
 * still hold is freed by a later replacement, or with the published itself. Any thread, also a
 * forked child whose parent's readers will never leave.
 * @return NITRO_OK, or NITRO_ERR_NO_MEMORY: nothing is replaced, the new value is the caller's.
 */
nitro_status nitro_rcu_pointer_replace(nitro_context *context, nitro_rcu_pointer *published,
                                       void *value);

/** For tests: replaced values that some reader may still hold. */
size_t nitro_rcu_pointer_num_retired(nitro_rcu_pointer *published);

#endif
