/* kernel.h - loaded kernels: what run-time compilation made of a declaration. Internal to nitro/.
 */
#ifndef NITRO_KERNELS_KERNEL_H
#define NITRO_KERNELS_KERNEL_H

#include "nitro/base/lock.h"
#include "nitro/kernels.h"
#include "nitro/kit/fields.h"
#include "nitro/nitro_backend.h"
#include "nitro/records/expression.h"

#define KERNEL_NUM_LIMITS 3
#define KERNEL_MAX_VALUES                                                                          \
    (NITRO_KERNEL_MAX_PARAMETERS + 2 * NITRO_KIT_MAX_FIELDS + KERNEL_NUM_LIMITS)

/** "device.units", ... in the order of nitro_kernel_target.limits. */
extern const char *const nitro_kernel_limit_names[KERNEL_NUM_LIMITS];

/** Names that expressions may use, by index: parameters, scalars of the part, scalars of the kit,
 * limits of the device. Fields that are arrays have the name "". */
typedef struct kernel_names {
    size_t num_parameters, first_part, first_kit, first_limit, count;
    nitro_string_list names;
} kernel_names;

typedef enum kernel_argument_kind {
    KERNEL_ARRAY,
    KERNEL_LOCAL,
    KERNEL_INTEGER
} kernel_argument_kind;

typedef struct kernel_argument {
    kernel_argument_kind kind;
    size_t array; /* index as in nitro_kernel_call.arrays */
    nitro_expression *expression;
} kernel_argument;

typedef struct kernel_step {
    void *function;
    size_t num_arguments;
    kernel_argument arguments[NITRO_KERNEL_MAX_ARGUMENTS];
    nitro_expression *local[3], *global[3], *local_bytes; /* NULL: not given */
} kernel_step;

/** A compiler and device that this process has opened. */
typedef struct kernel_target {
    struct kernel_target *next;
    const nitro_kernel_backend *backend;
    const void *place; /* nitro_kernel_backend.place */
    nitro_kernel_target target;
} kernel_target;

typedef struct loaded_kernel {
    struct loaded_kernel *next;
    const nitro_kernel *kernel;
    const kernel_target *on;
    char *error;         /* why it cannot be loaded, or NULL */
    nitro_status status; /* of that */
    nitro_lock lock;     /* while arguments are set and a step is launched */
    void *program;
    kernel_names names;
    double parameters[NITRO_KERNEL_MAX_PARAMETERS]; /* a string's position among its values */
    size_t num_steps;
    kernel_step steps[NITRO_KERNEL_MAX_STEPS];
} loaded_kernel;

struct nitro_kernel_call {
    loaded_kernel *loaded;
    void *argument;
    double values[KERNEL_MAX_VALUES];
    void *arrays[2 * NITRO_KIT_MAX_FIELDS]; /* by field: of the part, then of the kit */
};

size_t nitro_kernel_num_parameters(const nitro_kernel *kernel);
size_t nitro_kernel_num_steps(const nitro_kernel *kernel);

/** Check that a declaration is complete. @param[out] backend  that it names.
 *  @return NITRO_OK; NITRO_ERR_ARGUMENT (the error names what is NULL); NITRO_ERR_NOT_FOUND. */
nitro_status nitro_kernel_check(nitro_context *context, const nitro_kernel *kernel,
                                const nitro_kernel_backend **backend);

/** "BLOCK=64 EACH=1", where `is` is "=" and `between` is " "; free with free(). */
char *nitro_kernel_values_text(nitro_context *context, const nitro_kernel *kernel,
                               const char *const *values, const char *is, const char *between);

/** Folder of the cache; made if it is missing. free() the path. */
nitro_status nitro_kernel_cache_folder(nitro_context *context, char **path);

/** Delete the images in the folder of `path` that were used least recently, until all take no more
 *  than the setting kernel_cache_mb; `path` itself stays. Other processes may read, write and
 * delete there meanwhile. A folder that cannot be listed stays as it is. Done after one in 16
 * images. */
void nitro_kernel_cache_trim(nitro_context *context, const char *path);

/** As nitro_kernel_compile.
 *  @param[in] may_read  from the cache; false: the device refuses what is there. */
nitro_status nitro_kernel_make_image(nitro_context *context, const nitro_kernel_backend *backend,
                                     const nitro_kernel_target *target, const nitro_kernel *kernel,
                                     const char *const *values, bool may_read, void **image,
                                     size_t *bytes, double *compile_ms);

/** Index in nitro_kernel_call.arrays of the array of this name, or NITRO_NONE. */
size_t nitro_kernel_find_array(const nitro_kernel *kernel, const char *name);

/** The best known configuration. @param[out] values  shape [number of parameters]: free each, also
 * if false is returned: none is known. */
bool nitro_kernel_read_best(nitro_context *context, const nitro_kernel *kernel,
                            const nitro_kernel_target *target, char **values);

/** The values that the kernel runs with on a device: those of this process (`is_configured`), else
 * the best known, else the usual ones.
 * @param[out] kept     shape [NITRO_KERNEL_MAX_PARAMETERS], zeroed: free each, also on failure.
 * @param[out] values   shape [number of parameters]: of `kept`, the kernel or this process.
 * @param[out] numbers  the same as numbers; a string's position among its values. */
nitro_status nitro_kernel_choose_values(nitro_context *context, const nitro_kernel *kernel,
                                        const nitro_kernel_target *target, char **kept,
                                        const char **values, double *numbers, bool *is_configured);

/** Fill names and steps; on error, what was made is freed with nitro_kernel_free_parsed. */
nitro_status nitro_kernel_parse(nitro_context *context, loaded_kernel *loaded);
void nitro_kernel_free_parsed(loaded_kernel *loaded);

/** The kernel as loaded for this stream's place; NULL: it is not. */
loaded_kernel *nitro_kernel_find_loaded(const nitro_kernel *kernel, void *stream);
/** Load it, once, compiling it if necessary. */
nitro_status nitro_kernel_load(nitro_context *context, const nitro_kernel *kernel, void *stream,
                               loaded_kernel **loaded);

#endif
