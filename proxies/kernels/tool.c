/* Running a program and reading its output. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proxies/kernels/tool.h"

extern char **environ;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Start with nothing to read, and output and complaints in the pipe. */
static int start(const char *const *arguments, int output, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    if (!error)
        error =
            posix_spawnp(process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Everything is read, so that the program is not stopped halfway. */
static nitro_status read_lines(FILE *stream, const char *name, nitro_tool_line each, void *user,
                               char *complaint, size_t size)
{
    nitro_status status = NITRO_OK;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stream) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, name, strlen(name)) == 0)
            snprintf(complaint, size, "%s", line);
        if (status == NITRO_OK)
            status = each(user, line);
    }
    free(line);
    return status;
}

nitro_status nitro_tool_run(nitro_context *context, const char *const *arguments,
                            nitro_tool_line each, void *user)
{
    int ends[2], result = 0;
    pid_t process;
    char complaint[512] = "it said nothing";
    if (pipe2(ends, O_CLOEXEC) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "no pipe for %s: %s", arguments[0],
                          strerror(errno));
    int error = start(arguments, ends[1], &process);
    close(ends[1]);
    FILE *stream = error ? NULL : fdopen(ends[0], "r");
    if (!stream)
        close(ends[0]);
    if (error)
        return nitro_fail(context, error == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "cannot run %s: %s", arguments[0], strerror(error));
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (stream) {
        status =
            read_lines(stream, base_name(arguments[0]), each, user, complaint, sizeof(complaint));
        fclose(stream);
    }
    while (waitpid(process, &result, 0) < 0 && errno == EINTR)
        ;
    if (status == NITRO_OK && (!WIFEXITED(result) || WEXITSTATUS(result) != 0))
        status = nitro_fail(context, NITRO_ERR_IO, "%s failed: %s", arguments[0], complaint);
    return status;
}
