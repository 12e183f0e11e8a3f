/* in_place.h - what the host's variants of transpose_inplace share. */
#ifndef NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H
#define NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H

#include "variants/transpose/host/transpose_blocks.h"

/** A variant's `release`: another one's `run` makes the room again. */
void nitro_transpose_release_room(void *argument, void *user);

#define NITRO_TRANSPOSE_INPLACE_VARIANT(symbol, its_version, do_run, do_prepare, ...)              \
    const nitro_variant nitro_transpose_inplace_variant_##symbol = {                               \
        .name = #symbol,                                                                           \
        .version = its_version,                                                                    \
        .run = do_run,                                                                             \
        .prepare = do_prepare,                                                                     \
        .release = nitro_transpose_release_room,                                                   \
        __VA_ARGS__}

#endif
