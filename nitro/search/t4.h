/* t4.h - names of the T4 format of results. Internal to nitro/. */
#ifndef NITRO_SEARCH_T4_H
#define NITRO_SEARCH_T4_H

#include "nitro/nitro_backend.h"

/** An evaluation's `invalidity` and outcome; ended by a NULL name. */
typedef struct t4_invalidity {
    const char *name;
    nitro_outcome outcome;
} t4_invalidity;
extern const t4_invalidity t4_invalidities[];

#endif
