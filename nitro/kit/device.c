/* Arguments on devices: uploaded by their table of fields, results taken back and overwritten, what
 * is changed in place restored from a copy on the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kit/fields.h"

#define NONSENSE 0xEE
#define NAN_BYTE 0xFF /* all bits set: NaN */

static bool is_device_array(const nitro_field *field)
{
    return field->is_on_device && nitro_field_is_array(field);
}

/* Indices of 64 bits become 32 bits wide, which kernels read in half the time. */
static int upload_indices(const nitro_device_memory *memory, nitro_cuda *cuda, const int64_t *from,
                          int64_t count, void **to)
{
    int32_t *narrow = malloc((size_t)count * sizeof(*narrow) + 1);
    if (!narrow)
        return cuda->failure = NITRO_ERR_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        if (from[i] < -INT32_MAX || from[i] > NITRO_CUDA_MAX_COUNT) {
            snprintf(cuda->problem, sizeof(cuda->problem), "index %lld does not fit into 32 bits",
                     (long long)from[i]);
            free(narrow);
            return cuda->failure = 1;
        }
        narrow[i] = (int32_t)from[i];
    }
    int failure = memory->upload(cuda, narrow, count, sizeof(*narrow), to);
    free(narrow);
    return failure;
}

static int upload_array(const nitro_field *field, const nitro_device_memory *memory,
                        nitro_cuda *cuda, const void *from, int64_t count, void **to)
{
    size_t size = nitro_field_device_size(field);
    if (field->role == NITRO_OUT || field->role == NITRO_SCRATCH)
        return memory->allocate(cuda, count, size, to);
    const void *array = *nitro_field_array(field, from);
    return field->element == NITRO_INDEX64 ? upload_indices(memory, cuda, array, count, to)
                                           : memory->upload(cuda, array, count, size, to);
}

/* Checks the counts against 32-bit indices and the free memory. */
static int check_room(const nitro_field *fields, size_t num_fields,
                      const nitro_device_memory *memory, nitro_cuda *cuda, const void *from,
                      const void *to, const char *what)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < num_fields; i++) {
        int64_t count;
        if (!is_device_array(&fields[i]))
            continue;
        const char *problem = nitro_field_count(fields, num_fields, &fields[i], from, &count);
        if (!problem && count > NITRO_CUDA_MAX_COUNT && fields[i].element != NITRO_BYTE)
            problem = "is beyond the CUDA variants' 32-bit indices";
        if (problem) {
            snprintf(cuda->problem, sizeof(cuda->problem), "%s: %s of %lld elements %s", what,
                     fields[i].name, (long long)count, problem);
            return cuda->failure = 1;
        }
        if (!*nitro_field_device_array(&fields[i], to))
            bytes += (uint64_t)count * nitro_field_device_size(&fields[i]);
    }
    return memory->need(cuda, bytes, what);
}

/* @param[out] made  shape [num_fields]: the arrays that are not the caller's. */
static int upload_fields(const nitro_field *fields, size_t num_fields,
                         const nitro_device_memory *memory, nitro_cuda *cuda, const void *from,
                         void *to, const char *what, void **made)
{
    if (memory->may_prepare(cuda, what) != 0 ||
        check_room(fields, num_fields, memory, cuda, from, to, what) != 0)
        return cuda->failure;
    for (size_t i = 0; i < num_fields; i++) {
        int64_t count;
        if (!fields[i].is_on_device)
            continue;
        if (!nitro_field_is_array(&fields[i])) {
            int32_t number = (int32_t)nitro_field_scalar(&fields[i], from);
            memcpy((char *)to + fields[i].device_offset, &number, sizeof(number));
            continue;
        }
        void **array = nitro_field_device_array(&fields[i], to);
        if (*array)
            continue; /* the caller's */
        nitro_field_count(fields, num_fields, &fields[i], from, &count);
        if (upload_array(&fields[i], memory, cuda, from, count, array) != 0)
            return cuda->failure;
        made[i] = *array;
    }
    return memory->wait(cuda);
}

/* The argument may point to other arrays of the caller's meanwhile. */
static void free_made(const nitro_field *fields, size_t num_fields,
                      const nitro_device_memory *memory, void *to, void **made)
{
    for (size_t i = 0; i < num_fields; i++) {
        if (!made[i])
            continue;
        void **array = nitro_field_device_array(&fields[i], to);
        if (*array == made[i])
            *array = NULL;
        memory->free(made[i]);
        made[i] = NULL;
    }
}

int nitro_fields_upload(const nitro_field *fields, size_t num_fields,
                        const nitro_device_memory *memory, nitro_cuda *cuda, const void *from,
                        void *to, const char *what)
{
    void *made[NITRO_KIT_MAX_FIELDS] = {NULL};
    if (upload_fields(fields, num_fields, memory, cuda, from, to, what, made) == 0)
        return 0;
    free_made(fields, num_fields, memory, to, made);
    return cuda->failure;
}

