/* transpose_inputs.h - inputs of transpose and transpose_inplace: matrices whose elements are their
 * index. */
#ifndef NITRO_APPS_TRANSPOSE_TRANSPOSE_INPUTS_H
#define NITRO_APPS_TRANSPOSE_TRANSPOSE_INPUTS_H

#include "nitro/nitro_backend.h"
#include "variants/transpose/transpose.h"

/**
 * A filled argument of one of the two computations.
 * @param[in]  sizes  the numbers of its first part.
 * @param[out] made   free it with nitro_kit_free(kit, false, made).
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (sides or elements out of range; a product that overflows)
 *         or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_transpose_create(nitro_context *context, const nitro_kit *kit,
                                    const nitro_transpose *sizes, nitro_transpose **made);

/**
 * The argument of a file of numpy: a matrix of elements of 4, 8 or 16 bytes, in any order.
 * @param[in] name  for errors.
 * @return as above; also NITRO_ERR_FORMAT (`name` and the field are in the error).
 */
nitro_status nitro_transpose_npy_parse(nitro_context *context, const nitro_kit *kit,
                                       const char *name, const char *bytes, size_t size,
                                       nitro_transpose **made);

extern const nitro_module nitro_module_transpose, nitro_module_transpose_cuda;
extern const nitro_module nitro_module_transpose_inplace, nitro_module_transpose_inplace_cuda;

#endif
