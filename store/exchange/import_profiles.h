/* import_profiles.h - an import of profiles under way: shared by the files that read its parts. */
#ifndef NITRO_STORE_EXCHANGE_IMPORT_PROFILES_H
#define NITRO_STORE_EXCHANGE_IMPORT_PROFILES_H

#include "store/exchange/import_internal.h"

/** One profile, and where it goes. */
typedef struct import_profile {
    char *device;
    nitro_profile *profile;
    size_t place; /* among the file's */
} import_profile;

typedef struct import_profiles_job {
    nitro_context *context;
    const nitro_profile_import_options *options;
    nitro_csv *csv;
    char *origin; /* of profiles without a column that says so */
    int64_t time_s;
    import_profile *items;
    size_t count, capacity;
    bool number_kernels; /* a profiler's file: a kernel may come several times */
    nitro_profile_import_report report;
} import_profiles_job;

/** Read all rows into items, in the file's order. */
nitro_status nitro_import_profile_rows(import_profiles_job *job);

/**
 * A metric's value as profilers write it: "1,234", "95.4%", "1.2 GB/s" (to bytes a second),
 * "Low (2)" (2). NaN where the profiler says that there is none.
 * @return false: this is no such value.
 */
bool nitro_import_profile_value(const char *text, double *value);

#endif
