/* Tables of the formats' fields, so that there is one conversion and one table of each. */
#include "variants/spmv/formats.h"

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
    NUMBER(dia, stride),
    ARRAY(dia, offsets, NITRO_INDEX64, "num_diagonals"),
    ARRAY(dia, values, NITRO_FLOAT64, "num_diagonals * stride"),
};

static const nitro_field ell_fields[] = {
    NUMBER(ell, width),
    NUMBER(ell, stride),
    ARRAY(ell, columns, NITRO_INT32, "width * stride"),
    ARRAY(ell, values, NITRO_FLOAT64, "width * stride"),
};

/* The columns and values are the matrix's. */
static const nitro_field coo_fields[] = {
    NUMBER(coo, num_entries),
    ARRAY(coo, rows, NITRO_INT32, "num_entries"),
};

static const nitro_field hybrid_fields[] = {
    NUMBER(hybrid, ell.width),
    NUMBER(hybrid, ell.stride),
    ARRAY(hybrid, ell.columns, NITRO_INT32, "ell.width * ell.stride"),
    ARRAY(hybrid, ell.values, NITRO_FLOAT64, "ell.width * ell.stride"),
    NUMBER(hybrid, coo.num_entries),
    ARRAY(hybrid, coo.rows, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.columns, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.values, NITRO_FLOAT64, "coo.num_entries"),
};

static const nitro_field sellp_fields[] = {
    NUMBER(sellp, num_slices),
    NITRO_NUMBER(nitro_spmv_sellp, num_slots),
    ARRAY(sellp, slice_offsets, NITRO_INDEX64, "num_slices + 1"),
    ARRAY(sellp, columns, NITRO_INT32, "num_slots"),
    ARRAY(sellp, values, NITRO_FLOAT64, "num_slots"),
};

#define PART(format)                                                                               \
    {                                                                                              \
        &nitro_spmv_variant_##format, offsetof(nitro_spmv, format), format##_fields,               \
            sizeof(format##_fields) / sizeof(format##_fields[0]),                                  \
            sizeof(nitro_spmv_cuda_##format), false                                                \
    }

const nitro_kit_part nitro_spmv_part_dia = PART(dia);
const nitro_kit_part nitro_spmv_part_ell = PART(ell);
const nitro_kit_part nitro_spmv_part_coo = PART(coo);
const nitro_kit_part nitro_spmv_part_hybrid = PART(hybrid);
const nitro_kit_part nitro_spmv_part_sellp = PART(sellp);

bool nitro_spmv_fits_device(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SPMV_NNZ] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_ROWS] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_COLS] <= NITRO_CUDA_MAX_COUNT;
}
