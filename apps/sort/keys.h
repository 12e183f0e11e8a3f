/*
 * keys.h - inputs of sort: files of numpy (.npy), and generated keys of many orders.
 *
 * A file holds an array of any shape in C order, of 4- or 8-byte integers or floating-point
 * numbers, which are the keys. Keys that are not a number are an error.
 */
#ifndef NITRO_APPS_SORT_KEYS_H
#define NITRO_APPS_SORT_KEYS_H

#include "nitro/nitro_backend.h"
#include "variants/sort/sort.h"

/**
 * @param[in]  sizes  the scalars; key_bytes follows from the type.
 * @param[out] sort   with zeros; free it with nitro_kit_free(&nitro_sort_kit, false, sort).
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (too many keys) or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_sort_keys_create(nitro_context *context, const nitro_sort *sizes,
                                    nitro_sort **sort);

/** @return NITRO_OK; NITRO_ERR_FORMAT (`name` and the field are in the error);
 *          NITRO_ERR_NO_MEMORY. */
nitro_status nitro_sort_npy_parse(nitro_context *context, const char *name, const char *bytes,
                                  size_t size, nitro_sort **sort);

typedef struct nitro_sort_family {
    const char *name;
    /** Fill ranks, shape [count]: numbers whose order is that of the keys to be. */
    void (*fill)(nitro_random *random, uint64_t *ranks, int64_t count);
} nitro_sort_family;

#define NITRO_SORT_NUM_FAMILIES 11
extern const nitro_sort_family nitro_sort_families[NITRO_SORT_NUM_FAMILIES];

/** Keys of one family, and values 0, 1, 2... where there are values. `sizes` as above. */
nitro_status nitro_sort_make_keys(nitro_context *context, size_t family, nitro_random *random,
                                  const nitro_sort *sizes, nitro_sort **sort);

extern const nitro_module nitro_module_sort, nitro_module_sort_cuda;

#endif
