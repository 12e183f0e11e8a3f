/*
 * rcu_pointer.h - one pointer that any number of threads read while another thread replaces it:
 * readers take no lock, write no line that they share with threads of another shard, and never see
 * what was freed. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_RCU_POINTER_H
#define NITRO_RUNTIME_RCU_POINTER_H

#include "nitro/nitro.h"

typedef struct nitro_published nitro_published;

/** @param[in] free_value  frees what was replaced, once its last reader has left. */
nitro_status nitro_published_create(nitro_context *context, void (*free_value)(void *),
                                    nitro_published **published);
/** Frees the value too, and whatever was replaced. No reader may be in. */
void nitro_published_free(nitro_published *published);

/**
 * The value, NULL before the first; it lives until the reader leaves. Every enter is followed by a
 * leave in the same thread; in between a thread should not wait for anything.
 */
void *nitro_published_enter(nitro_published *published);
void nitro_published_leave(nitro_published *published);

/**
 * Replace the value, which is the published's from then on. Does not wait for readers: what they
 * still hold is freed by a later replacement, or with the published itself. Any thread, also a
 * forked child whose parent's readers will never leave.
 * @return NITRO_OK, or NITRO_ERR_NO_MEMORY: nothing is replaced, the new value is the caller's.
 */
nitro_status nitro_published_replace(nitro_context *context, nitro_published *published,
                                     void *value);

/** For tests: replaced values that some reader may still hold. */
size_t nitro_published_num_retired(nitro_published *published);

#endif
