/* http_fixture.h - a misbehaving web server (tests/http_server.py) with its log, and a cache, for
 * one test. */
#ifndef NITRO_TESTS_UNIT_STORE_HTTP_FIXTURE_H
#define NITRO_TESTS_UNIT_STORE_HTTP_FIXTURE_H

#include <signal.h>
#include <sys/wait.h>

#include "unit/temporary.h"

typedef struct http_server {
    pid_t process;
    int input; /* the server ends when this does */
    unsigned port;
    char log_path[128];
} http_server;

/* Skips the test where there is no python3. `certificate` and `key` NULL: plain HTTP. */
static inline http_server http_start(const temporary *folder, const char *certificate,
                                     const char *key)
{
    http_server server = {0};
    int to_server[2], from_server[2];
    char root[128];
    snprintf(root, sizeof(root), "%s/www", folder->folder);
    snprintf(server.log_path, sizeof(server.log_path), "%s/%s", folder->folder,
             certificate ? "tls.log" : "http.log");
    mkdir(root, 0777);
    assert_int_equal(pipe(to_server), 0);
    assert_int_equal(pipe(from_server), 0);
    server.process = fork();
    assert_true(server.process >= 0);
    if (server.process == 0) {
        dup2(to_server[0], 0);
        dup2(from_server[1], 1);
        close(to_server[1]);
        close(from_server[0]);
        execlp("python3", "python3", SOURCE_DIR "/tests/http_server.py", root, server.log_path,
               certificate, key, (char *)NULL);
        _exit(127);
    }
    close(to_server[0]);
    close(from_server[1]);
    server.input = to_server[1];
    FILE *answer = fdopen(from_server[0], "r");
    if (fscanf(answer, "%u", &server.port) != 1) {
        print_message("SKIPPED: no python3 here to serve with\n");
        skip();
    }
    fclose(answer);
    return server;
}

static inline void http_stop(const http_server *server)
{
    if (server->process <= 0)
        return;
    close(server->input);
    kill(server->process, SIGTERM);
    waitpid(server->process, NULL, 0);
}

/* How many lines of the log hold the text. */
static inline size_t http_requests(const http_server *server, const char *text)
{
    char line[1024];
    size_t count = 0;
    FILE *log = fopen(server->log_path, "r");
    while (log && fgets(line, sizeof(line), log))
        count += strstr(line, text) ? 1 : 0;
    if (log)
        fclose(log);
    return count;
}

#endif
