/*
 * Runs a function in a forked process, which sends its status as one byte, then a text, over a
 * pipe. Limits use real time, not the context's clock. Waiting is bounded too, since a process that
 * hangs in a driver cannot be killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nitro/base/child_process.h"
#include "nitro/base/clock.h"
#include "nitro/base/context.h"

#define MAX_ANSWER_BYTES ((size_t)16 << 20)
#define FIRST_BYTES      4096
#define GONE_AFTER_MS    2000 /* maximum wait for a child to exit */

typedef struct reception {
    char *bytes;
    size_t size, capacity;
} reception;

static void send_all(int pipe, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(pipe, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(EXIT_FAILURE); /* nobody listens */
        bytes += count;
        size -= (size_t)count;
    }
}

_Noreturn static void be_child(nitro_context *context, nitro_child_function function, void *state,
                               pid_t parent, int pipe)
{
    nitro_child_detach(parent, pipe);
    nitro_context_set_log(context, NITRO_LOG_WARNING, NULL, NULL);
    char *answer = NULL, error[NITRO_ERROR_BYTES];
    nitro_status status = function(context, state, &answer);
    if (status != NITRO_OK)
        nitro_context_last_error(context, error, sizeof(error));
    const char *text = status == NITRO_OK ? answer : error;
    char first = (char)status;
    send_all(pipe, &first, 1);
    send_all(pipe, text, strlen(text) + 1);
    _exit(EXIT_SUCCESS);
}

static bool is_complete(const reception *self)
{
    return self->size >= 2 && self->bytes[self->size - 1] == '\0';
}

static nitro_status make_room(nitro_context *context, const char *what, reception *self)
{
    if (self->size < self->capacity)
        return NITRO_OK;
    size_t capacity = self->capacity ? 2 * self->capacity : FIRST_BYTES;
    if (capacity > MAX_ANSWER_BYTES)
        return nitro_fail(context, NITRO_ERR_IO, "%s: the answer exceeds %zu bytes", what,
                          MAX_ANSWER_BYTES);
    char *grown = realloc(self->bytes, capacity);
    if (!grown)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory for the answer", what);
    self->bytes = grown;
    self->capacity = capacity;
    return NITRO_OK;
}

/* Read until the answer is complete or the pipe is closed. */
static nitro_status receive(nitro_context *context, const char *what, double limit_ms, int pipe,
                            reception *self)
{
    double end_ms = nitro_system_ms() + limit_ms;
    for (;;) {
        nitro_status status = make_room(context, what, self);
        double left_ms = end_ms - nitro_system_ms();
        if (status != NITRO_OK)
            return status;
        if (left_ms <= 0)
            return nitro_fail(context, NITRO_ERR_IO, "%s took longer than %g s and was stopped",
                              what, limit_ms / 1e3);
        struct pollfd poll_pipe = {.fd = pipe, .events = POLLIN};
        if (poll(&poll_pipe, 1, (int)left_ms + 1) <= 0)
            continue;
        ssize_t count = read(pipe, self->bytes + self->size, self->capacity - self->size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count > 0)
            self->size += (size_t)count;
        if (count <= 0 || is_complete(self))
            return NITRO_OK;
    }
}

/* Has the child exited? It has closed its pipe, so it is about to if not. */
static bool wait_for(pid_t child, int *ending)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (double end_ms = nitro_system_ms() + GONE_AFTER_MS;; nanosleep(&moment, NULL)) {
        pid_t ended = waitpid(child, ending, WNOHANG);
        if (ended == child)
            return true;
        if ((ended < 0 && errno != EINTR) || nitro_system_ms() > end_ms)
            return false;
    }
}

/* Report why the answer is incomplete, from the child's exit status. */
static nitro_status fail_ended(nitro_context *context, const char *what, bool known, int ending)
{
    if (known && WIFSIGNALED(ending))
        return nitro_fail(context, NITRO_ERR_IO, "%s crashed: signal %d (%s)", what,
                          WTERMSIG(ending), strsignal(WTERMSIG(ending)));
    return nitro_fail(context, NITRO_ERR_IO, "%s exited without an answer (exit status %d)", what,
                      known ? WEXITSTATUS(ending) : -1);
}

static nitro_status take_answer(nitro_context *context, const char *what, const reception *self,
                                char **answer)
{
    nitro_status status = (nitro_status)self->bytes[0];
    if (status != NITRO_OK)
        return nitro_fail(context, status, "%s", self->bytes + 1);
    char *copy = strdup(self->bytes + 1);
    if (!copy)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory for the answer", what);
    *answer = copy;
    return NITRO_OK;
}

static nitro_status listen_to(nitro_context *context, const char *what, double limit_ms,
                              pid_t child, int pipe, char **answer)
{
    reception received = {0};
    int ending = 0;
    nitro_status status = receive(context, what, limit_ms, pipe, &received);
    bool ended = status == NITRO_OK && !is_complete(&received) && wait_for(child, &ending);
    if (!ended) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
        int unused;
        wait_for(child, &unused);
    }
    if (status == NITRO_OK && !is_complete(&received))
        status = fail_ended(context, what, ended, ending);
    if (status == NITRO_OK)
        status = take_answer(context, what, &received, answer);
    free(received.bytes);
    return status;
}

nitro_status nitro_child_run(nitro_context *context, const char *what, double limit_ms,
                             nitro_child_function function, void *state, char **answer)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: cannot create a pipe: %s", what,
                          strerror(errno));
    pid_t parent = getpid();
    pid_t child = nitro_child_fork();
    if (child == 0) {
        close(ends[0]);
        /* The pipe may have the number of a standard descriptor that the application has closed. */
        int answers = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(ends[1]);
        be_child(context, function, state, parent, answers);
    }
    int problem = errno;
    close(ends[1]);
    nitro_status status =
        child > 0 ? listen_to(context, what, limit_ms, child, ends[0], answer)
                  : nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: cannot start a process: %s", what,
                               strerror(problem));
    close(ends[0]);
    return status;
}
