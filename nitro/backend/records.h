/* records.h - what stores hold: schemas, devices, samples, profiles. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_RECORDS_H
#define NITRO_BACKEND_RECORDS_H

#include "nitro/backend/csv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A feature as in records and models, without the function that evaluates it. */
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
 * What makes samples comparable: a computation's features and variants, in order; and its relative
 * features, which are computed from those and may change at any time.
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

/** NITRO_ERR_ARGUMENT: the name is invalid. Without features and variants yet. */
NITRO_API nitro_status nitro_schema_create(nitro_context *context, const char *computation,
                                           nitro_schema **schema);
/** Append a feature (`unit` NULL: "1"), or a variant. @return NITRO_OK; NITRO_ERR_EXISTS;
 *  NITRO_ERR_ARGUMENT (an invalid name, or too many); NITRO_ERR_NO_MEMORY. */
NITRO_API nitro_status nitro_schema_add_feature(nitro_context *context, nitro_schema *schema,
                                                const char *name, const char *unit,
                                                nitro_scale scale);
NITRO_API nitro_status nitro_schema_add_variant(nitro_context *context, nitro_schema *schema,
                                                const char *name);
/** Copied and checked as by nitro_computation_add_relative_feature. */
NITRO_API nitro_status nitro_schema_add_relative(nitro_context *context, nitro_schema *schema,
                                                 const nitro_relative_feature *feature);
/** Drop all relative features except those marked, shape [num_relative]; NULL: all of them. */
NITRO_API void nitro_schema_keep_relative(nitro_schema *schema, const bool *keep);
/** Replace the relative features of `to` by copies of those of `from`; on error, only some are
 * copied. */
NITRO_API nitro_status nitro_schema_copy_relative(nitro_context *context, const nitro_schema *from,
                                                  nitro_schema *to);
/** Is relative feature `index` well-formed? nitro_schema_add_relative checks this. */
NITRO_API nitro_status nitro_schema_check_relative(nitro_context *context,
                                                   const nitro_schema *schema, size_t index);
/** Does it replace the input feature of this name? */
NITRO_API bool nitro_relative_info_replaces(const nitro_relative_info *relative,
                                            const char *feature);
NITRO_API nitro_status nitro_schema_copy(nitro_context *context, const nitro_schema *from,
                                         nitro_schema **schema);
NITRO_API void nitro_schema_free(nitro_schema *schema);
/** Index of a feature, or of a variant, by name; NITRO_NONE if there is none. */
NITRO_API size_t nitro_schema_feature(const nitro_schema *schema, const char *name);
NITRO_API size_t nitro_schema_variant(const nitro_schema *schema, const char *name);
/** A computation's schema, in declared order. */
NITRO_API nitro_status nitro_schema_of(const nitro_computation *computation, nitro_schema **schema);
/** Same features and variants in the same order? Relative features do not count. */
NITRO_API bool nitro_schema_is_same(const nitro_schema *a, const nitro_schema *b);
/** If not, NITRO_ERR_MISMATCH with both sets printed; `have` and `want` say whose they are ("the
 * store", "samples.csv"). */
NITRO_API nitro_status nitro_schema_require_same(nitro_context *context, const nitro_schema *a,
                                                 const char *have, const nitro_schema *b,
                                                 const char *want);

/**
 * A description file of a recorded computation, which has no code: units and scales of its
 * features, its relative features, its default variant. JSON; data/computations has an example:
 *
 *     {"format": "nitro-computation", "version": 1, "computation": "spmv",
 *      "features": [{"name": "rows", "unit": "rows", "scale": "log"}],
 *      "relative_features": [{"name": "rows_per_thread", "scale": "log",
 *          "formula": "rows / (2048 * device.sm_count)", "replaces": ["rows"]}],
 *      "default": "csr",
 *      "work": [{"variants": ["csr"], "flops": "2 * nnz", "bytes": "12 * nnz + 20 * rows"}]}
 *
 * Formulas may name the features listed here, and device features as device.NAME; those of work any
 * input feature of the computation. Work is what a variant does at least: flops in double precision
 * ("single": true: in single), and bytes moved from and to memory. Stores do not keep it: reports
 * read it from the file.
 */
