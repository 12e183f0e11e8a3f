/* Arguments on devices: uploaded by their table of fields, results taken back and overwritten, what
 * is changed in place restored from a copy on the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kit/fields.h"

/* Without an argument of the device's own, `to`, all arrays are there. */
static bool is_device_array(const nitro_field *field, const void *to)
{
    return nitro_field_is_array(field) && (field->is_on_device || !to);
}

/* Where field i's array is kept: in a member of `to`, or else in `made`. */
static void **device_array(const nitro_field *fields, size_t i, void *to, void **made)
{
    return to ? nitro_field_device_array(&fields[i], to) : &made[i];
}

/* The argument of kit->device's own, or NULL. */
static void *own_argument(const nitro_kit *kit, void *argument)
{
    return nitro_kit_device_is_plain(kit->device) ? NULL : argument;
}

static void **kit_array(const nitro_kit *kit, size_t i, void *argument)
{
    return device_array(kit->fields, i, own_argument(kit, argument),
                        nitro_kit_on_device(kit, argument)->made);
}

/* Indices of 64 bits become 32 bits wide, which kernels read in half the time. */
static int upload_indices(const nitro_device_memory *memory, nitro_on_device *on_device,
                          const int64_t *from, int64_t count, void **to)
{
    int32_t *narrow = malloc((size_t)count * sizeof(*narrow) + 1);
    if (!narrow)
        return on_device->failure = NITRO_ERR_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        if (from[i] < -INT32_MAX || from[i] > NITRO_CUDA_MAX_COUNT) {
            snprintf(on_device->problem, sizeof(on_device->problem),
                     "index %lld does not fit into 32 bits", (long long)from[i]);
            free(narrow);
            return on_device->failure = 1;
        }
        narrow[i] = (int32_t)from[i];
    }
    int failure = memory->upload(on_device, narrow, count, sizeof(*narrow), to);
    if (!failure && memory->wait(on_device) != 0) { /* until then the copy may read `narrow` */
        failure = on_device->failure;
        memory->free(*to);
        *to = NULL;
    }
    free(narrow);
    return failure;
}

static int upload_array(const nitro_field *field, const nitro_device_memory *memory,
                        nitro_on_device *on_device, const void *from, int64_t count,
                        const char *what, bool may_be_filled, void **to)
{
    size_t size = nitro_field_device_size(field);
    if (field->role == NITRO_OUT || field->role == NITRO_SCRATCH)
        return memory->allocate(on_device, count, size, to);
    const void *array = *nitro_field_array(field, from);
    if (!array && may_be_filled)
        return memory->allocate(on_device, count, size, to);
    if (!array && count > 0) {
        snprintf(on_device->problem, sizeof(on_device->problem),
                 "%s: %s is NULL, on the host and on the device", what, field->name);
        return on_device->failure = 1;
    }
    return field->element == NITRO_INDEX64 ? upload_indices(memory, on_device, array, count, to)
                                           : memory->upload(on_device, array, count, size, to);
}

/* Checks the counts against 32-bit indices and the free memory. */
static int check_room(const nitro_field *fields, size_t num_fields,
                      const nitro_device_memory *memory, nitro_on_device *on_device,
                      const void *from, const void *to, const char *what)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < num_fields; i++) {
        int64_t count;
        if (to && fields[i].is_on_device && !nitro_field_is_array(&fields[i])) {
            int64_t number = nitro_field_scalar(&fields[i], from);
            if (number == (int32_t)number)
                continue;
            snprintf(on_device->problem, sizeof(on_device->problem),
                     "%s: %s is %lld, and numbers on the device have 32 bits", what, fields[i].name,
                     (long long)number);
            return on_device->failure = 1;
        }
        if (!is_device_array(&fields[i], to))
            continue;
        const char *problem = nitro_field_count(fields, num_fields, &fields[i], from, &count);
        if (!problem && count > NITRO_CUDA_MAX_COUNT && fields[i].element != NITRO_BYTE)
            problem = "is beyond the device variants' 32-bit indices";
        if (problem) {
            snprintf(on_device->problem, sizeof(on_device->problem), "%s: %s of %lld elements %s",
                     what, fields[i].name, (long long)count, problem);
            return on_device->failure = 1;
        }
        if (!to || !*nitro_field_device_array(&fields[i], to))
            bytes += (uint64_t)count * nitro_field_device_size(&fields[i]);
    }
    return memory->need(on_device, bytes, what);
}

