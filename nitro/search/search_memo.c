/* Answers of a search by configuration. */
#include <stdlib.h>

#include "nitro/search/search.h"

static size_t find_slot(const search_memo *memo, uint64_t configuration)
{
    size_t slot = nitro_hash(&configuration, sizeof(configuration), 0) & (memo->num_slots - 1);
    while (memo->slots[slot] != 0 &&
           memo->answers[memo->slots[slot] - 1].configuration != configuration)
        slot = (slot + 1) & (memo->num_slots - 1);
    return slot;
}

const nitro_search_answer *search_memo_find(const search_memo *memo, uint64_t configuration)
{
    size_t found = memo->num_slots > 0 ? memo->slots[find_slot(memo, configuration)] : 0;
    return found > 0 ? &memo->answers[found - 1] : NULL;
}

static nitro_status grow(nitro_context *context, search_memo *memo)
{
    size_t capacity = memo->capacity ? 2 * memo->capacity : 256;
    nitro_search_answer *answers = realloc(memo->answers, capacity * sizeof(*answers));
    if (answers)
        memo->answers = answers;
    size_t *slots = nitro_calloc(context, 2 * capacity, sizeof(*slots));
    if (!answers || !slots) {
        free(slots);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: evaluations");
    }
    free(memo->slots);
    memo->capacity = capacity;
    memo->slots = slots;
    memo->num_slots = 2 * capacity;
    for (size_t i = 0; i < memo->count; i++)
        slots[find_slot(memo, memo->answers[i].configuration)] = i + 1;
    return NITRO_OK;
}

nitro_status search_memo_add(nitro_context *context, search_memo *memo,
                             const nitro_search_answer *answer)
{
    if (memo->count == memo->capacity) {
        nitro_status status = grow(context, memo);
        if (status != NITRO_OK)
            return status;
    }
    memo->answers[memo->count] = *answer;
    memo->answers[memo->count].counters = NULL;
    memo->slots[find_slot(memo, answer->configuration)] = memo->count + 1;
    memo->count++;
    return NITRO_OK;
}

void search_memo_free(search_memo *memo)
{
    free(memo->answers);
    free(memo->slots);
    *memo = (search_memo){0};
}
