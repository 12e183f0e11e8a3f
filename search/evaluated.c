/* The configurations that a searcher asked for, and their times. */
#include "search/evaluated.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static search_evaluation *slot_of(const search_evaluated *evaluated, uint64_t configuration)
{
    size_t mask = evaluated->capacity - 1;
    size_t i = (size_t)nitro_hash(&configuration, sizeof(configuration), 0) & mask;
    while (evaluated->slots[i].configuration != configuration &&
           evaluated->slots[i].configuration != NITRO_NO_CONFIGURATION)
        i = (i + 1) & mask;
    return &evaluated->slots[i];
}

search_evaluation *search_evaluated_find(const search_evaluated *evaluated, uint64_t configuration)
{
    if (evaluated->capacity == 0)
        return NULL;
    search_evaluation *slot = slot_of(evaluated, configuration);
    return slot->configuration == configuration ? slot : NULL;
}

static nitro_status grow(nitro_context *context, search_evaluated *evaluated)
{
    search_evaluated larger = *evaluated;
    larger.capacity = evaluated->capacity ? 2 * evaluated->capacity : 256;
    larger.slots = nitro_calloc(context, larger.capacity, sizeof(*larger.slots));
    if (!larger.slots)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.slots[i].configuration = NITRO_NO_CONFIGURATION;
    for (size_t i = 0; i < evaluated->capacity; i++)
        if (evaluated->slots[i].configuration != NITRO_NO_CONFIGURATION)
            *slot_of(&larger, evaluated->slots[i].configuration) = evaluated->slots[i];
    free(evaluated->slots);
    *evaluated = larger;
    return NITRO_OK;
}

/* The entry, made if it is new; NULL: out of memory. */
static search_evaluation *add(nitro_context *context, search_evaluated *evaluated,
                              uint64_t configuration)
{
    if (2 * (evaluated->count + 1) > evaluated->capacity && grow(context, evaluated) != NITRO_OK)
        return NULL;
    search_evaluation *slot = slot_of(evaluated, configuration);
    if (slot->configuration != configuration) {
        *slot = (search_evaluation){.configuration = configuration, .time_ms = INFINITY};
        evaluated->count++;
    }
    return slot;
}

nitro_status search_evaluated_ask(nitro_context *context, search_evaluated *evaluated,
                                  uint64_t configuration, bool profiled,
                                  nitro_search_question *question)
{
    if (configuration != NITRO_NO_CONFIGURATION) {
        search_evaluation *entry = add(context, evaluated, configuration);
        if (!entry)
            return NITRO_ERR_NO_MEMORY;
        entry->asked = true;
    }
    *question = (nitro_search_question){configuration, profiled};
    return NITRO_OK;
}

double search_answer_time(const nitro_search_answer *answer)
{
    bool measured = answer->outcome == NITRO_OUTCOME_MEASURED && isfinite(answer->time_ms) &&
                    answer->time_ms > 0;
    return measured ? answer->time_ms : INFINITY;
}

nitro_status search_evaluated_tell(nitro_context *context, search_evaluated *evaluated,
                                   const nitro_space *space, const nitro_search_answer *answer)
{
    if (answer->configuration >= nitro_space_size(space))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a search was told of configuration %" PRIu64
                          ", and the space has %" PRIu64 ": is the answer from another space?",
                          answer->configuration, nitro_space_size(space));
    search_evaluation *entry = add(context, evaluated, answer->configuration);
    if (!entry)
        return NITRO_ERR_NO_MEMORY;
    entry->time_ms = search_answer_time(answer);
    entry->told = true;
    return NITRO_OK;
}

void search_evaluated_release(search_evaluated *evaluated)
{
    free(evaluated->slots);
    *evaluated = (search_evaluated){0};
}

static bool is_taken(const search_evaluated *evaluated, uint64_t configuration, bool by_use)
{
    const search_evaluation *entry = search_evaluated_find(evaluated, configuration);
    return entry && (!by_use || entry->used);
}

/* By rejection, which takes size / left tries in the mean; after bad luck, by counting off. */
static uint64_t draw(const search_evaluated *evaluated, const nitro_space *space,
                     nitro_random *random, bool by_use)
{
    uint64_t size = nitro_space_size(space);
    size_t taken = by_use ? evaluated->num_used : evaluated->count;
    if (taken >= size)
        return NITRO_NO_CONFIGURATION;
    uint64_t tries = 256 + 16 * (size / (size - taken));
    for (uint64_t i = 0; i < tries; i++) {
        uint64_t drawn = nitro_random_below(random, size);
        if (!is_taken(evaluated, drawn, by_use))
            return drawn;
    }
    uint64_t left = nitro_random_below(random, size - taken), drawn = 0;
    for (;; drawn++)
        if (!is_taken(evaluated, drawn, by_use) && left-- == 0)
            return drawn;
}

uint64_t search_draw_unasked(const search_evaluated *evaluated, const nitro_space *space,
                             nitro_random *random)
{
    return draw(evaluated, space, random, false);
}

uint64_t search_draw_unused(const search_evaluated *evaluated, const nitro_space *space,
                            nitro_random *random)
{
    return draw(evaluated, space, random, true);
}
