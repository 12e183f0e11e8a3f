/* Gives each OpenMP thread of a worker process its own processor. */
#include "nitro/measure/bind_threads.h"

#include <omp.h>
#include <sched.h>

#ifndef __SANITIZE_THREAD__ /* which does not know the OpenMP runtime's barriers */

/* The processor of a thread: one of the allowed, in their order. */
static void bind_to(const cpu_set_t *allowed, int thread)
{
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpu_set_t one;
        if (!CPU_ISSET(cpu, allowed) || thread-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

void nitro_bind_threads(void)
{
    cpu_set_t allowed;
    int threads = omp_get_max_threads();
    if (threads < 2 || omp_get_proc_bind() != omp_proc_bind_false ||
        sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) != threads)
        return;
#pragma omp parallel num_threads(threads)
    bind_to(&allowed, omp_get_thread_num());
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

#else

void nitro_bind_threads(void)
{
}

#endif