typedef struct nitro_variant_work {
    char *variant, *bytes;
    char *flops; /* NULL: unspecified */
    bool single;
} nitro_variant_work;

typedef struct nitro_description {
    nitro_schema *names;      /* features and relative features; no variants */
    char *default_variant;    /* NULL: unspecified */
    size_t num_work;          /* one a variant; later ones replace earlier ones */
    nitro_variant_work *work; /* shape [num_work] */
} nitro_description;

/** @return as nitro_file_read; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: the error names file and field,
 *          and line and column in the file or in the formula. */
NITRO_API nitro_status nitro_description_read(nitro_context *context, const char *path,
                                              nitro_description **description);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_description_parse(nitro_context *context, const char *origin,
                                               const char *text, size_t size,
                                               nitro_description **description);
NITRO_API void nitro_description_free(nitro_description *description);
/**
 * Put the description's units, scales, relative features and default variant into a schema.
 * Features that the schema lacks are ignored; a relative feature that needs one is omitted, with a
 * message in the log. On error the schema may be partly updated.
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
 * 100 times the 5th, or the largest at least 100 times the median, ratios matter more
 * than differences: LOG if all values are positive, else SIGNED_LOG. All else: LINEAR, flags and
 * constants included, and where memory runs out.
 */
NITRO_API nitro_scale nitro_scale_choose(const double *values, size_t count);

typedef enum nitro_value_source {
    NITRO_VALUE_RECORDED, /* read from a file or store */
    NITRO_VALUE_QUERY,    /* from the operating system or driver */
    NITRO_VALUE_STATIC,   /* published specification */
    NITRO_VALUE_COMPUTED, /* from other values */
    NITRO_VALUE_MEASURED  /* by a microbenchmark here */
} nitro_value_source;

NITRO_API const char *nitro_value_source_name(nitro_value_source source);
NITRO_API bool nitro_value_source_from_name(const char *name, nitro_value_source *source);

typedef struct nitro_device_feature {
    char *name;
    double value; /* finite; a missing value is an absent feature */
    nitro_value_source source;
    double spread; /* relative, of measured values; else 0 */
} nitro_device_feature;

typedef struct nitro_label {
    char *name;
    char *text;
} nitro_label;

/** A device: kind "host", "cuda", "opencl", "model", or "recorded" if only known from a file. */
typedef struct nitro_device {
    char *id;
    char *kind;
    size_t num_features;
    nitro_device_feature *features;
    size_t num_labels;
    nitro_label *labels; /* text columns: vendor, model, ... */
} nitro_device;

/** NITRO_ERR_ARGUMENT: id or kind is invalid. Without features and labels yet. */
NITRO_API nitro_status nitro_device_create(nitro_context *context, const char *id, const char *kind,
                                           nitro_device **device);
/** Add or replace. NaN removes the feature; infinity is NITRO_ERR_ARGUMENT. */
NITRO_API nitro_status nitro_device_set(nitro_context *context, nitro_device *device,
                                        const char *feature, double value,
                                        nitro_value_source source, double spread);
/** Add or replace; `text` NULL: "". NITRO_ERR_ARGUMENT: the name is invalid. */
NITRO_API nitro_status nitro_device_set_label(nitro_context *context, nitro_device *device,
                                              const char *name, const char *text);
/** The value, or NaN if the device lacks the feature. */
NITRO_API double nitro_device_value(const nitro_device *device, const char *feature);
NITRO_API const char *nitro_device_label(const nitro_device *device,
                                         const char *name); /* or NULL */
NITRO_API nitro_status nitro_device_copy(nitro_context *context, const nitro_device *from,
                                         nitro_device **device);
NITRO_API void nitro_device_free(nitro_device *device);
/** Room for a digest and its '\0'. */
#define NITRO_DIGEST_SIZE 17
/** 16 hex digits over kind and features, independent of their order. Measured values vary and are
 * omitted. */
NITRO_API void nitro_device_digest(const nitro_device *device, char digest[NITRO_DIGEST_SIZE]);

