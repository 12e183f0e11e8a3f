/* import_internal.h - an import under way: shared by the files that read columns and rows. */
#ifndef NITRO_STORE_EXCHANGE_IMPORT_INTERNAL_H
#define NITRO_STORE_EXCHANGE_IMPORT_INTERNAL_H

#include "nitro/nitro_backend.h"

#define NITRO_IMPORT_TIME_PREFIX "time_ms:"

typedef struct import_job {
    nitro_context *context;
    nitro_store *store;
    const nitro_import_options *options;
    nitro_csv *csv;
    nitro_description *description; /* NULL: none */
    nitro_schema *schema;           /* NULL until columns are chosen */
    size_t input_column;
    size_t feature_columns[NITRO_MAX_FEATURES];
    size_t time_columns[NITRO_MAX_VARIANTS];
    nitro_provenance provenance; /* of each sample */
    nitro_device *device;        /* to store with the samples; NULL: the store's own is kept */
    nitro_sample **samples;
    size_t num_samples;
    nitro_import_report report;
} import_job;

/** The file's name without its folder: the same file gives the same records wherever it is. */
const char *nitro_import_file_name(const char *path);
/** A record's origin: "imported from NAME". */
nitro_status nitro_import_origin(nitro_context *context, const char *name, char **origin);
/** Fill in schema and columns from the file's header, the options and what the store has. */
nitro_status nitro_import_choose_columns(import_job *job);
/** Fill in samples, and the report's holes. */
nitro_status nitro_import_read_rows(import_job *job);
/** Fill in the device from the options' table, or check the one that is there already. */
nitro_status nitro_import_find_device(import_job *job);

/** The device of this id in a table of devices; the caller's to free. */
nitro_status nitro_import_device_row(nitro_context *context, const char *path, const char *id,
                                     nitro_device **device);
/** NITRO_ERR_MISMATCH where the store has the device, and one of the two is modelled. */
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
