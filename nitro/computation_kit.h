/*
 * computation_kit.h - computations from tables: what a computation's argument consists of is a
 * table of fields, and from it follow its memory on the host and on devices, saving and restoring,
 * checks of results, and a module for the command line. docs/computations.md shows how. In
 * libnitro, not in libnitro-runtime. The rules of runtime.h hold here too; functions that return no
 * nitro_status are for hooks and variants, and take NULL where they say so only.
 *
 * A computation is one const nitro_kit. Variants, features and inputs are functions of its own; all
 * else is made here.
 */
#ifndef NITRO_COMPUTATION_KIT_H
#define NITRO_COMPUTATION_KIT_H

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nitro_random; /* of nitro_backend.h */

/* ---- The argument as a table ----------------------------------------------------------------- */

#define NITRO_KIT_MAX_FIELDS 32

/** What a field is to the variants. Values of the enumerations are part of the interface. */
typedef enum nitro_role {
    NITRO_SCALAR, /* a number in the argument; counts of arrays may refer to it */
    NITRO_IN,     /* an array that variants only read */
    NITRO_OUT,    /* an array that every variant writes, all of it */
    NITRO_INOUT,  /* an array that is changed in place: saved before measuring, and restored before
                     every run */
    NITRO_SCRATCH /* an array without contents between runs */
} nitro_role;

typedef enum nitro_element {
    NITRO_INT64,
    NITRO_INT32,
    NITRO_UINT64,
    NITRO_UINT32,
    NITRO_FLOAT64,
    NITRO_FLOAT32,
    NITRO_INDEX64, /* int64_t on the host and int32_t on devices */
    NITRO_BYTE     /* anything else: its count is in bytes */
} nitro_element;

/** How an output agrees with the reference. */
typedef enum nitro_agreement {
    NITRO_EXACT,     /* bit by bit */
    NITRO_TOLERANCE, /* to within `tolerance` */
    NITRO_RELATIVE,  /* to within `tolerance` times the magnitude that the reference gives for each
                        element, or its absolute value; of one output where there is a reference */
    NITRO_DIGEST,    /* the same elements in any order */
    NITRO_UNCHECKED  /* by nitro_kit.check alone */
} nitro_agreement;

/** The offset of a field that the host's argument does not have. */
#define NITRO_NOWHERE SIZE_MAX

typedef struct nitro_field {
    const char *name;
    nitro_role role;
    nitro_element element; /* of a scalar: NITRO_INT64 or NITRO_INT32 */
    size_t offset;         /* in the argument, of the number or of the pointer to the array */
    /** Of an array: sums, differences and products of scalars and numbers: "num_rows + 1".
     *  Below 0 is 0. */
    const char *count;
    bool is_on_device;
    size_t device_offset; /* in the device's argument; a scalar must fit into an int32_t there */
    nitro_agreement agreement;
    double tolerance;
} nitro_field;

/** Fields as initialisers, by the members that they are: a number of 64 or 32 bits, an array, and
 *  what else an array has, as in `NITRO_ON_DEVICE(call_cuda, y), .agreement = NITRO_TOLERANCE`. */
#define NITRO_NUMBER(type, member)                                                                 \
    {                                                                                              \
        .name = #member, .role = NITRO_SCALAR, .element = NITRO_INT64,                             \
        .offset = offsetof(type, member)                                                           \
    }
#define NITRO_NUMBER32(type, member)                                                               \
    {                                                                                              \
        .name = #member, .role = NITRO_SCALAR, .element = NITRO_INT32,                             \
        .offset = offsetof(type, member)                                                           \
    }
#define NITRO_ARRAY(type, member, its_role, its_element, its_count, ...)                           \
    {                                                                                              \
        .name = #member, .role = its_role, .element = its_element,                                 \
        .offset = offsetof(type, member), .count = its_count, __VA_ARGS__                          \
    }
#define NITRO_ON_DEVICE(type, member) .is_on_device = true, .device_offset = offsetof(type, member)

/** Made by the hooks: saved inputs and kept references. */
typedef struct nitro_kept nitro_kept;

/** Scratch memory of an argument's variants, which share it. Zero it; the kit frees it. */
typedef struct nitro_room {
    void *memory; /* NULL until a variant's `prepare` made it */
    int64_t bytes;
} nitro_room;

/* ---- Devices ------------------------------------------------------------------------------- */

