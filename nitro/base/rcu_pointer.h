/* rcu_pointer.h - a pointer that any number of threads read while another replaces it. Readers take
 * no lock and write only their shard's cache line. Internal to nitro/.
 */
#ifndef NITRO_BASE_RCU_POINTER_H
#define NITRO_BASE_RCU_POINTER_H

#include "nitro/nitro.h"

typedef struct nitro_rcu_pointer nitro_rcu_pointer;

/** @param[in] free_value  frees a replaced value after its last reader has left. */
nitro_status nitro_rcu_pointer_create(nitro_context *context, void (*free_value)(void *),
                                      nitro_rcu_pointer **published);
/** Frees current and replaced values. No reader may be active. */
void nitro_rcu_pointer_free(nitro_rcu_pointer *published);

/**
 * The value (NULL before the first), valid until leave. Each thread pairs enter with leave, and
 * should not block in between.
 */
void *nitro_rcu_pointer_enter(nitro_rcu_pointer *published);
void nitro_rcu_pointer_leave(nitro_rcu_pointer *published);

/**
 * Replace the value and take ownership. Does not wait for readers: a value still in use is freed by
 * a later replacement, or by nitro_rcu_pointer_free. Callable from any thread, and from a forked
 * child whose parent had readers or was replacing, there by one thread at a time.
 * @return NITRO_OK, or NITRO_ERR_NO_MEMORY: nothing is replaced, and the caller keeps the new
 *         value.
 */
nitro_status nitro_rcu_pointer_replace(nitro_context *context, nitro_rcu_pointer *published,
                                       void *value);

/** For tests: the number of replaced values that readers may still use. */
size_t nitro_rcu_pointer_num_retired(nitro_rcu_pointer *published);

#endif
