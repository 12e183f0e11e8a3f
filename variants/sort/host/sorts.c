/* merge, locality, quick and radix.
 *
 * merge sorts groups of a few keys by insertion, then merges twice as long runs in each pass.
 * locality merges the runs that the keys come in, also descending ones, in an order that suits
 * their lengths, and leaves alone what is where it belongs: fastest where runs are few.
 * quick partitions without branches on keys, and keeps away keys that equal the pivot; where pivots
 * are bad it goes on as merge. radix goes from the lowest digit to the highest, and counts all
 * digits in one reading; a digit that all keys have in common is skipped. */
#include <math.h>
#include <string.h>

#include "variants/sort/host/sort_methods.h"

#define MAX_RUNS    64 /* that wait to be merged: powers grow, and are logarithms of lengths */
#define NARROW_BITS 8
#define WIDE_BITS   11
#define WIDE_FROM   32768 /* keys: below, larger tables take longer than another pass */
#define MAX_DIGITS  8     /* of 64 bits of key */

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
        .name = #its_name, .version = "4", .run = nitro_sort_run, .prepare = nitro_sort_prepare,   \
        .release = nitro_sort_release, .user = (void *)&(const nitro_sort_method)                  \
        {                                                                                          \
            .sort_u32 = its_name##_sort_u32, .sort_u64 = its_name##_sort_u64,                      \
            .sort_u128 = its_name##_sort_u128, .ns_per_key = ns                                    \
        }                                                                                          \
    }
const nitro_variant *const nitro_sort_variants[NITRO_SORT_NUM_VARIANTS] = {
    VARIANT(merge, 40), VARIANT(locality, 10), VARIANT(radix, 15), VARIANT(quick, 40),
    &nitro_sort_variant_vector_quick};
