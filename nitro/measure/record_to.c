/*
 * Durable online learning: a thread moves recorded calls to a store at intervals, when the
 * computation is freed and at exit. The next start begins with the times of those calls. The list
 * of recorders is the one mutable global, for exit handlers have no argument.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nitro/base/lock.h"
#include "nitro/base/require.h"
#include "nitro/base/thread_start.h"
#include "nitro/measure/observed_device.h"
#include "nitro/runtime/computation.h"

#define NUM_RECORDED    4096
#define MAX_SETS        10000 /* of features, in a store */
#define EXIT_PATIENCE_S 2     /* of all recorders together */

struct nitro_recorder {
    nitro_computation *computation;
    nitro_store *store;
    double interval_s;
    pid_t process; /* a forked child has no thread */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, is_done;
    bool has_failed; /* the last flush; said once */
    bool is_joined;
    size_t room; /* for sets of features that the store does not have */
    nitro_recorder *next;
};

static nitro_lock list_lock;
static nitro_recorder *recorders;
static bool has_exit_handler;

static struct timespec after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    double whole = (double)(time_t)seconds;
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)((seconds - whole) * 1e9);
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

/* ---- Flushing ------------------------------------------------------------------------------ */

static void flush(nitro_recorder *self)
{
    nitro_context *context = self->computation->context;
    char message[1024];
    size_t before = self->room;
    nitro_status status =
        nitro_flush_observations_into(self->computation, self->store, &self->room, NULL);
    if (status != NITRO_OK && !self->has_failed) {
        nitro_context_last_error(context, message, sizeof message);
        nitro_log(context, NITRO_LOG_WARNING,
                  "%s: recorded calls cannot be stored, and are kept until they can: %s",
                  nitro_computation_name(self->computation), message);
    }
    if (status == NITRO_OK && before > 0 && self->room == 0)
        nitro_log(
            context, NITRO_LOG_WARNING,
            "%s: calls with %d sets of features are recorded: others are not stored any more; "
            "round features that rarely repeat, or remove samples ('nitro store remove')",
            nitro_computation_name(self->computation), MAX_SETS);
    if (status != NITRO_OK)
        self->room = before; /* nothing was stored */
    self->has_failed = status != NITRO_OK;
}

