/* Finds a live or modelled device by id, among all device kinds in the list's order. */
#include "nitro/base/closest.h"
#include "nitro/base/context.h"
#include "nitro/records/machine.h"

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

/* Ids of live devices carry the machine's name. */
static nitro_status list_kind(nitro_context *context, const nitro_device_kind *kind,
                              const char *machine, nitro_string_list *ids)
{
    nitro_string_list local = {0};
    char full[NITRO_DEVICE_ID_SIZE];
    nitro_status status = kind->list(context, &local);
    if (status != NITRO_ERR_NO_MEMORY)
        status = NITRO_OK; /* skip kinds that cannot list their devices */
    for (size_t i = 0; i < local.count && status == NITRO_OK; i++) {
        status =
            nitro_machine_full_id(context, kind->simulate ? "" : machine, local.items[i], full);
        if (status == NITRO_OK)
            status = nitro_string_list_add(context, ids, full);
    }
    nitro_string_list_free(&local);
    return status;
}

nitro_status nitro_device_list(nitro_context *context, nitro_string_list *ids)
{
    char machine[NITRO_DEVICE_ID_SIZE];
    const nitro_device_kind *kind;
    nitro_status status = nitro_machine_name(context, machine);
    for (size_t n = 0; status == NITRO_OK && (kind = nth_kind(context, n)) != NULL; n++)
        status = list_kind(context, kind, machine, ids);
    return status;
}

/** `reason` ("" if unknown): why the device is not found, of the kind that its id begins with. */
static nitro_status fail_unknown(nitro_context *context, const char *id, const char *reason)
{
    nitro_string_list ids = {0};
    char text[2048] = "", question[128];
    nitro_device_list(context, &ids);
    for (size_t i = 0; i < ids.count; i++)
        nitro_message_list_add(text, sizeof text, "%s", ids.items[i]);
    nitro_suggestion(&ids, id, question, sizeof question);
    nitro_string_list_free(&ids);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "no live or modelled device '%s' on this machine%s%s%s%s%s", id,
                      reason[0] ? ": " : "", reason, question, question[0] ? "" : "; available: ",
                      question[0] ? ""
                      : text[0]   ? text
                                  : "none");
}

/* Ids start with their kind's name: "cuda", "cuda:1". */
static bool is_of_kind(const char *id, const nitro_device_kind *kind)
{
    size_t length = strlen(kind->name);
    return strncmp(id, kind->name, length) == 0 &&
           (id[length] == '\0' || id[length] == ':' || id[length] == '@');
}

static nitro_status fail_other_machine(nitro_context *context, const char *id, const char *machine)
{
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "'%s' is on another machine: this one %s%s (the setting machine, or "
                      "NITRO_MACHINE)",
                      id, machine[0] ? "is called " : "has no name", machine);
}

/* A live device. A machine name in the id must be this machine's. If this machine has a name, an id
 * without one belongs to another machine, except short ids ("host", "cuda:1"). */
static nitro_status describe_here(nitro_context *context, const nitro_device_kind *kind,
                                  const char *id, bool measure, nitro_device **device)
{
    char machine[NITRO_DEVICE_ID_SIZE], local[NITRO_DEVICE_ID_SIZE];
    const char *at = strchr(id, '@');
    nitro_device *found = NULL;
    nitro_status status = nitro_machine_name(context, machine);
    nitro_machine_local_id(id, local);
    if (status == NITRO_OK && at && is_of_kind(id, kind) && strcmp(at + 1, machine) != 0)
        return fail_other_machine(context, id, machine);
    if (status == NITRO_OK)
        status = kind->describe(context, local, measure, &found);
    if (status == NITRO_OK && machine[0] && !at && strcmp(found->id, id) == 0 &&
        strchr(id, ':') != NULL)
        status = fail_other_machine(context, id, machine);
    if (status == NITRO_OK)
        status = nitro_machine_name_device(context, machine, found);
    if (status == NITRO_OK)
        *device = found;
    else
        nitro_device_free(found);
    return status;
}

nitro_status nitro_device_find(nitro_context *context, const char *id, bool measure,
                               nitro_device **device, const nitro_device_kind **kind)
{
    if (!nitro_device_id_is_valid(id))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is not a valid device id: use 1 to 63 of [A-Za-z0-9_.:@+-]",
                          id ? id : "(null)");
    char reason[1024] = "";
    const nitro_device_kind *each;
    for (size_t n = 0; (each = nth_kind(context, n)) != NULL; n++) {
        nitro_status status = each->simulate ? each->describe(context, id, measure, device)
                                             : describe_here(context, each, id, measure, device);
        if (status == NITRO_OK && kind)
            *kind = each;
        if (status != NITRO_ERR_NOT_FOUND)
            return status;
        if (is_of_kind(id, each)) /* only this kind has the reason */
            nitro_context_last_error(context, reason, sizeof(reason));
    }
    return fail_unknown(context, id, reason);
}
