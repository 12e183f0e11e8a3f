/* clock.h - the system's clock, which a context uses until another one is set. */
#ifndef NITRO_BASE_CLOCK_H
#define NITRO_BASE_CLOCK_H

#include "nitro/nitro.h"

extern const nitro_clock nitro_system_clock;

/** Of the system, whatever clock the context has: for limits of processes. */
static inline double nitro_system_ms(void)
{
    return nitro_system_clock.wall_ms(NULL);
}

#endif