/** Documentation of a device feature: the paper's Table 1 and ours. */
typedef struct nitro_device_feature_info {
    const char *name;
    const char *unit;
    nitro_scale scale;
    bool descriptive; /* descriptive (year, generation): not used for training */
    const char *description;
} nitro_device_feature_info;

/** NULL for a name not in the table (unit "1", scale auto, used for training). */
NITRO_API const nitro_device_feature_info *nitro_device_feature_lookup(const char *name);

/**
 * Read devices from a table with a `device` column: numeric columns are device features (empty:
 * missing), text columns are labels; a `kind` column is optional ("recorded" without it).
 * @param[out] devices  shape [count], each and the array owned by the caller.
 */
NITRO_API nitro_status nitro_devices_from_csv(nitro_context *context, const nitro_csv *csv,
                                              nitro_device ***devices, size_t *count);

typedef enum nitro_outcome {
    NITRO_OUTCOME_MEASURED,
    NITRO_OUTCOME_MISSING,       /* never measured, or for an unrecorded reason */
    NITRO_OUTCOME_NOT_ALLOWED,   /* a constraint excluded it */
    NITRO_OUTCOME_FAILED,        /* the variant or its prepare returned a failure */
    NITRO_OUTCOME_WRONG_RESULT,  /* differs from the reference */
    NITRO_OUTCOME_CRASHED,       /* a signal ended the worker */
    NITRO_OUTCOME_TIMED_OUT,     /* a call took longer than the limit */
    NITRO_OUTCOME_OUT_OF_MEMORY, /* over the memory limit */
    /* nitro_run_failure: with the time until then, a lower bound */
    NITRO_OUTCOME_NOT_CONVERGED,
    NITRO_OUTCOME_BREAKDOWN,
    NITRO_OUTCOME_NOT_FINITE
} nitro_outcome;

/** "measured", "missing", "not-allowed", "failed", "wrong-result", "crashed", "timed-out",
 *  "out-of-memory", "not-converged", "breakdown", "not-finite"; and back. */
NITRO_API const char *nitro_outcome_name(nitro_outcome outcome);
NITRO_API bool nitro_outcome_from_name(const char *name, nitro_outcome *outcome);
/** Of a failure of `run`: one of the last three, or NITRO_OUTCOME_FAILED. */
NITRO_API nitro_outcome nitro_outcome_of_failure(int failure);
/** Is the entry's time a lower bound? */
NITRO_API bool nitro_outcome_is_bound(nitro_outcome outcome);

/** One variant on one input. */
typedef struct nitro_entry {
    nitro_outcome outcome;
    double median_ms;  /* of the faster half of the repetitions, in the block in which the machine
                          was fastest; > 0 where measured. Where the time is a lower bound
                          (nitro_outcome_is_bound): until the run failed, or NaN. Else NaN */
    double spread;     /* relative; half the interquartile range of these, and at least the
                          difference between the two fastest blocks; NaN when unknown */
    double prepare_ms; /* cost of `prepare` (format conversion); NaN when unknown or none */
    uint32_t count;    /* counted repetitions; 0 when unknown */
    char *version;     /* of the variant; NULL when unknown */
    char *detail;      /* why there is no time, as text; or NULL */
    uint32_t blocks;   /* of repetitions, separated in time; 0 when unknown */
} nitro_entry;

/** What made a record. Strings may be NULL. */
typedef struct nitro_provenance {
    char *origin;        /* "measured", "modelled", or "imported from FILE" */
    char *library;       /* Nitro's version */
    char *compiler;      /* of the measuring program */
    char *host;          /* name of the measuring machine */
    int64_t time_s;      /* since 1970, UTC; 0 when unknown */
    char *driver;        /* the device's label "driver"; of a host, its operating system's kernel */
    char *toolkit;       /* that the device's code was built with: the device's label "toolkit" */
    char *device_digest; /* nitro_device_digest of the device at the time */
    char *device_state;  /* clocks and throttling during the measurement, as text: before it, and
                            after "; then " afterwards if that differs */
    char *cache;         /* "cold": caches were flushed before each run; NULL: they were not */
} nitro_provenance;
/** The texts of a provenance in the order of records: what is listed here is copied, freed, stored
 * and checked. `each(owner, member)`. */
