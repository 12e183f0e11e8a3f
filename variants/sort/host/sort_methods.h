/* sort_methods.h - shared by the host variants of sort: keys become unsigned numbers of the same
 * order, alone or above a value or an index; a method sorts these. */
#ifndef NITRO_VARIANTS_SORT_HOST_SORT_METHODS_H
#define NITRO_VARIANTS_SORT_HOST_SORT_METHODS_H

#include "variants/sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 nitro_uint128;

/**
 * Sorts `count` elements with as much room, on the calling thread. Bits below `first_bit` need not
 * be in order.
 * @return where the result is: in `elements` or in `room`.
 */
typedef uint32_t *nitro_sort_u32(uint32_t *elements, uint32_t *room, int64_t count, int first_bit);
typedef uint64_t *nitro_sort_u64(uint64_t *elements, uint64_t *room, int64_t count, int first_bit);
typedef nitro_uint128 *nitro_sort_u128(nitro_uint128 *elements, nitro_uint128 *room, int64_t count,
                                       int first_bit);

/** `user` of a variant. */
typedef struct nitro_sort_method {
    nitro_sort_u32 *sort_u32;
    nitro_sort_u64 *sort_u64;
    nitro_sort_u128 *sort_u128;
    double ns_per_key; /* on one thread */
    /** Optional: sorts keys of any type in place, as they are. */
    void (*sort_keys)(void *keys, int64_t count, int32_t type);
} nitro_sort_method;

/** A variant's `prepare`, `release` and `run`, which makes the room again where another variant
 *  released it. */
int nitro_sort_prepare(void *argument, void *user);
void nitro_sort_release(void *argument, void *user);
int nitro_sort_run(void *argument, void *user);

/* Insertion is the fastest way to sort so few. */
#define NITRO_SORT_FEW 24

#ifdef __cplusplus
}
#endif

#endif
