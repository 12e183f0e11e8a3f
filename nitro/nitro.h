/*
 * nitro.h - the interface for users of Nitro: nitro/runtime.h (dispatch; all of libnitro-runtime)
 * and nitro/tune.h (measuring, learning and stores; in libnitro only).
 *
 * A computation has several code variants: same interface, same result, different algorithm. Nitro
 * chooses the variant expected to run fastest for an input on a device, also on a device where no
 * variant was ever measured ("Architecture-Adaptive Code Variant Tuning"). In four steps:
 *
 *   1. declare   every program:            nitro_computation_declare
 *   2. measure   owners of source devices: nitro_tune
 *   3. learn     owners of new devices:    nitro_tune_from_source
 *   4. dispatch  library authors:          nitro_computation_configure, nitro_run
 */
#ifndef NITRO_NITRO_H
#define NITRO_NITRO_H

#include "nitro/runtime.h"
#include "nitro/tune.h"

#endif
