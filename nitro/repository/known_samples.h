/* known_samples.h - what a copy must know of the target's samples.
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
 * Replace the list by a device's samples. Damaged ones are skipped, so that sound ones may replace
 * them.
 * @param[in] named  the device id used in checksums: that of the source store.
 */
nitro_status nitro_known_samples_read(nitro_store *store, const char *computation,
                                      const char *device, const char *named,
                                      nitro_known_samples *list);
/** NULL: no such input. */
const nitro_known_sample *nitro_known_samples_find(const nitro_known_samples *list,
                                                   const char *input);
void nitro_known_samples_free(nitro_known_samples *list);

#endif