/* @param[in] may_be_filled  arrays that are NULL on the host are only allocated.
 * @param[out] made  shape [num_fields]: the arrays that are not the caller's. */
static int upload_fields(const nitro_field *fields, size_t num_fields,
                         const nitro_device_memory *memory, nitro_on_device *on_device,
                         const void *from, void *to, const char *what, bool may_be_filled,
                         void **made)
{
    if (memory->may_prepare(on_device, what) != 0 ||
        check_room(fields, num_fields, memory, on_device, from, to, what) != 0)
        return on_device->failure;
    for (size_t i = 0; i < num_fields; i++) {
        int64_t count;
        if (to && fields[i].is_on_device && !nitro_field_is_array(&fields[i])) {
            int32_t number = (int32_t)nitro_field_scalar(&fields[i], from);
            memcpy((char *)to + fields[i].device_offset, &number, sizeof(number));
        }
        if (!is_device_array(&fields[i], to))
            continue;
        void **array = device_array(fields, i, to, made);
        if (*array)
            continue; /* the caller's */
        nitro_field_count(fields, num_fields, &fields[i], from, &count);
        int failure =
            upload_array(&fields[i], memory, on_device, from, count, what, may_be_filled, array);
        if (failure) {
            memory->wait(on_device); /* copies of earlier arrays may be reading `from` */
            return on_device->failure = failure;
        }
        made[i] = *array;
    }
    return memory->wait(on_device);
}

/* The argument may point to other arrays of the caller's meanwhile. */
static void free_made(const nitro_field *fields, size_t num_fields,
                      const nitro_device_memory *memory, void *to, void **made)
{
    for (size_t i = 0; i < num_fields; i++) {
        if (!made[i])
            continue;
        void *memory_of_field = made[i];
        void **array = device_array(fields, i, to, made);
        if (*array == memory_of_field)
            *array = NULL;
        made[i] = NULL;
        memory->free(memory_of_field);
    }
}

/* Of the nitro_on_device that follows the host's argument. */
static size_t plain_offset(const nitro_kit *kit)
{
    size_t alignment = _Alignof(nitro_on_device);
    return (kit->argument_bytes + alignment - 1) / alignment * alignment;
}

size_t nitro_kit_device_bytes(const nitro_kit *kit)
{
    return nitro_kit_device_is_plain(kit->device) ? plain_offset(kit) + sizeof(nitro_on_device)
                                                  : kit->device->argument_bytes;
}

nitro_on_device *nitro_kit_on_device(const nitro_kit *kit, const void *argument)
{
    size_t offset = nitro_kit_device_is_plain(kit->device) ? plain_offset(kit) : kit->device->cuda;
    return (nitro_on_device *)((char *)argument + offset);
}

int nitro_kit_upload(const nitro_kit *kit, void *argument)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    char what[96];
    if (on_device->is_uploaded)
        return 0;
    snprintf(what, sizeof(what), "the input of %s", kit->name);
    if (upload_fields(kit->fields, kit->num_fields, kit->device->memory, on_device, argument,
                      own_argument(kit, argument), what, false, on_device->made) != 0) {
        free_made(kit->fields, kit->num_fields, kit->device->memory, own_argument(kit, argument),
                  on_device->made);
        return on_device->failure;
    }
    on_device->is_uploaded = true;
    return 0;
}

int nitro_kit_make_room(const nitro_kit *kit, void *argument, int64_t bytes)
{
    const nitro_device_memory *memory = kit->device->memory;
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    nitro_room *room = &on_device->room;
    char what[96];
    void *made;
    if (nitro_kit_upload(kit, argument) != 0)
        return on_device->failure;
    if (room->memory && room->bytes >= bytes)
        return 0;
    snprintf(what, sizeof(what), "the room of %s", kit->name);
    if (memory->may_prepare(on_device, what) != 0 ||
        memory->need(on_device, (uint64_t)bytes, what) != 0 ||
        memory->allocate(on_device, bytes > 0 ? bytes : 1, 1, &made) != 0)
        return on_device->failure;
    if (room->memory)
        memory->free(room->memory); /* of a variant that needs less */
    *room = (nitro_room){made, bytes};
    return 0;
}

/* ---- Parts ---- */

struct nitro_made_part *nitro_kit_find_part(const nitro_kit *kit, const void *argument,
                                            const nitro_kit_part *part)
{
    struct nitro_made_part *made = nitro_kit_on_device(kit, argument)->parts;
    while (made && made->part != part)
        made = made->next;
    return made;
}

