/*
 * nitro_backend.h - what implementers of plug-ins see: stores, device kinds, device-feature
 * selection, strategies, and the tools on top (the command line). nitro.h's rules hold here too.
 *
 * A plug-in is a const struct: name, one-line description, priority, functions. Each family has one
 * list file (nitro/lists/FAMILY.list) that nitro/builtins.c reads; adding a plug-in is one file and
 * one line there. A plug-in that a build lacks stays in its list as a stub that says which option
 * turns it on.
 */
#ifndef NITRO_NITRO_BACKEND_H
#define NITRO_NITRO_BACKEND_H

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "No such index". */
#define NITRO_NONE SIZE_MAX

struct json_t; /* jansson */

/* ---- Names, strings, files, randomness ----------------------------------------------------- */

/** Name rules of nitro.h: computations, variants and features; device ids; input names. */
NITRO_API bool nitro_name_is_clean(const char *name);
NITRO_API bool nitro_device_id_is_clean(const char *id);
NITRO_API bool nitro_input_name_is_clean(const char *name);
/** A profile's metric: 1 to 127 characters of a name (today's profilers have long ones). */
NITRO_API bool nitro_metric_name_is_clean(const char *name);
/** Text for people: UTF-8 of at most `max_bytes`, no control characters but newline and tab. */
NITRO_API bool nitro_text_is_clean(const char *text, size_t max_bytes);

/** Strings, owned. Zero-initialise; every failure is out of memory and leaves the list as is. */
typedef struct nitro_string_list {
    char **items;
    size_t count;
    size_t capacity;
} nitro_string_list;

NITRO_API nitro_status nitro_string_list_add(nitro_context *context, nitro_string_list *list,
                                             const char *text);
/** Split "a,b,c" at commas and append; empty items are an error. */
NITRO_API nitro_status nitro_string_list_split(nitro_context *context, nitro_string_list *list,
                                               const char *text);
/** Index of `text`, or NITRO_NONE. */
NITRO_API size_t nitro_string_list_find(const nitro_string_list *list, const char *text);
/** "Did you mean": the name closest to `word` by edit distance, the first of equals; NULL where
 * none of the `count` names is close. */
NITRO_API const char *nitro_closest_name(const char *const *names, size_t count, const char *word);
/** Sort by bytes. */
NITRO_API void nitro_string_list_sort(nitro_string_list *list);
NITRO_API void nitro_string_list_free(nitro_string_list *list);

/** strdup that records NITRO_ERR_NO_MEMORY. NULL in, NULL out (no error). */
NITRO_API char *nitro_strdup(nitro_context *context, const char *text);
/** calloc that records NITRO_ERR_NO_MEMORY, also when count * size overflows. */
NITRO_API void *nitro_calloc(nitro_context *context, size_t count, size_t size);
/** printf into a new string; NULL when out of memory (recorded). Free with free(). */
NITRO_API char *nitro_asprintf(nitro_context *context, const char *format, ...) NITRO_PRINTF(2, 3);

/** Read a whole file, at most `max_bytes` (larger: NITRO_ERR_FORMAT). `text` gets a final '\0' that
 *  `size` does not count; free it with free(). */
NITRO_API nitro_status nitro_file_read(nitro_context *context, const char *path, size_t max_bytes,
                                       char **text, size_t *size);
/** Write atomically: a temporary file beside it, synced, renamed. An old file stays whole on error.
 */
NITRO_API nitro_status nitro_file_write(nitro_context *context, const char *path, const char *text,
                                        size_t size);

/**
 * Read a short file that holds a secret (a password, a key), refused where others could have it.
 * @param[out] text  shape [text_size], ended by '\0'; wipe it after use (explicit_bzero). Zeros on
 *                   error.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO (others may read or write it, it is another
 *         user's, or no regular file); NITRO_ERR_FORMAT (longer, or not text). No error shows what
 *         is in it.
 */
NITRO_API nitro_status nitro_file_read_private(nitro_context *context, const char *path, char *text,
                                               size_t text_size);
/** Make such a file: mode 0600, synced. NITRO_ERR_EXISTS where anything has the name. */
NITRO_API nitro_status nitro_file_create_private(nitro_context *context, const char *path,
                                                 const char *text);

/** Read one finite number that fills all of `text` (strtod's forms, C locale). */
NITRO_API bool nitro_parse_number(const char *text, double *value);
/** Shortest decimal form that reads back as the same double; at least 32 bytes of room. */
NITRO_API void nitro_format_number(double value, char *text, size_t size);

NITRO_API void nitro_log(nitro_context *context, nitro_log_level level, const char *format, ...)
    NITRO_PRINTF(3, 4);

/** The context's clock. */
NITRO_API double nitro_clock_wall_ms(const nitro_context *context);
NITRO_API double nitro_clock_thread_cpu_ms(const nitro_context *context);

/** Seeded randomness (xoshiro256**): the same seed gives the same numbers everywhere. */
typedef struct nitro_random {
    uint64_t state[4];
} nitro_random;

NITRO_API void nitro_random_seed(nitro_random *random, uint64_t seed);
NITRO_API uint64_t nitro_random_next(nitro_random *random);
NITRO_API double nitro_random_uniform(nitro_random *random); /* [0, 1) */
NITRO_API double nitro_random_normal(nitro_random *random);  /* mean 0, deviation 1 */
NITRO_API uint64_t nitro_random_below(nitro_random *random, uint64_t bound); /* [0, bound) */
/** 64-bit hash of bytes, the same on every machine (XXH3). */
NITRO_API uint64_t nitro_hash(const void *data, size_t size, uint64_t seed);

/* ---- Child processes ------------------------------------------------------------------------- */

/** What a child does. @param[out] answer  a text, malloc'd. Its status, and on failure the last
 * error of its context, are the parent's. */
typedef nitro_status (*nitro_child_function)(nitro_context *context, void *state, char **answer);

/**
 * Run a function in a forked process, so that what it opens there (a driver, a pool of threads)
 * leaves this process as it was, and what hangs or crashes there costs an error here. What the
 * function writes in memory stays in the child, and so does what it logs.
 * @param[in]  what      for errors: "asking the CUDA driver".
 * @param[out] answer    free with free().
 * @return the function's status; NITRO_ERR_IO: no process could be started, or it crashed, ended
 *         before it answered, or took longer than `limit_ms` (of real time), and was killed.
 */
NITRO_API nitro_status nitro_child_run(nitro_context *context, const char *what, double limit_ms,
                                       nitro_child_function function, void *state, char **answer);

/* ---- Settings -------------------------------------------------------------------------------- */

/** A setting of nitro.h's: where it may be made, and what it may be. */
typedef struct nitro_setting {
    const char *name;        /* "model" */
    const char *environment; /* "NITRO_MODEL" */
    const char *value;       /* what help calls the value: "PATH" */
    const char *standard;    /* the value where nobody makes one; NULL: none */
    const char *help;
    const char *const *choices; /* the values allowed, ended by NULL; NULL: any text */
    bool is_number;
    double minimum, maximum; /* of numbers */
} nitro_setting;

/** The whole table, ended by a NULL name. */
NITRO_API const nitro_setting *nitro_setting_table(void);

/** Most bytes of a setting's value, its end included. */
#define NITRO_SETTING_MAX_BYTES 4096

typedef enum nitro_setting_origin {
    NITRO_SETTING_DEFAULT,
    NITRO_SETTING_FILE,
    NITRO_SETTING_ENVIRONMENT,
    NITRO_SETTING_PROGRAM
} nitro_setting_origin;

/** "default", "file", "environment", "program". */
NITRO_API const char *nitro_setting_origin_name(nitro_setting_origin origin);

typedef struct nitro_setting_value {
    char text[NITRO_SETTING_MAX_BYTES]; /* "": none */
    nitro_setting_origin origin;
    char where[NITRO_SETTING_MAX_BYTES]; /* the variable, or FILE:LINE; else "" */
} nitro_setting_value;

/**
 * Look a setting up for a computation (NULL: for none in particular).
 * @return NITRO_OK; NITRO_ERR_FORMAT (no such setting; a malformed value, with where it is).
 */
NITRO_API nitro_status nitro_setting_get(nitro_context *context, const char *computation,
                                         const char *setting, nitro_setting_value *value);

/* ---- CSV ----------------------------------------------------------------------------------- */

/** A table with a header line (RFC 4180: quotes, CRLF). Errors name origin, line and column. */
typedef struct nitro_csv nitro_csv;

NITRO_API nitro_status nitro_csv_read(nitro_context *context, const char *path, nitro_csv **csv);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_csv_parse(nitro_context *context, const char *origin, const char *text,
                                       size_t size, nitro_csv **csv);
NITRO_API void nitro_csv_free(nitro_csv *csv);
/** The path or other name given for the text: errors start with it. */
NITRO_API const char *nitro_csv_origin(const nitro_csv *csv);
NITRO_API size_t nitro_csv_num_rows(const nitro_csv *csv);
NITRO_API size_t nitro_csv_num_columns(const nitro_csv *csv);
NITRO_API const char *nitro_csv_column_name(const nitro_csv *csv, size_t column);
/** Index of the column, or NITRO_NONE. */
NITRO_API size_t nitro_csv_column(const nitro_csv *csv, const char *name);
NITRO_API const char *nitro_csv_field(const nitro_csv *csv, size_t row, size_t column);
/** Line of the file on which the row starts, from 1. */
NITRO_API size_t nitro_csv_line(const nitro_csv *csv, size_t row);
/** NITRO_ERR_FORMAT, with both lines, where two rows have the same field in this column. */
NITRO_API nitro_status nitro_csv_require_unique(const nitro_csv *csv, size_t column);
/** The field as a finite number; an empty field gives NaN; else NITRO_ERR_FORMAT. */
NITRO_API nitro_status nitro_csv_number(const nitro_csv *csv, size_t row, size_t column,
                                        double *value);

/* ---- Records: schema, device, sample ------------------------------------------------------- */

/** A feature as records and models know it: its function is the computation's affair. */
typedef struct nitro_feature_info {
    char *name;
    char *unit;
    nitro_scale scale;
} nitro_feature_info;

/** A relative feature: data, evaluated without a computation's code. */
typedef struct nitro_relative_info {
    char *name;
    char *unit;
    nitro_scale scale;
    char *formula;  /* over the schema's features, and device.NAME */
    char *replaces; /* input features, "a,b"; "": none */
} nitro_relative_info;

