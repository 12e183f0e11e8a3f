/* Values of a searcher's options, from text. */
#include "search/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

search_options search_options_begin(nitro_context *context, const nitro_searcher *searcher,
                                    const nitro_search_task *task)
{
    return (search_options){context, searcher, task->options, NITRO_OK};
}

/* The option's text; searchers ask for options of their own table only. */
static const char *option_text(const search_options *options, const char *name)
{
    size_t i = 0;
    while (strcmp(options->searcher->options[i].name, name) != 0)
        i++;
    const char *given = options->values ? options->values[i] : NULL;
    return given ? given : options->searcher->options[i].value;
}

static void refuse(search_options *options, const char *name, const char *text, const char *wanted)
{
    options->status =
        nitro_fail(options->context, NITRO_ERR_ARGUMENT, "searcher '%s': %s=%s: expected %s",
                   options->searcher->name, name, text, wanted);
}

double search_option_number(search_options *options, const char *name, double low, double high,
                            double preset)
{
    const char *text = option_text(options, name);
    double value;
    if (options->status != NITRO_OK || *text == '\0')
        return preset;
    if (nitro_parse_number(text, &value) && value >= low && value <= high)
        return value;
    char wanted[96];
    snprintf(wanted, sizeof(wanted), "a number from %g to %g", low, high);
    refuse(options, name, text, wanted);
    return preset;
}

size_t search_option_count(search_options *options, const char *name, size_t low, size_t high,
                           size_t preset)
{
    double value = search_option_number(options, name, (double)low, (double)high, (double)preset);
    if (value != floor(value))
        refuse(options, name, option_text(options, name), "a whole number");
    return (size_t)value;
}

size_t search_option_word(search_options *options, const char *name, const char *const *words,
                          size_t preset)
{
    const char *text = option_text(options, name);
    size_t count = 0;
    char wanted[256] = "", known[200] = "";
    if (options->status != NITRO_OK || *text == '\0')
        return preset;
    for (; words[count]; count++) {
        if (strcmp(words[count], text) == 0)
            return count;
        nitro_message_list_add(known, sizeof(known), "%s", words[count]);
    }
    snprintf(wanted, sizeof(wanted), "one of %s", known);
    refuse(options, name, text, wanted);
    return preset;
}
