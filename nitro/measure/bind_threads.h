/* bind_threads.h - gives each OpenMP thread of a worker process its own processor. */
#ifndef NITRO_MEASURE_BIND_THREADS_H
#define NITRO_MEASURE_BIND_THREADS_H

/**
 * Bind OpenMP's threads, all but the caller, to one processor each, and move the caller to the one
 * that is left. Two threads that a kernel wakes on one processor share it for milliseconds, in some
 * blocks and not in others: calls of microseconds then take up to 30 times as long.
 *
 * Does nothing where OpenMP has another number of threads than the process may use processors,
 * where OMP_PROC_BIND is set, and where threads cannot be bound. The caller itself stays free,
 * since threads that it starts otherwise inherit its processors.
 */
void nitro_bind_threads(void);

#endif
