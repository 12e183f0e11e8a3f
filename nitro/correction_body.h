/* correction_body.h - what a correction is, for the files that make and apply one. */
#ifndef NITRO_CORRECTION_BODY_H
#define NITRO_CORRECTION_BODY_H

#include "nitro/correction.h"

/** A wide and a narrow kernel; the constant part is the wide one's bias. */
#define NITRO_CORRECTION_MACHINES 2

struct nitro_correction {
    nitro_kernel_machine *machines[NITRO_CORRECTION_MACHINES];
};

#endif
