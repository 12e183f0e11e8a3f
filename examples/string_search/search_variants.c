/* Six ways to find all occurrences of a pattern. */
#include "search_variants.h"

#include <stdlib.h>
#include <string.h>

/* Where the pattern may begin: places 0 to num_places - 1. */
static int64_t num_places(const search_call *call)
{
    int64_t places = call->text_bytes - call->pattern_bytes + 1;
    return places > 0 ? places : 0;
}

static void add_place(int64_t *found, int64_t place)
{
    found[0]++;
    found[1] += place;
}

static void compare_at(const search_call *call, int64_t place, int64_t *found)
{
    if (memcmp(call->text + place, call->pattern, (size_t)call->pattern_bytes) == 0)
        add_place(found, place);
}

static int finish(search_call *call, const int64_t *found)
{
    memcpy(call->found, found, 2 * sizeof(*found));
    return 0;
}

/* The C library's search, begun again behind each place. */
static int run_library(void *argument, void *user)
{
    (void)user;
    search_call *call = argument;
    const unsigned char *at = call->text, *end = call->text + call->text_bytes;
    int64_t found[2] = {0};
    while ((at = memmem(at, (size_t)(end - at), call->pattern, (size_t)call->pattern_bytes)))
        add_place(found, at++ - call->text);
    return finish(call, found);
}

static int run_first_byte(void *argument, void *user)
{
    (void)user;
    search_call *call = argument;
    const unsigned char *at = call->text, *end = call->text + num_places(call);
    int64_t found[2] = {0};
    while (at < end && (at = memchr(at, call->pattern[0], (size_t)(end - at))))
        compare_at(call, at++ - call->text, found);
    return finish(call, found);
}

/* Compares the first and the last of at least two bytes at 32 places together, as many as AVX2
 * compares: GCC takes wider vectors byte by byte there. */
static int run_both_ends(void *argument, void *user)
{
    typedef unsigned char bytes __attribute__((vector_size(32)));
    (void)user;
    search_call *call = argument;
    int64_t places = num_places(call), last = call->pattern_bytes - 1, at = 0, found[2] = {0};
    for (; at + 32 <= places; at += 32) {
        bytes begins, ends;
        uint64_t hits[4];
        memcpy(&begins, call->text + at, 32);
        memcpy(&ends, call->text + at + last, 32);
        begins = (bytes)((begins == call->pattern[0]) & (ends == call->pattern[last]));
        memcpy(hits, &begins, 32);
        if (!(hits[0] | hits[1] | hits[2] | hits[3]))
            continue;
        for (int64_t i = 0; i < 4; i++) /* bytes in the order of memory: little endian */
            for (uint64_t rest = hits[i], byte; rest; rest &= ~(UINT64_C(0xFF) << byte)) {
                byte = (uint64_t)__builtin_ctzll(rest);
                compare_at(call, at + 8 * i + (int64_t)byte / 8, found);
            }
    }
    for (; at < places; at++)
        compare_at(call, at, found);
    return finish(call, found);
}

static bool allows_both_ends(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[1] >= 2;
}

/* Skips by the byte below the pattern's end: long patterns of many letters. */
static int run_horspool(void *argument, void *user)
{
    (void)user;
    search_call *call = argument;
    int64_t last = call->pattern_bytes - 1, places = num_places(call), found[2] = {0}, skips[256];
    for (int c = 0; c < 256; c++)
        skips[c] = call->pattern_bytes;
    for (int64_t i = 0; i < last; i++)
        skips[call->pattern[i]] = last - i;
    for (int64_t at = 0; at < places; at += skips[call->text[at + last]])
        if (call->text[at + last] == call->pattern[last])
            compare_at(call, at, found);
    return finish(call, found);
}

/* A bit for each prefix that ends here: patterns of at most 64 bytes, any text. */
static int run_shift_and(void *argument, void *user)
{
    (void)user;
    search_call *call = argument;
    uint64_t masks[256] = {0}, state = 0, end = UINT64_C(1) << (call->pattern_bytes - 1);
    int64_t found[2] = {0};
    for (int64_t i = 0; i < call->pattern_bytes; i++)
        masks[call->pattern[i]] |= UINT64_C(1) << i;
    for (int64_t i = 0; i < call->text_bytes; i++) {
        state = (state << 1 | 1) & masks[call->text[i]];
        if (state & end)
            add_place(found, i + 1 - call->pattern_bytes);
    }
    return finish(call, found);
}

static bool allows_shift_and(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[1] <= 64;
}

/* Knuth, Morris and Pratt: linear for any pattern. */
static int run_prefixes(void *argument, void *user)
{
    (void)user;
    search_call *call = argument;
    const unsigned char *pattern = call->pattern;
    int64_t length = call->pattern_bytes, found[2] = {0};
    int64_t *borders = malloc((size_t)(length + 1) * sizeof(*borders)), at = -1;
    if (!borders)
        return NITRO_ERR_NO_MEMORY;
    borders[0] = -1;
    for (int64_t i = 0; i < length; borders[++i] = ++at)
        while (at >= 0 && pattern[at] != pattern[i])
            at = borders[at];
    at = 0;
    for (int64_t i = 0; i < call->text_bytes; i++) {
        while (at >= 0 && (at == length || pattern[at] != call->text[i]))
            at = borders[at];
        if (++at == length)
            add_place(found, i + 1 - length);
    }
    free(borders);
    return finish(call, found);
}

static const nitro_variant library = {.name = "library", .run = run_library};
static const nitro_variant first_byte = {.name = "first_byte", .run = run_first_byte};
static const nitro_variant both_ends = {.name = "both_ends",
                                        .run = run_both_ends,
                                        .allows = allows_both_ends,
                                        .allows_reads = "pattern_bytes"};
static const nitro_variant horspool = {.name = "horspool", .run = run_horspool};
static const nitro_variant shift_and = {.name = "shift_and",
                                        .run = run_shift_and,
                                        .allows = allows_shift_and,
                                        .allows_reads = "pattern_bytes"};
static const nitro_variant prefixes = {.name = "prefixes", .run = run_prefixes};
const nitro_variant *const search_variants[SEARCH_NUM_VARIANTS] = {
    &library, &first_byte, &both_ends, &horspool, &shift_and, &prefixes};
