/* import_profiles.h - the state of an import of profiles, shared by the files that read its parts.
 */
#ifndef NITRO_STORE_EXCHANGE_IMPORT_PROFILES_H
#define NITRO_STORE_EXCHANGE_IMPORT_PROFILES_H

#include "store/exchange/import_internal.h"

/** One profile and its device. */
typedef struct import_profile {
    char *device;
    nitro_profile *profile;
    size_t place; /* in the file */
} import_profile;

typedef struct import_profiles_job {
    nitro_context *context;
    const nitro_profile_import_options *options;
    nitro_csv *csv;
    char *origin; /* of profiles in files without a column of origins */
    int64_t time_s;
    import_profile *items;
    size_t count, capacity;
    bool number_kernels; /* a profiler's file: a kernel may occur several times */
    nitro_profile_import_report report;
} import_profiles_job;

/** Read all rows into items, in the file's order. */
nitro_status nitro_import_profile_rows(import_profiles_job *job);

#endif