#define NITRO_KIT_PROBLEM_BYTES 512

/** Member of every argument on a device. Functions that take it return 0, or another number with
 * `problem` set to what failed, the sizes, and the remedy. */
typedef struct nitro_on_device {
    void *stream; /* cudaStream_t or cl_command_queue: all work of this argument; NULL: the
                     default one */
    char problem[NITRO_KIT_PROBLEM_BYTES]; /* of the last failure; "" if none */
    int failure; /* its return value; NITRO_ERR_NO_MEMORY: out of memory */
    bool is_uploaded;
    nitro_room room;                  /* on the device, by nitro_kit_make_room */
    void *made[NITRO_KIT_MAX_FIELDS]; /* by the kit: field f's array; NULL: the caller's */
    struct nitro_made_part *parts;    /* by the kit */
} nitro_on_device;

/** On CUDA devices. */
typedef nitro_on_device nitro_cuda;

/** Largest number of elements with 32-bit indices, with a margin for strides past the end. */
#define NITRO_CUDA_MAX_COUNT (INT32_MAX - (1 << 20))

/**
 * Memory of a device. nitro/cuda.hpp has CUDA's, nitro_cuda_memory: libnitro calls the CUDA runtime
 * that the computation was linked with. nitro/kernels.h has OpenCL's, whose arrays are cl_mem.
 * `count` is of elements of `size` bytes; `what` names the memory in messages. Work goes to
 * on_device->stream.
 */
typedef struct nitro_device_memory {
    /** Fails while the stream captures a graph, during which nothing can be allocated. */
    int (*may_prepare)(nitro_on_device *on_device, const char *what);
    /** Fails if the device has less memory free. Allocates nothing. */
    int (*need)(nitro_on_device *on_device, uint64_t bytes, const char *what);
    /** Uninitialised memory; NULL if `count` is 0. */
    int (*allocate)(nitro_on_device *on_device, int64_t count, size_t size, void **memory);
    /** Allocate and copy from the host, which must leave `from` unchanged until `wait`. */
    int (*upload)(nitro_on_device *on_device, const void *from, int64_t count, size_t size,
                  void **memory);
    /** Copy to the host, and wait. */
    int (*download)(nitro_on_device *on_device, const void *memory, int64_t count, size_t size,
                    void *to);
    /** Copy on the device. */
    int (*copy)(nitro_on_device *on_device, const void *from, int64_t count, size_t size, void *to);
    /** Set all bytes. */
    int (*fill)(nitro_on_device *on_device, void *memory, int64_t count, size_t size, int byte);
    /** Wait for the stream; fails if its work failed. */
    int (*wait)(nitro_on_device *on_device);
    /** NULL: nothing. */
    void (*free)(void *memory);
    const nitro_stream_clock *clock; /* NULL: variants on the device cannot be monitored */
} nitro_device_memory;

/** `allows` of variants that exist on another kind of device only, or need what is missing here.
 *  They are declared nevertheless: samples of all devices must have the same variants. */
NITRO_API bool nitro_kit_allows_nothing(const double *features, const void *argument, void *user);

/** A format of the input: a struct to which a member of the argument points, on the host. */
typedef struct nitro_kit_part {
    const nitro_variant *host; /* its `prepare` makes the struct, its `release` frees it */
    size_t offset;             /* of the pointer to the struct, in the argument */
    const nitro_field *fields; /* offsets are in the struct */
    size_t num_fields;
    /** Where a device's argument is a struct of its own: bytes of the struct that the fields'
     *  device offsets are in. */
    size_t device_bytes;
    /** The device fills arrays: `prepare`, which gets this part for its `user`, may leave them
     * NULL, and they are only allocated on the device. */
    bool is_filled_there;
} nitro_kit_part;

