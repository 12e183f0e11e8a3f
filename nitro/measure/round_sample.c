/* Rounds a measured sample's numbers to the digits that a measurement can know. */
#include "nitro/measure/round_sample.h"

#include <math.h>

#define TIME_DIGITS    5
#define NOISY_DIGITS   3 /* of times with a spread of NOISY or more: they change by 0.5 % at most */
#define NOISY          0.025
#define SPREAD_DIGITS  1 /* twenty repetitions know their spread to 40 % */
#define COST_DIGITS    3
#define FEATURE_DIGITS 5

/* The powers of ten that a double holds exactly: with them a result is the double nearest to its
 * decimal number. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Integers and numbers too small for the table stay as they are. */
static double round_to(double value, int digits)
{
    if (!isfinite(value) || value == trunc(value))
        return value;
    int decimals = digits - 1 - (int)floor(log10(fabs(value)));
    if (decimals >= (int)(sizeof(powers) / sizeof(powers[0])))
        return value;
    double power = powers[decimals > 0 ? decimals : 0];
    return round(value * power) / power;
}

double nitro_round_feature(double value)
{
    return round_to(value, FEATURE_DIGITS);
}

double nitro_round_spread(double value)
{
    return round_to(value, SPREAD_DIGITS);
}

void nitro_entry_round(nitro_entry *entry)
{
    entry->spread = nitro_round_spread(entry->spread);
    entry->median_ms =
        round_to(entry->median_ms, entry->spread >= NOISY ? NOISY_DIGITS : TIME_DIGITS);
    entry->prepare_ms = round_to(entry->prepare_ms, COST_DIGITS);
}

void nitro_sample_round(nitro_sample *sample)
{
    for (size_t f = 0; f < sample->num_features; f++)
        sample->features[f] = nitro_round_feature(sample->features[f]);
    for (size_t v = 0; v < sample->num_entries; v++)
        nitro_entry_round(&sample->entries[v]);
    for (size_t f = 0; f < sample->num_feature_costs; f++)
        sample->feature_costs_ms[f] = round_to(sample->feature_costs_ms[f], COST_DIGITS);
    sample->features_ms = round_to(sample->features_ms, COST_DIGITS);
}
