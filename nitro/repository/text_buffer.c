/* Text that grows: CSV is written through it, and lists of names are cut short for errors. */
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

nitro_status nitro_store_text_add(nitro_context *context, nitro_store_text *text, const char *part)
{
    size_t size = strlen(part);
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = 2 * (text->size + size + 1);
        char *grown = realloc(text->bytes, capacity);
        if (!grown)
            return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot get %zu bytes",
                              capacity);
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, part, size + 1);
    text->size += size;
    return NITRO_OK;
}

/* RFC 4180: quotes around what holds a comma, a quote or a line end, quotes inside doubled. */
static nitro_status add_quoted(nitro_context *context, nitro_store_text *text, const char *field)
{
    nitro_status status = nitro_store_text_add(context, text, "\"");
    for (const char *at = field; *at && status == NITRO_OK; at++) {
        const char character[] = {*at, '\0'};
        status = nitro_store_text_add(context, text, *at == '"' ? "\"\"" : character);
    }
    return status == NITRO_OK ? nitro_store_text_add(context, text, "\"") : status;
}

nitro_status nitro_store_text_add_field(nitro_context *context, nitro_store_text *text,
                                        const char *field, bool first)
{
    nitro_status status = first ? NITRO_OK : nitro_store_text_add(context, text, ",");
    if (status != NITRO_OK)
        return status;
    /* An empty first field is quoted: alone on its line it would read as no line at all. */
    bool plain = !strpbrk(field, ",\"\r\n") && !(first && field[0] == '\0');
    return plain ? nitro_store_text_add(context, text, field) : add_quoted(context, text, field);
}

nitro_status nitro_store_text_add_number(nitro_context *context, nitro_store_text *text,
                                         double value, bool first)
{
    char number[32] = "";
    if (value == value)
        nitro_format_number(value, number, sizeof(number));
    return nitro_store_text_add_field(context, text, number, first);
}

void nitro_store_text_free(nitro_store_text *text)
{
    free(text->bytes);
    *text = (nitro_store_text){0};
}

char *nitro_store_print_some_of(nitro_context *context, const nitro_string_list *list, size_t total)
{
    enum { SHOWN = 8 };
    size_t shown = list->count < SHOWN ? list->count : SHOWN;
    char *text = nitro_strdup(context, list->count ? "" : "none");
    for (size_t i = 0; text && i < shown; i++) {
        char *longer = nitro_asprintf(context, "%s%s%.80s", text, i ? ", " : "", list->items[i]);
        free(text);
        text = longer;
    }
    if (!text || total <= shown)
        return text;
    char *whole = nitro_asprintf(context, "%s and %zu more", text, total - shown);
    free(text);
    return whole;
}

char *nitro_store_print_some(nitro_context *context, const nitro_string_list *list)
{
    return nitro_store_print_some_of(context, list, list->count);
}

nitro_status nitro_store_fail_exists(nitro_context *context, const char *where,
                                     const char *computation, const char *device,
                                     const nitro_string_list *there, size_t num_there, size_t count)
{
    char *names = nitro_store_print_some_of(context, there, num_there);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(context, NITRO_ERR_EXISTS,
                            "%s: %s on %s: %zu of the %zu inputs are there already (%s); nothing "
                            "was written. Replace them, or leave them out",
                            where, computation, device, num_there, count, names);
    free(names);
    return status;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool nitro_store_sorted_list_has(const nitro_string_list *list, const char *text)
{
    return list->count > 0 &&
           bsearch(&text, list->items, list->count, sizeof(*list->items), compare_strings);
}
