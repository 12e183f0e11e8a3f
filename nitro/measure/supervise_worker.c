/* Starts a worker process, enforces its limits, and cleans up after it. Uses the real clock,
 * whatever clock the context has: a hanging variant hangs in real time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/base/child_process.h"
#include "nitro/base/clock.h"
#include "nitro/kit/host_parts.h"
#include "nitro/measure/process_tree.h"
#include "nitro/measure/worker.h"
#include "nitro/runtime/computation.h"

/* Polling interval of limits; long enough not to disturb timings. */
#define MONITOR_INTERVAL_MS 20
/* Every how many intervals the memory of a worker's descendants is measured. */
#define CHECKS_OF_DESCENDANTS 10
/* More records than a socket holds; bounds the time between checks of limits. */
#define RECORDS_AT_ONCE 32
/* Polling interval after the worker closed its socket. */
#define GONE_INTERVAL_MS 1

struct nitro_worker_process {
    const nitro_measure_options *options;
    nitro_record_function receive;
    void *user;
    pid_t worker;            /* its guard: see nitro_worker_main */
    int channel;             /* -1: closed at the other end */
    nitro_place_word *place; /* shape [2]: the second is the worker's process id */
    uint64_t seen_place;
    double seen_since_ms;
    nitro_worker_record record; /* the one being received */
    size_t received;            /* bytes of it */
    bool paused, ended;
    unsigned checks; /* of limits */
    size_t descendants_bytes;
};

typedef struct nitro_worker_process supervisor;

static nitro_status start(supervisor *self, const nitro_job *job)
{
    nitro_context *context = job->computation->context;
    pid_t parent = getpid();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot create a socket for a worker: %s",
                          strerror(errno));
    nitro_host_share_wake_cost(); /* all workers divide work alike */
    self->worker = nitro_child_fork();
    int problem = errno;
    if (self->worker == 0)
        nitro_worker_main(job, parent, ends[1], self->place);
    close(ends[1]);
    if (self->worker < 0) {
        close(ends[0]);
        return nitro_fail(context, NITRO_ERR_IO, "cannot start a worker process: %s",
                          strerror(problem));
    }
    setpgid(self->worker, self->worker); /* in both processes, to avoid a race */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    self->channel = ends[0];
    self->seen_place = atomic_load(self->place);
    self->seen_since_ms = nitro_system_ms();
    return NITRO_OK;
}

/* Reads available records. Incomplete records of a dying worker are dropped. */
static void drain(supervisor *self)
{
    for (unsigned records = 0; self->channel >= 0 && records < RECORDS_AT_ONCE;) {
        char *free_room = (char *)&self->record + self->received;
        ssize_t count = read(self->channel, free_room, sizeof(self->record) - self->received);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0) {
            close(self->channel);
            self->channel = -1;
            return;
        }
        self->received += (size_t)count;
        if (self->received == sizeof(self->record)) {
            self->received = 0;
            records++;
            self->paused |= self->record.kind == NITRO_RECORD_PAUSED;
            self->receive(self->user, &self->record);
        }
    }
}

/* Does not reap the worker, so that its process group id stays reserved until the group is killed.
 */
static bool has_ended(const supervisor *self)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)self->worker, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD; /* the application ignores SIGCHLD or waits for all its children */
    return info.si_pid == self->worker;
}

size_t nitro_worker_memory(const nitro_worker_process *self)
{
    return nitro_process_memory((pid_t)atomic_load(&self->place[1]));
}

/* The worker's processes are counted now and then: finding them takes longer. */
static size_t measure_memory(supervisor *self)
{
    size_t own_bytes = nitro_worker_memory(self);
    if (++self->checks % CHECKS_OF_DESCENDANTS == 0) {
        size_t all_bytes = nitro_process_tree_memory(self->worker);
        self->descendants_bytes = all_bytes > own_bytes ? all_bytes - own_bytes : 0;
    }
    return own_bytes + self->descendants_bytes;
}

