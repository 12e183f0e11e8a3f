/* The computation sort: its argument, variants, check and inputs, and the modules of all kinds of
 * devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/npy.h"
#include "apps/sort/keys.h"

#define ARRAY(member, role, count)                                                                 \
    NITRO_ARRAY(nitro_sort, member, role, NITRO_BYTE, count,                                       \
                NITRO_ON_DEVICE(nitro_sort_cuda, member), .agreement = NITRO_UNCHECKED)

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_sort, num_keys),
    NITRO_NUMBER32(nitro_sort, key_bytes),
    NITRO_NUMBER32(nitro_sort, value_bytes),
    ARRAY(keys, NITRO_IN, "num_keys * key_bytes"),
    ARRAY(values, NITRO_IN, "num_keys * value_bytes"),
    ARRAY(sorted_keys, NITRO_OUT, "num_keys * key_bytes"),
    ARRAY(sorted_values, NITRO_OUT, "num_keys * value_bytes"),
};

/* ---- Check ---- */

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

/* The sum of the hashes of keys with their values: independent of the order. */
static uint64_t digest(const nitro_sort *sort, const void *keys, const void *values)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < sort->num_keys; i++) {
        uint64_t key = nitro_sort_at(keys, sort->key_bytes, i);
        uint64_t value = sort->value_bytes > 0 ? nitro_sort_at(values, sort->value_bytes, i) : 0;
        sum += mix(mix(key + 1) ^ value);
    }
    return sum;
}

/* Ascending, and the same keys and values. With `is_stable`, values that ascend in the input ascend
 * where keys are equal. */
static int check(const void *argument, char *why, size_t size)
{
    const nitro_sort *sort = argument;
    nitro_sort_order order = nitro_sort_order_of(sort->type);
    uint64_t before = 0, value_before = 0;
    bool values_ascend = sort->is_stable && sort->value_bytes > 0;
    for (int64_t i = 1; i < sort->num_keys && values_ascend; i++)
        values_ascend = nitro_sort_at(sort->values, sort->value_bytes, i) >
                        nitro_sort_at(sort->values, sort->value_bytes, i - 1);
    for (int64_t i = 0; i < sort->num_keys; i++) {
        uint64_t key =
            nitro_sort_ordered_value(order, nitro_sort_at(sort->sorted_keys, sort->key_bytes, i));
        uint64_t value =
            values_ascend ? nitro_sort_at(sort->sorted_values, sort->value_bytes, i) : 0;
        if (i > 0 && (key < before || (values_ascend && key == before && value < value_before))) {
            snprintf(why, size, "key %lld of %lld %s", (long long)i, (long long)sort->num_keys,
                     key < before ? "is smaller than the one before"
                                  : "equals the one before, and their values changed places");
            return 1;
        }
        before = key;
        value_before = value;
    }
    if (digest(sort, sort->keys, sort->values) ==
        digest(sort, sort->sorted_keys, sort->sorted_values))
        return 0;
    snprintf(why, size, "the sorted keys, or their values, are not those of the input");
    return 1;
}

/* ---- Inputs ---- */

nitro_status nitro_sort_keys_create(nitro_context *context, const nitro_sort *sizes,
                                    nitro_sort **sort)
{
    nitro_sort all = *sizes;
    void *made;
    all.key_bytes = all.type >= NITRO_SORT_U64 ? 8 : 4;
    if (all.num_keys > NITRO_SORT_MAX_KEYS)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "sort: %lld keys; there may be up to %d",
                          (long long)all.num_keys, NITRO_SORT_MAX_KEYS);
    nitro_status status = nitro_kit_allocate(context, &nitro_sort_kit, &all, &made);
    if (status == NITRO_OK)
        *sort = made;
    return status;
}

static const char *const type_names[NITRO_SORT_NUM_TYPES] = {"u32", "i32", "f32",
                                                             "u64", "i64", "f64"};

static bool is_nan_at(const nitro_sort *sort, int64_t i)
{
    return sort->type == NITRO_SORT_F32   ? isnan(((const float *)sort->keys)[i])
           : sort->type == NITRO_SORT_F64 ? isnan(((const double *)sort->keys)[i])
                                          : false;
}

