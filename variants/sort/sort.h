/* sort.h - the computation "sort": keys in ascending order, alone or with a value each. The
 * argument of all variants, and the declarations of variants and input features
 * (features/input/sort_features.c). */
#ifndef NITRO_VARIANTS_SORT_SORT_H
#define NITRO_VARIANTS_SORT_SORT_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most keys: indices have 32 bits. */
#define NITRO_SORT_MAX_KEYS INT32_MAX

typedef enum nitro_sort_type {
    NITRO_SORT_U32,
    NITRO_SORT_I32,
    NITRO_SORT_F32,
    NITRO_SORT_U64,
    NITRO_SORT_I64,
    NITRO_SORT_F64,
    NITRO_SORT_NUM_TYPES
} nitro_sort_type;

/**
 * The argument. Fill in the first part, which is borrowed, and zero the rest. Arrays and their
 * addresses may change between runs; sizes may not until nitro_kit_release.
 */
typedef struct nitro_sort {
    int64_t num_keys;    /* 0 to NITRO_SORT_MAX_KEYS */
    int32_t type;        /* nitro_sort_type */
    int32_t key_bytes;   /* of the type: 4 or 8 */
    int32_t value_bytes; /* 0 (there are none), 4 or 8 */
    int32_t is_stable;   /* values of equal keys stay in order; -0 equals +0 */
    const void *keys;    /* shape [num_keys], no NaN (unchecked) */
    const void *values;  /* shape [num_keys] */
    void *sorted_keys;   /* shape [num_keys]: the result; overlaps nothing */
    void *sorted_values; /* shape [num_keys] */

    nitro_room room;  /* keys packed with values or indices; as many again */
    nitro_kept *kept; /* by the hooks that check results; NULL until then */
} nitro_sort;

/** Input features in declared order. */
enum {
    NITRO_SORT_NUM_KEYS,
    NITRO_SORT_KEY_BITS,
    NITRO_SORT_VALUE_BYTES,
    NITRO_SORT_IS_STABLE,
    NITRO_SORT_DESCENTS,
    NITRO_SORT_INVERTED,
    NITRO_SORT_DISTINCT,
    NITRO_SORT_CONSTANT_BITS,
    NITRO_SORT_NUM_FEATURES
};

/** The host's variants, in declared order. The last one, vector_quick, has no `run` in libnitro.so:
 * it is in the plug-in "highway". */
#define NITRO_SORT_NUM_VARIANTS 5
extern const nitro_variant *const nitro_sort_variants[NITRO_SORT_NUM_VARIANTS];
extern const nitro_variant nitro_sort_variant_vector_quick;

/** Declare all input features. */
nitro_status nitro_sort_add_features(nitro_computation *computation);

/** The computation (apps/sort/sort_module.c): radix is the default. */
extern const nitro_kit nitro_sort_kit;

/* ---- On CUDA devices: `run` launches on the argument's stream, and allocates nothing ---- */

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_sort_cuda {
    nitro_sort host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const void *keys;
    const void *values;
    void *sorted_keys;
    void *sorted_values;
} nitro_sort_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_sort_cuda_device;

/* Keys as unsigned numbers of the same order: key ^ mask, where the mask of a negative
 * floating-point number has all bits set and others have the sign bit alone. */
typedef struct nitro_sort_order {
    uint64_t flip; /* the sign bit, or 0 */
    uint64_t rest; /* other bits, of floating-point numbers */
    int sign_shift;
} nitro_sort_order;

static inline nitro_sort_order nitro_sort_order_of(int32_t type)
{
    bool is_wide = type >= NITRO_SORT_U64;
    int kind = type % 3; /* unsigned, signed, floating-point */
    uint64_t sign = is_wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    nitro_sort_order order = {kind > 0 ? sign : 0, kind == 2 ? sign - 1 : 0, is_wide ? 63 : 31};
    return order;
}

static inline uint64_t nitro_sort_ordered(nitro_sort_order order, uint64_t key)
{
    uint64_t is_negative = key >> order.sign_shift;
    return key ^ ((((uint64_t)0 - is_negative) & order.rest) | order.flip);
}

/** -0 as +0: for keys whose original is found by its index. */
static inline uint64_t nitro_sort_ordered_value(nitro_sort_order order, uint64_t key)
{
    return nitro_sort_ordered(order, order.rest && key == order.flip ? 0 : key);
}

static inline uint64_t nitro_sort_original(nitro_sort_order order, uint64_t ordered)
{
    uint64_t was_positive = ordered >> order.sign_shift;
    return ordered ^ (((was_positive - 1) & order.rest) | order.flip);
}

/** The bits of key or value `i` of an array of 4- or 8-byte elements. */
static inline uint64_t nitro_sort_at(const void *array, int32_t bytes, int64_t i)
{
    return bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static inline void nitro_sort_put(void *array, int32_t bytes, int64_t i, uint64_t bits)
{
    if (bytes == 4)
        ((uint32_t *)array)[i] = (uint32_t)bits;
    else
        ((uint64_t *)array)[i] = bits;
}

#ifdef __cplusplus
}
#endif

#endif