void *nitro_kit_part_on_device(const nitro_kit *kit, const nitro_kit_part *part,
                               const void *argument)
{
    const struct nitro_made_part *made = nitro_kit_find_part(kit, argument, part);
    return made ? made->format : NULL;
}

static void free_part(const nitro_kit *kit, struct nitro_made_part *made)
{
    free_made(made->part->fields, made->part->num_fields, kit->device->memory, made->format,
              made->arrays);
    free(made->format);
    free(made);
}

static struct nitro_made_part *allocate_part(const nitro_kit *kit, const nitro_kit_part *part)
{
    struct nitro_made_part *made = calloc(1, sizeof(*made));
    if (!made || nitro_kit_device_is_plain(kit->device))
        return made;
    made->format = calloc(1, part->device_bytes);
    if (made->format)
        return made;
    free(made);
    return NULL;
}

static int upload_part(const nitro_kit *kit, const nitro_kit_part *part, void *argument,
                       const char *what, struct nitro_made_part *made)
{
    const void *from = *(void **)((char *)argument + part->offset);
    for (size_t i = 0; i < part->num_fields; i++)
        if (!nitro_field_is_array(&part->fields[i]))
            made->scalars[i] = nitro_field_scalar(&part->fields[i], from);
    return upload_fields(part->fields, part->num_fields, kit->device->memory,
                         nitro_kit_on_device(kit, argument), from, made->format, what,
                         part->is_filled_there, made->arrays);
}

int nitro_kit_prepare_part(const nitro_kit *kit, const nitro_kit_part *part, void *argument)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    char what[64];
    snprintf(what, sizeof(what), "the format %s", part->host->name);
    if (nitro_kit_find_part(kit, argument, part))
        return 0;
    if (kit->device->memory->may_prepare(on_device, what) != 0)
        return on_device->failure;
    struct nitro_made_part *made = allocate_part(kit, part);
    void *user = part->is_filled_there ? (void *)part : part->host->user;
    on_device->problem[0] = '\0';
    int failure = made ? part->host->prepare(argument, user) : NITRO_ERR_NO_MEMORY;
    if (failure) {
        if (made)
            free(made->format);
        free(made);
        if (!on_device->problem[0]) /* the device's memory may have said why */
            snprintf(on_device->problem, sizeof(on_device->problem),
                     "%s does not fit into the host's memory", what);
        return on_device->failure = failure;
    }
    made->part = part;
    failure = upload_part(kit, part, argument, what, made);
    part->host->release(argument, part->host->user);
    if (failure) {
        free_part(kit, made);
        return failure;
    }
    made->next = on_device->parts;
    on_device->parts = made;
    return 0;
}

void nitro_kit_release_part(const nitro_kit *kit, const nitro_kit_part *part, void *argument)
{
    struct nitro_made_part **at = &nitro_kit_on_device(kit, argument)->parts;
    while (*at && (*at)->part != part)
        at = &(*at)->next;
    struct nitro_made_part *made = *at;
    if (!made)
        return;
    *at = made->next;
    free_part(kit, made);
}

/* What nitro_kit_upload made, and the copies of what is changed in place. */
static void free_uploaded(const nitro_kit *kit, void *argument)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++) {
        kit->device->memory->free(kept->saved_on_device[i]);
        kept->saved_on_device[i] = NULL;
    }
    free_made(kit->fields, kit->num_fields, kit->device->memory, own_argument(kit, argument),
              on_device->made);
    on_device->is_uploaded = false;
}

void nitro_kit_release_device(const nitro_kit *kit, void *argument)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    if (kit->device->release)
        kit->device->release(argument);
    if (on_device->room.memory)
        kit->device->memory->free(on_device->room.memory);
    on_device->room = (nitro_room){0};
    while (on_device->parts)
        nitro_kit_release_part(kit, on_device->parts->part, argument);
    free_uploaded(kit, argument);
    nitro_kit_release(kit, argument);
}

/* ---- The hooks ---- */

static int save_inout(const nitro_kit *kit, void *argument)
{
    const nitro_device_memory *memory = kit->device->memory;
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    if (nitro_kit_save_input(kit, argument) != 0)
        return NITRO_ERR_NO_MEMORY;
    nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_INOUT && !kept->saved_on_device[i] &&
            upload_array(&kit->fields[i], memory, on_device, argument,
                         nitro_field_count_of(kit, &kit->fields[i], argument), "the input", false,
                         &kept->saved_on_device[i]) != 0)
            return on_device->failure;
    return memory->wait(on_device);
}

