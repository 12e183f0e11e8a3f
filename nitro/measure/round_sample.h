/* round_sample.h - the significant digits of a measured sample. */
#ifndef NITRO_MEASURE_ROUND_SAMPLE_H
#define NITRO_MEASURE_ROUND_SAMPLE_H

#include "nitro/nitro_backend.h"

/**
 * Round a measured sample's numbers to the digits that a measurement can know, in place: times to 5
 * significant digits, or to 3 where their spread is 2.5 % or more; costs of preparing and of
 * features to 3; spreads to 1, as twenty repetitions know theirs to 40 %; features that are no
 * integers to 5. A store packs such numbers into a few bytes; since they are rounded before the
 * sample is stored or learnt from, all stores, journals and models have the same. Rounding again
 * changes nothing.
 */
void nitro_sample_round(nitro_sample *sample);

/** The same for one entry. */
void nitro_entry_round(nitro_entry *entry);

/** A spread as nitro_entry_round leaves it. */
double nitro_round_spread(double value);

/** A feature as nitro_sample_round leaves it. */
double nitro_round_feature(double value);

#endif
