/* import_internal.h - the state of an import, shared by the files that read columns, rows and
 * devices. */
#ifndef NITRO_STORE_EXCHANGE_IMPORT_INTERNAL_H
#define NITRO_STORE_EXCHANGE_IMPORT_INTERNAL_H

#include "nitro/nitro_backend.h"

/* Columns of a variant's times; optional ones of the costs of its `prepare` and of a feature. */
#define NITRO_IMPORT_TIME_PREFIX         "time_ms:"
#define NITRO_IMPORT_PREPARE_PREFIX      "prepare_ms:"
#define NITRO_IMPORT_FEATURE_COST_PREFIX "feature_ms:"

typedef struct import_job {
    nitro_context *context;
    nitro_store *store;
    const nitro_import_options *options;
    nitro_csv *csv;
    nitro_description *description; /* NULL: none */
    nitro_schema *schema;           /* NULL until columns are chosen */
    bool is_stored;                 /* the schema is the store's */
    size_t input_column;
    size_t feature_columns[NITRO_MAX_FEATURES];
    size_t time_columns[NITRO_MAX_VARIANTS]; /* NITRO_NONE: not measured on this device */
    size_t prepare_columns[NITRO_MAX_VARIANTS], feature_cost_columns[NITRO_MAX_FEATURES];
    nitro_provenance provenance; /* of each sample */
    nitro_device *device;        /* stored with the samples; NULL: the store's is kept */
    nitro_sample *sample;        /* the current row */
    size_t next_row;             /* of the table's current piece */
    bool has_rows;               /* the piece has been read */
    size_t num_impossible;       /* rows so far that are refused for impossible statistics; the
                                    first one's input, and the features: the one above the other */
    char *impossible_input;
    size_t impossible[2];
    nitro_import_report report;
} import_job;

/* ---- import_rows.c ----------------------------------------------------------------------------
 */

/** Are statistics of one distribution, such as row_q3 and row_max, in an impossible order?
 *  @param[out] pair  features: the first one's value is above the second's, which it cannot be. */
bool nitro_import_is_impossible(const nitro_schema *schema, const double *features, size_t pair[2]);

/** Back to before the first row. */
nitro_status nitro_import_rewind(import_job *job);
/** As nitro_sample_source.next, with an import_job: rows as samples. */
nitro_status nitro_import_next(void *job, const nitro_sample **sample);
/** Read all rows, check that inputs differ, and count; an error too where the store has some of the
 * inputs and may not replace them. */
nitro_status nitro_import_check_rows(import_job *job);

/** Seconds since 1970 that an import is dated with: SOURCE_DATE_EPOCH's if set, so that it can be
 *  repeated byte for byte, else now. */
nitro_status nitro_import_time(nitro_context *context, int64_t *time_s);
/** A record's origin: "imported from NAME"; of a file its name without the folder, so that records
 *  do not depend on the folder. */
nitro_status nitro_import_origin(nitro_context *context, const char *name, char **origin);
/** Append the names of a schema's features, or of its variants (`times`). */
nitro_status nitro_import_list_names(nitro_context *context, const nitro_schema *schema, bool times,
                                     nitro_string_list *names);
/** Fill in schema and columns from the file's header, the options and what the store has. */
nitro_status nitro_import_choose_columns(import_job *job);

/** A table of devices as read from CSV. */
typedef struct device_table {
    nitro_context *context;
    const char *path;
    nitro_device **devices; /* shape [count] */
    size_t count;
} device_table;

void nitro_device_table_free(device_table *table);
/** The row of this device, or NITRO_NONE. */
size_t nitro_device_table_find(const device_table *table, const char *id);
/**
 * The row of a card that is called so by people (match_card.c): a word in front, such as Tesla, and
 * separators do not matter; the first row where several fit as well.
 * @param[out] row     NITRO_NONE: no row fits.
 * @param[out] others  ids of the other rows that fit; appended.
 */
nitro_status nitro_device_table_match(const device_table *table, const char *name, size_t *row,
                                      nitro_string_list *others);
/** Append the rows of another table. */
nitro_status nitro_device_table_append(nitro_context *context, const char *path,
                                       device_table *table);
/** Read the device of this id from a table of devices; free with nitro_device_free. */
nitro_status nitro_import_device_row(nitro_context *context, const char *path, const char *id,
                                     nitro_device **device);
/** @return NITRO_ERR_MISMATCH: the store has the device, and one of the two is modelled. */
nitro_status nitro_import_check_device(nitro_store *store, const char *path,
                                       const nitro_device *device, bool *known);

/**
 * Check the whole of job->csv against options and store, and fill in the rest of the job; `name` is
 * what its samples are imported from. Writes nothing: nitro_import_write does.
 */
nitro_status nitro_import_check(import_job *job, const char *name);
nitro_status nitro_import_write(import_job *job);
/** Frees what the job holds, csv and device included. */
void nitro_import_clear(import_job *job);

#endif
