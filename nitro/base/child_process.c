/*
 * Makes a forked process independent of its parent's signals, exit handlers and input; it ends with
 * its parent.
 */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nitro/base/child_process.h"

/* Runs before any handler that the parent process had registered: a variant that calls exit() must
 * neither flush the parent's buffered output a second time nor remove its files. */
static void leave_at_once(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

/* Prefer this process to its parent when the kernel is out of memory. */
static void volunteer_for_oom_killer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t written = write(file, "1000", 4);
    (void)written; /* best effort */
    close(file);
}

/* Replace standard input: a background process that reads the terminal would be stopped. */
static void detach_standard_input(void)
{
    int file = open("/dev/null", O_RDONLY);
    if (file > 0) {
        dup2(file, STDIN_FILENO);
        close(file);
    }
}

/* Close all descriptors but the standard ones and `kept`: a variant must not write to the store's
 * file. Its standard output is standard error: ours may be JSON. */
static void close_descriptors(int kept)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (kept > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
    close_range((unsigned)(kept > STDERR_FILENO ? kept : STDERR_FILENO) + 1, ~0U, 0);
}

static int num_forks; /* that led to this process; getpid() would be a system call */
/* Of the process in which this thread started OpenMP's threads; -1: it has none. */
static _Thread_local int team_forks = -1;

static void count_fork(void)
{
    num_forks++;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

bool nitro_child_lacks_team(void)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    if (team_forks < 0)
        team_forks = num_forks;
    return team_forks != num_forks;
}

/* The child would wait for ever for OpenMP's threads, which it does not have: they end before, and
 * start again in either process when it needs them. */
pid_t nitro_child_fork(void)
{
    if (!omp_in_parallel() && !nitro_child_lacks_team()) {
        omp_pause_resource_all(omp_pause_hard);
        team_forks = -1;
    }
    return fork();
}

void nitro_child_detach(pid_t parent, int kept)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); /* the parent died before prctl */
    for (int number = 1; number <= SIGRTMAX; number++)
        signal(number, SIG_DFL); /* do not run the application's handlers */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    on_exit(leave_at_once, NULL);
    detach_standard_input();
    close_descriptors(kept);
    volunteer_for_oom_killer();
}