static bool is_over_limit(supervisor *self, nitro_worker_end *end)
{
    size_t limit_bytes = self->options->memory_limit_bytes;
    size_t used_bytes = limit_bytes ? measure_memory(self) : 0;
    uint64_t place = atomic_load_explicit(self->place, memory_order_acquire);
    end->place = nitro_place_decode(place);
    if (limit_bytes && used_bytes > limit_bytes) {
        end->ending = NITRO_ENDING_OUT_OF_MEMORY;
        end->memory_bytes = used_bytes;
        return true;
    }
    if (place != self->seen_place) {
        self->seen_place = place;
        self->seen_since_ms = nitro_system_ms();
    } else if (nitro_system_ms() - self->seen_since_ms >
               nitro_worker_limit_ms(self->options, end->place.phase)) {
        end->ending = NITRO_ENDING_TIMED_OUT;
        return true;
    }
    return false;
}

/* Kills what a variant may have started, too. */
static void kill_worker(const supervisor *self)
{
    nitro_process_tree_kill(self->worker);
    kill(-self->worker, SIGKILL);
    kill(self->worker, SIGKILL);
}

static void reap(const supervisor *self, nitro_worker_end *end, bool killed)
{
    int status = 0;
    pid_t reaped;
    do
        reaped = waitpid(self->worker, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (killed)
        return;
    end->place = nitro_place_decode(atomic_load(self->place));
    end->ending = reaped > 0 && WIFSIGNALED(status) ? NITRO_ENDING_SIGNALLED : NITRO_ENDING_EXITED;
    end->code = reaped < 0 ? -1 : WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

bool nitro_worker_wait(nitro_worker_process *self, nitro_worker_end *end)
{
    bool killed = false;
    *end = (nitro_worker_end){0};
    while (!self->ended && !self->paused) {
        struct pollfd ready = {.fd = self->channel, .events = POLLIN};
        poll(&ready, 1, self->channel < 0 ? GONE_INTERVAL_MS : MONITOR_INTERVAL_MS);
        drain(self);
        if (self->paused)
            break;
        self->ended = has_ended(self);
        killed = !self->ended && is_over_limit(self, end);
        self->ended |= killed;
    }
    if (!self->ended)
        return true;
    kill_worker(self);
    reap(self, end, killed);
    drain(self); /* remaining records */
    self->paused = false;
    return false;
}

bool nitro_worker_continue(nitro_worker_process *self, uint64_t todo)
{
    if (!self->paused || has_ended(self))
        return false;
    self->paused = false;
    self->seen_since_ms = nitro_system_ms();
    return send(self->channel, &todo, sizeof(todo), MSG_NOSIGNAL) == (ssize_t)sizeof(todo);
}

nitro_status nitro_worker_start(const nitro_job *job, nitro_record_function receive, void *user,
                                nitro_worker_process **worker)
{
    nitro_context *context = job->computation->context;
    nitro_worker_process *self = nitro_calloc(context, 1, sizeof(*self));
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->options = job->options;
    self->receive = receive;
    self->user = user;
    self->channel = -1;
    self->place = mmap(NULL, 2 * sizeof(*self->place), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self->place == MAP_FAILED) {
        free(self);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "no memory to share with a worker: %s",
                          strerror(errno));
    }
    atomic_init(self->place, nitro_place_encode((nitro_place){NITRO_PHASE_START, NITRO_NONE, 0}));
    nitro_status status = start(self, job);
    if (status == NITRO_OK) {
        *worker = self;
        return NITRO_OK;
    }
    munmap(self->place, 2 * sizeof(*self->place));
    free(self);
    return status;
}

void nitro_worker_stop(nitro_worker_process *self)
{
    nitro_worker_end unused;
    if (!self)
        return;
    if (!self->ended && !nitro_worker_continue(self, 0))
        kill_worker(self);
    while (!self->ended && nitro_worker_wait(self, &unused))
        self->paused = false;
    if (self->channel >= 0)
        close(self->channel);
    munmap(self->place, 2 * sizeof(*self->place));
    free(self);
}
