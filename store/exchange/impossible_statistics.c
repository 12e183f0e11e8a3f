/* impossible_statistics.c - features that are statistics of one distribution (row_min, row_q1,
 * row_median, row_q3, row_max, row_mean) in an order that no numbers have. */
#include <math.h>
#include <string.h>

#include "store/exchange/import_internal.h"

#define TOLERANCE 1e-9 /* relative: rounding of decimals */

/* Suffixes of names, ascending; the mean is only between the least and the largest. */
static const char *const suffixes[] = {"_min", "_q1", "_median", "_q3", "_max", "_mean"};
enum { MIN = 0, MAX = 4, MEAN = 5, NUM_SUFFIXES = sizeof suffixes / sizeof suffixes[0] };

/* Length of the name before a suffix, and which one; NUM_SUFFIXES: none. */
static size_t split_name(const char *name, size_t *suffix)
{
    size_t length = strlen(name);
    for (*suffix = 0; *suffix < NUM_SUFFIXES; ++*suffix) {
        size_t own = strlen(suffixes[*suffix]);
        if (length > own && strcmp(name + length - own, suffixes[*suffix]) == 0)
            return length - own;
    }
    return length;
}

/* Must the first statistic be at most the second? */
static bool is_ordered(size_t low, size_t high)
{
    return (low < high && high != MEAN) || (low == MIN && high == MEAN) ||
           (low == MEAN && high == MAX);
}

bool nitro_import_is_impossible(const nitro_schema *schema, const double *features, size_t pair[2])
{
    for (size_t i = 0; i < schema->num_features; i++) {
        const char *low = schema->features[i].name;
        size_t low_suffix, high_suffix, length = split_name(low, &low_suffix);
        for (size_t j = 0; j < schema->num_features && low_suffix < NUM_SUFFIXES; j++) {
            const char *high = schema->features[j].name;
            double slack = TOLERANCE * (fabs(features[i]) + fabs(features[j]));
            if (!(features[i] > features[j] + slack))
                continue;
            if (split_name(high, &high_suffix) == length && strncmp(low, high, length) == 0 &&
                high_suffix < NUM_SUFFIXES && is_ordered(low_suffix, high_suffix)) {
                pair[0] = i;
                pair[1] = j;
                return true;
            }
        }
    }
    return false;
}
