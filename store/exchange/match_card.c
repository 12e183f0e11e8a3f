/* match_card.c - finds the row of a card in a table of devices by a name that people give it:
 * V100_SXM2 is "Tesla V100-SXM2-16GB", titanV is "TITAN V". */
#include <ctype.h>
#include <string.h>

#include "store/exchange/import_internal.h"

/* How well a name fits; less is better. */
enum { FITS_FULLY, FITS_BUT_END /* as where memory or form is not said */, FITS_NOT };

static const char *skip_separators(const char *text, const char *end)
{
    while (text < end && !isalnum((unsigned char)*text))
        text++;
    return text;
}

/* Do the words of `wanted` stand at `text`, however parted, whole words of it? */
static int fit_here(const char *text, const char *end, const char *wanted, const char *wanted_end)
{
    for (;;) {
        wanted = skip_separators(wanted, wanted_end);
        if (wanted == wanted_end)
            break;
        text = skip_separators(text, end);
        if (text == end || tolower((unsigned char)*text) != tolower((unsigned char)*wanted))
            return FITS_NOT;
        text++;
        wanted++;
    }
    if (text < end && isalnum((unsigned char)*text))
        return FITS_NOT;
    return skip_separators(text, end) == end ? FITS_FULLY : FITS_BUT_END;
}

/* The best fit at the beginning of any word of one name: makers precede ("Tesla", "GeForce"). */
static int fit_name(const char *text, const char *end, const char *wanted, const char *wanted_end)
{
    int best = FITS_NOT;
    for (const char *at = text; at < end; at++) {
        bool begins =
            isalnum((unsigned char)*at) && (at == text || !isalnum((unsigned char)at[-1]));
        int fit = begins ? fit_here(at, end, wanted, wanted_end) : FITS_NOT;
        best = fit < best ? fit : best;
    }
    return best;
}

/* The row's id, and its names as drivers report them. */
static int fit_row(const nitro_device *device, const char *wanted, const char *wanted_end)
{
    const char *names = nitro_device_label(device, "names");
    int best = fit_name(device->id, device->id + strlen(device->id), wanted, wanted_end);
    while (names && *names) {
        const char *end = names + strcspn(names, ";");
        int fit = fit_name(names, end, wanted, wanted_end);
        best = fit < best ? fit : best;
        names = end + (*end == ';');
    }
    return best;
}

/* The first of the rows that fit best, or NITRO_NONE. */
static size_t find_best(const device_table *table, const char *wanted, const char *end, int *best)
{
    size_t found = NITRO_NONE;
    *best = FITS_NOT;
    for (size_t i = 0; i < table->count && wanted < end; i++) {
        int fit = fit_row(table->devices[i], wanted, end);
        if (fit < *best) {
            *best = fit;
            found = i;
        }
    }
    return found;
}

nitro_status nitro_device_table_match(const device_table *table, const char *name, size_t *row,
                                      nitro_string_list *others)
{
    const char *end = name + strlen(name), *cut = strrchr(name, '_');
    int best = FITS_NOT;
    nitro_status status = NITRO_OK;
    size_t found = find_best(table, name, end, &best);
    if (found == NITRO_NONE && cut) {
        end = cut; /* the last part may be a site's name, or a campaign's */
        found = find_best(table, name, end, &best);
    }
    for (size_t i = found + 1; found != NITRO_NONE && i < table->count && status == NITRO_OK; i++)
        if (fit_row(table->devices[i], name, end) == best)
            status = nitro_string_list_add(table->context, others, table->devices[i]->id);
    if (status == NITRO_OK)
        *row = found;
    return status;
}