/** A computation on one kind of device. Its argument begins with the host's. */
typedef struct nitro_kit_device {
    const char *kind; /* "cuda", "opencl"; NULL: not in this build */
    const nitro_device_memory *memory;
    /** 0, for kernels compiled at run time (nitro/kernels.h): nothing but a nitro_on_device follows
     *  the host's argument. All arrays are on the device, and kernels name their fields. */
    size_t argument_bytes;
    size_t cuda; /* offset of the argument's nitro_cuda */
    /** Named as in nitro_kit.variants. Where the usual one is missing, the first is the default. */
    const nitro_variant *const *variants;
    size_t num_variants;
    /** Of variants that have none: calls nitro_kit_upload. */
    int (*prepare)(void *argument, void *user);
    /** Of variants that state none; NULL: these are allowed. */
    bool (*allows)(const double *features, const void *argument, void *user);
    const char *allows_reads;
    /** Optional: why this variant cannot run here, as "libx.so.1 was not found", or NULL. It is
     * then allowed for no input, and the reason is logged. Asked once a declaration. */
    const char *(*missing)(const nitro_variant *variant);
    /** Optional: free what the variants' `prepare` made, and zero it. */
    void (*release)(void *argument);
} nitro_kit_device;

/* ---- Inputs -------------------------------------------------------------------------------- */

/** Room for what `make` calls an input. */
#define NITRO_KIT_LABEL 96

/** A kind of inputs, which several computations may share: files, and families of generated ones.
 */
typedef struct nitro_kit_inputs {
    /** Read a file. @param[out] data  for nitro_kit.adopt. */
    nitro_status (*load)(nitro_context *context, const char *path, void **data);
    /** Make an input of a family, 0 to num_families - 1, of about `size`.
     *  @param[out] label  shape [NITRO_KIT_LABEL]: family and sizes, "uniform-52013in256".
     *  @param[out] data   NULL: only the label is wanted, which is drawn first. */
    nitro_status (*make)(nitro_context *context, size_t family, struct nitro_random *random,
                         double size, char *label, void **data);
    size_t num_families; /* they take turns; 0: none */
    double least_size;   /* sizes are log-uniform from this, above 0... */
    double usual_size;   /* ...to this, and some up to what generate_mb allows: one of each family
                            within two of its turns, then one in four */
    double base_size;    /* if that is more than this, some of the first inputs are so large */
    double unit_bytes;   /* memory of an input over its size */
} nitro_kit_inputs;

/** A number between `low` and `high`, which are above 0, with a uniform logarithm. */
NITRO_API double nitro_kit_draw_log(struct nitro_random *random, double low, double high);

/* ---- Features ------------------------------------------------------------------------------- */

/** Input features that one function evaluates. */
typedef struct nitro_kit_features {
    const nitro_feature *features; /* shape [num_features] */
    size_t num_features;
    nitro_features_function evaluate; /* its `user` is NULL */
} nitro_kit_features;

/** Declare groups of features in this order, then relative features, on a logarithmic scale. */
NITRO_API nitro_status nitro_kit_add_features(nitro_computation *computation,
                                              const nitro_kit_features *groups, size_t num_groups,
                                              const nitro_relative_feature *relative,
                                              size_t num_relative);

/** Item `i` of a sample of `count` among n items: one of each of `count` equal ranges, at a place
 * given by a fixed hash, which does not alias with periodic data. */
static inline int64_t nitro_kit_sample(int64_t i, int64_t count, int64_t n)
{
    int64_t begin = n * i / count, end = n * (i + 1) / count;
    uint64_t hash = ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return begin + (int64_t)(hash * (uint64_t)(end - begin) >> 32);
}

/* ---- The computation ------------------------------------------------------------------------ */

typedef struct nitro_kit {
    const char *name;
    const char *description; /* one line */

    size_t argument_bytes; /* sizeof the argument, a struct that is zeroed before its use */
    size_t kept;           /* offset of its member `nitro_kept *kept` */
    size_t room;           /* offset of its nitro_room; 0: it has none */
    const nitro_field *fields;
    size_t num_fields; /* at most NITRO_KIT_MAX_FIELDS */

    const nitro_variant *const *variants; /* in declared order: on ties the first wins;
                                             without `run`: on other devices, or in `plugin` */
    size_t num_variants;                  /* 0: none runs on the host */
    /** Optional: the plug-in (nitro_plugin_load) that has variants without `run`, because their
     *  library takes long to load. Declaring the computation on the host loads it; where that
     *  fails, a warning says why, and these variants are allowed for no input. */
    const char *plugin;
    const char *usual; /* the default and the reference variant */
    nitro_status (*add_features)(nitro_computation *computation);
    /** Optional: free what variants' `prepare` made, and zero it. */
    void (*release)(void *argument);

    /**
     * Optional: compute the outputs by a plain way, for comparison; arrays in place hold the input.
     * NULL: results are compared with those of the variant `usual`.
     * @param[out] magnitudes  of the output that is NITRO_RELATIVE, one for each element; or NULL.
     * @return 0 on success.
     */
    int (*reference)(void *argument, double *magnitudes);
    /** Optional: what no field states. Nonzero: wrong, and `why`, shape [size], says so. */
    int (*check)(const void *argument, char *why, size_t size);

    /** Optional: why the last run on the host failed, in words; owned by the argument. */
    const char *(*problem)(const void *argument);

    const nitro_kit_inputs *inputs;
    /** Make the argument of an input's data, which it takes or frees, also on failure. NULL: the
     *  data is the argument. Free it with nitro_kit_free. */
    nitro_status (*adopt)(nitro_context *context, void *data, void **argument);
    /** Optional: describe an input in one line. */
    void (*describe)(const void *argument, char *text, size_t size);
    /** Optional: names that recorded measurements have for features, each followed by the feature's
     *  own; ended by NULL. */
    const char *const *feature_aliases;

    const nitro_kit_device *device; /* NULL: host only */
} nitro_kit;