/**
 * The names that make samples comparable: a computation's features and variants, in order; and its
 * relative features, which are made from those and may change at any time.
 */
typedef struct nitro_schema {
    char *computation;
    size_t num_features;
    nitro_feature_info *features; /* shape [num_features] */
    size_t num_variants;
    char **variants;        /* shape [num_variants] */
    size_t default_variant; /* NITRO_NONE: none declared (recorded computations) */
    size_t num_relative;
    nitro_relative_info *relative; /* shape [num_relative], at most NITRO_MAX_FEATURES */
} nitro_schema;

NITRO_API nitro_status nitro_schema_create(nitro_context *context, const char *computation,
                                           nitro_schema **schema);
NITRO_API nitro_status nitro_schema_add_feature(nitro_context *context, nitro_schema *schema,
                                                const char *name, const char *unit,
                                                nitro_scale scale);
NITRO_API nitro_status nitro_schema_add_variant(nitro_context *context, nitro_schema *schema,
                                                const char *name);
/** Copied and checked as nitro_computation_add_relative_feature says. */
NITRO_API nitro_status nitro_schema_add_relative(nitro_context *context, nitro_schema *schema,
                                                 const nitro_relative_feature *feature);
/** Drop relative features but those marked, shape [num_relative]; NULL: all of them. */
NITRO_API void nitro_schema_keep_relative(nitro_schema *schema, const bool *keep);
/** Put copies of the relative features of `from` in place of those of `to`; on error, of a part. */
NITRO_API nitro_status nitro_schema_copy_relative(nitro_context *context, const nitro_schema *from,
                                                  nitro_schema *to);
/** Is relative feature `index` well-formed? What nitro_schema_add_relative makes sure of. */
NITRO_API nitro_status nitro_schema_check_relative(nitro_context *context,
                                                   const nitro_schema *schema, size_t index);
/** Does it replace the input feature of this name? */
NITRO_API bool nitro_relative_info_replaces(const nitro_relative_info *relative,
                                            const char *feature);
/** The device features, by their own names, that the schema's relative features need; appended. */
NITRO_API nitro_status nitro_schema_relative_needs(nitro_context *context,
                                                   const nitro_schema *schema,
                                                   nitro_string_list *device_features);
NITRO_API nitro_status nitro_schema_copy(nitro_context *context, const nitro_schema *from,
                                         nitro_schema **schema);
NITRO_API void nitro_schema_free(nitro_schema *schema);
/** Index of a feature, or of a variant, by name; NITRO_NONE when there is none. */
NITRO_API size_t nitro_schema_feature(const nitro_schema *schema, const char *name);
NITRO_API size_t nitro_schema_variant(const nitro_schema *schema, const char *name);
/** A computation's schema, in declared order. */
NITRO_API nitro_status nitro_schema_of(const nitro_computation *computation, nitro_schema **schema);
/**
 * Same features and variants in the same order (relative features do not count)? If not,
 * NITRO_ERR_MISMATCH with both sets printed; `have` and `want` say whose they are ("the store",
 * "samples.csv").
 */
NITRO_API nitro_status nitro_schema_require_same(nitro_context *context, const nitro_schema *a,
                                                 const char *have, const nitro_schema *b,
                                                 const char *want);

/**
 * What a description file says of a recorded computation, which has no code to say it: units and
 * scales of its features, its relative features, its default variant. JSON; data/computations has
 * an example:
 *
 *     {"format": "nitro-computation", "version": 1, "computation": "spmv",
 *      "features": [{"name": "rows", "unit": "rows", "scale": "log"}],
 *      "relative_features": [{"name": "rows_per_thread", "scale": "log",
 *          "formula": "rows / (2048 * device.sm_count)", "replaces": ["rows"]}],
 *      "default": "csr"}
 *
 * Formulas may name the features listed here, and device features as device.NAME.
 */
typedef struct nitro_description {
    nitro_schema *names;   /* features and relative features; no variants */
    char *default_variant; /* NULL: not said */
} nitro_description;

/** @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: the error names file and
 *          field, and line and column in the file or in the formula. */
NITRO_API nitro_status nitro_description_read(nitro_context *context, const char *path,
                                              nitro_description **description);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_description_parse(nitro_context *context, const char *origin,
                                               const char *text, size_t size,
                                               nitro_description **description);
NITRO_API void nitro_description_free(nitro_description *description);
/**
 * Put what the description says in a computation's names. Features that the computation does not
 * have are no matter; a relative feature that needs one is left out, and said in the log. On error
 * the schema may hold a part.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (it has no variant of the default's name); NITRO_ERR_EXISTS
 *         (a relative feature has the name of another feature); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_description_apply(nitro_context *context,
                                               const nitro_description *description,
                                               nitro_schema *schema);

/** "linear", "log", "signed-log", "auto"; and back (false: no such scale). */
NITRO_API const char *nitro_scale_name(nitro_scale scale);
NITRO_API bool nitro_scale_from_name(const char *name, nitro_scale *scale);
/**
 * The rule for NITRO_SCALE_AUTO, from finite values. Of the magnitudes of the non-zero values, take
 * the 5th and 95th percentile, the median and the largest. Where the 95th percentile is at least
 * 100 times the 5th, or the largest at least 100 times the median, ratios say more than
 * differences: LOG if all values are positive, else SIGNED_LOG. All else: LINEAR, flags and
 * constants included.
 */
NITRO_API nitro_scale nitro_scale_choose(const double *values, size_t count);

typedef enum nitro_value_source {
    NITRO_VALUE_RECORDED, /* read from a file or store */
    NITRO_VALUE_QUERY,    /* the operating system or driver says so */
    NITRO_VALUE_STATIC,   /* published specification */
    NITRO_VALUE_COMPUTED, /* from other values */
    NITRO_VALUE_MEASURED  /* by a microbenchmark here */
} nitro_value_source;

NITRO_API const char *nitro_value_source_name(nitro_value_source source);
NITRO_API bool nitro_value_source_from_name(const char *name, nitro_value_source *source);

typedef struct nitro_device_feature {
    char *name;
    double value; /* finite: a hole is a feature that is not there */
    nitro_value_source source;
    double spread; /* relative, of measured values; else 0 */
} nitro_device_feature;

typedef struct nitro_label {
    char *name;
    char *text;
} nitro_label;

/** A device: kind "cuda", "host", "model", or "recorded" where only a file says what it is. */
typedef struct nitro_device {
    char *id;
    char *kind;
    size_t num_features;
    nitro_device_feature *features;
    size_t num_labels;
    nitro_label *labels; /* text columns: vendor, model, ... */
} nitro_device;

NITRO_API nitro_status nitro_device_create(nitro_context *context, const char *id, const char *kind,
                                           nitro_device **device);
/** Add or replace. NaN removes the feature; infinity is NITRO_ERR_ARGUMENT. */
NITRO_API nitro_status nitro_device_set(nitro_context *context, nitro_device *device,
                                        const char *feature, double value,
                                        nitro_value_source source, double spread);
NITRO_API nitro_status nitro_device_set_label(nitro_context *context, nitro_device *device,
                                              const char *name, const char *text);
/** The value, or NaN where the device has no such feature. */
NITRO_API double nitro_device_value(const nitro_device *device, const char *feature);
NITRO_API const char *nitro_device_label(const nitro_device *device,
                                         const char *name); /* or NULL */
NITRO_API nitro_status nitro_device_copy(nitro_context *context, const nitro_device *from,
                                         nitro_device **device);
NITRO_API void nitro_device_free(nitro_device *device);
/** Room for a digest and its '\0'. */
#define NITRO_DIGEST_SIZE 17
/** 16 hex digits over kind and features, whatever their order. What microbenchmarks measured is
 * left out, for it never comes out the same twice. */
NITRO_API void nitro_device_digest(const nitro_device *device, char digest[NITRO_DIGEST_SIZE]);

/** What is known of a device feature by name: the paper's Table 1 and ours. */
typedef struct nitro_device_feature_info {
    const char *name;
    const char *unit;
    nitro_scale scale;
    bool descriptive; /* for people and reports (year, generation): never learnt from */
    const char *description;
} nitro_device_feature_info;

/** NULL for a name not in the table (unit "1", scale auto, learnt from). */
NITRO_API const nitro_device_feature_info *nitro_device_feature_lookup(const char *name);
/** The whole table, ended by a NULL name. */
NITRO_API const nitro_device_feature_info *nitro_device_feature_table(void);

/**
 * Read devices from a table with a `device` column: numeric columns are device features (empty: a
 * hole), text columns are labels; a `kind` column is optional ("recorded" without it).
 * @param[out] devices  shape [count], each and the array owned by the caller.
 */
NITRO_API nitro_status nitro_devices_from_csv(nitro_context *context, const nitro_csv *csv,
                                              nitro_device ***devices, size_t *count);

typedef enum nitro_outcome {
    NITRO_OUTCOME_MEASURED,
    NITRO_OUTCOME_MISSING,      /* never measured, or not recorded why */
    NITRO_OUTCOME_NOT_ALLOWED,  /* a constraint said no */
    NITRO_OUTCOME_FAILED,       /* the variant or its prepare returned a failure */
    NITRO_OUTCOME_WRONG_RESULT, /* differs from the reference */
    NITRO_OUTCOME_CRASHED,      /* a signal ended the worker */
    NITRO_OUTCOME_TIMED_OUT,    /* a call took longer than the limit */
    NITRO_OUTCOME_OUT_OF_MEMORY /* over the memory limit */
} nitro_outcome;

/** "measured", "missing", "not-allowed", "failed", "wrong-result", "crashed", "timed-out",
 *  "out-of-memory"; and back. */
NITRO_API const char *nitro_outcome_name(nitro_outcome outcome);
NITRO_API bool nitro_outcome_from_name(const char *name, nitro_outcome *outcome);

/** One variant on one input. */
typedef struct nitro_entry {
    nitro_outcome outcome;
    double median_ms;  /* > 0 where measured, else NaN */
    double spread;     /* half the interquartile range over the median; NaN when unknown */
    double prepare_ms; /* cost of `prepare` (format conversion); NaN when unknown or none */
    uint32_t count;    /* counted repetitions; 0 when unknown */
    char *version;     /* of the variant; NULL when unknown */
    char *detail;      /* why there is no time, for people; NULL when there is nothing to say */
} nitro_entry;

