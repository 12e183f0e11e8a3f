/* import_internal.h - an import under way: shared by the files that read columns and rows. */
#ifndef NITRO_STORE_IMPORT_INTERNAL_H
#define NITRO_STORE_IMPORT_INTERNAL_H

#include "store/store_internal.h"

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
    nitro_sample **samples;
    size_t num_samples;
    nitro_import_report report;
} import_job;

/** "imported from FILE", without its folder: the same file gives the same records wherever it is.
 */
nitro_status nitro_import_origin(nitro_context *context, const char *path, char **origin);
/** Fill in schema and columns from the file's header, the options and what the store has. */
nitro_status nitro_import_choose_columns(import_job *job);
/** Fill in samples, and the report's holes. */
nitro_status nitro_import_read_rows(import_job *job);
/** The device to store with the samples; NULL: the store's own is kept. */
nitro_status nitro_import_find_device(const import_job *job, nitro_device **device);

#endif
