/* in_place.h - what the host's variants of transpose_inplace share. */
#ifndef NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H
#define NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H

#include "variants/transpose/host/transpose_blocks.h"

/** Room of at least so many bytes. @return 0 or NITRO_ERR_NO_MEMORY. */
int nitro_transpose_make_room(nitro_transpose *t, int64_t bytes);

#endif
