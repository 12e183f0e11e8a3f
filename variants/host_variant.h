/* host.h - what host variants of all computations share: memory, and work for threads. */
#ifndef NITRO_VARIANTS_HOST_VARIANT_H
#define NITRO_VARIANTS_HOST_VARIANT_H

#include <stddef.h>
#include <stdint.h>

/**
 * Zeroed memory for `count` elements as the variants like it: aligned to a cache line, large arrays
 * on huge pages where the system grants them (10 % faster SpMV was measured). Free with free().
 * NULL when there is not so much.
 */
void *nitro_host_allocate(int64_t count, size_t size);

/** Most threads that nitro_host_num_threads gives. */
#define NITRO_HOST_MAX_THREADS 1024

/** How many threads to share `work` among: all, but one where there is less than `serial_work`,
 *  which is done before others are awake. */
int nitro_host_num_threads(int64_t work, int64_t serial_work);

/** Where part `part` of `parts` of `count` equal items begins; part `parts` begins at `count`. */
int64_t nitro_host_split_evenly(int64_t count, int part, int parts);

#endif
