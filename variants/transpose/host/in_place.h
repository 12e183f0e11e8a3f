/* in_place.h - what the host's variants of transpose_inplace share. */
#ifndef NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H
#define NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H

#include "variants/transpose/host/transpose_blocks.h"

/** Room of at least so many bytes. Variants share it, and another one's release may have freed it:
 *  each run asks for it again, which costs nothing where it is there.
 *  @return 0 or NITRO_ERR_NO_MEMORY. */
int nitro_transpose_make_room(nitro_transpose *t, int64_t bytes);
void nitro_transpose_release_room(void *argument, void *user);

#endif
