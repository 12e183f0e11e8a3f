/* host_variant.h - shared by the host variants of all computations: memory, and the division of
 * work among threads. */
#ifndef NITRO_VARIANTS_HOST_VARIANT_H
#define NITRO_VARIANTS_HOST_VARIANT_H

#include <stddef.h>
#include <stdint.h>

/**
 * Zeroed memory for `count` elements, aligned to a cache line; large arrays on huge pages where
 * available (10 % faster SpMV). Free with free(). NULL: out of memory.
 */
void *nitro_host_allocate(int64_t count, size_t size);

/** Upper bound of nitro_host_num_threads. */
#define NITRO_HOST_MAX_THREADS 1024

/** Number of threads for `work`: one below `serial_work`, which takes less time than waking others;
 * else all. */
int nitro_host_num_threads(int64_t work, int64_t serial_work);

/** First item of part `part` when `count` equal items are divided into `parts`; part `parts` begins
 * at `count`. */
int64_t nitro_host_split_evenly(int64_t count, int part, int parts);

#endif
