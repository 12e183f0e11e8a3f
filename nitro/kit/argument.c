/* Memory of arguments and formats on the host. */
#include <stdlib.h>
#include <string.h>

#include "nitro/base/require.h"
#include "nitro/kit/fields.h"
#include "nitro/nitro_backend.h"

static void free_arrays(const nitro_kit *kit, void *argument)
{
    for (size_t i = 0; i < kit->num_fields; i++)
        if (nitro_field_is_array(&kit->fields[i]) && kit->fields[i].offset != NITRO_NOWHERE)
            free(*nitro_field_array(&kit->fields[i], argument));
}

static nitro_status allocate_array(nitro_context *context, const nitro_kit *kit,
                                   const nitro_field *field, void *argument)
{
    int64_t count;
    const char *problem = nitro_field_count(kit->fields, kit->num_fields, field, argument, &count);
    if (problem)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: the count of %s, %s, %s", kit->name,
                          field->name, field->count, problem);
    void *made = nitro_host_allocate(count, nitro_field_size(field));
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "%s: out of memory for %s, %lld elements of %zu bytes", kit->name,
                          field->name, (long long)count, nitro_field_size(field));
    *nitro_field_array(field, argument) = made;
    return NITRO_OK;
}

nitro_status nitro_kit_allocate(nitro_context *context, const nitro_kit *kit, const void *from,
                                void **argument)
{
    bool is_new[NITRO_KIT_MAX_FIELDS] = {false};
    NITRO_REQUIRE(context, context && kit && from && argument);
    void *made = nitro_calloc(context, 1, kit->argument_bytes);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    memcpy(made, from, kit->argument_bytes);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < kit->num_fields && status == NITRO_OK; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_array(field) || field->offset == NITRO_NOWHERE ||
            *nitro_field_array(field, made))
            continue;
        status = allocate_array(context, kit, field, made);
        is_new[i] = status == NITRO_OK;
    }
    if (status == NITRO_OK) {
        *argument = made;
        return NITRO_OK;
    }
    for (size_t i = 0; i < kit->num_fields; i++)
        if (is_new[i])
            free(*nitro_field_array(&kit->fields[i], made));
    free(made);
    return status;
}

void nitro_kit_release(const nitro_kit *kit, void *argument)
{
    nitro_kept **kept = nitro_kit_kept(kit, argument);
    if (kit->release)
        kit->release(argument);
    if (kit->room)
        nitro_host_free_room((nitro_room *)((char *)argument + kit->room));
    if (!*kept)
        return;
    for (size_t i = 0; i < kit->num_fields; i++) {
        free((*kept)->outputs[i]);
        free((*kept)->saved[i]);
    }
    free((*kept)->magnitudes);
    free(*kept);
    *kept = NULL;
}

void nitro_kit_free(const nitro_kit *kit, bool is_on_device, void *argument)
{
    if (!argument)
        return;
    if (is_on_device)
        nitro_kit_release_device(kit, argument);
    else
        nitro_kit_release(kit, argument);
    free_arrays(kit, argument);
    free(argument);
}

/* ---- Formats ---- */

int nitro_kit_allocate_format(const nitro_kit_part *part, void *argument)
{
    const void *format = *(void **)((char *)argument + part->offset);
    for (size_t i = 0; i < part->num_fields && !part->is_filled_there; i++) {
        const nitro_field *field = &part->fields[i];
        int64_t count;
        if (!nitro_field_is_array(field) || *nitro_field_array(field, format))
            continue;
        if (nitro_field_count(part->fields, part->num_fields, field, format, &count))
            return NITRO_ERR_ARGUMENT;
        *nitro_field_array(field, format) = nitro_host_allocate(count, nitro_field_size(field));
        if (!*nitro_field_array(field, format))
            return NITRO_ERR_NO_MEMORY;
    }
    return 0;
}

void nitro_kit_free_format(void *argument, void *user)
{
    const nitro_kit_part *part = user;
    void **format = (void **)((char *)argument + part->offset);
    for (size_t i = 0; i < part->num_fields && *format; i++)
        if (nitro_field_is_array(&part->fields[i]))
            nitro_host_free(*nitro_field_array(&part->fields[i], *format));
    free(*format);
    *format = NULL;
}