/** What made a record. Strings may be NULL. */
typedef struct nitro_provenance {
    char *origin;        /* "measured", "modelled", or "imported from FILE" */
    char *library;       /* Nitro's version */
    char *compiler;      /* of the measuring program */
    char *host;          /* name of the measuring machine */
    int64_t time_s;      /* since 1970, UTC; 0 when unknown */
    char *driver;        /* of the device: the label "driver" of a cuda device, the host's kernel */
    char *toolkit;       /* that the device's code was built with: the device's label "toolkit" */
    char *device_digest; /* nitro_device_digest of the device at the time */
    char *device_state;  /* clocks and what held them back while it was measured, for people: as the
                            device said before, "; then " and as after where that differs */
    char *cache;         /* "cold": the caches were flushed before each run; NULL: they were left as
                            runs leave them */
} nitro_provenance;

/** `copy` must be zero or cleared; on error (out of memory) it is cleared. */
NITRO_API nitro_status nitro_provenance_copy(nitro_context *context, const nitro_provenance *from,
                                             nitro_provenance *copy);
/**
 * What makes a record on this device here and now: this library and its compiler, this machine, the
 * time, and the device as it is.
 * @param[in,out] made  zero or cleared but for device_state and cache, which stay as they are; on
 *                      error (out of memory) it is cleared.
 */
NITRO_API nitro_status nitro_provenance_of_device(nitro_context *context,
                                                  const nitro_device *device, const char *origin,
                                                  nitro_provenance *made);
/** Are both the same text, or both NULL? */
NITRO_API bool nitro_same_text(const char *a, const char *b);
/** Free what it holds, not itself. */
NITRO_API void nitro_provenance_clear(nitro_provenance *provenance);

/** One input measured on one device. Array lengths are the schema's. */
typedef struct nitro_sample {
    char *input;
    size_t num_features;
    double *features; /* shape [num_features]; NaN: a hole */
    size_t num_entries;
    nitro_entry *entries; /* shape [num_variants], declared order */
    nitro_provenance provenance;
} nitro_sample;

/** All features NaN, all entries missing. */
NITRO_API nitro_status nitro_sample_create(nitro_context *context, const char *input,
                                           size_t num_features, size_t num_variants,
                                           nitro_sample **sample);
NITRO_API nitro_status nitro_sample_copy(nitro_context *context, const nitro_sample *from,
                                         nitro_sample **sample);
NITRO_API void nitro_sample_free(nitro_sample *sample);
/** Index of the fastest variant, the first declared on ties; NITRO_NONE when none has a time. */
NITRO_API size_t nitro_sample_best(const nitro_sample *sample);

/** One hardware metric of one kernel. */
typedef struct nitro_metric {
    char *name;   /* as its profiler calls it: nvprof's or CUPTI's */
    double value; /* finite: what was not collected is not there */
} nitro_metric;

/** A proxy's dial goes from 0 to this. */
#define NITRO_MAX_INTENSITY 5

/**
 * Hardware metrics of one kernel on one device: of a variant on one input, or of a proxy at one
 * intensity. A run (variant on input, proxy at intensity) has one profile a kernel. A kernel that a
 * run launches several times is one profile a launch, "NAME", "NAME#2" and so on.
 */
typedef struct nitro_profile {
    char *computation; /* NULL: a proxy's */
    char *name;        /* of the variant or of the proxy */
    char *input;       /* NULL: a proxy's */
    double intensity;  /* in [0, NITRO_MAX_INTENSITY]; NaN: a variant's */
    char *kernel;      /* rules of an input's name */
    size_t num_metrics;
    nitro_metric *metrics; /* shape [num_metrics], byte order of names */
    nitro_provenance provenance;
} nitro_profile;

/** Names must be clean, an intensity in its range: else NITRO_ERR_ARGUMENT. No metrics yet. */
NITRO_API nitro_status nitro_profile_create_of_variant(nitro_context *context,
                                                       const char *computation, const char *variant,
                                                       const char *input, const char *kernel,
                                                       nitro_profile **profile);
NITRO_API nitro_status nitro_profile_create_of_proxy(nitro_context *context, const char *proxy,
                                                     double intensity, const char *kernel,
                                                     nitro_profile **profile);
/** Add or replace. NITRO_ERR_ARGUMENT where the name is not clean or the value not finite. */
NITRO_API nitro_status nitro_profile_set(nitro_context *context, nitro_profile *profile,
                                         const char *metric, double value);
/** The value, or NaN where it was not collected. */
NITRO_API double nitro_profile_value(const nitro_profile *profile, const char *metric);
NITRO_API nitro_status nitro_profile_copy(nitro_context *context, const nitro_profile *from,
                                          nitro_profile **profile);
NITRO_API void nitro_profile_free(nitro_profile *profile);

/* ---- Proxies ------------------------------------------------------------------------------- */

struct nitro_formula;

/** A metric by the name that nvprof gave it, and how it follows from counters of today's names. */
typedef struct nitro_proxy_metric {
    char *name;
    bool is_ratio; /* percentages, rates, averages: says the same however much work there was */
    size_t num_formulas;
    struct nitro_formula **formulas; /* over the set's counters; the first that has them counts */
} nitro_proxy_metric;

/** A kernel with a dial for one kind of work, and what it stands for (DESIGN: the proxies). */
typedef struct nitro_proxy {
    char *name;
    char *about;
    size_t num_metrics;
    size_t *metrics; /* shape [num_metrics], indices of the set's metrics, ascending */
    nitro_string_list device_features;
} nitro_proxy;

/** Proxies in declared order. */
typedef struct nitro_proxies {
    size_t num_metrics;
    nitro_proxy_metric *metrics; /* shape [num_metrics] */
    size_t num_proxies;
    nitro_proxy *proxies;       /* shape [num_proxies] */
    nitro_string_list counters; /* that occur in formulas */
} nitro_proxies;

/**
 * The built-in proxies, data/proxies/paper.json; and those of a file in the same form.
 * @param[in] path  NULL: the built-in ones alone. Proxies and metrics of the file's come after
 *                  them, or in place of one of the same name.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: file and field are named.
 */
NITRO_API nitro_status nitro_proxies_create(nitro_context *context, const char *path,
                                            nitro_proxies **proxies);
/** Add what a text says, as with a file; on error `proxies` is of no more use but to be freed. */
NITRO_API nitro_status nitro_proxies_add(nitro_context *context, nitro_proxies *proxies,
                                         const char *origin, const char *text, size_t size);
NITRO_API void nitro_proxies_free(nitro_proxies *proxies);
/**
 * A profile as proxies' models see it: each metric as it was collected, or from today's counters;
 * counts are divided by the kernel's issued instructions (metric inst_issued), ratios are not. A
 * ratio of which there was nothing to count is 0.
 * @param[out] values  shape [num_metrics]; NaN: not collected. All NaN where it is not known how
 *                     many instructions were issued.
 */
NITRO_API nitro_status nitro_proxies_values(nitro_context *context, const nitro_proxies *proxies,
                                            const nitro_profile *profile, double *values);

/**
 * What to collect so that the metrics can be made: of each metric's formulas, the counters of the
 * first all of whose counters can be counted.
 * @param[in]  has       can this be counted here? Asked once a counter.
 * @param[out] counters  in the set's order; appended.
 */
NITRO_API nitro_status nitro_proxies_choose_counters(nitro_context *context,
                                                     const nitro_proxies *proxies,
                                                     bool (*has)(void *user, const char *counter),
                                                     void *user, nitro_string_list *counters);

/**
 * Regression by LIBSVM's epsilon-SVR with an RBF kernel (C 100, gamma 1 / columns, epsilon 0.1).
 * Columns are scaled to [-1, 1]; those that do not vary are left out. A point outside the range
 * that was learnt from is asked about at the range's edge.
 * @param[in] columns  shape [num_rows x num_columns], finite.
 * @param[in] values   shape [num_rows], finite.
 * @return NITRO_OK; NITRO_ERR_NO_DATA: fewer than two rows, or no column varies.
 */
typedef struct nitro_regression nitro_regression;

NITRO_API nitro_status nitro_regression_train(nitro_context *context, const double *columns,
                                              size_t num_rows, size_t num_columns,
                                              const double *values, nitro_regression **regression);
/** @param[in] columns  shape [num_columns]. Allocates nothing; thread-safe. */
NITRO_API double nitro_regression_predict(const nitro_regression *regression,
                                          const double *columns);
NITRO_API void nitro_regression_free(nitro_regression *regression);

/* ---- Family: stores ------------------------------------------------------------------------ */

typedef nitro_status (*nitro_sample_function)(void *user, const nitro_sample *sample);
typedef nitro_status (*nitro_profile_function)(void *user, const char *device,
                                               const nitro_profile *profile);
typedef void (*nitro_problem_function)(void *user, const char *problem);

/**
 * A backend. Functions get the state that `open` made; each write is durable and atomic when it
 * returns. Reads list in byte order of names, so that the same content gives the same bytes.
 * What a store holds is untrusted: every record is checked on its way in and out.
 */
