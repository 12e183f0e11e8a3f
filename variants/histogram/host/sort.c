/* sort: each thread sorts tiles that fit into its L1 cache, and adds the length of every run of
 * equal samples to a private table. Radix sort of at most DIGIT_BITS bits a pass. The quarters of
 * a tile are counted and moved in turn, each with its own table, which keeps contention low. */
#include <string.h>

#include "variants/histogram/host/histogram_kernels.h"

#define SORT_SAMPLES 4096 /* of a tile: 8 KiB, since bins have numbers of 16 bits */
#define DIGIT_BITS   8
#define NUM_DIGITS   (1 << DIGIT_BITS)
#define QUARTERS     4

typedef struct sorter {
    uint16_t samples[2][SORT_SAMPLES];
    uint16_t starts[SORT_SAMPLES + 1];   /* where runs of equal samples begin */
    uint16_t next[QUARTERS][NUM_DIGITS]; /* count of each digit, then its next output position */
} sorter;

typedef struct sort_digit {
    int shift;
    uint32_t mask;
} sort_digit;

static uint32_t value_of(sort_digit digit, uint32_t sample)
{
    return sample >> digit.shift & digit.mask;
}

static void count_digits(sorter *s, const uint16_t *from, int64_t num_samples, sort_digit digit)
{
    int64_t quarter_size = num_samples / QUARTERS;
    memset(s->next, 0, sizeof(s->next));
    for (int64_t i = 0; i < quarter_size; i++)
        for (int quarter = 0; quarter < QUARTERS; quarter++)
            s->next[quarter][value_of(digit, from[quarter * quarter_size + i])]++;
    for (int64_t i = QUARTERS * quarter_size; i < num_samples; i++)
        s->next[QUARTERS - 1][value_of(digit, from[i])]++;
}

/* Exclusive prefix sum over digits, then quarters. */
static void add_up(sorter *s, sort_digit digit)
{
    uint32_t sum = 0;
    for (uint32_t value = 0; value <= digit.mask; value++)
        for (int quarter = 0; quarter < QUARTERS; quarter++) {
            uint32_t count = s->next[quarter][value];
            s->next[quarter][value] = (uint16_t)sum;
            sum += count;
        }
}

static void move(sorter *s, const uint16_t *from, int64_t num_samples, sort_digit digit,
                 uint16_t *to)
{
    int64_t quarter_size = num_samples / QUARTERS;
    for (int64_t i = 0; i < quarter_size; i++)
        for (int quarter = 0; quarter < QUARTERS; quarter++) {
            uint16_t sample = from[quarter * quarter_size + i];
            to[s->next[quarter][value_of(digit, sample)]++] = sample;
        }
    for (int64_t i = QUARTERS * quarter_size; i < num_samples; i++)
        to[s->next[QUARTERS - 1][value_of(digit, from[i])]++] = from[i];
}

/* Stable passes from the lowest digit to the highest, of about equal width. */
static const uint16_t *sort(sorter *s, const uint32_t *samples, int64_t num_samples, int num_bits)
{
    int num_passes = (num_bits + DIGIT_BITS - 1) / DIGIT_BITS, shift = 0;
    for (int64_t i = 0; i < num_samples; i++)
        s->samples[0][i] = (uint16_t)samples[i];
    for (int pass = 0; pass < num_passes; pass++) {
        int bits = (num_bits - shift) / (num_passes - pass);
        sort_digit digit = {.shift = shift, .mask = (1U << bits) - 1};
        count_digits(s, s->samples[pass % 2], num_samples, digit);
        add_up(s, digit);
        move(s, s->samples[pass % 2], num_samples, digit, s->samples[(pass + 1) % 2]);
        shift += bits;
    }
    return s->samples[num_passes % 2];
}

/* Writes every position, and keeps those where a run begins: a branch would be mispredicted once a
 * run. */
static void add_runs(sorter *s, const uint16_t *sorted, int64_t num_samples, uint32_t *counts)
{
    int64_t num_runs = 1;
    s->starts[0] = 0;
    for (int64_t i = 1; i < num_samples; i++) {
        s->starts[num_runs] = (uint16_t)i;
        num_runs += sorted[i] != sorted[i - 1];
    }
    s->starts[num_runs] = (uint16_t)num_samples;
    for (int64_t run = 0; run < num_runs; run++)
        counts[sorted[s->starts[run]]] += (uint32_t)(s->starts[run + 1] - s->starts[run]);
}

static int bits_of(int64_t num_bins)
{
    int num_bits = 0;
    while (num_bins > (int64_t)1 << num_bits)
        num_bits++;
    return num_bits;
}

static void count(const uint32_t *samples, int64_t num_samples, int64_t num_bins,
                  const nitro_histogram_place *place)
{
    sorter s;
    int num_bits = bits_of(num_bins);
    for (int64_t begin = 0; begin < num_samples; begin += SORT_SAMPLES) {
        int64_t size = num_samples - begin < SORT_SAMPLES ? num_samples - begin : SORT_SAMPLES;
        const uint16_t *sorted = sort(&s, samples + begin, size, num_bits);
        add_runs(&s, sorted, size, place->tables[0]);
    }
}

static const nitro_histogram_method method = {.count = count, .max_copies = 1};

NITRO_HISTOGRAM_VARIANT(sort_even_share, method, NITRO_HISTOGRAM_EVEN_SHARE,
                        nitro_histogram_prepare);
NITRO_HISTOGRAM_VARIANT(sort_dynamic, method, NITRO_HISTOGRAM_DYNAMIC, nitro_histogram_prepare);
