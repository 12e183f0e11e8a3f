/* import_profiles_value.c - reads metrics' values as profilers print them: with units, separators
 * of thousands and levels. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/exchange/import_profiles.h"

#define MAX_VALUE 127

static const char *const no_values[] = {"", "n/a", "N/A", "nan", "-nan", "<OVERFLOW>", "no data"};

static const struct {
    const char *unit;
    double factor;
} units[] = {
    {"%", 1}, {"B/s", 1}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12},
};

/* "1,234,567.8" without its commas; each but the first group must have three digits. */
static bool drop_separators(const char *text, char *plain)
{
    const char *comma = strchr(text, ',');
    size_t length = 0;
    if (strlen(text) > MAX_VALUE)
        return false;
    for (const char *at = text; *at; at++) {
        bool group = at > text && isdigit((unsigned char)at[-1]) &&
                     strspn(at + 1, "0123456789") == 3 && (at == comma || at[-4] == ',');
        if (*at == ',' && !group)
            return false;
        if (*at != ',')
            plain[length++] = *at;
    }
    plain[length] = '\0';
    return true;
}

/* "Low (2)": a utilization level from 0 to 10. */
static bool parse_level(const char *text, double *value)
{
    const char *open = strchr(text, '(');
    size_t length = strlen(text);
    char level[8];
    if (!open || !isalpha((unsigned char)text[0]) || text[length - 1] != ')' ||
        length - (size_t)(open - text) - 2 >= sizeof(level))
        return false;
    snprintf(level, sizeof(level), "%.*s", (int)(length - (size_t)(open - text) - 2), open + 1);
    return nitro_parse_number(level, value);
}

bool nitro_import_profile_value(const char *text, double *value)
{
    char plain[MAX_VALUE + 1];
    for (size_t i = 0; i < sizeof(no_values) / sizeof(no_values[0]); i++) {
        if (strcmp(text, no_values[i]) == 0) {
            *value = NAN;
            return true;
        }
    }
    if (parse_level(text, value))
        return true;
    if (!drop_separators(text, plain))
        return false;
    size_t number = strspn(plain, "+-.0123456789eE");
    const char *unit = plain + number + strspn(plain + number, " ");
    double factor = *unit ? 0 : 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].unit) == 0)
            factor = units[i].factor;
    plain[number] = '\0';
    double read;
    if (factor == 0 || !nitro_parse_number(plain, &read) || !isfinite(read * factor))
        return false;
    *value = read * factor;
    return true;
}
