/* facts.h - devices that a driver describes: kinds `cuda` and `opencl`.
 *
 * Querying a device (facts) and describing it are two steps: facts come from the driver, in a child
 * process, because this process can still fork then and a driver that hangs or crashes only costs
 * an error; or from a recorded query. A kind is a table of names and four functions. */
#ifndef NITRO_FEATURES_DEVICE_FACTS_H
#define NITRO_FEATURES_DEVICE_FACTS_H

#include "nitro/nitro_backend.h"

#define NITRO_FACTS_TEXT_SIZE      256
#define NITRO_FACTS_ID_SIZE        80
#define NITRO_FACTS_MAX_TEXTS      6
#define NITRO_FACTS_MAX_VALUES     32
#define NITRO_FACTS_MAX_BENCHMARKS 10

typedef struct nitro_facts {
    char texts[NITRO_FACTS_MAX_TEXTS][NITRO_FACTS_TEXT_SIZE]; /* "": unknown */
    double index; /* of the device in the process that queried it; an integer */
    double values[NITRO_FACTS_MAX_VALUES];       /* in the driver's units, >= 0; NaN: unknown */
    double measured[NITRO_FACTS_MAX_BENCHMARKS]; /* positive; NaN: not measured */
    double spread[NITRO_FACTS_MAX_BENCHMARKS];   /* relative, >= 0 */
} nitro_facts;

/** A kind of devices that a driver describes. */
typedef struct nitro_queried_kind {
    const char *name;    /* "cuda"; ids start with "cuda:" */
    const char *title;   /* "a CUDA device" without the article */
    const char *article; /* "a" */
    const char *driver;  /* what is queried: "the CUDA driver" */
    const char *const
        *texts; /* names in files, shape [num_texts]; the first is the device's name */
    const char *const *values;     /* shape [num_values] */
    const char *const *benchmarks; /* names of device features too, shape [num_benchmarks] */
    size_t num_texts, num_values, num_benchmarks;
    const bool *is_built; /* false: query and measure fail, and need no child process */
    /** Write the id of a device. @param[out] id  shape [size], NITRO_FACTS_ID_SIZE. */
    void (*format_id)(const char *name, char *id, size_t size);
    /** Query the driver in this process, which must not fork afterwards.
     *  @param[out] facts  shape [count], count >= 1; free with free(). */
    nitro_status (*query)(nitro_context *context, nitro_facts **facts, size_t *count);
    /** Run the microbenchmarks on the device of these facts, in this process: seconds. */
    nitro_status (*measure)(nitro_context *context, nitro_facts *facts);
    /** Add features and labels to the device of these facts; those measured are there. */
    nitro_status (*describe)(nitro_context *context, const nitro_facts *facts,
                             nitro_device *device);
} nitro_queried_kind;

/** All unknown. */
void nitro_facts_init(nitro_facts *facts);

/** Facts of several devices as JSON, an array; free with free(). */
nitro_status nitro_facts_print_all(nitro_context *context, const nitro_queried_kind *kind,
                                   const nitro_facts *facts, size_t count, char **text);
/** Facts of one device as JSON, an indented object; free with free(). */
nitro_status nitro_facts_print(nitro_context *context, const nitro_queried_kind *kind,
                               const nitro_facts *facts, char **text);
/**
 * Parse either form; `origin` names the text in errors.
 * @param[out] facts  shape [count], >= 0; free with free().
 * @return NITRO_OK; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: origin and line or field are named.
 */
nitro_status nitro_facts_parse(nitro_context *context, const nitro_queried_kind *kind,
                               const char *origin, const char *text, size_t size,
                               nitro_facts **facts, size_t *count);

/** Index of the device that an id names ("cuda", "cuda:1", "cuda:nvidia-h200": the first of that
 *  name), or NITRO_NONE. */
size_t nitro_facts_find(const nitro_queried_kind *kind, const nitro_facts *facts, size_t count,
                        const char *id);
/** The device of these facts. */
nitro_status nitro_facts_make_device(nitro_context *context, const nitro_queried_kind *kind,
                                     const nitro_facts *facts, nitro_device **device);

/** A device kind's functions of these names. Having no device is not an error of `list`; a driver
 *  that does not answer is a warning, so that other kinds' devices are still listed. */
nitro_status nitro_queried_list(nitro_context *context, const nitro_queried_kind *kind,
                                nitro_string_list *ids);
nitro_status nitro_queried_record(nitro_context *context, const nitro_queried_kind *kind,
                                  const char *id, bool measure, char **text);
nitro_status nitro_queried_replay(nitro_context *context, const nitro_queried_kind *kind,
                                  const char *origin, const char *text, size_t size,
                                  nitro_device **device);
nitro_status nitro_queried_describe(nitro_context *context, const nitro_queried_kind *kind,
                                    const char *id, bool measure, nitro_device **device);

/** Define a device kind's `list`, `record`, `replay` and `describe` by these. */
#define NITRO_QUERIED_KIND_FUNCTIONS(kind)                                                         \
    static nitro_status list(nitro_context *context, nitro_string_list *ids)                       \
    {                                                                                              \
        return nitro_queried_list(context, kind, ids);                                             \
    }                                                                                              \
    static nitro_status record(nitro_context *context, const char *id, bool measure, char **text)  \
    {                                                                                              \
        return nitro_queried_record(context, kind, id, measure, text);                             \
    }                                                                                              \
    static nitro_status replay(nitro_context *context, const char *origin, const char *text,       \
                               size_t size, nitro_device **device)                                 \
    {                                                                                              \
        return nitro_queried_replay(context, kind, origin, text, size, device);                    \
    }                                                                                              \
    static nitro_status describe(nitro_context *context, const char *id, bool measure,             \
                                 nitro_device **device)                                            \
    {                                                                                              \
        return nitro_queried_describe(context, kind, id, measure, device);                         \
    }

#endif
