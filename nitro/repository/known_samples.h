/* known_samples.h - the samples that a store has of something, as far as a copy into it must know.
 */
#ifndef NITRO_REPOSITORY_KNOWN_SAMPLES_H
#define NITRO_REPOSITORY_KNOWN_SAMPLES_H

#include "nitro/repository/store_internal.h"

typedef struct nitro_known_sample {
    char *input;
    uint64_t checksum;
    int64_t time_s;
} nitro_known_sample;

/** In byte order of inputs. Zero-initialise. */
typedef struct nitro_known_samples {
    nitro_known_sample *items;
    size_t count, capacity;
} nitro_known_samples;

/**
 * Read those of a device, in place of what the list had. Damaged ones are left out, so
 * that sound ones may replace them.
 * @param[in] named  the device's name in checksums: that of the store which is compared with.
 */
nitro_status nitro_known_samples_read(nitro_store *store, const char *computation,
                                      const char *device, const char *named,
                                      nitro_known_samples *list);
/** NULL: not there. */
const nitro_known_sample *nitro_known_samples_find(const nitro_known_samples *list,
                                                   const char *input);
void nitro_known_samples_free(nitro_known_samples *list);

#endif
