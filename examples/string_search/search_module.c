/*
 * search_module.c - string search as a module for the command line: fields, features, reference and
 * inputs. ../README.md has measured times.
 *
 *     cc -O3 -march=native -D_GNU_SOURCE -shared -fPIC search_module.c search_variants.c \
 *         $(pkg-config --cflags --libs nitro) -lm -o libstring_search.so
 *     nitro tune ./libstring_search.so --generate 100
 */
#include <math.h>
#include <nitro/nitro_backend.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search_variants.h"

NITRO_API const nitro_module *nitro_module_get(void); /* what the command line looks for */
extern const nitro_kit search_kit;

static const nitro_field fields[] = {
    NITRO_NUMBER(search_call, text_bytes),
    NITRO_NUMBER(search_call, pattern_bytes),
    NITRO_ARRAY(search_call, text, NITRO_IN, NITRO_BYTE, "text_bytes"),
    NITRO_ARRAY(search_call, pattern, NITRO_IN, NITRO_BYTE, "pattern_bytes"),
    NITRO_ARRAY(search_call, found, NITRO_OUT, NITRO_INT64, "2"),
};

/* ---- Features ---- */

enum { NUM_WINDOWS = 16, MIN_WIDTH = 16, MAX_WIDTH = 64, MAX_PREFIX = 64, MAX_SKIPS = 2 };

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const search_call *)argument)->text_bytes;
    values[1] = (double)((const search_call *)argument)->pattern_bytes;
    return 0;
}

/* How far the pattern's last two bytes could move on if the text has these two there. Eight places
 * are compared together: a byte of `same` has its highest bit set where both bytes are there. */
static int64_t skip_of_pair(const search_call *call, const unsigned char *end)
{
    const uint64_t ones = UINT64_MAX / 255, low = 127 * ones;
    const unsigned char *pattern = call->pattern;
    int64_t last = call->pattern_bytes - 1, at = last - 1;
    for (; at >= 8; at -= 8) {
        uint64_t here, before;
        memcpy(&here, pattern + at - 7, 8);
        memcpy(&before, pattern + at - 8, 8);
        uint64_t other = (here ^ end[0] * ones) | (before ^ end[-1] * ones);
        uint64_t same = ~(((other & low) + low) | other | low);
        if (same)
            return last - at + __builtin_clzll(same) / 8;
    }
    while (at > 0 && (pattern[at] != end[0] || pattern[at - 1] != end[-1]))
        at--;
    return at > 0 ? last - at : call->pattern_bytes;
}

static int64_t count_agreeing(const unsigned char *text, const unsigned char *pattern, int64_t most)
{
    int64_t i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t here, there;
        memcpy(&here, text + i, 8);
        memcpy(&there, pattern + i, 8);
        if (here != there)
            return i + __builtin_ctzll(here ^ there) / 8;
    }
    while (i < most && text[i] == pattern[i])
        i++;
    return i;
}

/* Whether branches on the places where both ends agree can be predicted: most distances between
 * two of them are one of the last few. */
enum { MEMORY = 4 };
typedef struct rhythm {
    int64_t before; /* the last place; negative: none */
    int64_t distances[MEMORY], num_distances, num_surprises;
} rhythm;

static void add_agreement(rhythm *r, int64_t place)
{
    int64_t distance = place - r->before;
    bool is_first = r->before < 0, is_known = false;
    r->before = place;
    if (is_first)
        return;
    for (int k = 0; k < MEMORY; k++)
        is_known |= r->distances[k] == distance;
    r->num_surprises += !is_known;
    r->distances[r->num_distances++ % MEMORY] = distance;
}

/* What was counted in the windows. */
typedef struct counts {
    int64_t begins, ends, compared, found, num_skips, skipped;
    rhythm agreements;
} counts;

static void count_skips(const search_call *call, const unsigned char *end, int64_t width, counts *c)
{
    int64_t i = 0;
    for (int k = 0; k < MAX_SKIPS && i < width; k++) {
        int64_t skip = skip_of_pair(call, end + i);
        i += skip;
        c->skipped += skip;
        c->num_skips++;
    }
}

/* At places where both ends agree. */
static void compare(const search_call *call, const unsigned char *at, const unsigned char *agrees,
                    int64_t width, counts *c)
{
    int64_t most = call->pattern_bytes < MAX_PREFIX ? call->pattern_bytes : MAX_PREFIX;
    c->agreements.before = -1;
    for (int64_t begin = 0; begin < width; begin += 8) {
        uint64_t left;
        memcpy(&left, agrees + begin, 8);
        for (; left; left &= left - 1) { /* bytes in the order of memory: little endian */
            int64_t i = begin + __builtin_ctzll(left) / 8;
            int64_t agreeing = count_agreeing(at + i, call->pattern, most);
            add_agreement(&c->agreements, i);
            c->ends++;
            c->compared += agreeing;
            c->found += agreeing == most;
        }
    }
}

