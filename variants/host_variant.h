/* host_variant.h - shared by the host variants of all computations: memory, and the division of
 * work among threads. */
#ifndef NITRO_VARIANTS_HOST_VARIANT_H
#define NITRO_VARIANTS_HOST_VARIANT_H

#include <stddef.h>
#include <stdint.h>

/**
 * Zeroed memory for `count` elements, aligned to a cache line; large arrays on huge pages where
 * available (10 % faster SpMV). Free with nitro_host_free(), or with free(). NULL: out of memory.
 */
void *nitro_host_allocate(int64_t count, size_t size);

/** Free memory of nitro_host_allocate(). Up to a sixteenth of the machine's memory is kept for the
 * next large arrays, which then cost no first touch. NULL: no effect. */
void nitro_host_free(void *memory);

/** Upper bound of nitro_host_num_parts. */
#define NITRO_HOST_MAX_PARTS 1024

/**
 * In how many parts to do work that takes one thread `serial_ns`: OpenMP's number of threads if
 * that saves more time than waking them costs, else one. The first call with 2 us of work or more
 * measures what waking costs, which takes about 1 ms: 1 us where threads spin while they wait, 30
 * to 130 us where they sleep (OMP_WAIT_POLICY=passive) on a virtual machine.
 */
int nitro_host_num_parts(double serial_ns);

/** Assume that waking threads takes `ns` instead of measuring it: the same division in every
 * process. 0 divides all work of 2 us or more; a negative number measures again. */
void nitro_host_assume_wake_ns(double ns);

/** Does part `part` of `parts`. */
typedef void nitro_host_body(const void *state, int part, int parts);

/** Do all parts, each on a thread of its own, and return when they are done. One part is done by
 * the caller's thread, without opening an OpenMP region (0.4 us). */
void nitro_host_run_parts(nitro_host_body *body, const void *state, int parts);

/** First item of part `part` when `count` equal items are divided into `parts`; part `parts` begins
 * at `count`. */
int64_t nitro_host_split_evenly(int64_t count, int part, int parts);

#endif
