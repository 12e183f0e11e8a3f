/* process_tree.h - the processes that a worker has started, and theirs in turn. */
#ifndef NITRO_MEASURE_PROCESS_TREE_H
#define NITRO_MEASURE_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

/** Resident memory of a process's descendants, without its own. 0 where the kernel does not tell
 * (it needs CONFIG_PROC_CHILDREN). */
size_t nitro_process_tree_memory(pid_t root);
/** Kill the descendants, also those in process groups of their own. */
void nitro_process_tree_kill(pid_t root);
/** A process's resident memory; 0: unknown. */
size_t nitro_process_memory(pid_t process);

#endif