typedef struct nitro_store_kind {
    const char *scheme; /* "sqlite" */
    const char *description;
    bool remote;    /* over a network, so it may be away: a tune keeps a journal then */
    bool read_only; /* has no functions that write; opening it for writing fails */
    int priority;   /* the highest one is used for a plain path */

    /** `address` is the URL after "scheme:". */
    nitro_status (*open)(nitro_context *context, const char *address, nitro_store_mode mode,
                         void **state);
    void (*close)(void *state);

    /** Names of a computation. put is refused with NITRO_ERR_MISMATCH when others are there. */
    nitro_status (*put_schema)(void *state, const nitro_schema *schema);
    nitro_status (*get_schema)(void *state, const char *computation, nitro_schema **schema);
    nitro_status (*list_computations)(void *state, nitro_string_list *computations);

    /** Devices; put replaces what is known of this id. */
    nitro_status (*put_device)(void *state, const nitro_device *device);
    nitro_status (*get_device)(void *state, const char *id, nitro_device **device);
    /** `computation` NULL: all devices; else those with samples of it. */
    nitro_status (*list_devices)(void *state, const char *computation, nitro_string_list *ids);

    /**
     * All `count` samples or none, in one transaction. An input that is there already:
     * NITRO_ERR_EXISTS (named), or replaced.
     */
    nitro_status (*put_samples)(void *state, const char *computation, const char *device,
                                const nitro_sample *const *samples, size_t count, bool replace);
    /** put_schema, put_device (NULL: it is known) and put_samples at once: all of it or nothing. */
    nitro_status (*put_recording)(void *state, const nitro_schema *schema,
                                  const nitro_device *device, const char *device_id,
                                  const nitro_sample *const *samples, size_t count, bool replace);
    /**
     * Samples in byte order of input names; a callback's failure ends the loop and is returned. The
     * callback may read the same open store, but not write to it. A sample that is not as it was
     * written is kept from the caller: `damaged` gets a message that names it, and the loop goes
     * on.
     */
    nitro_status (*each_sample)(void *state, const char *computation, const char *device,
                                nitro_sample_function function, void *user,
                                nitro_problem_function damaged, void *damaged_user);
    /** One sample. NITRO_ERR_NOT_FOUND (without a message), NITRO_ERR_FORMAT (damaged). */
    nitro_status (*get_sample)(void *state, const char *computation, const char *device,
                               const char *input, nitro_sample **sample);
    nitro_status (*list_inputs)(void *state, const char *computation, const char *device,
                                nitro_string_list *inputs);
    nitro_status (*count_samples)(void *state, const char *computation, const char *device,
                                  size_t *count);

    /**
     * All `count` profiles or none, in one transaction; their computations and the device are
     * there. One that is there already: NITRO_ERR_EXISTS (named). With `replace` every profile that
     * is there of a run of the batch goes first, whatever its kernel.
     */
    nitro_status (*put_profiles)(void *state, const char *device,
                                 const nitro_profile *const *profiles, size_t count, bool replace);
    /**
     * Profiles of a computation's variants (`computation` NULL: of proxies) on a device (NULL: on
     * all), in byte order of device, name, input, kernel, intensities from small to large. Rules of
     * each_sample. What is not there is no error.
     */
    nitro_status (*each_profile)(void *state, const char *device, const char *computation,
                                 nitro_profile_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user);
    nitro_status (*count_profiles)(void *state, const char *device, const char *computation,
                                   size_t *count);
    nitro_status (*remove_profiles)(void *state, const char *device, const char *computation,
                                    size_t *removed);

    /**
     * Remove the samples and profiles of a computation on a device; NULL device: on all, and its
     * names too. `removed` counts samples.
     */
    nitro_status (*remove)(void *state, const char *computation, const char *device,
                           size_t *removed);
    /** Remove those of the samples that are there with the same checksum, and count them: one that
     *  was replaced meanwhile stays. */
    nitro_status (*remove_samples)(void *state, const char *computation, const char *device,
                                   const nitro_sample *const *samples, size_t count,
                                   size_t *removed);
    /** Remove a device. NITRO_ERR_NOT_FOUND (without a message); NITRO_ERR_EXISTS where there are
     *  samples or profiles of it. */
    nitro_status (*remove_device)(void *state, const char *id);

    /**
     * Optional: claim an input for a tuner (`owner`: 1 to 127 bytes, its own), so that others leave
     * it alone for so long, or until claimed again by the same owner for a shorter time. What is
     * not claimed may be put all the same. NULL: tuners do not share inputs out.
     */
    nitro_status (*claim)(void *state, const char *computation, const char *device,
                          const char *input, const char *owner, uint32_t lease_ms, bool *claimed);
    /** Check everything; report each problem. NITRO_ERR_FORMAT when there were any. */
    nitro_status (*verify)(void *state, nitro_problem_function report, void *user);
    /** Remove damaged samples and profiles, and what belongs to nothing; report each that goes.
     *  With `dry_run` only report. */
    nitro_status (*remove_damaged)(void *state, bool dry_run, nitro_problem_function report,
                                   void *user);
    /** Of the layout in which this store keeps records, from 1. */
    nitro_status (*layout_version)(void *state, int64_t *version);
    /** Size on disk, 0 where that means nothing. */
    nitro_status (*size_bytes)(void *state, uint64_t *bytes);
} nitro_store_kind;

/* The same functions on an open store, whatever its kind; they also check what passes through. */
NITRO_API nitro_context *nitro_store_context(const nitro_store *store);
NITRO_API const char *nitro_store_url(const nitro_store *store);
NITRO_API nitro_status nitro_store_put_schema(nitro_store *store, const nitro_schema *schema);
NITRO_API nitro_status nitro_store_get_schema(nitro_store *store, const char *computation,
                                              nitro_schema **schema);
NITRO_API nitro_status nitro_store_list_computations(nitro_store *store, nitro_string_list *list);
NITRO_API nitro_status nitro_store_put_device(nitro_store *store, const nitro_device *device);
/**
 * Put a device as it is now. What microbenchmarks measured of it earlier stays, in the store and,
 * on success, in `device`, unless it was measured anew.
 * @return NITRO_ERR_MISMATCH: one of its id is modelled, and the other is not.
 */
NITRO_API nitro_status nitro_store_update_device(nitro_store *store, nitro_device *device);
NITRO_API nitro_status nitro_store_get_device(nitro_store *store, const char *id,
                                              nitro_device **device);
NITRO_API nitro_status nitro_store_list_devices(nitro_store *store, const char *computation,
                                                nitro_string_list *ids);
NITRO_API nitro_status nitro_store_put_samples(nitro_store *store, const char *computation,
                                               const char *device,
                                               const nitro_sample *const *samples, size_t count,
                                               bool replace);
NITRO_API nitro_status nitro_store_put_recording(nitro_store *store, const nitro_schema *schema,
                                                 const nitro_device *device, const char *device_id,
                                                 const nitro_sample *const *samples, size_t count,
                                                 bool replace);
/** Damaged samples are left out, and named in the log: nothing is built on them, and they do not
 *  stop what is sound from being used. */
NITRO_API nitro_status nitro_store_each_sample(nitro_store *store, const char *computation,
                                               const char *device, nitro_sample_function function,
                                               void *user);
/** The same, but messages that name damaged samples go to `damaged`. */
NITRO_API nitro_status nitro_store_read_samples(nitro_store *store, const char *computation,
                                                const char *device, nitro_sample_function function,
                                                void *user, nitro_problem_function damaged,
                                                void *damaged_user);
/** NITRO_ERR_NOT_FOUND; NITRO_ERR_FORMAT where it is damaged. */
NITRO_API nitro_status nitro_store_get_sample(nitro_store *store, const char *computation,
                                              const char *device, const char *input,
                                              nitro_sample **sample);
NITRO_API nitro_status nitro_store_list_inputs(nitro_store *store, const char *computation,
                                               const char *device, nitro_string_list *inputs);
NITRO_API nitro_status nitro_store_count_samples(nitro_store *store, const char *computation,
                                                 const char *device, size_t *count);
/** Also NITRO_ERR_NOT_FOUND: a computation or the device is not there; NITRO_ERR_MISMATCH: the
 *  computation has no such variant. Profiles of several computations and proxies may be mixed. */
NITRO_API nitro_status nitro_store_put_profiles(nitro_store *store, const char *device,
                                                const nitro_profile *const *profiles, size_t count,
                                                bool replace);
/** Damaged ones as with nitro_store_each_sample, and with nitro_store_read_samples. */
NITRO_API nitro_status nitro_store_each_profile(nitro_store *store, const char *device,
                                                const char *computation,
                                                nitro_profile_function function, void *user);
NITRO_API nitro_status nitro_store_read_profiles(nitro_store *store, const char *device,
                                                 const char *computation,
                                                 nitro_profile_function function, void *user,
                                                 nitro_problem_function damaged,
                                                 void *damaged_user);
NITRO_API nitro_status nitro_store_count_profiles(nitro_store *store, const char *device,
                                                  const char *computation, size_t *count);
/** Unlike the others NITRO_ERR_NOT_FOUND where there are none. */
NITRO_API nitro_status nitro_store_remove_profiles(nitro_store *store, const char *device,
                                                   const char *computation, size_t *removed);
NITRO_API nitro_status nitro_store_remove(nitro_store *store, const char *computation,
                                          const char *device, size_t *removed);
/** Remove these samples where the store has them still as they are here. */
NITRO_API nitro_status nitro_store_remove_samples(nitro_store *store, const char *computation,
                                                  const char *device,
                                                  const nitro_sample *const *samples, size_t count,
                                                  size_t *removed);
/** Remove a device of which there are no samples and no profiles (else NITRO_ERR_EXISTS). */
NITRO_API nitro_status nitro_store_remove_device(nitro_store *store, const char *id);
/** Is this kind of store one whose inputs tuners share out? */
NITRO_API bool nitro_store_has_claims(const nitro_store *store);
/** Claim an input; *claimed: nobody else has it. NITRO_ERR_NOT_BUILT: the store has no claims. */
NITRO_API nitro_status nitro_store_claim(nitro_store *store, const char *computation,
                                         const char *device, const char *input, const char *owner,
                                         uint32_t lease_ms, bool *claimed);
NITRO_API nitro_status nitro_store_verify(nitro_store *store, nitro_problem_function report,
                                          void *user);
/** Remove damaged samples and profiles, and what belongs to nothing; with `dry_run` only report. */
NITRO_API nitro_status nitro_store_remove_damaged(nitro_store *store, bool dry_run,
                                                  nitro_problem_function report, void *user);
/** Version of the layout in which the store keeps records. */
NITRO_API nitro_status nitro_store_layout_version(nitro_store *store, int64_t *version);
NITRO_API nitro_status nitro_store_size_bytes(nitro_store *store, uint64_t *bytes);
/** URLs, without passwords, of the stores that samples wait for in this user's journals; appended.
 */
NITRO_API nitro_status nitro_store_list_waiting(nitro_context *context, nitro_string_list *urls);
/** What was copied, and what was left alone because it is there already. */
typedef struct nitro_copy_report {
    size_t samples, samples_skipped; /* added; there already */
    size_t samples_replaced;         /* by newer ones */
    size_t samples_differing;        /* of those skipped: the other store has another measurement */
    size_t damaged;                  /* records of the store read from that were left behind */
    size_t profiles, profiles_skipped;
} nitro_copy_report;

/** Copy all computations, devices, samples and profiles. An input that is there already, or a run
 *  that has any profile there, stays as it is there. */
NITRO_API nitro_status nitro_store_copy(nitro_store *from, nitro_store *to,
                                        nitro_copy_report *report);