void nitro_fields_release(const nitro_field *fields, size_t num_fields,
                          const nitro_device_memory *memory, void *to)
{
    for (size_t i = 0; i < num_fields; i++)
        if (is_device_array(&fields[i])) {
            memory->free(*nitro_field_device_array(&fields[i], to));
            *nitro_field_device_array(&fields[i], to) = NULL;
        }
}

int nitro_kit_upload(const nitro_kit *kit, void *argument)
{
    nitro_cuda *cuda = nitro_kit_cuda(kit, argument);
    char what[96];
    if (cuda->is_uploaded)
        return 0;
    snprintf(what, sizeof(what), "the input of %s", kit->name);
    if (upload_fields(kit->fields, kit->num_fields, kit->device->memory, cuda, argument, argument,
                      what, cuda->made) != 0) {
        free_made(kit->fields, kit->num_fields, kit->device->memory, argument, cuda->made);
        return cuda->failure;
    }
    cuda->is_uploaded = true;
    return 0;
}

void nitro_kit_release_device(const nitro_kit *kit, void *argument)
{
    nitro_cuda *cuda = nitro_kit_cuda(kit, argument);
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    if (kit->device->release)
        kit->device->release(argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++)
        kit->device->memory->free(kept->saved_on_device[i]);
    free_made(kit->fields, kit->num_fields, kit->device->memory, argument, cuda->made);
    cuda->is_uploaded = false;
    nitro_kit_release(kit, argument);
}

/* ---- The hooks ---- */

static int save_inout(const nitro_kit *kit, void *argument)
{
    const nitro_device_memory *memory = kit->device->memory;
    nitro_cuda *cuda = nitro_kit_cuda(kit, argument);
    if (nitro_kit_save_input(kit, argument) != 0)
        return NITRO_ERR_NO_MEMORY;
    nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_INOUT && !kept->saved_on_device[i] &&
            upload_array(&kit->fields[i], memory, cuda, argument,
                         nitro_field_count_of(kit, &kit->fields[i], argument),
                         &kept->saved_on_device[i]) != 0)
            return cuda->failure;
    return memory->wait(cuda);
}

static int prepare_input(void *argument, void *user)
{
    const nitro_kit *kit = user;
    int failure = nitro_kit_upload(kit, argument);
    return failure || !nitro_kit_has_inout(kit) ? failure : save_inout(kit, argument);
}

static int restore_input(void *argument, void *user)
{
    const nitro_kit *kit = user;
    nitro_cuda *cuda = nitro_kit_cuda(kit, argument);
    const nitro_kept *kept = *nitro_kit_kept(kit, argument);
    for (size_t i = 0; kept && i < kit->num_fields; i++)
        if (kept->saved_on_device[i] &&
            kit->device->memory->copy(cuda, kept->saved_on_device[i],
                                      nitro_field_count_of(kit, &kit->fields[i], argument),
                                      nitro_field_device_size(&kit->fields[i]),
                                      *nitro_field_device_array(&kit->fields[i], argument)) != 0)
            return cuda->failure;
    return 0;
}

/* Copy the outputs to the host, and overwrite them on the device: the next variant must write them
 * all. */
static int take_results(const nitro_kit *kit, void *argument)
{
    const nitro_device_memory *memory = kit->device->memory;
    nitro_cuda *cuda = nitro_kit_cuda(kit, argument);
    for (size_t i = 0; i < kit->num_fields; i++) {
        const nitro_field *field = &kit->fields[i];
        if (!nitro_field_is_output(field) || !field->is_on_device)
            continue;
        int64_t count = nitro_field_count_of(kit, field, argument);
        size_t size = nitro_field_device_size(field);
        void *array = *nitro_field_device_array(field, argument);
        bool is_real = field->element == NITRO_FLOAT64 || field->element == NITRO_FLOAT32;
        if (memory->download(cuda, array, count, size, *nitro_field_array(field, argument)) != 0)
            return cuda->failure;
        if (field->role == NITRO_OUT && count > 0 &&
            memory->fill(cuda, array, count, size, is_real ? NAN_BYTE : NONSENSE) != 0)
            return cuda->failure;
    }
    return 0;
}

static int keep_reference(void *argument, void *user)
{
    int failure = take_results(user, argument);
    return failure ? failure : nitro_kit_keep_reference(user, argument);
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    int failure = take_results(user, argument);
    if (failure) {
        snprintf(why, size, "%s", nitro_kit_cuda(user, argument)->problem);
        return failure;
    }
    return nitro_kit_check_result(user, argument, why, size);
}

static void *stream(const void *argument, void *user)
{
    return nitro_kit_cuda(user, argument)->stream;
}

const char *nitro_kit_problem(const void *argument, void *user)
{
    return nitro_kit_cuda(user, argument)->problem;
}

const nitro_hooks nitro_kit_device_hooks = {
    .prepare_input = prepare_input,
    .restore_input = restore_input,
    .keep_reference = keep_reference,
    .check_result = check_result,
    .stream = stream,
};
