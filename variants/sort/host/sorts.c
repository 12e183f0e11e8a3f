/* merge, locality, quick and radix.
 *
 * merge sorts groups of a few keys by insertion, then merges twice as long runs in each pass.
 * locality merges the runs that the keys come in, also descending ones, in an order that suits
 * their lengths, and leaves alone what is where it belongs: fastest where runs are few.
 * quick partitions without branches on keys, and keeps away keys that equal the pivot; where pivots
 * are bad it goes on as merge. radix goes from the lowest digit to the highest; a digit that all
 * keys have in common is skipped, and so are the low bits of keys that higher ones tell apart: the
 * few that these leave out of order are sorted as quick does it. */
#include <math.h>
#include <string.h>

#include "variants/sort/host/sort_methods.h"

#define MAX_RUNS 64 /* that wait to be merged: powers grow, and are logarithms of lengths */
/* Bits of a digit: of few keys, of elements of 4 bytes, and of larger ones. More take fewer passes;
 * fewer, counters and destinations that stay in the first cache. */
#define FEW_BITS       8
#define NARROW_BITS    12
#define WIDE_BITS      10
#define MANY_KEYS      32768
#define MAX_SAMPLES    1024
#define KEYS_OF_SAMPLE 32  /* of few keys not all are sampled */
#define FAR_PAIRS      128 /* neighbours in a sorted sample for one that is close */
#define MOST_OTHERS    0.5 /* that are expected to agree with a key in all bits it is sorted by */

static int highest_bit(nitro_uint128 bits)
{
    uint64_t high = (uint64_t)(bits >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)bits);
}

#define ELEMENT    uint32_t
#define NAME(name) name##_u32
#include "variants/sort/host/sorts.inc"
#undef ELEMENT
#undef NAME
#define ELEMENT    uint64_t
#define NAME(name) name##_u64
#include "variants/sort/host/sorts.inc"
#undef ELEMENT
#undef NAME
#define ELEMENT    nitro_uint128
#define NAME(name) name##_u128
#include "variants/sort/host/sorts.inc"

#define VARIANT(its_name, ns)                                                                      \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = #its_name, .version = "5", .run = nitro_sort_run, .prepare = nitro_sort_prepare,   \
        .release = nitro_sort_release, .user = (void *)&(const nitro_sort_method)                  \
        {                                                                                          \
            .sort_u32 = its_name##_sort_u32, .sort_u64 = its_name##_sort_u64,                      \
            .sort_u128 = its_name##_sort_u128, .ns_per_key = ns                                    \
        }                                                                                          \
    }
const nitro_variant *const nitro_sort_variants[NITRO_SORT_NUM_VARIANTS] = {
    VARIANT(merge, 40), VARIANT(locality, 10), VARIANT(radix, 10), VARIANT(quick, 40),
    &nitro_sort_variant_vector_quick};
