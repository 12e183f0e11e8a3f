/* child_process.h - forking a process that can neither outlive nor disturb its parent. Internal to
 * nitro/. */
#ifndef NITRO_BASE_CHILD_PROCESS_H
#define NITRO_BASE_CHILD_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** True in a forked child whose calling thread had OpenMP threads in the parent: they do not exist
 * in the child, and a parallel region would wait for them for ever. Ask before every region: only
 *  then is it known which threads have any. */
bool nitro_child_lacks_team(void);

/** fork() in a program that may have used OpenMP. */
pid_t nitro_child_fork(void);

/**
 * Detach a forked process from its parent: own process group, default signal handlers, empty
 * standard input, output to standard error, no exit handlers, and no open descriptors but these
 * and `kept`. It is killed when `parent` ends.
 */
void nitro_child_detach(pid_t parent, int kept);

#endif
