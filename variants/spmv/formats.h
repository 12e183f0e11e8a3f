/* formats.h - the formats of spmv.h on devices: who converts, and what of it is copied. */
#ifndef NITRO_VARIANTS_SPMV_FORMATS_H
#define NITRO_VARIANTS_SPMV_FORMATS_H

#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const nitro_kit_part nitro_spmv_part_dia;
extern const nitro_kit_part nitro_spmv_part_ell;
extern const nitro_kit_part nitro_spmv_part_coo;
extern const nitro_kit_part nitro_spmv_part_hybrid;
extern const nitro_kit_part nitro_spmv_part_sellp;

/** `allows` of the variants that run any matrix: 32-bit indices must reach all of it. */
bool nitro_spmv_fits_device(const double *features, const void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
