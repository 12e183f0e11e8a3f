/* radix: from the lowest digit to the highest, all digits counted in one reading. A digit that all
 * keys have in common is skipped. */
#include "variants/sort/host/sort_methods.h"

#define NARROW_BITS 8
#define WIDE_BITS   11
#define WIDE_FROM   32768 /* keys: below, larger tables take longer than another pass */
#define MAX_DIGITS  8     /* of 64 bits of key */

#define ELEMENT    uint32_t
#define NAME(name) name##_u32
#include "variants/sort/host/radix.inc"
#undef ELEMENT
#undef NAME
#define ELEMENT    uint64_t
#define NAME(name) name##_u64
#include "variants/sort/host/radix.inc"
#undef ELEMENT
#undef NAME
#define ELEMENT    nitro_uint128
#define NAME(name) name##_u128
#include "variants/sort/host/radix.inc"

static const nitro_sort_method method = {
    .sort_u32 = radix_u32, .sort_u64 = radix_u64, .sort_u128 = radix_u128, .ns_per_key = 15};

const nitro_variant nitro_sort_variant_radix = {
    .name = "radix",
    .version = "1",
    .run = nitro_sort_run,
    .prepare = nitro_sort_prepare,
    .user = (void *)&method,
};
