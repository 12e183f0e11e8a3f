/* fields.h - counts and places of an argument's fields. Internal to the kit. */
#ifndef NITRO_KIT_FIELDS_H
#define NITRO_KIT_FIELDS_H

#include "nitro/computation_kit.h"

/** What the hooks keep of an argument: arrays by field, NULL where there is none. */
struct nitro_kept {
    void *outputs[NITRO_KIT_MAX_FIELDS]; /* of the reference */
    void *saved[NITRO_KIT_MAX_FIELDS];   /* arrays in place, as they were at first */
    void *saved_on_device[NITRO_KIT_MAX_FIELDS];
    uint64_t inputs[NITRO_KIT_MAX_FIELDS]; /* digests of what variants only read */
    bool has_inputs;
    double *magnitudes;
};

/** Bytes of one element, on the host. */
size_t nitro_field_size(const nitro_field *field);
/** Bytes of one element on devices. */
size_t nitro_field_device_size(const nitro_field *field);

/** @param[out] count  of elements, by the scalars of `argument`.
 *  @return NULL, or what is wrong with the formula or with its value. */
const char *nitro_field_count(const nitro_field *fields, size_t num_fields,
                              const nitro_field *field, const void *argument, int64_t *count);
/** The same where it is known to be right: 0 for a scalar. */
int64_t nitro_field_count_of(const nitro_kit *kit, const nitro_field *field, const void *argument);

/** Value of a scalar. */
int64_t nitro_field_scalar(const nitro_field *field, const void *argument);

static inline bool nitro_field_is_array(const nitro_field *field)
{
    return field->role != NITRO_SCALAR;
}

/** Do variants write it? */
static inline bool nitro_field_is_output(const nitro_field *field)
{
    return field->role == NITRO_OUT || field->role == NITRO_INOUT;
}

/** What an output is overwritten with once it was compared: NaN, all bits set, or nonsense. */
static inline int nitro_field_nonsense(const nitro_field *field)
{
    return field->element == NITRO_FLOAT64 || field->element == NITRO_FLOAT32 ? 0xFF : 0xEE;
}

/** The member that points to the array. */
static inline void **nitro_field_array(const nitro_field *field, const void *argument)
{
    return (void **)((char *)argument + field->offset);
}

static inline void **nitro_field_device_array(const nitro_field *field, const void *argument)
{
    return (void **)((char *)argument + field->device_offset);
}

static inline nitro_kept **nitro_kit_kept(const nitro_kit *kit, const void *argument)
{
    return (nitro_kept **)((char *)argument + kit->kept);
}

/** Are arrays known by their fields alone, without members in an argument of the device's own? */
static inline bool nitro_kit_device_is_plain(const nitro_kit_device *device)
{
    return device->argument_bytes == 0;
}

/** Bytes of the argument on the device. */
size_t nitro_kit_device_bytes(const nitro_kit *kit);
nitro_on_device *nitro_kit_on_device(const nitro_kit *kit, const void *argument);

/** Keep what a kernel said of its failure on a host's argument, which has no room for it, until
 *  this thread asks for the argument's problem. */
void nitro_kit_keep_problem(const void *argument, const char *text);

/** What `nitro_kit_prepare_part` made. */
struct nitro_made_part {
    struct nitro_made_part *next;
    const nitro_kit_part *part;
    int64_t scalars[NITRO_KIT_MAX_FIELDS]; /* by field */
    void *arrays[NITRO_KIT_MAX_FIELDS];    /* on the device */
    void *format; /* of part->device_bytes; NULL: arrays are known by their fields alone */
};
/** NULL: it is not prepared. */
struct nitro_made_part *nitro_kit_find_part(const nitro_kit *kit, const void *argument,
                                            const nitro_kit_part *part);

bool nitro_kit_has_inout(const nitro_kit *kit);

/** Copy what is changed in place; put it back. @return 0 or NITRO_ERR_NO_MEMORY. */
int nitro_kit_save_input(const nitro_kit *kit, void *argument);
void nitro_kit_restore_input(const nitro_kit *kit, void *argument);
/** nitro_kit_keep_reference, with the worst difference in `why`, shape [size]. */
int nitro_kit_keep_checked(const nitro_kit *kit, void *argument, char *why, size_t size);

/** The hooks of measuring; their `user` is the kit. */
extern const nitro_hooks nitro_kit_host_hooks, nitro_kit_device_hooks;
/** What failed last on a device; `user` is the kit. */
const char *nitro_kit_problem(const void *argument, void *user);

#endif