/* Results are compared on the host. */
static int check_host_arrays(const nitro_kit *kit, void *argument)
{
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    for (size_t i = 0; i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        bool is_compared = nitro_field_is_output(field) ||
                           (field->role == NITRO_IN && (kit->reference || kit->check));
        if (!is_compared || field->offset == NITRO_NOWHERE || *nitro_field_array(field, argument) ||
            nitro_field_count_of(kit, field, argument) == 0)
            continue;
        snprintf(on_device->problem, sizeof(on_device->problem),
                 "%s: %s is NULL on the host, where results are compared: allocate it there, too",
                 kit->name, field->name);
        return on_device->failure = 1;
    }
    return 0;
}

static int prepare_input(void *argument, void *user)
{
    const nitro_kit *kit = user;
    if (check_host_arrays(kit, argument) != 0)
        return 1;
    bool was_uploaded = nitro_kit_on_device(kit, argument)->is_uploaded;
    int failure = nitro_kit_upload(kit, argument);
    if (!failure && nitro_kit_has_inout(kit))
        failure = save_inout(kit, argument);
    if (failure && !was_uploaded)
        free_uploaded(kit, argument);
    return failure;
}

static int restore_input(void *argument, void *user)
{
    const nitro_kit *kit = user;
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++)
        if (kept->saved_on_device[i] &&
            kit->device->memory->copy(on_device, kept->saved_on_device[i],
                                      nitro_field_count_of(kit, &kit->fields[i], argument),
                                      nitro_field_device_size(&kit->fields[i]),
                                      *kit_array(kit, i, argument)) != 0)
            return on_device->failure;
    return 0;
}

/* To the host, where indices have 64 bits: the 32 bits of each come to the array's front first. */
static int download_array(const nitro_kit *kit, const nitro_field *field, const void *from,
                          void *argument)
{
    int64_t count = nitro_field_count_of(kit, field, argument);
    char *to = *nitro_field_array(field, argument);
    int failure = kit->device->memory->download(nitro_kit_on_device(kit, argument), from, count,
                                                nitro_field_device_size(field), to);
    for (int64_t i = count - 1; i >= 0 && !failure && field->element == NITRO_INDEX64; i--) {
        int32_t narrow;
        memcpy(&narrow, to + (size_t)i * sizeof(narrow), sizeof(narrow));
        const int64_t wide = narrow;
        memcpy(to + (size_t)i * sizeof(wide), &wide, sizeof(wide));
    }
    return failure;
}

/* Copy the outputs to the host, and overwrite them on the device: the next variant must write them
 * all. */
static int take_results(const nitro_kit *kit, void *argument)
{
    const nitro_device_memory *memory = kit->device->memory;
    nitro_on_device *on_device = nitro_kit_on_device(kit, argument);
    for (size_t i = 0; i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_output(field) || !is_device_array(field, own_argument(kit, argument)))
            continue;
        int64_t count = nitro_field_count_of(kit, field, argument);
        size_t size = nitro_field_device_size(field);
        void *array = *kit_array(kit, i, argument);
        if (download_array(kit, field, array, argument) != 0)
            return on_device->failure;
        if (field->role == NITRO_OUT && count > 0 &&
            memory->fill(on_device, array, count, size, nitro_field_nonsense(field)) != 0)
            return on_device->failure;
    }
    return 0;
}

static int keep_reference(void *argument, void *user)
{
    nitro_on_device *on_device = nitro_kit_on_device(user, argument);
    int failure = take_results(user, argument);
    if (failure)
        return failure;
    on_device->problem[0] = '\0';
    return nitro_kit_keep_checked(user, argument, on_device->problem, sizeof(on_device->problem));
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    int failure = take_results(user, argument);
    if (failure) {
        snprintf(why, size, "%s", nitro_kit_on_device(user, argument)->problem);
        return failure;
    }
    return nitro_kit_check_result(user, argument, why, size);
}

static void *stream(const void *argument, void *user)
{
    return nitro_kit_on_device(user, argument)->stream;
}

const char *nitro_kit_problem(const void *argument, void *user)
{
    const nitro_kit *kit = user;
    const char *problem = nitro_kit_on_device(kit, argument)->problem;
    return problem[0] || !kit->problem ? problem : kit->problem(argument);
}

const nitro_hooks nitro_kit_device_hooks = {
    .prepare_input = prepare_input,
    .restore_input = restore_input,
    .keep_reference = keep_reference,
    .check_result = check_result,
    .stream = stream,
};
