/* candidates.h - the configurations that a model-based searcher chooses among, laid out for loops
 * over all of them. Internal to search/. */
#ifndef NITRO_SEARCH_CANDIDATES_H
#define NITRO_SEARCH_CANDIDATES_H

#include "nitro/nitro_backend.h"

/** Spaces up to this size are listed whole; of larger ones, so many configurations are drawn. */
#define SEARCH_MAX_CANDIDATES 32768
/** Room for configurations that a searcher adds to a draw. */
#define SEARCH_MAX_ADDED 4096

/** Values of a parameter that models tell apart: neighbouring ones of long lists share a level. */
#define SEARCH_MAX_LEVELS 256
size_t search_num_levels(const nitro_space *space, size_t parameter);
uint16_t search_level(const nitro_space *space, size_t parameter, uint16_t index);
/** A value index of the level: the middle one. */
size_t search_level_index(const nitro_space *space, size_t parameter, size_t level);

typedef struct search_candidates {
    const nitro_space *space;
    size_t num_parameters;
    size_t count, capacity;
    size_t num_listed;        /* the first ones, which ascend; the others were added */
    uint64_t *configurations; /* shape [capacity] */
    uint16_t *levels;         /* shape [num_parameters x capacity]: parameter by parameter */
    bool whole;               /* all of the space */
} search_candidates;

/** List the space, or draw from it by the seed. Release with search_candidates_release. */
nitro_status search_candidates_list(nitro_context *context, const nitro_space *space, uint64_t seed,
                                    search_candidates *candidates);
/** Add a configuration, unless it is there, or there is no room. */
void search_candidates_add(search_candidates *candidates, uint64_t configuration);
/** The candidate of least summed distance in levels. Ties: drawn by `random`; NULL: the last. */
size_t search_candidates_nearest(const search_candidates *candidates, const uint16_t *indices,
                                 nitro_random *random);
/** Position of a configuration, or NITRO_NONE. */
size_t search_candidates_find(const search_candidates *candidates, uint64_t configuration);
void search_candidates_release(search_candidates *candidates);

#endif
