/* child_process.h - forking a process that can neither outlive nor disturb its parent. Internal to
 * nitro/. */
#ifndef NITRO_BASE_CHILD_PROCESS_H
#define NITRO_BASE_CHILD_PROCESS_H

#include <sys/types.h>

/** fork() in a program that may have used OpenMP. */
pid_t nitro_child_fork(void);

/**
 * Detach a forked process from its parent: own process group, default signal handlers, empty
 * standard input, output to standard error, no exit handlers, and no open descriptors but these
 * and `kept`. It is killed when `parent` ends.
 */
void nitro_child_detach(pid_t parent, int kept);

#endif