/** What becomes of an input of which both stores have a sample, and not the same. */
typedef enum nitro_conflict {
    NITRO_CONFLICT_KEEP,  /* the one that is there stays */
    NITRO_CONFLICT_NEWER, /* the newer one counts */
    NITRO_CONFLICT_BOTH   /* both stay: what comes is put under a device id of its own */
} nitro_conflict;

/** The label of a device "ID@CAMPAIGN": the id of the device that it is, measured by others. It is
 *  never a source of that device, nor that one of it. */
#define NITRO_LABEL_SAME_AS "same_as"
/** Are they one device: by id, or by that label? */
NITRO_API bool nitro_device_is_same(const nitro_device *a, const nitro_device *b);

typedef struct nitro_sync_options {
    nitro_conflict conflict;
    const char *campaign; /* BOTH: what comes is of device ID@campaign. NULL: an error where it is
                             needed */
    nitro_problem_function damaged; /* told of records that are left behind; may be NULL */
    void *user;
} nitro_sync_options;

/**
 * Bring what `from` has into `to`, one way. What is there as it is stays, so a run that was cut
 * goes on where it was, and a second one does nothing.
 * @param[out] report  written on error too: what went before it is there.
 */
NITRO_API nitro_status nitro_store_sync(nitro_store *from, nitro_store *to,
                                        const nitro_sync_options *options,
                                        nitro_copy_report *report);

/* ---- Validity: times that today's code, compiler, driver or device would not give ------------ */

typedef struct nitro_stale {
    const char *computation, *device;
    const char *variant; /* NULL: all times of the samples */
    const char *what;    /* "version", "compiler", "driver", "toolkit", "device" */
    const char *was, *now;
    size_t samples;
} nitro_stale;
typedef void (*nitro_stale_function)(void *user, const nitro_stale *stale);

/**
 * Find samples of a computation that were made otherwise than today's would be: by other versions
 * of variants, another compiler, driver or toolkit than the newest sample of their device, or
 * before the device's features changed. What is not known (of imported samples) is not stale.
 * @param[in] versions  of the variants, in the schema's order; NULL: those of the newest samples.
 */
NITRO_API nitro_status nitro_store_find_stale(nitro_store *store, const char *computation,
                                              const char *const *versions,
                                              nitro_stale_function report, void *user);
/**
 * Take back the times of other versions of variants (the next tune measures them again), and
 * nothing else; samples that have no time then go. Reports as nitro_store_find_stale; with
 * `dry_run` that is all.
 */
NITRO_API nitro_status nitro_store_remove_stale(nitro_store *store, const char *computation,
                                                const char *const *versions, bool dry_run,
                                                nitro_stale_function report, void *user);
/** The version that variant `index` declares; NULL: there is no such variant. */
NITRO_API const char *nitro_computation_variant_version(const nitro_computation *computation,
                                                        size_t index);

/* ---- Signing (store/sign.c) ----------------------------------------------------------------- */

/**
 * Detached Ed25519 signatures (RFC 8032, by libsodium) of bytes that others will read, such as a
 * bundle's index. In a build without libsodium every function but _free is NITRO_ERR_NOT_BUILT.
 * Sign what names its content by a cryptographic hash; the checksums of records are none.
 */
typedef struct nitro_signing_key nitro_signing_key;
typedef struct nitro_trusted_keys nitro_trusted_keys;

/**
 * Make a key pair: the secret one in `path` (mode 0600), the public one in `path`.pub, one line.
 * @param[in] name  whose key it is, as signatures will be shown; clean as a device id.
 * @return NITRO_OK; NITRO_ERR_EXISTS (`path` is there: never overwritten); NITRO_ERR_IO.
 */
NITRO_API nitro_status nitro_signing_key_create(nitro_context *context, const char *path,
                                                const char *name);
/** Errors of nitro_file_read_private; NITRO_ERR_FORMAT where it is no secret key. */
NITRO_API nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                              nitro_signing_key **key);
NITRO_API void nitro_signing_key_free(nitro_signing_key *key);
/** @param[out] signature  one line of text that says which key signed; free with free(). */
NITRO_API nitro_status nitro_sign(nitro_context *context, const nitro_signing_key *key,
                                  const void *data, size_t size, char **signature);

/** Public keys to trust: lines of .pub files, `#` starts a comment. NITRO_ERR_FORMAT names file and
 *  line, also where there is no key at all. */
NITRO_API nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                               nitro_trusted_keys **keys);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin,
                                                const char *text, size_t size,
                                                nitro_trusted_keys **keys);
NITRO_API void nitro_trusted_keys_free(nitro_trusted_keys *keys);
/**
 * Did a trusted key sign exactly these bytes?
 * @param[in]  origin  names what was signed in errors.
 * @param[out] signer  the key's name, owned by `keys`. May be NULL.
 * @return NITRO_OK; NITRO_ERR_FORMAT (no signature of ours); NITRO_ERR_MISMATCH (a key that is not
 *         trusted, named; or other bytes than were signed).
 */
NITRO_API nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                             const char *origin, const void *data, size_t size,
                                             const char *signature, size_t signature_size,
                                             const char **signer);

/** Import of recorded devices: samples in CSV, one row an input, `time_ms:VARIANT` columns. */
typedef struct nitro_import_options {
    const char *computation;
    const char *device;
    const char *samples_path;
    const char *devices_path;              /* NULL: the device must be known already, or has no
                                              features */
    const nitro_string_list *features;     /* NULL: every column but input and times, or what the
                                              description names */
    const nitro_string_list *variants;     /* NULL: every time_ms: column */
    const nitro_string_list *log_features; /* scale log; NULL: none; the others stay auto */
    const char *description_path;          /* NULL: none. Its features are the columns of a
                                              computation that is new, unless `features` says */
    bool replace;
} nitro_import_options;

typedef struct nitro_import_report {
    size_t added, replaced;
    size_t holes;         /* times that are missing */
    size_t without_times; /* inputs that have no time at all: kept, and said */
} nitro_import_report;

NITRO_API nitro_status nitro_store_import_csv(nitro_store *store,
                                              const nitro_import_options *options,
                                              nitro_import_report *report);

/**
 * Import of a checkout of the Ginkgo project's benchmark data: JSON files at
 * DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json, of several generations. Each file's unit (s or ns)
 * follows from its times; files of one folder with another executor, spelling of variants or unit
 * are another campaign and become a device of their own. Names are as in "cusp_csr".
 */
typedef struct nitro_ginkgo_options {
    const char *path;                  /* the checkout, or a folder in it */
    const char *computation;           /* NULL: "spmv-ginkgo" */
    const char *campaign;              /* joined to the devices' ids with '_'; NULL: nothing */
    const char *devices_path;          /* rows by device id, else by folder; NULL: none */
    const char *description_path;      /* as in nitro_import_options, like those below */
    const nitro_string_list *folders;  /* devices to take; NULL: all */
    const nitro_string_list *features; /* NULL: the store's, else as described, else all 18 */
    const nitro_string_list *variants; /* NULL: the store's, else what all devices share */
    const nitro_string_list *log_features;
    bool replace;
} nitro_ginkgo_options;

/** One campaign of the checkout. */
typedef struct nitro_ginkgo_campaign {
    char *device; /* id in the store: the folder's name for its largest campaign */
    char *folder, *executor;
    const char *unit;                 /* "s", "ns": static */
    bool capital;                     /* variants are spelled as in "CuspCsr" */
    double fastest_low, fastest_high; /* range of the fastest variant's time, in that unit */
    size_t inputs, added, replaced, holes;
    char *left_out; /* why it was not imported; NULL: it was */
} nitro_ginkgo_campaign;

/** Files, or measurements in them, that were left out for one reason. */
typedef struct nitro_ginkgo_skipped {
    const char *reason; /* static */
    size_t count;
    char *example; /* the first one */
} nitro_ginkgo_skipped;

typedef struct nitro_ginkgo_report {
    size_t num_campaigns, num_skipped;
    nitro_ginkgo_campaign *campaigns; /* shape [num_campaigns], in byte order of paths */
    nitro_ginkgo_skipped *skipped;    /* shape [num_skipped] */
    nitro_string_list variants;       /* that were imported */
} nitro_ginkgo_report;

/**
 * Everything is read and checked before the first device is written; each device is written whole.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no measurement found, or no two variants in common: the
 *         error says what to do); as nitro_store_import_csv.
 */
NITRO_API nitro_status nitro_store_import_ginkgo(nitro_store *store,
                                                 const nitro_ginkgo_options *options,
                                                 nitro_ginkgo_report **report);
NITRO_API void nitro_ginkgo_report_free(nitro_ginkgo_report *report);

/** Write the same form back; `devices_path` may be NULL. */
NITRO_API nitro_status nitro_store_export_csv(nitro_store *store, const char *computation,
                                              const char *device, const char *samples_path,
                                              const char *devices_path);

/**
 * Import of profiles: CSV, one row a kernel (or a metric of a kernel), in the form that
 * nitro_store_export_profiles writes, or as profilers write it:
 *
 *     Nitro's        columns device, computation, variant, input (of a variant's run) or device,
 *                    proxy, intensity (of a proxy's), kernel, optionally origin; the others are
 *                    metrics. An empty field: not collected.
 *     Nsight Compute ncu --csv --page raw (or --page details); --print-units base keeps units apart
 *     nvprof         nvprof --csv --metrics all, summary or trace
 *
 * Lines that begin with "==" are a profiler's chatter. What a file has no column for comes from the
 * options. Profilers' columns that are no metrics are left out; a kernel that they list several
 * times is kept as "NAME", "NAME#2" and so on, and of a very long name the beginning.
 */
typedef struct nitro_profile_import_options {
    const char *path;
    /* For rows without such a column, or with an empty field there; NULL: each row has it. */
    const char *device, *computation, *variant, *input, *proxy;
    double intensity; /* likewise; NaN */
    bool replace;     /* runs that the store has already, as nitro_store_put_profiles does */
} nitro_profile_import_options;

typedef struct nitro_profile_import_report {
    size_t devices, profiles, values;
    size_t missing; /* values that were not collected */
} nitro_profile_import_report;

NITRO_API void nitro_profile_import_options_init(nitro_profile_import_options *options);
/**
 * Everything is read and checked before anything is written; each device's profiles go in whole or
 * not at all. A device that the store does not know is made, without device features.
 * @return NITRO_OK; NITRO_ERR_FORMAT: line and column are named; NITRO_ERR_EXISTS (unless
 * replaced); NITRO_ERR_NOT_FOUND (computation); NITRO_ERR_MISMATCH (variant).
 */