/**
 * Declare the computation on the host, or on its device, with the hooks that its fields ask for.
 * @return NITRO_OK; NITRO_ERR_NOT_BUILT (its device is not in this build); NITRO_ERR_ARGUMENT (a
 *         field's name, place or count cannot be: the error names it); an error of its features or
 *         variants.
 */
NITRO_API nitro_status nitro_kit_create(nitro_context *context, const nitro_kit *kit,
                                        bool is_on_device, nitro_computation **computation);

/**
 * An argument with the scalars of `from` and the arrays that are NULL there allocated, zeroed.
 * @param[out] argument  free it with nitro_kit_free.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (a count that overflows) or NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_kit_allocate(nitro_context *context, const nitro_kit *kit,
                                          const void *from, void **argument);

/**
 * The arrays of a format that are NULL, zeroed, with the counts of its scalars; none where the
 * device fills them. @return 0, NITRO_ERR_NO_MEMORY or NITRO_ERR_ARGUMENT (a count overflows).
 */
NITRO_API int nitro_kit_allocate_format(const nitro_kit_part *part, void *argument);
/** `release` of a variant with a format, whose `user` is the part: frees the arrays of the part's
 *  fields, which nitro_host_allocate made, and the struct, which calloc made. */
NITRO_API void nitro_kit_free_format(void *argument, void *part);

/** Free what variants and hooks made; the argument can be used again. */
NITRO_API void nitro_kit_release(const nitro_kit *kit, void *argument);
/** The same of a device's argument: the caller's arrays on the device stay. */
NITRO_API void nitro_kit_release_device(const nitro_kit *kit, void *argument);
/** Free an argument with its arrays. NULL is allowed. */
NITRO_API void nitro_kit_free(const nitro_kit *kit, bool is_on_device, void *argument);

/**
 * What measuring does after the reference variant ran: keep the reference's outputs, and check the
 * variant's. @return 0, NITRO_ERR_NO_MEMORY, or what nitro_kit_check_result returns.
 */
NITRO_API int nitro_kit_keep_reference(const nitro_kit *kit, void *argument);
/**
 * After other variants ran: compare the outputs with the kept ones, then overwrite them, so that
 * the next variant must write all of them. Of a host's argument.
 * @return 0, or 1 with the worst difference in `why`, shape [size]; NITRO_INPUT_CHANGED: an array
 * of the role NITRO_IN is not what it was when measuring began (of more than 16 MiB, 4096 pages are
 * looked at).
 */
NITRO_API int nitro_kit_check_result(const nitro_kit *kit, void *argument, char *why, size_t size);

/**
 * Open a library of the CUDA toolkit that is needed at run time only: "libcusparse.so.12". Looked
 * for by the dynamic loader, then below $CUDA_HOME, $CUDA_PATH, $VIRTUAL_ENV, $CONDA_PREFIX,
 * ~/.local, /usr/local/cuda and /usr/local, also in NVIDIA's Python packages there.
 * @return a handle of dlopen, which is never closed; NULL: not found.
 */
NITRO_API void *nitro_cuda_library_open(const char *name);

/**
 * Copy the input to the device, but what the caller has there, and allocate the other arrays; does
 * nothing the second time. Every device variant's `prepare` calls it.
 * @return 0, or nonzero with nitro_cuda.problem set: counts beyond 32-bit indices, too little
 *         memory, a stream that captures. Nothing is left of it then.
 */
