/* Options of a search: the searcher, its own options, the budget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/search.h"

#define DEFAULT_EVALUATIONS 220

void nitro_search_options_init(nitro_search_options *options)
{
    *options = (nitro_search_options){.seed = 1};
}

const nitro_searcher *nitro_searcher_find(const char *name)
{
    for (const nitro_searcher *const *each = nitro_builtin_searchers(); *each; each++)
        if (strcmp((*each)->name, name) == 0)
            return *each;
    return NULL;
}

const nitro_searcher *nitro_searcher_default(void)
{
    const nitro_searcher *best = NULL;
    for (const nitro_searcher *const *each = nitro_builtin_searchers(); *each; each++)
        if (!best || (*each)->priority > best->priority)
            best = *each;
    return best;
}

/* ---- Options of searchers -------------------------------------------------------------------- */

static size_t count_options(const nitro_searcher *searcher)
{
    size_t count = 0;
    while (searcher->options && searcher->options[count].name)
        count++;
    return count;
}

static nitro_status fail_option(nitro_context *context, const nitro_searcher *searcher,
                                const char *name)
{
    char known[512] = "";
    for (size_t i = 0; i < count_options(searcher); i++)
        snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "",
                 searcher->options[i].name);
    return nitro_fail(context, NITRO_ERR_ARGUMENT, "searcher '%s' has no option '%s'; it has: %s",
                      searcher->name, name, *known ? known : "none");
}

static nitro_status parse_option(nitro_context *context, const nitro_searcher *searcher, char *item,
                                 const char **values)
{
    char *equals = strchr(item, '=');
    if (!equals)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "searcher '%s': '%s' is no option: write NAME=VALUE", searcher->name,
                          item);
    *equals = '\0';
    for (size_t i = 0; i < count_options(searcher); i++)
        if (strcmp(searcher->options[i].name, item) == 0) {
            values[i] = equals + 1;
            return NITRO_OK;
        }
    return fail_option(context, searcher, item);
}

nitro_status search_options_parse(nitro_context *context, const nitro_searcher *searcher,
                                  const char *given, const char ***values, char **text)
{
    size_t count = count_options(searcher);
    const char **parsed = nitro_calloc(context, count + 1, sizeof(*parsed));
    char *copy = nitro_strdup(context, given ? given : "");
    nitro_status status = parsed && copy ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < count; i++)
        parsed[i] = searcher->options[i].value;
    for (char *item = copy; status == NITRO_OK && item && *item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma = '\0';
        status = parse_option(context, searcher, item, parsed);
        item = comma ? comma + 1 : NULL;
    }
    if (status != NITRO_OK) {
        free(parsed);
        free(copy);
        return status;
    }
    *values = parsed;
    *text = copy;
    return NITRO_OK;
}

/* ---- Budgets --------------------------------------------------------------------------------- */

/* Of several limits of one kind the first one reached counts. */
static double lower(double limit, double value)
{
    return limit > 0 ? fmin(limit, value) : value;
}

static bool parse_part(char *part, nitro_search_budget *budget)
{
    double value;
    size_t length = strlen(part);
    if (strncmp(part, "time<=", 6) == 0) {
        if (!nitro_parse_number(part + 6, &value) || value <= 0)
            return false;
        budget->good_ms = fmax(budget->good_ms, value);
        return true;
    }
    bool in_seconds = length > 1 && part[length - 1] == 's';
    if (in_seconds)
        part[length - 1] = '\0';
    if (!nitro_parse_number(part, &value) || value <= 0)
        return false;
    if (in_seconds)
        budget->seconds = lower(budget->seconds, value);
    else if (value == floor(value) && !strchr(part, '.') && value < 0x1p53)
        budget->evaluations = (uint64_t)lower((double)budget->evaluations, value);
    else if (value <= 1)
        budget->fraction = lower(budget->fraction, value);
    else
        return false;
    return true;
}

nitro_status nitro_search_budget_parse(nitro_context *context, const char *text,
                                       nitro_search_budget *budget)
{
    nitro_search_budget parsed = {0};
    nitro_string_list parts = {0};
    nitro_status status = nitro_string_list_split(context, &parts, text);
    for (size_t i = 0; status == NITRO_OK && i < parts.count; i++)
        if (!parse_part(parts.items[i], &parsed))
            status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                                "the budget '%s' is none: write a number of evaluations (220), "
                                "seconds (60s), a fraction of the space (0.1), a time in ms that "
                                "is good enough (time<=1.5), or several with commas between them",
                                text);
    nitro_string_list_free(&parts);
    if (status == NITRO_OK)
        *budget = parsed;
    return status;
}

uint64_t search_budget_evaluations(const nitro_search_budget *budget, const nitro_space *space)
{
    uint64_t size = nitro_space_size(space), limit = size;
    bool has_none = budget->evaluations == 0 && budget->fraction <= 0 && budget->seconds <= 0;
    if (has_none && limit > DEFAULT_EVALUATIONS)
        limit = DEFAULT_EVALUATIONS;
    if (budget->evaluations > 0 && budget->evaluations < limit)
        limit = budget->evaluations;
    if (budget->fraction > 0 && budget->fraction < 1) {
        uint64_t part = (uint64_t)ceil(budget->fraction * (double)size);
        limit = part < limit ? part : limit;
    }
    return limit;
}