static void *record(void *any)
{
    nitro_recorder *self = any;
    bool is_last = false; /* what comes before `stop` is stored */
    pthread_mutex_lock(&self->lock);
    while (!is_last) {
        struct timespec end = after(self->interval_s);
        while (!self->stop && pthread_cond_timedwait(&self->changed, &self->lock, &end) == 0)
            ;
        is_last = self->stop;
        pthread_mutex_unlock(&self->lock);
        flush(self);
        pthread_mutex_lock(&self->lock);
    }
    self->is_done = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/** @param[in] until  NULL: wait without a limit. @return the last flush is done. */
static bool finish(nitro_recorder *self, const struct timespec *until)
{
    int error = 0;
    pthread_mutex_lock(&self->lock);
    self->stop = true;
    pthread_cond_broadcast(&self->changed);
    while (!self->is_done && error == 0)
        error = until ? pthread_cond_timedwait(&self->changed, &self->lock, until)
                      : pthread_cond_wait(&self->changed, &self->lock);
    bool is_done = self->is_done;
    pthread_mutex_unlock(&self->lock);
    if (is_done && !self->is_joined)
        pthread_join(self->thread, NULL);
    self->is_joined = is_done;
    return is_done;
}

/** Programs that end without freeing their computations. */
static void finish_all(void)
{
    const struct timespec until = after(EXIT_PATIENCE_S);
    nitro_lock_acquire(&list_lock);
    for (nitro_recorder *each = recorders; each; each = each->next)
        if (each->process == getpid())
            finish(each, &until);
    nitro_lock_release(&list_lock);
}

/* ---- Begin with what the store has --------------------------------------------------------- */

static nitro_status begin_with(void *user, const nitro_sample *sample)
{
    nitro_recorder *self = user;
    const nitro_computation *computation = self->computation;
    const char *origin = sample->provenance.origin;
    if (!origin || strcmp(origin, "observed") != 0)
        return NITRO_OK;
    self->room -= self->room > 0;
    for (size_t v = 0; v < sample->num_entries; v++) {
        const nitro_entry *entry = &sample->entries[v];
        bool is_current = !entry->version ||
                          !nitro_version_is_other(entry->version, computation->variants[v].version);
        if (entry->outcome == NITRO_OUTCOME_MEASURED && is_current)
            nitro_monitor_begin_with(computation->monitor, sample->features, v, entry->median_ms,
                                     entry->count);
    }
    return NITRO_OK;
}

static nitro_status begin(nitro_recorder *self)
{
    const nitro_computation *computation = self->computation;
    nitro_store *store = self->store;
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    bool is_stored = false;
    const char *name = nitro_computation_name(computation);
    nitro_status status = nitro_store_get_schema(store, name, &schema);
    if (status == NITRO_ERR_NOT_FOUND)
        return NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_schema_require_same(computation->context, computation->schema,
                                           "this program", schema, "the store");
    if (status == NITRO_OK)
        status = nitro_observed_device(computation, store, &device, &is_stored);
    if (status == NITRO_OK && is_stored)
        status = nitro_store_each_sample(store, name, device->id, begin_with, self);
    nitro_device_free(device);
    nitro_schema_free(schema);
    return status;
}

/* ---- Start and end ------------------------------------------------------------------------- */

static void free_recorder(nitro_recorder *self)
{
    nitro_store_close(self->store);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

void nitro_recorder_end(nitro_recorder *self)
{
    if (!self || self->process != getpid())
        return;
    nitro_lock_acquire(&list_lock);
    nitro_recorder **link = &recorders;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    nitro_lock_release(&list_lock);
    finish(self, NULL);
    free_recorder(self);
}

static nitro_status start(nitro_recorder *self)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&self->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&self->lock, NULL);
    if (!nitro_thread_start(&self->thread, record, self)) {
        nitro_context *context = self->computation->context;
        free_recorder(self);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "no thread that stores recorded calls could be started");
    }
    nitro_lock_acquire(&list_lock);
    if (!has_exit_handler)
        has_exit_handler = atexit(finish_all) == 0;
    self->next = recorders;
    recorders = self;
    nitro_lock_release(&list_lock);
    self->computation->recorder = self;
    return NITRO_OK;
}

static nitro_status require_recording(nitro_computation *computation)
{
    nitro_monitor_options options;
    if (computation->monitor && !nitro_monitor_observations(computation->monitor))
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: calls are monitored but not recorded: set num_recorded, or let "
                          "nitro_computation_record_to start monitoring",
                          nitro_computation_name(computation));
    if (computation->monitor)
        return NITRO_OK;
    nitro_monitor_options_init(&options);
    options.num_recorded = NUM_RECORDED;
    return nitro_computation_monitor(computation, &options);
}

nitro_status nitro_computation_record_to(nitro_computation *computation, const char *url,
                                         double interval_s)
{
    NITRO_REQUIRE(NULL, computation);
    nitro_store *store = NULL;
    nitro_context *context = computation->context;
    if (!(interval_s > 0 && interval_s <= 1e6))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: storing recorded calls every %g s: use more than 0, at most 1e6",
                          nitro_computation_name(computation), interval_s);
    nitro_recorder_end(computation->recorder);
    computation->recorder = NULL;
    nitro_status status = nitro_computation_version_by_code(computation);
    if (status == NITRO_OK)
        status = require_recording(computation);
    if (status == NITRO_OK)
        status = nitro_store_open_journaled(context, url, &store);
    nitro_recorder *made = status == NITRO_OK ? nitro_calloc(context, 1, sizeof *made) : NULL;
    if (!made) {
        nitro_store_close(store);
        return status == NITRO_OK ? NITRO_ERR_NO_MEMORY : status;
    }
    *made = (nitro_recorder){.computation = computation,
                             .store = store,
                             .interval_s = interval_s,
                             .process = getpid(),
                             .room = MAX_SETS};
    status = begin(made);
    if (status == NITRO_OK)
        return start(made);
    nitro_store_close(store);
    free(made);
    return status;
}

nitro_status nitro_configure_recorder(nitro_computation *computation, const char *url,
                                      double interval_s)
{
    return nitro_computation_record_to(computation, url, interval_s);
}