NITRO_API nitro_status nitro_store_import_profiles(nitro_store *store,
                                                   const nitro_profile_import_options *options,
                                                   nitro_profile_import_report *report);
/**
 * Write profiles in Nitro's form: of a computation's variants (NULL: of proxies, and of all
 * computations) on a device (NULL: all).
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND: there are none, or no such computation.
 */
NITRO_API nitro_status nitro_store_export_profiles(nitro_store *store, const char *computation,
                                                   const char *device, const char *path,
                                                   size_t *count);
/* ---- Publishing (docs/bundles.md) ----------------------------------------------------------- */

typedef struct nitro_publish_options {
    const char *folder;           /* made when missing */
    const nitro_signing_key *key; /* signs every bundle; NULL: they are not signed */
} nitro_publish_options;

typedef struct nitro_publish_report {
    size_t bundles, unchanged; /* all of them; those whose file was there already */
    size_t removed;            /* files that neither this index nor the last one names */
    uint64_t samples, profiles, bytes;
} nitro_publish_report;

/**
 * Write all devices, samples and profiles of a store as a folder of static files that any web
 * server can serve: an index, and a compressed bundle for each computation and device. The same
 * content gives the same bytes and file names. The index is replaced last and whole, and the files
 * of the last one stay, so that readers never see a part. Waits while another process publishes
 * into the folder.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT (no zstd or libsodium).
 */
NITRO_API nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                           nitro_publish_report *report);

typedef struct nitro_pull_options {
    const char *url;                /* https://, http://, file:, or a folder's path */
    const nitro_trusted_keys *keys; /* take only what one of them signed; NULL: take all */
} nitro_pull_options;

typedef struct nitro_pull_report {
    size_t bundles; /* that were taken, or were here already */
    size_t devices; /* new ones */
    nitro_copy_report copied;
    nitro_string_list refused; /* why, one text a bundle */
} nitro_pull_report;

/**
 * Bring published bundles into a store. What is there already stays as it is. A bundle that is not
 * what the index says, or is not signed as it must be, is refused and named, the others are taken.
 * @return NITRO_OK, also where bundles were refused; NITRO_ERR_IO: the server cannot be reached,
 *         too slow, not trusted (what came is in the cache, nothing yet in the store);
 *         NITRO_ERR_MISMATCH (the store has other names for a computation); NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_store_pull(nitro_store *to, const nitro_pull_options *options,
                                        nitro_pull_report *report);
NITRO_API void nitro_pull_report_free(nitro_pull_report *report);

/* ---- Inputs from elsewhere ------------------------------------------------------------------ */

#define NITRO_FETCH_SUITESPARSE "https://sparse.tamu.edu/MM"

typedef struct nitro_fetch_options {
    const char *base_url; /* BASE/GROUP/NAME.tar.gz is asked for */
    uint64_t max_bytes;   /* of the archive, and of what it unpacks to */
    /** Is this unpacked file fit for use? What it refuses is not kept. NULL: not asked. */
    nitro_status (*check)(void *user, const char *path);
    void *user;
} nitro_fetch_options;

NITRO_API void nitro_fetch_options_init(nitro_fetch_options *options);
/**
 * Bring a matrix (Matrix Market) of a collection into the user's cache, or find it there. A cut
 * download goes on where it ended.
 * @param[in]  matrix  "GROUP/NAME".
 * @param[out] path    of NAME.mtx; free with free(). @param[out] cached  it was there already.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO; NITRO_ERR_FORMAT (the archive is hostile,
 *         larger than the limit, or holds no such matrix); what `check` returned;
 *         NITRO_ERR_NOT_BUILT.
 */
NITRO_API nitro_status nitro_fetch_matrix(nitro_context *context, const char *matrix,
                                          const nitro_fetch_options *options, char **path,
                                          bool *cached);

/* ---- Family: device kinds ------------------------------------------------------------------ */

/** An open device, in the worker process that runs variants on it. */
typedef struct nitro_device_session nitro_device_session;

/**
 * A device's own clock, caches and memory. `stream` is what nitro_hooks.stream says; NULL is the
 * default one. Called by one thread of a worker process, never before a fork. A call that fails
 * says why: so does the first one after asynchronous work that failed.
 */
typedef struct nitro_device_access {
    /** Errors as nitro_device_kind.describe, and NITRO_ERR_IO: the device refuses. */
    nitro_status (*open)(nitro_context *context, const char *id, nitro_device_session **session);
    void (*close)(nitro_device_session *session);

    /** What the stream is given between the two is what is timed; `stop` waits for it, also after
     *  a variant failed. Both NULL: the device has no clock of its own. */
    nitro_status (*start)(nitro_device_session *session, void *stream);
    nitro_status (*stop)(nitro_device_session *session, void *stream, double *elapsed_ms);

    /** Leave nothing of the input in the caches; on the stream, without waiting. */
    nitro_status (*flush)(nitro_device_session *session, void *stream);

    /** Memory that could be allocated now. It fails once a fault has made the device useless for
     *  this process: measuring asks after each failure, and goes on in a new process then. NULL:
     *  not known. */
    nitro_status (*free_memory)(nitro_device_session *session, size_t *bytes);

    /** Clocks and what holds them back, for people: "1980 MHz, memory 2619 MHz, throttled: power".
     *  "" where nothing is known. */
    nitro_status (*state)(nitro_device_session *session, char *text, size_t size);
} nitro_device_access;

typedef struct nitro_device_kind {
    const char *name; /* "host", "model" */
    const char *description;
    int priority;

    /** Ids of the devices of this kind that are here now; none is not an error. */
    nitro_status (*list)(nitro_context *context, nitro_string_list *ids);

    /**
     * Everything known of a device without running anything long; with `measure` also what
     * microbenchmarks say (seconds). NITRO_ERR_NOT_FOUND when the id is not one of this kind.
     */
    nitro_status (*describe)(nitro_context *context, const char *id, bool measure,
                             nitro_device **device);

    /**
     * NULL where variants really run. A modelled kind fills `sample->entries` from the input's
     * features by its documented cost model instead; the same seed gives the same times.
     * NITRO_ERR_NOT_FOUND when it has no model of this computation.
     */
    nitro_status (*simulate)(nitro_context *context, const nitro_device *device,
                             const nitro_schema *schema, uint64_t seed, nitro_sample *sample);

    /**
     * NULL where kernels really run. A modelled kind hands on profiles from a documented formula
     * instead, of every variant on a sample's input (its features), or, with `schema` and `sample`
     * NULL, of every proxy at intensities 0, 1 and so on. Their origin is "modelled". Errors as
     * simulate's, and the function's.
     */
    nitro_status (*simulate_profiles)(nitro_context *context, const nitro_device *device,
                                      const nitro_schema *schema, const nitro_sample *sample,
                                      uint64_t seed, nitro_profile_function function, void *user);

    /** NULL where variants run in the host's memory and time. */
    const nitro_device_access *access;

    /**
     * Both NULL, or both there: all that `describe` is told of a device as a text (free with
     * free()), and the device made of such a text, anywhere. So a device that was once here can be
     * tested without it. Errors of `record` are those of describe; `replay` gives NITRO_ERR_FORMAT
     * or NITRO_ERR_NEWER, with `origin` and the field, for what is no such text.
     */
    nitro_status (*record)(nitro_context *context, const char *id, bool measure, char **text);
    nitro_status (*replay)(nitro_context *context, const char *origin, const char *text,
                           size_t size, nitro_device **device);
} nitro_device_kind;

/**
 * Put modelled profiles into a store: of proxies on a modelled device, and of a computation's
 * variants on the inputs that the store has samples of there. Those that are there are replaced.
 * @param[out] count  profiles that were put.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (computation, device, or no cost model of it); NITRO_ERR_
 *         NO_DATA (no samples there); NITRO_ERR_ARGUMENT (the device is not modelled).
 */
NITRO_API nitro_status nitro_store_put_modelled_profiles(nitro_store *store,
                                                         const char *computation,
                                                         const char *device, uint64_t seed,
                                                         size_t *count);

/** The device kind of this name; NULL: this build knows none. */
NITRO_API const nitro_device_kind *nitro_device_kind_find(const nitro_context *context,
                                                          const char *name);

/** Find a live or modelled device by id, asking every kind; "host" is this machine's processor.
 *  @param[out] kind  may be NULL. */
NITRO_API nitro_status nitro_device_find(nitro_context *context, const char *id, bool measure,
                                         nitro_device **device, const nitro_device_kind **kind);

/* ---- Family: proxy kernels ----------------------------------------------------------------- */

/** A proxy's dial goes from 0, none of its kind of work, to this: of every five instructions of its
 *  kernel, as many are of its kind; the others are integer arithmetic, which no proxy counts. */
#define NITRO_PROXY_MAX_INTENSITY 5

/** How much one run does. Of the counts 0 stands for what suits the device: a run of milliseconds
 *  that keeps all of it busy, with a footprint that is what the proxy stands for. */
typedef struct nitro_proxy_work {
    unsigned intensity;  /* 0 to NITRO_PROXY_MAX_INTENSITY */
    size_t num_threads;  /* rounded up to whole blocks on cuda */
    size_t num_passes;   /* how often each thread goes through the kernel's unrolled loop */
    size_t memory_bytes; /* that all threads together go through; rounded up; of no meaning where
                            the kernel has a fixed place to work on */
    void *stream;        /* cuda: the cudaStream_t that runs go to; NULL: the default stream */
} nitro_proxy_work;

/** Code of a kernel, to be disassembled, not called. */
typedef void (*nitro_proxy_code)(void);

/**
 * A proxy's kernel on one kind of device. On cuda every function works on the calling thread's
 * current device, and needs a process that will not fork.
 */
