/*
 * Makes a forked process independent of its parent's signals, exit handlers and input; it ends with
 * its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nitro/base/child_process.h"
#include "nitro/base/context.h"

/* Runs before any handler that the parent process had registered: a variant that calls exit() must
 * neither flush the parent's buffered output a second time nor remove its files. */
static void leave_at_once(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

/* Make the kernel end this process first when memory runs out, and not the one that measures. */
static void volunteer_for_oom_killer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t written = write(file, "1000", 4);
    (void)written; /* only a courtesy */
    close(file);
}

/* Standard input stays with the parent: a worker that reads the terminal would be stopped. */
static void detach_standard_input(void)
{
    int file = open("/dev/null", O_RDONLY);
    if (file > 0) {
        dup2(file, STDIN_FILENO);
        close(file);
    }
}

/* Another thread may hold the error lock right now, and nobody would free it in the child. */
pid_t nitro_child_fork(nitro_context *context)
{
    pthread_mutex_lock(&context->error_lock);
    pid_t worker = fork();
    int problem = errno;
    pthread_mutex_unlock(&context->error_lock);
    errno = problem;
    return worker;
}

void nitro_child_detach(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); /* it died before we asked to be told */
    for (int number = 1; number <= SIGRTMAX; number++)
        signal(number, SIG_DFL); /* the application's handlers are not for this process */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    on_exit(leave_at_once, NULL);
    detach_standard_input();
    volunteer_for_oom_killer();
}
