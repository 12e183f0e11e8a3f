/* Finding a live or modelled device by its id: every device kind is asked, in the list's order. */
#include "nitro/nitro_internal.h"

#include <stdio.h>
#include <string.h>

/* NULL after the last one. */
static const nitro_device_kind *nth_kind(const nitro_context *context, size_t n)
{
    if (!context->test_device_kind)
        return nitro_builtin_device_kinds()[n];
    return n == 0 ? context->test_device_kind : nitro_builtin_device_kinds()[n - 1];
}

const nitro_device_kind *nitro_device_kind_find(const nitro_context *context, const char *name)
{
    const nitro_device_kind *kind;
    for (size_t n = 0; (kind = nth_kind(context, n)) != NULL; n++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

/* The ids of all kinds, for the error: "host, model:GTX-480". */
static void list_known(nitro_context *context, char *text, size_t size)
{
    nitro_string_list ids = {0};
    const nitro_device_kind *kind;
    for (size_t n = 0; (kind = nth_kind(context, n)) != NULL; n++)
        kind->list(context, &ids); /* a kind that cannot list has none to offer */
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ids.count && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%s", i ? ", " : "", ids.items[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    nitro_string_list_free(&ids);
}

/* Ids start with their kind's name: "cuda", "cuda:1". */
static bool is_of_kind(const char *id, const nitro_device_kind *kind)
{
    size_t length = strlen(kind->name);
    return strncmp(id, kind->name, length) == 0 && (id[length] == '\0' || id[length] == ':');
}

nitro_status nitro_device_find(nitro_context *context, const char *id, bool measure,
                               nitro_device **device, const nitro_device_kind **kind)
{
    if (!nitro_device_id_is_clean(id))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is no device id: use 1 to 63 of [A-Za-z0-9_.:@+-]",
                          id ? id : "(null)");
    char reason[1024] = "";
    const nitro_device_kind *each;
    for (size_t n = 0; (each = nth_kind(context, n)) != NULL; n++) {
        nitro_status status = each->describe(context, id, measure, device);
        if (status == NITRO_OK && kind)
            *kind = each;
        if (status != NITRO_ERR_NOT_FOUND)
            return status;
        if (is_of_kind(id, each)) /* it alone knows why */
            nitro_context_last_error(context, reason, sizeof(reason));
    }
    char known[2048];
    list_known(context, known, sizeof(known));
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "no live or modelled device '%s' on this machine%s%s; there are: %s", id,
                      reason[0] ? ": " : "", reason, known[0] ? known : "none");
}
