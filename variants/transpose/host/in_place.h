/* in_place.h - transpose_inplace by decomposition (decomposed.c), for the table of its variants. */
#ifndef NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H
#define NITRO_VARIANTS_TRANSPOSE_HOST_IN_PLACE_H

#include "variants/transpose/host/transpose_blocks.h"

/** `user` of the variants: r2c is the inverse of c2r. */
typedef struct nitro_transpose_form {
    bool is_inverse, is_skinny;
} nitro_transpose_form;

bool nitro_transpose_allows_skinny(const double *features, const void *argument, void *user);
int nitro_transpose_prepare_decomposed(void *argument, void *user);
int nitro_transpose_run_decomposed(void *argument, void *user);

#endif
