/* lhs.h - Latin hypercube samples over value indices. Internal to search/. */
#ifndef NITRO_SEARCH_LHS_H
#define NITRO_SEARCH_LHS_H

#include "nitro/nitro_backend.h"

/**
 * Each parameter's values are spread evenly over the points. Points may lie outside the space.
 * @param[in]  draws   of so many samples, the one whose nearest two points are farthest apart.
 * @param[out] points  shape [count x num_parameters].
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status search_lhs(nitro_context *context, const nitro_space *space, nitro_random *random,
                        size_t count, size_t draws, uint16_t *points);

#endif
