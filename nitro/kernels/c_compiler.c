/* Runs the machine's C compiler in a child process. */
#include "nitro/kernels/c_compiler.h"

#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILE_LIMIT_MS 120000

extern char **environ;

typedef struct command {
    char **words;
    const char *messages;
} command;

const char *nitro_c_compiler(void)
{
    const char *given = secure_getenv("CC");
    return given && given[strspn(given, " ")] ? given : "cc";
}

nitro_status nitro_c_compiler_words(nitro_context *context, char *text, char **words, size_t *count)
{
    static char shared[] = "-shared", pic[] = "-fPIC", optimise[] = "-O2"; /* a later -O counts */
    const char *compiler = nitro_c_compiler();
    char *rest = NULL;
    size_t made = 0;
    int length = snprintf(text, NITRO_C_COMPILER_BYTES, "%s", compiler);
    char *word = strtok_r(text, " ", &rest);
    for (; word && made < NITRO_C_COMPILER_WORDS; word = strtok_r(NULL, " ", &rest))
        words[made++] = word;
    if (word || length >= NITRO_C_COMPILER_BYTES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the variable CC, '%.80s...', has more than %d words or %d bytes",
                          compiler, NITRO_C_COMPILER_WORDS, NITRO_C_COMPILER_BYTES - 1);
    words[made++] = optimise;
    words[made++] = shared;
    words[made++] = pic;
    *count = made;
    return NITRO_OK;
}

/* Where the C library would find the command, or "". */
static void find_command(const char *name, char *path, size_t size)
{
    const char *folders = strchr(name, '/') ? "" : secure_getenv("PATH");
    snprintf(path, size, "%s", name);
    for (const char *at = folders; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, size, "%.*s/%s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return;
        at += length + (at[length] == ':');
    }
}

nitro_status nitro_c_compiler_digest(nitro_context *context, uint64_t *digest)
{
    char *words[NITRO_C_MAX_WORDS], text[NITRO_C_COMPILER_BYTES], path[4096];
    const char *compiler = nitro_c_compiler();
    size_t count;
    struct stat file;
    nitro_status status = nitro_c_compiler_words(context, text, words, &count);
    if (status != NITRO_OK)
        return status;
    uint64_t made = nitro_hash(compiler, strlen(compiler), 0);
    for (size_t i = 0; i < count; i++) {
        find_command(words[i], path, sizeof(path));
        if (stat(path, &file) != 0)
            continue; /* an option */
        uint64_t numbers[] = {(uint64_t)file.st_size, (uint64_t)file.st_mtim.tv_sec};
        made = nitro_hash(numbers, sizeof(numbers), made);
    }
    *digest = made;
    return NITRO_OK;
}

nitro_status nitro_c_folder(nitro_context *context, const char *prefix, char **path, int *lock)
{
    struct statvfs system;
    nitro_status status = nitro_private_folder_make(context, prefix, path, lock);
    if (status == NITRO_OK && statvfs(*path, &system) == 0 && (system.f_flag & ST_NOEXEC)) {
        status = nitro_fail(context, NITRO_ERR_IO,
                            "%s: no compiled code can be loaded from there: the file system is "
                            "mounted noexec; set TMPDIR to a folder on another one",
                            *path);
        nitro_private_folder_remove(*path, *lock);
        free(*path);
        *path = NULL;
    }
    return status;
}

/* Below what the compiler said. */
static void add_message(const char *messages, const char *format, ...) NITRO_PRINTF(2, 3);

static void add_message(const char *messages, const char *format, ...)
{
    va_list arguments;
    FILE *file = fopen(messages, "ae");
    if (!file)
        return;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

static nitro_status compile_in_child(nitro_context *context, void *state, char **answer)
{
    const command *run = state;
    posix_spawn_file_actions_t files;
    pid_t compiler;
    int code = 0;
    char *folder = nitro_asprintf(context, "%s", run->messages);
    if (!folder)
        return NITRO_ERR_NO_MEMORY;
    setenv("TMPDIR", dirname(folder), 1); /* a compiler that is killed leaves its files */
    free(folder);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, run->messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error = posix_spawnp(&compiler, run->words[0], &files, NULL, run->words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0 || waitpid(compiler, &code, 0) < 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "cannot run the C compiler '%s': %s",
                          run->words[0], strerror(error));
    if (WIFSIGNALED(code))
        add_message(run->messages, "the C compiler '%s' was ended by signal %d (%s)\n",
                    run->words[0], WTERMSIG(code), strsignal(WTERMSIG(code)));
    *answer = strdup(WIFEXITED(code) && WEXITSTATUS(code) == 0 ? "" : "failed");
    return *answer ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_c_compile(nitro_context *context, char **words, const char *messages,
                             bool *compiled)
{
    command run = {words, messages};
    char *answer = NULL;
    nitro_status status =
        nitro_child_run(context, "compiling", COMPILE_LIMIT_MS, compile_in_child, &run, &answer);
    *compiled = status == NITRO_OK && answer[0] == '\0';
    free(answer);
    if (status != NITRO_ERR_IO)
        return status;
    char error[512]; /* it took too long */
    nitro_context_last_error(context, error, sizeof(error));
    add_message(messages, "%s\n", error);
    return NITRO_OK;
}

void nitro_c_messages(nitro_context *context, const char *messages, char *text, size_t size)
{
    char *read = NULL;
    size_t length = 0;
    text[0] = '\0';
    if (nitro_file_read(context, messages, (size_t)1 << 24, &read, &length) != NITRO_OK)
        return;
    length = length < size ? length : size - 1;
    memcpy(text, read, length);
    text[length] = '\0';
    nitro_text_clean(text, "\n\t");
    free(read);
}
