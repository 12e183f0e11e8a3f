/* How far apart a parameter's values are. */
#include "search/axes.h"

#include <math.h>
#include <stdlib.h>

/* Expected weights of ordered axes, and of unequal values. */
#define ORDERED_WEIGHT 0.5
#define UNEQUAL_WEIGHT 0.15
/* Positions and logarithms that differ less are one axis. */
#define SAME_AXIS 0.05

/* The levels' places on an axis, in [0, 1]. False where there are no logarithms, or they are spread
 * as the positions are. */
static bool place_by_logarithm(const nitro_space *space, size_t index, double *places)
{
    const nitro_parameter *parameter = nitro_space_parameter(space, index);
    double low = INFINITY, high = -INFINITY, difference = 0;
    size_t count = search_num_levels(space, index);
    for (size_t i = 0; i < count; i++) {
        double number = parameter->values[search_level_index(space, index, i)].number;
        if (parameter->type == NITRO_PARAMETER_STRING || !(number > 0))
            return false;
        places[i] = log(number);
        low = fmin(low, places[i]);
        high = fmax(high, places[i]);
    }
    if (!(high > low))
        return false;
    for (size_t i = 0; i < count; i++)
        places[i] = (places[i] - low) / (high - low);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            difference = fmax(difference, fabs(fabs(places[i] - places[j]) -
                                               (double)(i - j) / (double)(count - 1)));
    return difference >= SAME_AXIS;
}

/* An axis of these places; NULL: unequal values are 1 apart. */
static nitro_status add_axis(nitro_context *context, search_axes *axes, size_t parameter,
                             size_t count, const double *places)
{
    float *squared = nitro_calloc(context, count * count, sizeof(*squared));
    if (!squared)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double apart = places ? places[i] - places[j] : i != j;
            squared[i * count + j] = (float)(apart * apart);
        }
    axes->items[axes->count++] =
        (search_axis){parameter, squared, places != NULL, places ? ORDERED_WEIGHT : UNEQUAL_WEIGHT};
    return NITRO_OK;
}

static nitro_status add_parameter(nitro_context *context, search_axes *axes, size_t index,
                                  const nitro_space *space)
{
    size_t count = search_num_levels(space, index);
    double *places = nitro_calloc(context, count, sizeof(*places));
    nitro_status status = places ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && count > 2) {
        for (size_t i = 0; i < count; i++)
            places[i] = (double)i / (double)(count - 1);
        status = add_axis(context, axes, index, count, places);
        if (status == NITRO_OK && place_by_logarithm(space, index, places))
            status = add_axis(context, axes, index, count, places);
    }
    if (status == NITRO_OK && count > 1)
        status = add_axis(context, axes, index, count, NULL);
    free(places);
    return status;
}

nitro_status search_axes_make(nitro_context *context, const nitro_space *space, search_axes *axes)
{
    size_t num_parameters = nitro_space_num_parameters(space);
    *axes = (search_axes){0, nitro_calloc(context, 3 * num_parameters + 1, sizeof(search_axis))};
    nitro_status status = axes->items ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t p = 0; status == NITRO_OK && p < num_parameters; p++)
        status = add_parameter(context, axes, p, space);
    if (status != NITRO_OK)
        search_axes_release(axes);
    return status;
}

void search_axes_release(search_axes *axes)
{
    for (size_t a = 0; a < axes->count; a++)
        free(axes->items[a].squared);
    free(axes->items);
    *axes = (search_axes){0};
}