typedef struct nitro_proxy_kernel {
    const char *proxy;       /* "SP-GFLOP": a name in data/proxies/paper.json */
    const char *device_kind; /* "host", "cuda" */
    const char *description; /* what it does, in one line */

    /**
     * Get memory ready for runs.
     * @param[in] work  borrowed until return; the stream until free.
     * @return NITRO_OK; NITRO_ERR_ARGUMENT (the intensity, counts too large for the kernel);
     *         NITRO_ERR_NO_MEMORY, also of the device; NITRO_ERR_IO (the device failed);
     *         NITRO_ERR_NOT_BUILT.
     */
    nitro_status (*create)(nitro_context *context, const nitro_proxy_work *work, void **state);
    /** One run. On cuda: one kernel launch on the stream, and nothing else; on the host: on threads
     *  of its own, that are gone when it returns. May be called any number of times. */
    nitro_status (*run)(void *state);
    /** Memory as at first, one run, wait for it, and compare what it left behind with what the same
     *  steps give one after the other. NITRO_ERR_MISMATCH says what differs. */
    nitro_status (*check)(void *state);
    /** Waits for runs. */
    void (*free)(void *state);

    /** cuda: the name of its kernels without the intensity, that a template argument is:
     *  "nitro_proxy_sp_gflop" of nitro_proxy_sp_gflop<3>. NULL on the host. */
    const char *symbol;
    /** host: the code of an intensity. NULL on cuda. */
    nitro_proxy_code (*code)(unsigned intensity);
} nitro_proxy_kernel;

/** The kernel of a proxy on a kind of device, or NITRO_ERR_NOT_FOUND. */
NITRO_API nitro_status nitro_proxy_kernel_find(nitro_context *context, const char *proxy,
                                               const char *device_kind,
                                               const nitro_proxy_kernel **kernel);

/** Points of percent that a share may be off: a loop has instructions of its own. */
#define NITRO_PROXY_SHARE_TOLERANCE 5.0

/** What the unrolled loop of a kernel is made of, in machine code. */
typedef struct nitro_proxy_share {
    const nitro_proxy_kernel *kernel;
    unsigned intensity;
    char architecture[32]; /* "sm_90", "x86-64" */
    size_t instructions;   /* of the loop, padding not counted */
    size_t of_kind;        /* of these, its proxy's work; the share is of_kind / instructions */
    size_t of_others;      /* of these, the work of other proxies */
    size_t padding;        /* NOPs that the assembler put there */
} nitro_proxy_share;

/**
 * Count the instructions of all proxy kernels for a kind of device, in their largest innermost
 * loop: what is before and after it runs once where the loop runs often. Runs a disassembler:
 * seconds.
 * @param[in]  path    cuda: a file with machine code (library, program, cubin, fatbin); NULL: the
 *                     file of this library. Not read for the host.
 * @param[out] shares  shape [num_shares], kernel by kernel, architecture by architecture,
 *                     intensities ascending; free with free().
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND: the disassembler is not here (cuobjdump, objdump);
 *         NITRO_ERR_IO: it failed; NITRO_ERR_NO_DATA: the file holds none of the kernels;
 *         NITRO_ERR_FORMAT: a kernel has no loop; NITRO_ERR_NOT_BUILT: nothing is known of the
 *         instructions of such devices. The error says what to do.
 */
NITRO_API nitro_status nitro_proxy_shares_count(nitro_context *context, const char *device_kind,
                                                const char *path, nitro_proxy_share **shares,
                                                size_t *num_shares);

/**
 * Cosine similarity of devices with each named feature scaled to [-1, 1] over these devices (the
 * paper's Table 2). Constant features count as 0 in all.
 * @param[out] matrix  shape [num_devices x num_devices], row-major.
 * @return NITRO_ERR_NO_DATA when a device lacks a feature (both named).
 */
NITRO_API nitro_status nitro_device_similarity(nitro_context *context,
                                               const nitro_device *const *devices,
                                               size_t num_devices, const char *const *features,
                                               size_t num_features, double *matrix);

/* ---- Family: profilers ---------------------------------------------------------------------- */

/** What a profiler looks at. Functions return 0 on success. */
typedef struct nitro_profiled_work {
    int (*restore)(void *user); /* before every run, not looked at; NULL: nothing to do */
    int (*run)(void *user);     /* may leave work on the device unfinished */
    void *user;
} nitro_profiled_work;

/** Told of each kernel that the work launched, in order; a host's run is one kernel.
 *  @param[in] values  shape [count of the counters asked for]; NaN: it has none here. */
typedef nitro_status (*nitro_kernel_function)(void *user, const char *kernel, const double *values);

/**
 * Reads hardware counters. Used by one thread of a worker process in which the device is open, from
 * before an input is loaded: threads that start later are counted too. Work is run several times,
 * and slowly: no time of it means anything.
 */
typedef struct nitro_profiler {
    const char *name; /* "cupti" */
    const char *description;
    const char *device_kind; /* "cuda": the kind of device that it profiles */

    /**
     * @return NITRO_OK; NITRO_ERR_NOT_BUILT; NITRO_ERR_IO: it cannot be done here (no permission, a
     *         device without counters, another tool in the way): one sentence with the remedy.
     */
    nitro_status (*open)(nitro_context *context, const char *device, void **state);
    /** Can the device count it? Names are those of the proxies' formulas. */
    bool (*has)(void *state, const char *counter);
    /**
     * @param[in] counters  all of which it has.
     * @return NITRO_OK; NITRO_ERR_VARIANT_FAILED (the work did: other work may do better, in a new
     *         process); NITRO_ERR_IO (nothing can be profiled here, as for open); the function's.
     */
    nitro_status (*collect)(void *state, const nitro_string_list *counters,
                            const nitro_profiled_work *work, nitro_kernel_function function,
                            void *user);
    void (*close)(void *state); /* switches off what was switched on */
} nitro_profiler;

/* ---- Measuring one input ------------------------------------------------------------------- */

/**
 * Measure every variant of a computation on one input in worker processes, as nitro_tune() does, on
 * the first device of the computation's kind.
 * @param[in]  options  NULL: the defaults.
 * @param[out] sample  features and entries, whatever happened to the variants; of the provenance
 *                     what is known here: the device's state and whether caches were cold.
 * @return NITRO_OK even where every variant failed; an error when the input itself cannot be loaded
 *         or its features not evaluated, or the device cannot be opened or timed by.
 */
NITRO_API nitro_status nitro_measure(nitro_computation *computation, const nitro_input *input,
                                     const nitro_measure_options *options, nitro_sample **sample);

/**
 * The same on a device by its id (of the computation's kind; NULL: the first one) for some
 * variants: bit v of `variants` asks for variant v. The reference variant is measured as well; the
 * others' entries stay missing.
 */
NITRO_API nitro_status nitro_measure_variants(nitro_computation *computation,
                                              const nitro_input *input, const char *device,
                                              const nitro_measure_options *options,
                                              uint64_t variants, nitro_sample **sample);

/** Name of the variant that results are checked against; NULL where nothing checks them. */
NITRO_API const char *nitro_computation_reference(const nitro_computation *computation);

/* ---- Collecting profiles --------------------------------------------------------------------- */

typedef struct nitro_profile_progress {
    size_t done, total; /* inputs, or proxies */
    size_t found;       /* of `done`, those whose runs the store had already */
    const char *what;   /* the one just finished */
} nitro_profile_progress;

typedef struct nitro_profile_options {
    const char *proxies_path;       /* more proxies, whose counters are collected too; NULL: none */
    const nitro_profiler *profiler; /* NULL: the built-in one of the device's kind */
    const nitro_proxy_kernel *const
        *kernels;              /* of proxies, ended by NULL; NULL: the built-in ones */
    double timeout_ms;         /* a variant's function that takes longer counts as hung; one
                                  call of it is run many times over */
    size_t memory_limit_bytes; /* of a worker; 0: no limit */
    bool again;                /* collect once more what the store holds, replacing it */
    bool (*progress)(void *user, const nitro_profile_progress *progress); /* false: stop. Or NULL */
    void *progress_user;
} nitro_profile_options;

typedef struct nitro_profile_report {
    size_t profiles; /* put into the store: one a kernel */
    size_t runs;     /* of a variant on an input, or a proxy at an intensity, that they are of */
    size_t found;    /* runs that the store had already */
    size_t failed;   /* runs that failed, crashed or gave a wrong result: the log says which */
    size_t failed_inputs; /* that could not be loaded, likewise */
} nitro_profile_report;

NITRO_API void nitro_profile_options_init(nitro_profile_options *options);

/**
 * Profile every variant of a computation on inputs, on a device where they run, and put the
 * profiles into the store, input by input. Variants run in worker processes, checked against the
 * reference as by nitro_tune(); no time is taken.
 * @param[in]  options  NULL: the defaults.
 * @param[out] report   written on error too: what went before it is in the store.
 * @return NITRO_OK, also where some runs failed; NITRO_ERR_NOT_BUILT or NITRO_ERR_IO where nothing
 *         can be profiled here: one sentence with the remedy; NITRO_ERR_NOT_FOUND (the device, a
 *         profiler for its kind); NITRO_ERR_INTERRUPTED; else as nitro_tune().
 */
NITRO_API nitro_status nitro_profile_variants(nitro_computation *computation, nitro_store *store,
                                              const char *device, const nitro_input *inputs,
                                              size_t num_inputs,
                                              const nitro_profile_options *options,
                                              nitro_profile_report *report);

/** Profile every proxy's kernel for the device's kind at intensities 0, 1 and so on, likewise. */
NITRO_API nitro_status nitro_profile_proxies(nitro_store *store, const char *device,
                                             const nitro_profile_options *options,
                                             nitro_profile_report *report);

/* ---- Learning ------------------------------------------------------------------------------ */

/** All samples of some devices, as matrices. Rows are (device, input) pairs. */
typedef struct nitro_dataset {
    nitro_schema *schema;
    size_t num_devices;
    nitro_device **devices; /* shape [num_devices] */
    size_t num_inputs;
    char **inputs; /* shape [num_inputs], byte order */
    size_t num_rows;
    size_t *row_device; /* shape [num_rows], index into devices */
    size_t *row_input;  /* shape [num_rows], index into inputs */
    double *features;   /* shape [num_rows x num_features] */
    double *times_ms;   /* shape [num_rows x num_variants]; NaN: no time */
} nitro_dataset;

/** Rows with a hole in their features are left out, and said in the log. */
NITRO_API nitro_status nitro_dataset_load(nitro_store *store, const char *computation,
                                          const char *const *devices, size_t num_devices,
                                          nitro_dataset **dataset);
NITRO_API void nitro_dataset_free(nitro_dataset *dataset);
/** A hash of all that the rows say: devices, inputs, features, times. */
NITRO_API uint64_t nitro_dataset_digest(const nitro_dataset *dataset);
/** The same over the rows of one device alone, whatever else is in the dataset. */
NITRO_API uint64_t nitro_dataset_device_digest(const nitro_dataset *dataset, size_t device);

