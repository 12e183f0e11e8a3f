/*
 * Bench "start": from the start of a process to its end, for `nitro version`: as it is, against the
 * same program that has all plug-ins loaded from its start, as if libnitro were linked to what they
 * need (LD_PRELOAD names them); and against a program that does nothing, /bin/true. Both ratios are
 * of medians, in milliseconds.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "nitro/nitro_backend.h"

typedef struct start {
    const char *program;
    char *const *environment;
    posix_spawn_file_actions_t *actions;
    int code; /* of the last run; 0: fine */
} start;

static void run_once(void *state)
{
    start *s = state;
    char *arguments[] = {(char *)s->program, "version", NULL};
    pid_t child = 0;
    int code = 1;
    if (posix_spawn(&child, s->program, s->actions, NULL, arguments, s->environment) == 0)
        waitpid(child, &code, 0);
    s->code |= code;
}

static int run(bench_report *report)
{
    static char preload[] = "LD_PRELOAD=" REDIS_PLUGIN " " DOWNLOAD_PLUGIN " " HIGHWAY_PLUGIN;
    char *const plain[] = {NULL}, *const preloaded[] = {preload, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    start starts[] = {{PROGRAM, plain, &actions, 0},
                      {PROGRAM, preloaded, &actions, 0},
                      {"/bin/true", plain, &actions, 0}};
    bench_subject subjects[3];
    for (size_t i = 0; i < 3; i++)
        subjects[i] = (bench_subject){.run = run_once, .state = &starts[i]};
    int failed = bench_measure(subjects, 3, 50, 1000);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed && (starts[0].code | starts[1].code | starts[2].code) != 0)
        failed = bench_fail("start: '%s version' fails, alone or with %s", PROGRAM, preload);
    if (failed)
        return failed;
    bench_add(report, "nitro version, over all plug-ins loaded", subjects[0].median_ms,
              subjects[1].median_ms, "ms", subjects[0].spread);
    bench_add(report, "nitro version, over /bin/true", subjects[0].median_ms, subjects[2].median_ms,
              "ms", subjects[0].spread);
    return 0;
}

const bench bench_start = {
    .name = "start",
    .description = "starting nitro, against loading all plug-ins with it",
    .run = run,
};