NITRO_API int nitro_kit_upload(const nitro_kit *kit, void *argument);

/**
 * nitro_kit_upload, then make the room on the device at least so large; its contents are lost.
 * @return 0, or nonzero with nitro_cuda.problem set.
 */
NITRO_API int nitro_kit_make_room(const nitro_kit *kit, void *argument, int64_t bytes);

/**
 * Make a part of the argument by the host's variant, copy it to the device, and free it on the
 * host; does nothing the second time. @return as nitro_kit_upload.
 */
NITRO_API int nitro_kit_prepare_part(const nitro_kit *kit, const nitro_kit_part *part,
                                     void *argument);
NITRO_API void nitro_kit_release_part(const nitro_kit *kit, const nitro_kit_part *part,
                                      void *argument);

/** The struct of part->device_bytes with the arrays on the device; NULL: it is not prepared. */
NITRO_API void *nitro_kit_part_on_device(const nitro_kit *kit, const nitro_kit_part *part,
                                         const void *argument);

/** Functions of a module; NITRO_KIT_MODULE has them. */
NITRO_API nitro_status nitro_kit_load(nitro_context *context, const nitro_kit *kit,
                                      bool is_on_device, const char *path, void **argument);
NITRO_API nitro_status nitro_kit_generate(nitro_context *context, const nitro_kit *kit,
                                          bool is_on_device, uint64_t seed, size_t index,
                                          char *name, size_t name_size, void **argument);
/** Its description, else its scalars. */
NITRO_API void nitro_kit_describe(const nitro_kit *kit, const void *argument, char *text,
                                  size_t size);
NITRO_API const char *nitro_kit_feature_alias(const nitro_kit *kit, const char *name);

/** An input is generated in up to so many bytes: by the setting generate_mb, else 40 times
 *  `cache_bytes`, at most a sixteenth of this machine's memory.
 *  @param[in] computation  whose setting; NULL: that for all.
 *  @param[in] cache_bytes  of the device; 0: this machine's last-level cache.
 *  @return NITRO_OK or NITRO_ERR_FORMAT (a malformed setting). */
NITRO_API nitro_status nitro_kit_generate_limit(nitro_context *context, const char *computation,
                                                double cache_bytes, double *bytes);
/** The size of generated input number `index`, in up to `most_bytes`. */
NITRO_API double nitro_kit_draw_size(const nitro_kit_inputs *inputs, struct nitro_random *random,
                                     size_t index, double most_bytes);

/** A module's functions, static, with names that begin with `prefix`; the last argument is true for
 *  those of the kit's device. */
#define NITRO_KIT_FUNCTIONS(prefix, kit, is_on_device)                                             \
    static nitro_status prefix##_create(nitro_context *context, nitro_computation **computation)   \
    {                                                                                              \
        return nitro_kit_create(context, &(kit), is_on_device, computation);                       \
    }                                                                                              \
    static nitro_status prefix##_load(nitro_context *context, const char *path, void **argument)   \
    {                                                                                              \
        return nitro_kit_load(context, &(kit), is_on_device, path, argument);                      \
    }                                                                                              \
    static nitro_status prefix##_generate(nitro_context *context, uint64_t seed, size_t index,     \
                                          char *name, size_t name_size, void **argument)           \
    {                                                                                              \
        return nitro_kit_generate(context, &(kit), is_on_device, seed, index, name, name_size,     \
                                  argument);                                                       \
    }                                                                                              \
    static void prefix##_unload(void *argument)                                                    \
    {                                                                                              \
        nitro_kit_free(&(kit), is_on_device, argument);                                            \
    }                                                                                              \
    static void prefix##_describe(const void *argument, char *text, size_t size)                   \
    {                                                                                              \
        nitro_kit_describe(&(kit), argument, text, size);                                          \
    }                                                                                              \
    static const char *prefix##_feature_alias(const char *name)                                    \
    {                                                                                              \
        return nitro_kit_feature_alias(&(kit), name);                                              \
    }

/** A module of these functions, as an initialiser: an entry of what nitro_module_get returns. */
#define NITRO_KIT_ENTRY(prefix, its_name, about, its_kind)                                         \
    {                                                                                              \
        .version = NITRO_MODULE_VERSION, .name = its_name, .description = about,                   \
        .device_kind = its_kind, .create = prefix##_create, .load = prefix##_load,                 \
        .generate = prefix##_generate, .unload = prefix##_unload, .describe = prefix##_describe,   \
        .feature_alias = prefix##_feature_alias,                                                   \
    }

