/* axes.h - how far apart a parameter's values are. Internal to search/. */
#ifndef NITRO_SEARCH_AXES_H
#define NITRO_SEARCH_AXES_H

#include "search/candidates.h"

/** A squared distance between a parameter's values. Its weight is learnt. */
typedef struct search_axis {
    size_t parameter;
    float *squared; /* shape [levels x levels], at most 1 */
    bool ordered;   /* else: equal or not */
    double weight;  /* expected before anything is known */
} search_axis;

/**
 * Axes of a space: by position, by logarithm where that differs from the position (so that a weight
 * can tell multiples from differences), and equal or not.
 */
typedef struct search_axes {
    size_t count;
    search_axis *items;
} search_axes;

nitro_status search_axes_make(nitro_context *context, const nitro_space *space, search_axes *axes);
void search_axes_release(search_axes *axes);

#endif
