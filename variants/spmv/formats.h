/* formats.h - the formats of spmv.h on devices: who converts, and what of it is copied. */
#ifndef NITRO_VARIANTS_SPMV_FORMATS_H
#define NITRO_VARIANTS_SPMV_FORMATS_H

#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Converted on the host. */
extern const nitro_kit_part nitro_spmv_part_dia;
extern const nitro_kit_part nitro_spmv_part_ell;
extern const nitro_kit_part nitro_spmv_part_coo;
extern const nitro_kit_part nitro_spmv_part_hybrid;
extern const nitro_kit_part nitro_spmv_part_sellp;
extern const nitro_kit_part nitro_spmv_part_sell_c_sigma;
extern const nitro_kit_part nitro_spmv_part_cache_blocked;

/** For devices that fill the arrays of entries: of coo the rows, of the others columns and values.
 */
extern const nitro_kit_part nitro_spmv_plan_ell;
extern const nitro_kit_part nitro_spmv_plan_coo;
extern const nitro_kit_part nitro_spmv_plan_hybrid;
extern const nitro_kit_part nitro_spmv_plan_sellp;
extern const nitro_kit_part nitro_spmv_plan_sell_c_sigma;
/* A part is of one variant, which makes and releases it. */
extern const nitro_kit_part nitro_spmv_plan_cusparse_coo;
extern const nitro_kit_part nitro_spmv_plan_cusparse_sell;

/** False if the format would be more than twice as large as `allows` accepts: the feature
 *  dia_fillin, an estimate, missed most diagonals. */
bool nitro_spmv_dia_pays(const nitro_spmv *spmv, int64_t num_diagonals);

/** `allows` of the variants that run any matrix: 32-bit indices must reach all of it. */
bool nitro_spmv_fits_device(const double *features, const void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
