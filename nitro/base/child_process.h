/* child_process.h - forking a process that can neither outlive nor disturb its parent. Internal to
 * nitro/. */
#ifndef NITRO_BASE_CHILD_PROCESS_H
#define NITRO_BASE_CHILD_PROCESS_H

#include <sys/types.h>

#include "nitro/nitro.h"

/** fork(), such that the child may use the context whatever other threads do with it meanwhile. */
pid_t nitro_child_fork(nitro_context *context);

/**
 * Detach a freshly forked process from its parent: it gets a process group, default signal handlers
 * and an empty standard input of its own, skips exit handlers, and is killed when `parent` ends.
 */
void nitro_child_detach(pid_t parent);

#endif
