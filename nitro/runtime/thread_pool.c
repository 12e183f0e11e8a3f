/*
 * Threads that help with evaluating features. Hides how they are told: evaluations stand in a list
 * behind one lock that is never held while a feature is evaluated, so that whoever offers or takes
 * back does not wait for one; and what becomes of them in a forked child, where they are not.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "nitro/runtime/feature_evaluation.h"

struct nitro_helpers {
    pthread_mutex_t lock;
    pthread_cond_t offered, left;
    nitro_feature_evaluation *waiting; /* a list, the newest last */
    bool stop;
    pid_t process;
    size_t num_threads;
    pthread_t threads[]; /* shape [num_threads] */
};

/** Out of the list, if it is there; the lock is held. */
static void drop(nitro_helpers *helpers, nitro_feature_evaluation *evaluation)
{
    for (nitro_feature_evaluation **link = &helpers->waiting; *link; link = &(*link)->next_waiting)
        if (*link == evaluation) {
            *link = evaluation->next_waiting;
            return;
        }
}

static void help(nitro_helpers *helpers, nitro_feature_evaluation *evaluation)
{
    evaluation->num_helping++;
    if (--evaluation->num_wanted == 0)
        drop(helpers, evaluation);
    pthread_mutex_unlock(&helpers->lock);
    nitro_feature_evaluation_work(evaluation);
    pthread_mutex_lock(&helpers->lock);
    evaluation->num_helping--;
    pthread_cond_broadcast(&helpers->left);
}

static void *run_helper(void *any)
{
    nitro_helpers *helpers = any;
    pthread_mutex_lock(&helpers->lock);
    while (!helpers->stop) {
        if (helpers->waiting)
            help(helpers, helpers->waiting);
        else
            pthread_cond_wait(&helpers->offered, &helpers->lock);
    }
    pthread_mutex_unlock(&helpers->lock);
    return NULL;
}

/** The application's signals are none of the helpers' business. */
static void start_threads(nitro_helpers *helpers, size_t num_threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (helpers->num_threads < num_threads &&
           pthread_create(&helpers->threads[helpers->num_threads], NULL, run_helper, helpers) == 0)
        helpers->num_threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

nitro_status nitro_helpers_create(nitro_context *context, size_t num_threads,
                                  nitro_helpers **helpers)
{
    nitro_helpers *made =
        nitro_calloc(context, 1, sizeof *made + num_threads * sizeof made->threads[0]);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->offered, NULL);
    pthread_cond_init(&made->left, NULL);
    made->process = getpid();
    start_threads(made, num_threads);
    if (made->num_threads < num_threads) {
        size_t num_started = made->num_threads;
        nitro_helpers_free(made);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "the system starts no more than %zu of %zu threads to evaluate features",
                          num_started, num_threads);
    }
    *helpers = made;
    return NITRO_OK;
}

bool nitro_helpers_are_here(const nitro_helpers *helpers)
{
    return helpers && helpers->process == getpid();
}

void nitro_helpers_free(nitro_helpers *helpers)
{
    if (!helpers)
        return;
    if (nitro_helpers_are_here(helpers)) {
        pthread_mutex_lock(&helpers->lock);
        helpers->stop = true;
        pthread_cond_broadcast(&helpers->offered);
        pthread_mutex_unlock(&helpers->lock);
        for (size_t t = 0; t < helpers->num_threads; t++)
            pthread_join(helpers->threads[t], NULL);
        pthread_cond_destroy(&helpers->left);
        pthread_cond_destroy(&helpers->offered);
        pthread_mutex_destroy(&helpers->lock);
    }
    free(helpers);
}

void nitro_helpers_offer(nitro_helpers *helpers, nitro_feature_evaluation *evaluation,
                         size_t num_wanted)
{
    if (num_wanted == 0)
        return;
    pthread_mutex_lock(&helpers->lock);
    evaluation->num_wanted = num_wanted;
    evaluation->next_waiting = NULL;
    nitro_feature_evaluation **link = &helpers->waiting;
    while (*link)
        link = &(*link)->next_waiting;
    *link = evaluation;
    pthread_cond_broadcast(&helpers->offered);
    pthread_mutex_unlock(&helpers->lock);
}

void nitro_helpers_withdraw(nitro_helpers *helpers, nitro_feature_evaluation *evaluation)
{
    pthread_mutex_lock(&helpers->lock);
    drop(helpers, evaluation);
    while (evaluation->num_helping > 0)
        pthread_cond_wait(&helpers->left, &helpers->lock);
    pthread_mutex_unlock(&helpers->lock);
}
