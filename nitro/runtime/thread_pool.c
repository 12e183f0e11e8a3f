/*
 * Threads that evaluate features. Evaluations are in a list behind one lock that is never held
 * during an evaluation, so that offering and withdrawing one is fast. In a forked child there are
 * no threads, and the pool does nothing.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "nitro/base/thread_start.h"
#include "nitro/runtime/feature_evaluation.h"

struct nitro_thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t offered, left;
    nitro_feature_evaluation *waiting; /* a list, the newest last */
    bool stop;
    pid_t process;
    size_t num_threads;
    pthread_t threads[]; /* shape [num_threads] */
};

/** Remove from the list, if present; the lock is held. */
static void drop(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation)
{
    for (nitro_feature_evaluation **link = &pool->waiting; *link; link = &(*link)->next_unsent)
        if (*link == evaluation) {
            *link = evaluation->next_unsent;
            return;
        }
}

static void help(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation)
{
    evaluation->num_helping++;
    if (--evaluation->num_wanted == 0)
        drop(pool, evaluation);
    pthread_mutex_unlock(&pool->lock);
    nitro_feature_evaluation_work(evaluation);
    pthread_mutex_lock(&pool->lock);
    evaluation->num_helping--;
    pthread_cond_broadcast(&pool->left);
}

static void *run_pool_thread(void *any)
{
    nitro_thread_pool *pool = any;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        if (pool->waiting)
            help(pool, pool->waiting);
        else
            pthread_cond_wait(&pool->offered, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

nitro_status nitro_thread_pool_create(nitro_context *context, size_t num_threads,
                                      nitro_thread_pool **pool)
{
    nitro_thread_pool *made =
        nitro_calloc(context, 1, sizeof *made + num_threads * sizeof made->threads[0]);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->offered, NULL);
    pthread_cond_init(&made->left, NULL);
    made->process = getpid();
    while (made->num_threads < num_threads &&
           nitro_thread_start(&made->threads[made->num_threads], run_pool_thread, made))
        made->num_threads++;
    if (made->num_threads < num_threads) {
        size_t num_started = made->num_threads;
        nitro_thread_pool_free(made);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "only %zu of %zu threads for feature evaluation could be started",
                          num_started, num_threads);
    }
    *pool = made;
    return NITRO_OK;
}

bool nitro_thread_pool_is_running(const nitro_thread_pool *pool)
{
    return pool && pool->process == getpid();
}

void nitro_thread_pool_free(nitro_thread_pool *pool)
{
    if (!pool)
        return;
    if (nitro_thread_pool_is_running(pool)) {
        pthread_mutex_lock(&pool->lock);
        pool->stop = true;
        pthread_cond_broadcast(&pool->offered);
        pthread_mutex_unlock(&pool->lock);
        for (size_t t = 0; t < pool->num_threads; t++)
            pthread_join(pool->threads[t], NULL);
        pthread_cond_destroy(&pool->left);
        pthread_cond_destroy(&pool->offered);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool);
}

void nitro_thread_pool_offer(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation,
                             size_t num_wanted)
{
    if (num_wanted == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    evaluation->num_wanted = num_wanted;
    evaluation->next_unsent = NULL;
    nitro_feature_evaluation **link = &pool->waiting;
    while (*link)
        link = &(*link)->next_unsent;
    *link = evaluation;
    pthread_cond_broadcast(&pool->offered);
    pthread_mutex_unlock(&pool->lock);
}

void nitro_thread_pool_withdraw(nitro_thread_pool *pool, nitro_feature_evaluation *evaluation)
{
    pthread_mutex_lock(&pool->lock);
    drop(pool, evaluation);
    while (evaluation->num_helping > 0)
        pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
