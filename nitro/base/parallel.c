/* Runs independent tasks on a few threads, which take them one by one. */
#include "nitro/base/parallel.h"
#include "nitro/base/context.h"
#include "nitro/base/thread_start.h"

#include <pthread.h>
#include <sched.h>

#define MAX_THREADS 64

typedef struct work_queue {
    pthread_mutex_t lock;
    size_t next, num_tasks;
    nitro_task_function task;
    void *user;
    uint64_t caller; /* errors are the calling thread's */
    size_t failed_index;
    nitro_status status;
} work_queue;

static size_t take(work_queue *work)
{
    pthread_mutex_lock(&work->lock);
    size_t index = work->next < work->num_tasks ? work->next++ : NITRO_NONE;
    pthread_mutex_unlock(&work->lock);
    return index;
}

static void note_failure(work_queue *work, size_t index, nitro_status status)
{
    pthread_mutex_lock(&work->lock);
    if (index < work->failed_index) {
        work->failed_index = index;
        work->status = status;
    }
    pthread_mutex_unlock(&work->lock);
}

static void *worker(void *argument)
{
    work_queue *work = argument;
    nitro_thread_work_for(work->caller);
    for (size_t index; (index = take(work)) != NITRO_NONE;) {
        nitro_status status = work->task(work->user, index);
        if (status != NITRO_OK)
            note_failure(work, index, status);
    }
    return NULL;
}

static size_t count_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return 1;
    return (size_t)CPU_COUNT(&cores);
}

nitro_status nitro_parallel_run(unsigned num_threads, size_t num_tasks, nitro_task_function task,
                                void *user)
{
    size_t wanted = num_threads ? num_threads : count_cores();
    if (wanted > num_tasks)
        wanted = num_tasks;
    if (wanted > MAX_THREADS)
        wanted = MAX_THREADS;
    work_queue work = {.num_tasks = num_tasks,
                       .task = task,
                       .user = user,
                       .caller = nitro_thread_number(),
                       .failed_index = NITRO_NONE};
    pthread_mutex_init(&work.lock, NULL);
    pthread_t threads[MAX_THREADS];
    size_t started = 0;
    /* If threads cannot be started, the calling thread runs the remaining tasks. */
    while (started + 1 < wanted && nitro_thread_start(&threads[started], worker, &work))
        started++;
    worker(&work);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&work.lock);
    return work.status;
}
