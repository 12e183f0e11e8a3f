/* Searchers that evaluate a batch of configurations and then decide on the next batch. */
#include "search/walk.h"

#include <math.h>
#include <stdlib.h>

/* Batches in a row without anything new, after which a method is taken to have converged. */
#define MAX_STALE 1000

void search_walk_close(void *state)
{
    search_walk *walk = state;
    if (!walk)
        return;
    if (walk->method && walk->kind->end)
        walk->kind->end(walk->method);
    free(walk->method);
    free(walk->batch);
    free(walk->times_ms);
    search_evaluated_release(&walk->evaluated);
    free(walk);
}

nitro_status search_walk_open(nitro_context *context, const nitro_search_task *task,
                              const nitro_searcher *searcher, const search_method *kind,
                              void **state)
{
    search_walk *walk = nitro_calloc(context, 1, sizeof(*walk));
    if (!walk)
        return NITRO_ERR_NO_MEMORY;
    *walk = (search_walk){.context = context,
                          .task = task,
                          .space = task->space,
                          .num_parameters = nitro_space_num_parameters(task->space),
                          .kind = kind,
                          .method = nitro_calloc(context, 1, kind->size)};
    nitro_random_seed(&walk->random, task->seed);
    search_options options = search_options_begin(context, searcher, task);
    nitro_status status = walk->method ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && nitro_space_size(walk->space) > 0)
        status = kind->begin(walk, walk->method, &options);
    if (status == NITRO_OK)
        status = options.status;
    if (status == NITRO_OK)
        *state = walk;
    else
        search_walk_close(walk);
    return status;
}

void search_want_none(search_walk *walk)
{
    walk->count = 0;
}

nitro_status search_want(search_walk *walk, uint64_t configuration)
{
    if (walk->count == walk->capacity) {
        size_t capacity = walk->capacity ? 2 * walk->capacity : 64;
        uint64_t *batch = realloc(walk->batch, capacity * sizeof(*batch));
        if (batch)
            walk->batch = batch;
        double *times_ms = realloc(walk->times_ms, capacity * sizeof(*times_ms));
        if (times_ms)
            walk->times_ms = times_ms;
        if (!batch || !times_ms)
            return nitro_fail(walk->context, NITRO_ERR_NO_MEMORY, "out of memory: a search");
        walk->capacity = capacity;
    }
    walk->times_ms[walk->count] = INFINITY;
    walk->batch[walk->count++] = configuration;
    return NITRO_OK;
}

bool search_is_wanted(const search_walk *walk, uint64_t configuration)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->batch[i] == configuration)
            return true;
    return false;
}

nitro_status search_want_random(search_walk *walk, size_t count)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; status == NITRO_OK && i < walk->task->num_starts; i++)
        if (!search_is_wanted(walk, walk->task->starts[i]))
            status = search_want(walk, walk->task->starts[i]);
    return status == NITRO_OK ? search_want_more(walk, count) : status;
}

nitro_status search_want_more(search_walk *walk, size_t count)
{
    uint64_t size = nitro_space_size(walk->space), budget = walk->task->budget;
    nitro_status status = NITRO_OK;
    while (status == NITRO_OK && walk->count < count && walk->count < size &&
           walk->count < budget) {
        uint64_t drawn = nitro_random_below(&walk->random, size);
        if (!search_is_wanted(walk, drawn))
            status = search_want(walk, drawn);
    }
    return status;
}

size_t search_best_of_batch(const search_walk *walk)
{
    size_t best = 0;
    for (size_t i = 1; i < walk->count; i++)
        if (walk->times_ms[i] < walk->times_ms[best])
            best = i;
    return best;
}

nitro_status search_random_neighbour(search_walk *walk, const uint16_t *indices,
                                     nitro_neighbourhood kind, uint64_t *neighbour)
{
    uint64_t *neighbours;
    size_t count;
    nitro_status status =
        nitro_space_neighbours(walk->context, walk->space, indices, kind, &neighbours, &count);
    if (status == NITRO_ERR_UNSUPPORTED && kind != NITRO_NEIGHBOURS_HAMMING) {
        nitro_context_clear_error(walk->context); /* too many to list */
        kind = NITRO_NEIGHBOURS_HAMMING;
        status =
            nitro_space_neighbours(walk->context, walk->space, indices, kind, &neighbours, &count);
    }
    if (status != NITRO_OK)
        return status;
    *neighbour =
        count == 0 ? NITRO_NO_CONFIGURATION : neighbours[nitro_random_below(&walk->random, count)];
    free(neighbours);
    return NITRO_OK;
}

static nitro_status ask_for(search_walk *walk, uint64_t configuration,
                            nitro_search_question *question)
{
    return search_evaluated_ask(walk->context, &walk->evaluated, configuration, false, question);
}

/* The first of the batch that was neither asked for nor told; or that is not told, though asked. */
static uint64_t first_unknown(const search_walk *walk, bool only_unasked)
{
    for (size_t i = 0; i < walk->count; i++) {
        if (walk->batch[i] == NITRO_NO_CONFIGURATION)
            continue;
        const search_evaluation *entry = search_evaluated_find(&walk->evaluated, walk->batch[i]);
        if (!entry || (!entry->told && !(only_unasked && entry->asked)))
            return walk->batch[i];
    }
    return NITRO_NO_CONFIGURATION;
}

static void use_batch(search_walk *walk)
{
    walk->grown = false;
    for (size_t i = 0; i < walk->count; i++) {
        if (walk->batch[i] == NITRO_NO_CONFIGURATION)
            continue;
        search_evaluation *entry = search_evaluated_find(&walk->evaluated, walk->batch[i]);
        walk->times_ms[i] = entry->time_ms;
        walk->grown |= !entry->used;
        walk->evaluated.num_used += !entry->used;
        entry->used = true;
    }
    walk->stale = walk->grown ? 0 : walk->stale + 1;
}

nitro_status search_walk_ask(void *state, nitro_search_question *question)
{
    search_walk *walk = state;
    while (walk->count > 0) {
        uint64_t unasked = first_unknown(walk, true);
        if (unasked != NITRO_NO_CONFIGURATION)
            return ask_for(walk, unasked, question);
        if (first_unknown(walk, false) != NITRO_NO_CONFIGURATION) /* its answer is awaited */
            return ask_for(walk, search_draw_unasked(&walk->evaluated, walk->space, &walk->random),
                           question);
        use_batch(walk);
        if (walk->evaluated.num_used == nitro_space_size(walk->space) || walk->stale > MAX_STALE)
            search_want_none(walk);
        else {
            nitro_status status = walk->kind->advance(walk, walk->method);
            if (status != NITRO_OK)
                return status;
        }
    }
    return ask_for(walk, NITRO_NO_CONFIGURATION, question);
}

nitro_status search_walk_tell(void *state, const nitro_search_answer *answer)
{
    search_walk *walk = state;
    return search_evaluated_tell(walk->context, &walk->evaluated, walk->space, answer);
}