/* Counts in bytes, as many as vector instructions take: hence windows of less than 256 places. */
static void count_window(const search_call *call, const unsigned char *at, int64_t width, counts *c)
{
    int64_t last = call->pattern_bytes - 1;
    const unsigned char *end = at + last;
    unsigned char first = call->pattern[0], final = call->pattern[last];
    unsigned char agrees[MAX_WIDTH] = {0}, begins = 0;
    for (int64_t i = 0; i < width; i++) {
        unsigned char is_first = at[i] == first;
        begins += is_first;
        agrees[i] = is_first & (end[i] == final);
    }
    c->begins += begins;
    if (last > 0)
        count_skips(call, end, width, c);
    compare(call, at, agrees, width, c);
}

/* The windows are far from each other: all are asked for before the first is looked at. */
static void prefetch_window(const search_call *call, const unsigned char *at, int64_t width)
{
    const unsigned char *end = at + call->pattern_bytes - 1;
    __builtin_prefetch(at);
    __builtin_prefetch(at + width - 1);
    __builtin_prefetch(end);
    __builtin_prefetch(end + width - 1);
}

/* In windows, which are a part of 512 of the text, of thousand places: where the first byte agrees,
 * where both ends do, and where all do; how many bytes are compared where the ends agree; and the
 * mean skip. In the whole text: the places where the ends agree unpredictably. */
static int evaluate_windows(const void *argument, double *values, void *user)
{
    (void)user;
    const search_call *call = argument;
    int64_t places = call->text_bytes - call->pattern_bytes + 1;
    int64_t width = places / (512 * NUM_WINDOWS);
    width = width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
    width = places < width ? places : width;
    const unsigned char *windows[NUM_WINDOWS];
    counts c = {0};
    double thousands = fmax((double)width * NUM_WINDOWS, 1) / 1000;
    for (int64_t w = 0; w < NUM_WINDOWS && places > 0; w++) {
        windows[w] = call->text + (places - width) * w / (NUM_WINDOWS - 1);
        prefetch_window(call, windows[w], width);
    }
    for (int64_t w = 0; w < NUM_WINDOWS && places > 0; w++)
        count_window(call, windows[w], width, &c);
    values[0] = (double)c.begins / thousands;
    values[1] = (double)c.ends / thousands;
    values[2] = (double)c.compared / thousands;
    values[3] = (double)c.found / thousands;
    values[4] = c.num_skips > 0 ? (double)c.skipped / (double)c.num_skips : 1;
    values[5] = values[1] * (double)places / 1000 * (double)(c.agreements.num_surprises + 1) /
                (double)(c.agreements.num_distances + 1);
    return 0;
}

static nitro_status add_features(nitro_computation *computation)
{
    static const nitro_feature sizes[] = {{"text_bytes", "bytes", NITRO_SCALE_SIGNED_LOG, 0},
                                          {"pattern_bytes", "bytes", NITRO_SCALE_LOG, 0}};
    static const nitro_feature windows[] = {{"begins", "places", NITRO_SCALE_SIGNED_LOG, 500},
                                            {"ends", "places", NITRO_SCALE_SIGNED_LOG, 500},
                                            {"compared", "bytes", NITRO_SCALE_SIGNED_LOG, 500},
                                            {"found", "places", NITRO_SCALE_SIGNED_LOG, 500},
                                            {"skip", "bytes", NITRO_SCALE_SIGNED_LOG, 500},
                                            {"surprises", "places", NITRO_SCALE_SIGNED_LOG, 500}};
    nitro_status status =
        nitro_computation_add_features(computation, sizes, 2, evaluate_sizes, NULL);
    return status == NITRO_OK
               ? nitro_computation_add_features(computation, windows, 6, evaluate_windows, NULL)
               : status;
}

/* ---- Reference ---- */

static int search_plainly(void *argument, double *magnitudes)
{
    search_call *call = argument;
    (void)magnitudes;
    call->found[0] = call->found[1] = 0;
    for (int64_t at = 0; at + call->pattern_bytes <= call->text_bytes; at++) {
        int64_t i = 0;
        while (i < call->pattern_bytes && call->text[at + i] == call->pattern[i])
            i++;
        call->found[0] += i == call->pattern_bytes;
        call->found[1] += i == call->pattern_bytes ? at : 0;
    }
    return 0;
}

/* ---- Inputs ---- */

enum { NUM_WORDS = 400 };

static unsigned char draw_letter(nitro_random *random, int num_letters)
{
    return (unsigned char)('a' + nitro_random_below(random, (uint64_t)num_letters));
}

/* Words of a vocabulary, the k-th with a probability of about 1 / k, after `prefix`, by `number`.
 */
