/* options.h - values of a searcher's options. Internal to search/. */
#ifndef NITRO_SEARCH_OPTIONS_H
#define NITRO_SEARCH_OPTIONS_H

#include "nitro/nitro_backend.h"

/** What reads the options of a task; it stops at the first error. */
typedef struct search_options {
    nitro_context *context;
    const nitro_searcher *searcher;
    const char *const *values; /* as in the task; NULL: defaults */
    nitro_status status;
} search_options;

search_options search_options_begin(nitro_context *context, const nitro_searcher *searcher,
                                    const nitro_search_task *task);
/** A number in [low, high]; `preset` where the option's value is empty. */
double search_option_number(search_options *options, const char *name, double low, double high,
                            double preset);
/** A whole number, likewise. */
size_t search_option_count(search_options *options, const char *name, size_t low, size_t high,
                           size_t preset);
/** The index of a word in `words`, ended by NULL; `preset` where the value is empty. */
size_t search_option_word(search_options *options, const char *name, const char *const *words,
                          size_t preset);

#endif
