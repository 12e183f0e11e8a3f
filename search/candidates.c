/* Configurations that a model-based searcher chooses among: the space, or a draw from it. */
#include "search/candidates.h"

#include <stdlib.h>

size_t search_num_levels(const nitro_space *space, size_t parameter)
{
    size_t count = nitro_space_parameter(space, parameter)->num_values;
    return count < SEARCH_MAX_LEVELS ? count : SEARCH_MAX_LEVELS;
}

uint16_t search_level(const nitro_space *space, size_t parameter, uint16_t index)
{
    size_t count = nitro_space_parameter(space, parameter)->num_values;
    return (uint16_t)(count <= SEARCH_MAX_LEVELS ? index : index * SEARCH_MAX_LEVELS / count);
}

size_t search_level_index(const nitro_space *space, size_t parameter, size_t level)
{
    size_t count = nitro_space_parameter(space, parameter)->num_values;
    return count <= SEARCH_MAX_LEVELS ? level : (2 * level + 1) * count / (2 * SEARCH_MAX_LEVELS);
}

static void place(search_candidates *candidates, size_t at, uint64_t configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    candidates->configurations[at] = configuration;
    nitro_space_indices(candidates->space, configuration, indices);
    for (size_t p = 0; p < candidates->num_parameters; p++)
        candidates->levels[p * candidates->capacity + at] =
            search_level(candidates->space, p, indices[p]);
}

nitro_status search_candidates_list(nitro_context *context, const nitro_space *space, uint64_t seed,
                                    search_candidates *candidates)
{
    uint64_t size = nitro_space_size(space);
    bool whole = size <= SEARCH_MAX_CANDIDATES;
    size_t listed = whole ? (size_t)size : SEARCH_MAX_CANDIDATES;
    search_candidates made = {.space = space,
                              .num_parameters = nitro_space_num_parameters(space),
                              .count = listed,
                              .num_listed = listed,
                              .capacity = listed + (whole ? 0 : SEARCH_MAX_ADDED),
                              .whole = whole};
    made.configurations = nitro_calloc(context, made.capacity, sizeof(uint64_t));
    made.levels = nitro_calloc(context, made.capacity * made.num_parameters, sizeof(uint16_t));
    if (!made.configurations || !made.levels) {
        search_candidates_release(&made);
        return NITRO_ERR_NO_MEMORY;
    }
    nitro_random random;
    nitro_random_seed(&random, seed);
    double part = (double)size / (double)listed;
    for (size_t i = 0; i < listed; i++) {
        /* A draw takes one of each of equal parts, so that none comes twice. */
        uint64_t begin = (uint64_t)((double)i * part), end = (uint64_t)((double)(i + 1) * part);
        place(&made, i, whole ? i : begin + nitro_random_below(&random, end - begin));
    }
    *candidates = made;
    return NITRO_OK;
}

void search_candidates_add(search_candidates *candidates, uint64_t configuration)
{
    if (candidates->count < candidates->capacity &&
        search_candidates_find(candidates, configuration) == NITRO_NONE)
        place(candidates, candidates->count++, configuration);
}

size_t search_candidates_nearest(const search_candidates *candidates, const uint16_t *indices,
                                 nitro_random *random)
{
    size_t nearest = 0, least = SIZE_MAX, num_ties = 0;
    uint16_t levels[NITRO_MAX_PARAMETERS];
    for (size_t p = 0; p < candidates->num_parameters; p++)
        levels[p] = search_level(candidates->space, p, indices[p]);
    for (size_t c = 0; c < candidates->count; c++) {
        size_t sum = 0;
        for (size_t p = 0; p < candidates->num_parameters; p++)
            sum += (size_t)abs(candidates->levels[p * candidates->capacity + c] - levels[p]);
        num_ties = sum < least ? 1 : num_ties + (sum == least);
        if (sum < least ||
            (sum == least && (!random || nitro_random_below(random, num_ties) == 0))) {
            least = sum;
            nearest = c;
        }
    }
    return nearest;
}

static int by_rank(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

size_t search_candidates_find(const search_candidates *candidates, uint64_t configuration)
{
    if (candidates->whole)
        return (size_t)configuration;
    const uint64_t *found = bsearch(&configuration, candidates->configurations,
                                    candidates->num_listed, sizeof(*found), by_rank);
    if (found)
        return (size_t)(found - candidates->configurations);
    for (size_t i = candidates->num_listed; i < candidates->count; i++)
        if (candidates->configurations[i] == configuration)
            return i;
    return NITRO_NONE;
}

void search_candidates_release(search_candidates *candidates)
{
    free(candidates->configurations);
    free(candidates->levels);
}
