/* Lists of names, shortened for messages. */
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

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
                            "%s: %s on %s: %zu of the %zu inputs exist already (%s); nothing was "
                            "written. Replace them, or leave them out",
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
