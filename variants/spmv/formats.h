/* formats.h - the formats of spmv.h on devices: who converts, and what of it is copied. */
#ifndef NITRO_VARIANTS_SPMV_FORMATS_H
#define NITRO_VARIANTS_SPMV_FORMATS_H

#include "variants/spmv/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets all of a format's struct, which is zeroed. @return 0, or nonzero: nothing is left of it. */
typedef int nitro_spmv_make(void *argument, const nitro_kit_part *part);
nitro_spmv_make nitro_spmv_make_dia, nitro_spmv_make_ell, nitro_spmv_make_coo,
    nitro_spmv_make_hybrid, nitro_spmv_make_sellp, nitro_spmv_make_sell_c_sigma,
    nitro_spmv_make_cache_blocked;

/** A format, and how a host makes it. */
typedef struct nitro_spmv_format {
    nitro_kit_part part; /* must be first: `user` of the variant is either */
    size_t bytes;        /* of its struct */
    nitro_spmv_make *make;
} nitro_spmv_format;

/** `prepare` of a variant with a format; does nothing the second time. */
int nitro_spmv_prepare_format(void *argument, void *user);

/** Converted on the host. */
extern const nitro_spmv_format nitro_spmv_part_dia, nitro_spmv_part_ell, nitro_spmv_part_coo,
    nitro_spmv_part_hybrid, nitro_spmv_part_sellp, nitro_spmv_part_sell_c_sigma,
    nitro_spmv_part_cache_blocked;

/** For devices that fill the arrays of entries: of coo the rows, of the others columns and values.
 *  A part is of one variant, which makes and releases it. */
extern const nitro_spmv_format nitro_spmv_plan_ell, nitro_spmv_plan_coo, nitro_spmv_plan_hybrid,
    nitro_spmv_plan_sellp, nitro_spmv_plan_sell_c_sigma, nitro_spmv_plan_cusparse_coo,
    nitro_spmv_plan_cusparse_sell;

/** `allows` of dia, here and on devices. */
bool nitro_spmv_allows_dia(const double *features, const void *argument, void *user);

/** False if the format would be more than twice as large as `allows` accepts: the feature
 *  dia_fillin, an estimate, missed most diagonals. */
bool nitro_spmv_dia_pays(const nitro_spmv *spmv, int64_t num_diagonals);

/** `allows` of the variants that run any matrix: 32-bit indices must reach all of it. */
bool nitro_spmv_fits_device(const double *features, const void *argument, void *user);

#ifdef __cplusplus
}
#endif

#endif