/** What a strategy learns from: columns are scaled to [-1, 1] already. */
typedef struct nitro_training_set {
    size_t num_rows, num_columns, num_variants;
    const double *columns;    /* shape [num_rows x num_columns]: input features, device features */
    const double *times_ms;   /* shape [num_rows x num_variants]; NaN: no time */
    const size_t *row_input;  /* shape [num_rows]: rows of one input stay together in folds */
    const size_t *row_device; /* shape [num_rows]: which source; NULL: all rows are of one */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
    bool quick;           /* a rehearsal of many: search for parameters less thoroughly */
    uint64_t members;     /* of a strategy that averages others: a bit for each; 0: all */
} nitro_training_set;

/** What scores are made of: kernels and trees (nitro/parts.h). */
typedef struct nitro_parts nitro_parts;

/** Most strategies that one averages. */
#define NITRO_MAX_MEMBERS 8

/** A selection strategy: how a training set becomes scores. */
typedef struct nitro_strategy {
    const char *name; /* "svm" */
    const char *description;
    int priority; /* the highest is the default of tune-from-source */
    /** The device-feature selection it goes with where the user names none. "omit" for strategies
     *  that generalise well over inputs, and lose on devices unlike the sources when they see
     *  devices' numbers as plain columns. */
    const char *dfs;
    bool without_relative; /* a method as published: relative features are not for it */
    /** How much ln(time / best time) a score's unit is worth; 1: scores are about its expectation,
     *  negated, so that differences say how much slower; 0: scores are not about times. */
    double regret_per_score;

    /**
     * @param[out] held_out_scores  shape [num_rows x num_variants], or NULL: scores of each row by
     *                              a predictor that did not see the row's input, from which a
     *                              model's confidence is calibrated; NaN in rows without.
     */
    nitro_status (*train)(nitro_context *context, const nitro_training_set *set, void **predictor,
                          double *held_out_scores);
    /** One score a variant, larger is better; `columns` scaled. Allocates nothing; thread-safe. */
    void (*score)(const void *predictor, const double *columns, double *scores);
    /** A strategy that averages others: how many, 0 for all else, how they are called, and what
     * each says by itself. */
    size_t num_members;
    const char *const *member_names; /* shape [num_members] */
    /** @param[out] scores  shape [num_members x num_variants], all in the units of `score`, whose
     *                      average they make; for predictors with all members. */
    void (*score_members)(const void *predictor, const double *columns, double *scores);
    /** What the scores are made of, added to `parts`, for compiled models; NULL: models are not
     *  compiled, and `score` decides. What the parts point to stays the predictor's. */
    nitro_status (*parts)(nitro_context *context, const void *predictor, nitro_parts *parts);
    /** To and from a model file; decode checks everything (NITRO_ERR_FORMAT names the field). */
    nitro_status (*encode)(nitro_context *context, const void *predictor, struct json_t **json);
    nitro_status (*decode)(nitro_context *context, const char *path, const struct json_t *json,
                           size_t num_columns, size_t num_variants, void **predictor);
    void (*free)(void *predictor);
} nitro_strategy;

/** What a device-feature selection may look at; all borrowed. */
typedef struct nitro_dfs_task {
    const nitro_dataset *sources; /* the samples to learn from */
    const nitro_device *target;
    const nitro_string_list *candidates; /* device features that every source and the target have */
    nitro_store *store;                  /* where profiles are; NULL: none can be asked for */
    size_t max_subset;                   /* search: most device features in a subset, >= 1 */
    size_t k;                            /* search: how many device features to choose, >= 1 */
    const char *proxies_path;            /* profile: a file of more proxies; NULL: none */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core; the choice does not depend on it */
} nitro_dfs_task;

/** Device-feature selection: which device features a model shall see. */
typedef struct nitro_dfs_kind {
    const char *name; /* "none" */
    const char *description;
    int priority;
    /**
     * @param[out] chosen  a subset of the candidates, appended.
     * @param[out] report  a JSON object that says what was found and why, for people and reports;
     *                     no times in it: the same task gives the same bytes. NULL where there is
     *                     nothing to say. The caller's to free; may itself be NULL: not wanted.
     */
    nitro_status (*select)(nitro_context *context, const nitro_dfs_task *task,
                           nitro_string_list *chosen, struct json_t **report);
} nitro_dfs_kind;

#define NITRO_DFS_MAX_CANDIDATES 64

/** What a judgement of subsets looked at, and what it took. */
typedef struct nitro_dfs_effort {
    size_t num_inputs, num_rows; /* samples looked at */
    size_t num_candidate_rows;   /* that they were drawn from, by the task's seed, where many */
    size_t num_models;           /* pretend targets times subsets */
    size_t num_trained; /* of those models; the others are equal to one of these. Each is trained on
                           166 parts of its rows to find C and gamma, then on all */
} nitro_dfs_effort;

/**
 * How good the paper's SVM (strategy "svm", C and gamma searched, no relative features) is on each
 * source in turn when it learns from the others with a subset of the device features: what a search
 * by cross-validation over sources asks (the paper's Algorithm 2).
 *
 * The answers are those of one LIBSVM training after the other, without shrinking, on the kernel
 * K(x, x') K(a, a') of input features x and device features a, bit for bit; subsets that cannot be
 * told apart are trained once. At most 1200 samples are looked at, whole inputs drawn by the task's
 * seed, so that memory is bounded. Not read: `store`, `target`, `max_subset`, `k`.
 *
 * @param[in]  subsets    shape [num_subsets]: bit f stands for task->candidates->items[f]; 0: no
 *                        device feature.
 * @param[out] qualities  shape [num_sources x num_subsets]: mean quality in percent on that source;
 *                        NaN where it has no samples, or no other source has any.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (more than NITRO_DFS_MAX_CANDIDATES candidates);
 *         NITRO_ERR_NO_DATA (no sample has times of two variants).
 */
NITRO_API nitro_status nitro_dfs_judge(nitro_context *context, const nitro_dfs_task *task,
                                       const uint64_t *subsets, size_t num_subsets,
                                       double *qualities, nitro_dfs_effort *effort);

/** The selection of this name (NULL: that of the highest priority), or NITRO_ERR_NOT_FOUND. */
NITRO_API nitro_status nitro_dfs_find(nitro_context *context, const char *name,
                                      const nitro_dfs_kind **dfs);

/**
 * Are the records of this store still those that the model was made of?
 * @param report  told of every source of which they are not, by name, and why.
 * @return NITRO_OK; NITRO_ERR_MISMATCH where they are not; NITRO_ERR_NOT_FOUND (the computation);
 *         NITRO_ERR_NO_DATA (the model does not say what it was made of).
 */
NITRO_API nitro_status nitro_model_check_records(const nitro_model *model, nitro_store *store,
                                                 nitro_problem_function report, void *user);

/** Provenance and parameters of a model as JSON text, for tools; free with free(). */
NITRO_API nitro_status nitro_model_summary(const nitro_model *model, char **json_text);

/* ---- Evaluating ---------------------------------------------------------------------------- */

typedef struct nitro_evaluate_options {
    const nitro_string_list *targets;      /* NULL: every device with samples */
    const nitro_string_list *sources;      /* NULL: all; a target is never its own source */
    const nitro_string_list *methods;      /* NULL: all */
    const nitro_string_list *train_inputs; /* NULL: drawn by train_fraction and seed */
    const nitro_string_list *test_inputs;  /* NULL: all that are not train inputs */
    double train_fraction;                 /* (0, 1) */
    const char *group_separator; /* inputs whose names agree before it are drawn together ("/": a
                                    matrix's group); NULL: each input by itself */
    bool without_generation;     /* sources of the target's generation (a device feature or label)
                                    do not teach: how good is a model on a new kind of device? */
    /** Besides without: methods that can be adapted are, to so many inputs measured on the target,
     *  shape [num_measured], ascending; those that tell most of its training inputs. */
    const size_t *measured;
    size_t num_measured;
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
    /** After each method on each target; false: stop (NITRO_ERR_INTERRUPTED). May be NULL. */
    bool (*progress)(void *user, size_t done, size_t total, const char *target, const char *method);
    void *progress_user;
} nitro_evaluate_options;

/** Qualities in percent (DESIGN: 100 x best time / chosen variant's time); accuracy in percent. */
typedef struct nitro_evaluate_result {
    char *target;
    const char *method; /* static */
    bool modelled;      /* times come from a cost model: never a result */
    size_t inputs;
    size_t measured; /* inputs of the target that the method was adapted to; 0: none */
    double mean, geomean, p5, min, accuracy;
    double sure;      /* decisions with a confidence of at least 0.9, in percent... */
    double sure_good; /* ...and how many of these are within 5 % of the best; NaN: there are none,
                         or (both) the method knows no confidence */
} nitro_evaluate_result;

NITRO_API void nitro_evaluate_options_init(nitro_evaluate_options *options);
/** @param[out] results  shape [count], target by target, methods in declared order, `measured`
 *                       ascending. More than there are means all there are, once. */
NITRO_API nitro_status nitro_evaluate(nitro_store *store, const char *computation,
                                      const nitro_evaluate_options *options,
                                      nitro_evaluate_result **results, size_t *count);
NITRO_API void nitro_evaluate_results_free(nitro_evaluate_result *results, size_t count);
/** The methods' names and one-line descriptions, ended by a NULL name. */
typedef struct nitro_method_info {
    const char *name;
    const char *description;
    bool needs_profiles; /* left out of all methods where the store has none of the computation */
} nitro_method_info;
NITRO_API const nitro_method_info *nitro_method_table(void);

/* ---- The plug-ins that are built in (nitro/builtins.c) ------------------------------------- */

/** Arrays of pointers, in the order of their list, ended by NULL. */
NITRO_API const nitro_store_kind *const *nitro_builtin_stores(void);
NITRO_API const nitro_device_kind *const *nitro_builtin_device_kinds(void);
NITRO_API const nitro_strategy *const *nitro_builtin_strategies(void);
NITRO_API const nitro_dfs_kind *const *nitro_builtin_dfs_kinds(void);
NITRO_API const nitro_module *const *nitro_builtin_modules(void);
NITRO_API const nitro_proxy_kernel *const *nitro_builtin_proxy_kernels(void);
NITRO_API const nitro_profiler *const *nitro_builtin_profilers(void);

#ifdef __cplusplus
}
#endif

#endif
