/* tuner.h - a tuner's search, and its state while calls of an application tune. Internal to nitro/.
 */
#ifndef NITRO_SEARCH_TUNER_H
#define NITRO_SEARCH_TUNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "nitro/base/lock.h"
#include "nitro/search/search.h"

#define TUNER_MAX_REPETITIONS 100

/** A configuration with its values, as runs take them. */
typedef struct tuned_configuration {
    struct tuned_configuration *older; /* published before */
    uint64_t configuration;
    double time_ms;
    double values[]; /* shape [number of parameters] */
} tuned_configuration;

/** The configuration that is being tried. */
typedef struct tuner_try {
    uint64_t configuration; /* NITRO_NO_CONFIGURATION: none */
    double values[NITRO_MAX_PARAMETERS];
    double times_ms[TUNER_MAX_REPETITIONS];
    unsigned count;
    nitro_outcome outcome;
    double cost_ms;
} tuner_try;

struct nitro_tuner {
    nitro_context *context;
    const nitro_tunable *tunable;
    nitro_space *space;
    size_t num_parameters;
    nitro_search_options options;
    char *searcher_options;
    uint64_t *starts;
    nitro_device *device;
    bool (*progress)(void *user, const nitro_tuner_statistics *statistics);
    void *progress_user;

    search_session session; /* of the thread that is `busy` */
    _Atomic(tuned_configuration *)
        best; /* NULL: none is valid. Published ones stay until the end */
    atomic_bool is_finished, restarts;

    nitro_lock lock; /* of what follows; see tuner_lock */
    pid_t owner;     /* the process that made, or in a forked child renewed, what follows */
    pthread_cond_t changed;
    bool busy;                         /* a thread uses the session */
    nitro_tuner_statistics statistics; /* without the number of calls */
    uint64_t saved_calls;              /* calls that `saved_ms` has */

    nitro_online_options online;
    bool is_added;
    atomic_uint_least64_t num_calls, num_tries;
    tuner_try trying;
    pthread_t thread;
    pid_t process; /* that has the thread */
    bool has_thread, stops;
    void *handed; /* a copy for the thread to try a configuration on; or NULL */
};

/** The first call in a forked child drops the session if a thread of the parent was using it: that
 *  thread does not exist here, and the session may be half changed. A new one is begun then. */
void tuner_lock(nitro_tuner *tuner);
void tuner_unlock(nitro_tuner *tuner);
/** Take the session; with `waits`, when no other thread has it. False: another one has it. */
bool tuner_acquire(nitro_tuner *tuner, bool waits);
void tuner_release(nitro_tuner *tuner);
/** The values of a configuration. */
void tuner_values(const nitro_tuner *tuner, uint64_t configuration, double *values);
/** The next configuration to evaluate, past those that the store has; begins anew if asked to.
 *  NITRO_NO_CONFIGURATION: finished, or awaited. The session was acquired. */
nitro_status tuner_next(nitro_tuner *tuner, uint64_t *configuration);
/** Tell the session, and publish the best. The session was acquired. */
nitro_status tuner_note(nitro_tuner *tuner, const nitro_search_answer *answer);
/** Was its thread started before this process was forked, so that it runs in the parent only? */
bool tuner_is_of_parent(const nitro_tuner *tuner);
/** Ends the thread. */
void tuner_stop_thread(nitro_tuner *tuner);

#endif