nitro_status nitro_sort_npy_parse(nitro_context *context, const char *name, const char *bytes,
                                  size_t size, nitro_sort **sort)
{
    static const char kinds[] = "uif";
    nitro_npy array;
    nitro_sort *made = NULL;
    nitro_status status = nitro_npy_parse(context, name, bytes, size, &array);
    if (status != NITRO_OK)
        return status;
    const char *kind = strchr(kinds, array.kind);
    if (!kind || (array.element_bytes != 4 && array.element_bytes != 8))
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: elements '%c%d': keys are u4, i4, f4, u8, i8 or f8 (convert them "
                          "with astype)",
                          name, array.kind, array.element_bytes);
    if (array.is_column_major && array.num_sides > 1)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: write the array in C order", name);
    const nitro_sort sizes = {.num_keys = array.count,
                              .type = (int32_t)(kind - kinds) +
                                      (array.element_bytes == 8 ? NITRO_SORT_U64 : 0)};
    status = nitro_sort_keys_create(context, &sizes, &made);
    if (status != NITRO_OK)
        return status;
    memcpy((void *)made->keys, array.elements, (size_t)(array.count * array.element_bytes));
    for (int64_t i = 0; i < made->num_keys && status == NITRO_OK; i++)
        if (is_nan_at(made, i))
            status = nitro_fail(context, NITRO_ERR_FORMAT,
                                "%s: element %lld is not a number, and has no place in an order",
                                name, (long long)i);
    if (status == NITRO_OK)
        *sort = made;
    else
        nitro_kit_free(&nitro_sort_kit, false, made);
    return status;
}

static nitro_status load(nitro_context *context, const char *path, void **data)
{
    char *bytes;
    size_t size;
    nitro_sort *sort;
    nitro_status status = nitro_file_read(context, path, NITRO_NPY_MAX_BYTES, &bytes, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_sort_npy_parse(context, path, bytes, size, &sort);
    free(bytes);
    if (status == NITRO_OK)
        *data = sort;
    return status;
}

/* Half of all inputs are keys alone; of the others, half are to be sorted stably. */
static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    nitro_sort sizes = {.num_keys = (int64_t)size}, *sort;
    sizes.type = (int32_t)nitro_random_below(random, NITRO_SORT_NUM_TYPES);
    uint64_t kind = nitro_random_below(random, 8);
    sizes.value_bytes = kind < 4 ? 0 : kind % 2 ? 4 : 8;
    sizes.is_stable = kind >= 6;
    snprintf(label, NITRO_KIT_LABEL, "%s-%lld%s%s%s", nitro_sort_families[family].name,
             (long long)sizes.num_keys, type_names[sizes.type],
             sizes.value_bytes == 0   ? ""
             : sizes.value_bytes == 4 ? "+4"
                                      : "+8",
             sizes.is_stable ? "-stable" : "");
    if (!data)
        return NITRO_OK;
    nitro_status status = nitro_sort_make_keys(context, family, random, &sizes, &sort);
    if (status == NITRO_OK)
        *data = sort;
    return status;
}

static const nitro_kit_inputs inputs = {
    .load = load,
    .make = make,
    .num_families = NITRO_SORT_NUM_FAMILIES,
    .least_size = 1e3,
    .usual_size = 4e6,
    .base_size = 16e6,
    .unit_bytes = 32, /* of keys, values, results and elements */
};

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_sort *sort = argument;
    int used =
        snprintf(text, size, "%lld %s keys", (long long)sort->num_keys, type_names[sort->type]);
    if (sort->value_bytes > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " with values of %d bytes%s", sort->value_bytes,
                 sort->is_stable ? ", stable" : "");
}

/* ---- The computation ---- */

#define ABOUT "keys in ascending order, with or without values (.npy files)"

const nitro_kit nitro_sort_kit = {
    .name = "sort",
    .description = ABOUT,
    .argument_bytes = sizeof(nitro_sort),
    .kept = offsetof(nitro_sort, kept),
    .room = offsetof(nitro_sort, room),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = nitro_sort_variants,
    .num_variants = NITRO_SORT_NUM_VARIANTS,
    .plugin = "highway",
    .usual = "radix",
    .add_features = nitro_sort_add_features,
    .check = check,
    .inputs = &inputs,
    .describe = describe,
    .device = &nitro_sort_cuda_device,
};

NITRO_KIT_MODULES(nitro_module_sort, nitro_sort_kit, "sort", ABOUT)