#define NITRO_PROVENANCE_TEXTS(each, owner)                                                        \
    each(owner, origin) each(owner, library) each(owner, compiler) each(owner, host)               \
        each(owner, driver) each(owner, toolkit) each(owner, device_digest)                        \
            each(owner, device_state) each(owner, cache)

/** `copy` must be zero or cleared; on error (out of memory) it is cleared. */
NITRO_API nitro_status nitro_provenance_copy(nitro_context *context, const nitro_provenance *from,
                                             nitro_provenance *copy);
/**
 * Current provenance of a record on this device: library, compiler, machine, time and device.
 * @param[in,out] made  zero or cleared except device_state and cache, which are kept; on error (out
 *                      of memory) it is cleared.
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
    double *features; /* shape [num_features]; NaN: missing */
    size_t num_entries;
    nitro_entry *entries; /* shape [num_variants], declared order */
    nitro_provenance provenance;
    double features_ms;       /* cost of evaluating all features; NaN: unknown, or the sum of
                                 feature_costs_ms: see nitro_sample_features_ms() */
    size_t num_feature_costs; /* num_features, or 0: unknown */
    double *feature_costs_ms; /* shape [num_feature_costs]: cost of the call that evaluates this
                                 feature and maybe the next ones, for which it is NaN */
} nitro_sample;

/** Maximum length of a version; that of a digest with its '+' at its end. */
#define NITRO_VERSION_MAX_LENGTH    63
#define NITRO_VERSION_DIGEST_LENGTH 17
/** Does a variant's version have a digest of its code? */
NITRO_API bool nitro_version_has_digest(const char *version);
/** Are they different? A digest that only one of them has does not count. */
NITRO_API bool nitro_version_is_other(const char *a, const char *b);
/** The same without digests, which differ between machines. */
NITRO_API bool nitro_version_is_declared_other(const char *a, const char *b);

/** All features NaN, all entries missing. */
NITRO_API nitro_status nitro_sample_create(nitro_context *context, const char *input,
                                           size_t num_features, size_t num_variants,
                                           nitro_sample **sample);
/** Replace its feature costs by a copy of these, shape [count]. */
NITRO_API nitro_status nitro_sample_set_feature_costs(nitro_context *context, nitro_sample *sample,
                                                      const double *costs_ms, size_t count);
NITRO_API nitro_status nitro_sample_copy(nitro_context *context, const nitro_sample *from,
                                         nitro_sample **sample);
NITRO_API void nitro_sample_free(nitro_sample *sample);
/** Cost of evaluating all features: `features_ms`, or else the sum of the costs that are known; NaN
 *  when unknown. */
NITRO_API double nitro_sample_features_ms(const nitro_sample *sample);
/** Index of the fastest variant, the first declared on ties; NITRO_NONE when none has a time. */
NITRO_API size_t nitro_sample_best(const nitro_sample *sample);

/** One hardware metric of one kernel. */
typedef struct nitro_metric {
    char *name;   /* in the profiler's naming (nvprof or CUPTI) */
    double value; /* finite; uncollected metrics are absent */
} nitro_metric;

/** Highest intensity of a proxy; the lowest is 0. */
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

/** Names must be valid and an intensity in range, else NITRO_ERR_ARGUMENT. No metrics yet. */
NITRO_API nitro_status nitro_profile_create_of_variant(nitro_context *context,
                                                       const char *computation, const char *variant,
                                                       const char *input, const char *kernel,
                                                       nitro_profile **profile);
NITRO_API nitro_status nitro_profile_create_of_proxy(nitro_context *context, const char *proxy,
                                                     double intensity, const char *kernel,
                                                     nitro_profile **profile);
/** Add or replace. NITRO_ERR_ARGUMENT: the name is invalid or the value is not finite. */
NITRO_API nitro_status nitro_profile_set(nitro_context *context, nitro_profile *profile,
                                         const char *metric, double value);
/** The value, or NaN if it was not collected. */
NITRO_API double nitro_profile_value(const nitro_profile *profile, const char *metric);
NITRO_API nitro_status nitro_profile_copy(nitro_context *context, const nitro_profile *from,
                                          nitro_profile **profile);
NITRO_API void nitro_profile_free(nitro_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
