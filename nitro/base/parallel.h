/* parallel.h - independent tasks on a few threads. Internal to nitro/. */
#ifndef NITRO_BASE_PARALLEL_H
#define NITRO_BASE_PARALLEL_H

#include "nitro/nitro_backend.h"

/** Run task `index`; tasks must not write shared data. */
typedef nitro_status (*nitro_task_function)(void *user, size_t index);

/**
 * Run tasks 0 .. num_tasks - 1 on up to `num_threads` threads (0: one a core), the calling one
 * included. All tasks run, even if some fail.
 * @return the status of the first failed task by index, so that it does not depend on the threads.
 */
nitro_status nitro_parallel_run(unsigned num_threads, size_t num_tasks, nitro_task_function task,
                                void *user);

#endif