/** Two modules: `symbol` on the host, and symbol_cuda on CUDA devices, or what refuses without. */
#define NITRO_KIT_MODULES(symbol, kit, its_name, about)                                            \
    NITRO_KIT_FUNCTIONS(symbol, kit, false)                                                        \
    NITRO_KIT_FUNCTIONS(symbol##_cuda, kit, true)                                                  \
    const nitro_module symbol = NITRO_KIT_ENTRY(symbol, its_name, about, NULL);                    \
    const nitro_module symbol##_cuda =                                                             \
        NITRO_KIT_ENTRY(symbol##_cuda, its_name, about ", on CUDA devices", "cuda");

/** The module of a kit whose kernels are compiled at run time (nitro/kernels.h). */
#define NITRO_KIT_KERNEL_MODULE(symbol, kit, its_name, about, kind)                                \
    NITRO_KIT_FUNCTIONS(symbol, kit, true)                                                         \
    const nitro_module symbol = NITRO_KIT_ENTRY(symbol, its_name, about, kind);

/* ---- Memory, threads and vectors of the host ------------------------------------------------- */

/**
 * Zeroed memory for `count` elements, aligned to a cache line; large arrays on huge pages where
 * available (10 % faster SpMV). Free with nitro_host_free(), or with free(). NULL: out of memory.
 */
NITRO_API void *nitro_host_allocate(int64_t count, size_t size);

/** Free memory of nitro_host_allocate(). Up to a sixteenth of the machine's memory is kept for the
 * next large arrays, which then cost no first touch. NULL: no effect. */
NITRO_API void nitro_host_free(void *memory);

/** Make room of at least so many bytes; if it grows, its contents are lost. Another variant's
 * release may have freed it: each run may ask again, which costs nothing where it is there.
 * @return 0 or NITRO_ERR_NO_MEMORY. */
NITRO_API int nitro_host_make_room(nitro_room *room, int64_t bytes);
NITRO_API void nitro_host_free_room(nitro_room *room);

/** Upper bound of nitro_host_num_parts. */
#define NITRO_HOST_MAX_PARTS 1024

/**
 * In how many parts to do work that takes one thread `serial_ns`: OpenMP's number of threads if
 * that saves more time than waking them costs, else one. The first call with 2 us of work or more
 * measures what waking costs, which takes 0.2 ms: 1 us where threads spin while they wait, 30 to
 * 130 us where they sleep (OMP_WAIT_POLICY=passive) on a virtual machine, where it takes up to 10
 * ms. Over 8 us it is measured up to four times more, at least a second apart, since another
 * program may have run on a processor, and the least counts. Also 1 in a child forked by a thread
 * that had divided work: it would wait for OpenMP threads that only the parent has.
 */
NITRO_API int nitro_host_num_parts(double serial_ns);

/** Assume that waking threads takes `ns` instead of measuring it: the same division in every
 * process. 0 divides all work of 2 us or more; a negative number measures again. */
NITRO_API void nitro_host_assume_wake_ns(double ns);

/** Does part `part` of `parts`. */
typedef void nitro_host_body(const void *state, int part, int parts);

/** Do all parts, each on a thread of its own, and return when they are done. One part, and all
 * parts in such a child, are done on the caller's thread, without opening an OpenMP region (0.4
 * us). */
NITRO_API void nitro_host_run_parts(nitro_host_body *body, const void *state, int parts);

/** First item of part `part` when `count` equal items are divided into `parts`; part `parts` begins
 * at `count`. */
NITRO_API int64_t nitro_host_split_evenly(int64_t count, int part, int parts);

/** Bits of the widest vectors that host variants may use, read once a process: 512 (AVX-512F), 256
 * (AVX2) or 128; at most what the environment's NITRO_SIMD_BITS says, so that a machine can be
 * measured as if it had less. */
NITRO_API int nitro_host_simd_bits(void);

/** NITRO_SIMD_BITS: 512, 256 or 128; 0: it is not set; -1: it is something else. */
NITRO_API int nitro_host_simd_limit(void);

#ifdef __cplusplus
}
#endif

#endif
