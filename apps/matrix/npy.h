/*
 * npy.h - arrays in files of numpy
 * (numpy.org/doc/stable/reference/generated/numpy.lib.format.html): little-endian numbers in C or
 * Fortran order. Used by sort and transpose.
 */
#ifndef NITRO_APPS_MATRIX_NPY_H
#define NITRO_APPS_MATRIX_NPY_H

#include "nitro/nitro_backend.h"

#define NITRO_NPY_MAX_BYTES ((size_t)16 << 30)
#define NITRO_NPY_MAX_SIDES 32

typedef struct nitro_npy {
    char kind;             /* of the elements: numpy's 'i', 'u', 'f' or 'c' */
    int32_t element_bytes; /* 1 to 16 */
    bool is_column_major;
    int32_t num_sides;
    int64_t sides[NITRO_NPY_MAX_SIDES];
    int64_t count;        /* the product of the sides; of none, 1 */
    const char *elements; /* shape [count * element_bytes], in the file's bytes */
} nitro_npy;

/**
 * Find the array in a file's bytes, shape [size]. The declared shape is checked against the size.
 * @param[in] name  for errors.
 * @return NITRO_OK; NITRO_ERR_FORMAT (`name` and the field are in the error); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_npy_parse(nitro_context *context, const char *name, const char *bytes,
                             size_t size, nitro_npy *array);

#endif
