/* Tables of the formats' fields, so that there is one conversion and one table of each. */
#include "variants/spmv/formats.h"

#include <stdlib.h>

#include "variants/spmv/spmv_cuda.h"

#define NUMBER(format, member)                                                                     \
    {                                                                                              \
        .name = #member, .offset = offsetof(nitro_spmv_##format, member),                          \
        NITRO_ON_DEVICE(nitro_spmv_cuda_##format, member)                                          \
    }
#define ARRAY(format, member, element, count)                                                      \
    NITRO_ARRAY(nitro_spmv_##format, member, NITRO_IN, element, count,                             \
                NITRO_ON_DEVICE(nitro_spmv_cuda_##format, member))

static const nitro_field dia_fields[] = {
    NUMBER(dia, num_diagonals),
    NITRO_NUMBER(nitro_spmv_dia, num_slots),
    NUMBER(dia, stride),
    NITRO_NUMBER(nitro_spmv_dia, group_stride),
    ARRAY(dia, offsets, NITRO_INDEX64, "num_diagonals"),
    ARRAY(dia, values, NITRO_FLOAT64, "num_slots"),
};

static const nitro_field ell_fields[] = {
    NUMBER(ell, width),
    NITRO_NUMBER(nitro_spmv_ell, num_slots),
    NUMBER(ell, stride),
    NITRO_NUMBER(nitro_spmv_ell, group_stride),
    ARRAY(ell, columns, NITRO_INT32, "num_slots"),
    ARRAY(ell, values, NITRO_FLOAT64, "num_slots"),
};

/* The columns and values are the matrix's. */
static const nitro_field coo_fields[] = {
    NUMBER(coo, num_entries),
    ARRAY(coo, rows, NITRO_INT32, "num_entries"),
};

static const nitro_field hybrid_fields[] = {
    NUMBER(hybrid, ell.width),
    NITRO_NUMBER(nitro_spmv_hybrid, ell.num_slots),
    NUMBER(hybrid, ell.stride),
    NITRO_NUMBER(nitro_spmv_hybrid, ell.group_stride),
    ARRAY(hybrid, ell.columns, NITRO_INT32, "ell.num_slots"),
    ARRAY(hybrid, ell.values, NITRO_FLOAT64, "ell.num_slots"),
    NUMBER(hybrid, coo.num_entries),
    ARRAY(hybrid, coo.rows, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.columns, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.values, NITRO_FLOAT64, "coo.num_entries"),
    NITRO_NUMBER(nitro_spmv_hybrid, num_offsets),
    ARRAY(hybrid, rest_offsets, NITRO_INDEX64, "num_offsets"),
};

static const nitro_field sellp_fields[] = {
    NUMBER(sellp, num_slices),
    NUMBER(sellp, num_slots),
    NITRO_NUMBER(nitro_spmv_sellp, num_sorted),
    ARRAY(sellp, slice_offsets, NITRO_INDEX64, "num_slices + 1"),
    ARRAY(sellp, rows, NITRO_INT32, "num_sorted"),
    ARRAY(sellp, columns, NITRO_INT32, "num_slots"),
    ARRAY(sellp, values, NITRO_FLOAT64, "num_slots"),
};

/* On hosts only. */
#define HOST_ARRAY(member, element, count)                                                         \
    NITRO_ARRAY(nitro_spmv_cache_blocked, member, NITRO_IN, element, count)

static const nitro_field cache_blocked_fields[] = {
    NITRO_NUMBER(nitro_spmv_cache_blocked, column_bits),
    NITRO_NUMBER(nitro_spmv_cache_blocked, num_parts),
    NITRO_NUMBER(nitro_spmv_cache_blocked, num_blocks),
    NITRO_NUMBER(nitro_spmv_cache_blocked, num_slots),
    HOST_ARRAY(part_rows, NITRO_INDEX64, "num_parts + 1"),
    HOST_ARRAY(offsets, NITRO_INDEX64, "num_parts * num_blocks + 1"),
    HOST_ARRAY(places, NITRO_UINT32, "num_slots"),
    HOST_ARRAY(values, NITRO_FLOAT64, "num_slots"),
};

#define FORMAT(format, its_fields, ...)                                                            \
    {                                                                                              \
        .part = {.host = &nitro_spmv_variant_##format,                                             \
                 .offset = offsetof(nitro_spmv, format),                                           \
                 .fields = its_fields##_fields,                                                    \
                 .num_fields = sizeof(its_fields##_fields) / sizeof(its_fields##_fields[0]),       \
                 __VA_ARGS__},                                                                     \
        .bytes = sizeof(nitro_spmv_##its_fields), .make = nitro_spmv_make_##format,                \
    }
#define ON_DEVICE(format, its_fields, is_plan)                                                     \
    FORMAT(format, its_fields, .device_bytes = sizeof(nitro_spmv_cuda_##its_fields),               \
           .is_filled_there = is_plan)

const nitro_spmv_format nitro_spmv_part_dia = ON_DEVICE(dia, dia, false);
const nitro_spmv_format nitro_spmv_part_ell = ON_DEVICE(ell, ell, false);
const nitro_spmv_format nitro_spmv_part_coo = ON_DEVICE(coo, coo, false);
const nitro_spmv_format nitro_spmv_part_hybrid = ON_DEVICE(hybrid, hybrid, false);
const nitro_spmv_format nitro_spmv_part_sellp = ON_DEVICE(sellp, sellp, false);
const nitro_spmv_format nitro_spmv_part_sell_c_sigma = ON_DEVICE(sell_c_sigma, sellp, false);

const nitro_spmv_format nitro_spmv_part_cache_blocked = FORMAT(cache_blocked, cache_blocked, );

const nitro_spmv_format nitro_spmv_plan_ell = ON_DEVICE(ell, ell, true);
const nitro_spmv_format nitro_spmv_plan_coo = ON_DEVICE(coo, coo, true);
const nitro_spmv_format nitro_spmv_plan_hybrid = ON_DEVICE(hybrid, hybrid, true);
const nitro_spmv_format nitro_spmv_plan_sellp = ON_DEVICE(sellp, sellp, true);
const nitro_spmv_format nitro_spmv_plan_sell_c_sigma = ON_DEVICE(sell_c_sigma, sellp, true);
const nitro_spmv_format nitro_spmv_plan_cusparse_coo = ON_DEVICE(coo, coo, true);
const nitro_spmv_format nitro_spmv_plan_cusparse_sell = ON_DEVICE(sellp, sellp, true);

int nitro_spmv_prepare_format(void *argument, void *user)
{
    const nitro_spmv_format *format = user;
    void **made = (void **)((char *)argument + format->part.offset);
    if (*made)
        return 0;
    *made = calloc(1, format->bytes);
    int failure = *made ? format->make(argument, &format->part) : NITRO_ERR_NO_MEMORY;
    if (failure)
        nitro_kit_free_format(argument, user);
    return failure;
}

bool nitro_spmv_fits_device(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SPMV_NNZ] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_ROWS] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_COLS] <= NITRO_CUDA_MAX_COUNT;
}
