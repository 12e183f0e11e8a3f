/* text_buffer.h - text that grows, for what store/ writes. */
#ifndef NITRO_BASE_TEXT_BUFFER_H
#define NITRO_BASE_TEXT_BUFFER_H

#include "nitro/nitro_backend.h"

/** Zero-initialise. `bytes` is always terminated once something was added. */
typedef struct nitro_store_text {
    char *bytes;
    size_t size, capacity;
} nitro_store_text;

nitro_status nitro_store_text_add(nitro_context *context, nitro_store_text *text, const char *part);
/** One CSV field, quoted where it must be, after a comma unless it is the `first` of its line. */
nitro_status nitro_store_text_add_field(nitro_context *context, nitro_store_text *text,
                                        const char *field, bool first);
/** A number that reads back as the same double; NaN is an empty field. */
nitro_status nitro_store_text_add_number(nitro_context *context, nitro_store_text *text,
                                         double value, bool first);
void nitro_store_text_free(nitro_store_text *text);

/** The first few items of a list for an error, as in "a, b, c and 12 more". NULL: out of memory. */
char *nitro_store_print_some(nitro_context *context, const nitro_string_list *list);
/** The same where the list holds only the first ones of `total`. */
char *nitro_store_print_some_of(nitro_context *context, const nitro_string_list *list,
                                size_t total);

/** NITRO_ERR_EXISTS: of `count` inputs to store `num_there` are there, some of which `there` names.
 */
nitro_status nitro_store_fail_exists(nitro_context *context, const char *where,
                                     const char *computation, const char *device,
                                     const nitro_string_list *there, size_t num_there,
                                     size_t count);

/** Is the text in a list that nitro_string_list_sort sorted? */
bool nitro_store_sorted_list_has(const nitro_string_list *list, const char *text);

#endif