static void fill_words(nitro_random *random, unsigned char *text, int64_t count, const char *prefix)
{
    char words[NUM_WORDS][12] = {{0}}, line[80];
    for (int w = 0; w < NUM_WORDS; w++)
        for (uint64_t i = 0, length = 2 + nitro_random_below(random, 8); i < length; i++)
            words[w][i] = (char)('a' + (int)(26 * pow(nitro_random_uniform(random), 2)));
    for (int64_t at = 0, used; at < count; at += used) {
        int word = (int)pow(NUM_WORDS, nitro_random_uniform(random)) - 1;
        used = snprintf(line, sizeof(line), "%s%s%c", prefix, words[word], *prefix ? '\n' : ' ');
        used = used < count - at ? used : count - at;
        memcpy(text + at, line, (size_t)used);
    }
}

/* A short unit again and again, with an error in a thousand. */
static void fill_periodic(nitro_random *random, unsigned char *text, int64_t count)
{
    int64_t period = 1 + (int64_t)nitro_random_below(random, 16);
    for (int64_t i = 0; i < count; i++)
        text[i] = i < period || nitro_random_below(random, 1000) == 0 ? draw_letter(random, 26)
                                                                      : text[i - period];
}

static const char *const families[] = {"bytes", "dna", "words", "log", "periodic"};

static void fill(nitro_random *random, size_t family, unsigned char *text, int64_t count)
{
    if (family == 2 || family == 3)
        fill_words(random, text, count, family == 3 ? "2026-11-23 12:00:00 notice " : "");
    else if (family == 4)
        fill_periodic(random, text, count);
    for (int64_t i = 0; i < count && family < 2; i++)
        text[i] = family == 0 ? (unsigned char)nitro_random_next(random) : draw_letter(random, 4);
}

/* The pattern is a part of the text; in one of three, a byte is changed. */
static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    search_call sizes = {.text_bytes = (int64_t)size};
    sizes.pattern_bytes = (int64_t)fmin(pow(256, nitro_random_uniform(random)), size);
    snprintf(label, NITRO_KIT_LABEL, "%s-%lldin%lld", families[family],
             (long long)sizes.pattern_bytes, (long long)sizes.text_bytes);
    nitro_status status = data ? nitro_kit_allocate(context, &search_kit, &sizes, data) : NITRO_OK;
    if (!data || status != NITRO_OK)
        return status;
    search_call *made = *data;
    unsigned char *text = (unsigned char *)made->text, *pattern = (unsigned char *)made->pattern;
    fill(random, family, text, made->text_bytes);
    uint64_t places = (uint64_t)(made->text_bytes - made->pattern_bytes + 1);
    memcpy(pattern, text + nitro_random_below(random, places), (size_t)made->pattern_bytes);
    if (nitro_random_below(random, 3) == 0)
        pattern[nitro_random_below(random, (uint64_t)made->pattern_bytes)] ^= 1;
    return NITRO_OK;
}

/* A text file; the pattern is its first line, the text all the others. */
static nitro_status load(nitro_context *context, const char *path, void **data)
{
    char *bytes;
    size_t size;
    nitro_status status = nitro_file_read(context, path, (size_t)1 << 32, &bytes, &size);
    if (status != NITRO_OK)
        return status;
    const char *end = memchr(bytes, '\n', size);
    if (!end || end == bytes) {
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: the first line, the pattern to search for, is missing", path);
    } else {
        search_call sizes = {.pattern_bytes = end - bytes};
        sizes.text_bytes = (int64_t)size - sizes.pattern_bytes - 1;
        status = nitro_kit_allocate(context, &search_kit, &sizes, data);
        if (status == NITRO_OK) {
            search_call *made = *data;
            memcpy((unsigned char *)made->pattern, bytes, (size_t)sizes.pattern_bytes);
            memcpy((unsigned char *)made->text, end + 1, (size_t)sizes.text_bytes);
        }
    }
    free(bytes);
    return status;
}

static const nitro_kit_inputs inputs = {.load = load,
                                        .make = make,
                                        .num_families = sizeof(families) / sizeof(families[0]),
                                        .least_size = 3e4,
                                        .usual_size = 3e6,
                                        .base_size = 1e9,
                                        .unit_bytes = 1280};

const nitro_kit search_kit = {
    .name = "string_search",
    .description = "all places of a pattern in a text",
    .argument_bytes = sizeof(search_call),
    .kept = offsetof(search_call, kept),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = search_variants,
    .num_variants = SEARCH_NUM_VARIANTS,
    .usual = "library",
    .add_features = add_features,
    .reference = search_plainly,
    .inputs = &inputs,
};

NITRO_KIT_FUNCTIONS(search, search_kit, false)

const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {
        NITRO_KIT_ENTRY(search, "string_search", "all places of a pattern in a text", NULL), {0}};
    return modules;
}
