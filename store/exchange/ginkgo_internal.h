/* ginkgo_internal.h - reading the Ginkgo project's benchmark files: one file, and a checkout of
 * thousands. They are untrusted: what is not understood is skipped and counted. */
#ifndef NITRO_STORE_EXCHANGE_GINKGO_INTERNAL_H
#define NITRO_STORE_EXCHANGE_GINKGO_INTERNAL_H

#include "store/exchange/import_internal.h"

#define GINKGO_NUM_FEATURES   18
#define GINKGO_MAX_FILE_BYTES ((size_t)4 << 20) /* real ones have about 5 kB */
#define GINKGO_MAX_NAMES      512               /* different variants in one checkout */

/** Input features, in the order of a record's values. */
extern const char *const nitro_ginkgo_features[GINKGO_NUM_FEATURES];

/** Why a file or measurement was skipped; nitro_ginkgo_reason_text is the text for people. */
typedef enum ginkgo_reason {
    GINKGO_USED,
    GINKGO_NOT_NAMED_JSON,
    GINKGO_NOT_REGULAR,
    GINKGO_UNREADABLE,
    GINKGO_TOO_LARGE,
    GINKGO_TOO_DEEP,
    GINKGO_ELSEWHERE,
    GINKGO_BAD_DEVICE,
    GINKGO_NOT_JSON,
    GINKGO_NO_SPMV,
    GINKGO_NO_SIZES,
    GINKGO_BAD_NAME,
    GINKGO_TWO_SPELLINGS,
    GINKGO_TOO_MANY_NAMES,
    GINKGO_NO_TIMES,
    GINKGO_UNIT_UNCLEAR,
    GINKGO_TWO_UNITS,
    GINKGO_AGAIN,
    GINKGO_NUM_REASONS,
    GINKGO_NO_MEMORY = GINKGO_NUM_REASONS
} ginkgo_reason;

const char *nitro_ginkgo_reason_text(ginkgo_reason reason);

/** One variant of a measurement. */
typedef struct ginkgo_time {
    size_t variant; /* index into the checkout's names */
    double time_ms; /* NaN: not completed, or not above 0 */
} ginkgo_time;

/** One matrix measured on one device. */
typedef struct ginkgo_record {
    char *input;
    double features[GINKGO_NUM_FEATURES]; /* NaN: missing */
    ginkgo_time *times;                   /* shape [num_times] */
    size_t num_times;
    double fastest;   /* as the file has it, in its own unit */
    const char *unit; /* "s" or "ns" */
    size_t order;     /* of its file among the campaign's */
    bool capital;     /* names are spelled as in "CuspCsr", not as in "cusp_csr" */
} ginkgo_record;

/** One measurement of a file: with `reason` GINKGO_USED a record, whose contents the callee takes;
 * else NULL and a detail for people (may be NULL). */
typedef nitro_status (*ginkgo_visit)(void *user, ginkgo_reason reason, const char *detail,
                                     ginkgo_record *record);

/**
 * Read one file.
 * @param[in]      path_name  "GROUP/MATRIX" of the file's path, for files that do not name the
 * matrix.
 * @param[in,out]  names      variants of the checkout; new ones are added.
 * @return NITRO_OK whatever the bytes are; NITRO_ERR_NO_MEMORY; what `visit` returned.
 */
nitro_status nitro_ginkgo_parse(nitro_context *context, const char *path_name, const char *text,
                                size_t size, nitro_string_list *names, ginkgo_visit visit,
                                void *user);
void nitro_ginkgo_record_clear(ginkgo_record *record);

/** Measurements of one device and executor, in one layout of the files. */
typedef struct ginkgo_campaign {
    nitro_ginkgo_campaign report;       /* what it is, and what became of it */
    ginkgo_record *records;             /* shape [num_records] */
    size_t num_records, capacity;       /* the report moves to the caller, the records stay */
    size_t attempted[GINKGO_MAX_NAMES]; /* records that have this variant */
    size_t timed[GINKGO_MAX_NAMES];     /* of these, with a time */
    bool main;                          /* the largest of its folder */
    char *origin;                       /* its folder's path */
    nitro_import_options options;
    import_job job;
} ginkgo_campaign;

typedef struct ginkgo_checkout {
    nitro_context *context;
    nitro_string_list names; /* variants */
    ginkgo_campaign *campaigns;
    size_t num_campaigns, capacity;
    size_t skipped[GINKGO_NUM_REASONS];
    char *examples[GINKGO_NUM_REASONS]; /* the first file of each reason, with details */
} ginkgo_checkout;

/**
 * Read all files below a folder, in byte order of their names; symbolic links are not followed.
 * @param[in] only  device folders to read; NULL: all.
 */
nitro_status nitro_ginkgo_walk(nitro_context *context, const char *path,
                               const nitro_string_list *only, ginkgo_checkout *checkout);
void nitro_ginkgo_campaign_clear(nitro_ginkgo_campaign *campaign);
void nitro_ginkgo_checkout_clear(ginkgo_checkout *checkout);

#endif
