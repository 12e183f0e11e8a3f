/* Latin hypercube samples over value indices. */
#include "search/lhs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void draw(const nitro_space *space, nitro_random *random, size_t count, size_t *order,
                 uint16_t *points)
{
    size_t num_parameters = nitro_space_num_parameters(space);
    for (size_t p = 0; p < num_parameters; p++) {
        double values = (double)nitro_space_parameter(space, p)->num_values;
        for (size_t i = 0; i < count; i++) {
            size_t other = nitro_random_below(random, i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        for (size_t i = 0; i < count; i++) {
            double place = ((double)order[i] + nitro_random_uniform(random)) / (double)count;
            points[i * num_parameters + p] = (uint16_t)(place * values);
        }
    }
}

static double least_distance(const nitro_space *space, size_t count, const uint16_t *points)
{
    size_t num_parameters = nitro_space_num_parameters(space);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double squared = 0;
            for (size_t p = 0; p < num_parameters; p++) {
                double width = (double)nitro_space_parameter(space, p)->num_values;
                double apart = ((double)points[i * num_parameters + p] -
                                (double)points[j * num_parameters + p]) /
                               width;
                squared += apart * apart;
            }
            least = fmin(least, squared);
        }
    return least;
}

nitro_status search_lhs(nitro_context *context, const nitro_space *space, nitro_random *random,
                        size_t count, size_t draws, uint16_t *points)
{
    size_t size = count * nitro_space_num_parameters(space);
    size_t *order = nitro_calloc(context, count, sizeof(*order));
    uint16_t *drawn = nitro_calloc(context, size, sizeof(*drawn));
    double greatest = -1;
    for (size_t i = 0; order && drawn && i < draws; i++) {
        draw(space, random, count, order, drawn);
        double least = draws > 1 ? least_distance(space, count, drawn) : 0;
        if (least > greatest) {
            greatest = least;
            memcpy(points, drawn, size * sizeof(*points));
        }
    }
    nitro_status status = order && drawn ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    free(order);
    free(drawn);
    return status;
}
