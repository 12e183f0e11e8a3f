/*
 * sorting.c - three variants of a sort, the features that decide between them, and their
 * declaration. Which variant is fastest depends on the number of keys, their range and their order.
 */
#include "sorting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INSERTION = 20000, MAX_BOUND = 1 << 24, NUM_PAIRS = 64 };

/** n log n on any input, so it is the default. */
static int sort_by_merging(void *argument, void *user)
{
    const sort_call *call = argument;
    size_t n = call->length;
    unsigned *from = call->sorted, *to = malloc((n > 0 ? n : 1) * sizeof *to), *scratch = to;
    (void)user;
    if (!to)
        return NITRO_ERR_NO_MEMORY;
    memcpy(from, call->keys, n * sizeof *from);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n;
            size_t end = middle + width < n ? middle + width : n;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++)
                to[i] = right == end || (left < middle && from[left] <= from[right])
                            ? from[left++]
                            : from[right++];
        }
        unsigned *swap = from;
        from = to;
        to = swap;
    }
    if (from != call->sorted)
        memcpy(call->sorted, from, n * sizeof *from);
    free(scratch);
    return 0;
}

/** Linear in keys and bound: fast where many keys share few values. */
static int sort_by_counting(void *argument, void *user)
{
    const sort_call *call = argument;
    size_t *counts = calloc(call->bound > 0 ? call->bound : 1, sizeof *counts), at = 0;
    (void)user;
    if (!counts)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < call->length; i++)
        counts[call->keys[i]]++;
    for (unsigned key = 0; key < call->bound; key++)
        for (size_t i = 0; i < counts[key]; i++)
            call->sorted[at++] = key;
    free(counts);
    return 0;
}

/** Linear on sorted keys, quadratic on others: fast for few keys, or keys that are nearly sorted.
 */
static int sort_by_insertion(void *argument, void *user)
{
    const sort_call *call = argument;
    unsigned *sorted = call->sorted;
    (void)user;
    for (size_t i = 0; i < call->length; i++) {
        unsigned key = call->keys[i];
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > key; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = key;
    }
    return 0;
}

/** Features come in declared order: length, bound, disorder. Counters must fit into memory. */
static bool allows_counting(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[1] <= MAX_BOUND;
}

static bool allows_insertion(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] <= MAX_INSERTION;
}

/** The share of sampled pairs of keys that are in the wrong order: 0 is sorted, 0.5 is random. */
static double disorder(const sort_call *call)
{
    size_t wrong = 0, half = call->length / 2;
    if (half == 0)
        return 0;
    for (size_t i = 0; i < NUM_PAIRS; i++) {
        size_t first = i * half / NUM_PAIRS;
        wrong += call->keys[first] > call->keys[first + 1 + i * 7919 % half];
    }
    return (double)wrong / NUM_PAIRS;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = disorder(argument);
    return 0;
}

static int keep_reference(void *argument, void *user)
{
    sort_call *call = argument;
    (void)user;
    if (call->expected)
        memcpy(call->expected, call->sorted, call->length * sizeof *call->sorted);
    return 0;
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    const sort_call *call = argument;
    (void)user;
    for (size_t i = 0; call->expected && i < call->length; i++)
        if (call->sorted[i] != call->expected[i]) {
            snprintf(why, size, "key %zu is %u, expected %u", i, call->sorted[i],
                     call->expected[i]);
            return -1;
        }
    return 0;
}

const nitro_hooks sorting_hooks = {.keep_reference = keep_reference, .check_result = check_result};

const nitro_declaration sorting = {
    .name = "sort_keys",
    .variants = {{.name = "merge", .run = sort_by_merging},
                 {.name = "counting", .run = sort_by_counting, .allows = allows_counting},
                 {.name = "insertion", .run = sort_by_insertion, .allows = allows_insertion}},
    .features = {{"length", "keys", NITRO_SCALE_LOG, .member = NITRO_MEMBER(sort_call, length)},
                 {"bound", .scale = NITRO_SCALE_LOG, .member = NITRO_MEMBER(sort_call, bound)},
                 {"disorder", .scale = NITRO_SCALE_LINEAR}},
    .evaluate = evaluate};
