/* source_parts.h - the parts' half of a C source file. Internal to source.c and source_parts.c. */
#ifndef NITRO_SOURCE_PARTS_H
#define NITRO_SOURCE_PARTS_H

#include <stdio.h>

#include "nitro/parts.h"

/** A table of numbers, exact (hexadecimal), as `static const double NAME[]`. */
void nitro_source_numbers(FILE *out, const char *name, const double *numbers, size_t count);

/** Tables and functions of all parts, and `static void find_scores(const double *x, double
 *  *scores)`. */
void nitro_source_parts(FILE *out, const nitro_parts *parts);

#endif
