/* redis_server.h - a real redis-server for one test program, in a folder of its own, reached
 * through its socket (and a port of 127.0.0.1 where one is asked for). It ends with the test. */
#ifndef NITRO_TESTS_UNIT_REDIS_SERVER_H
#define NITRO_TESTS_UNIT_REDIS_SERVER_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "unit/temporary.h"

typedef struct redis_server {
    temporary folder;
    char socket[96];
    int port; /* 0: none */
    pid_t process;
    const char *const *options; /* its options, for a restart */
} redis_server;

static inline bool redis_server_installed(void)
{
    static int installed = -1;
    if (installed < 0)
        installed = system("command -v redis-server >/dev/null 2>&1") == 0;
    if (!installed)
        print_message("SKIPPED: no redis-server here (apt-get install redis-server)\n");
    return installed;
}

/* Is the kind of store of this URL in the build? */
static inline bool redis_in_build(const char *url, const char *package)
{
    nitro_context *context = unit_context();
    nitro_store *store = NULL;
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_READ, &store);
    nitro_context_free(context);
    if (status == NITRO_ERR_NOT_BUILT)
        print_message("SKIPPED: %s stores are not in this build (%s)\n", url, package);
    return status != NITRO_ERR_NOT_BUILT;
}

static inline bool redis_server_possible(void)
{
    return redis_in_build("redis:", "libhiredis-dev") && redis_server_installed();
}

/* A port on which no process listens. */
static inline int redis_server_free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(descriptor >= 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &size), 0);
    close(descriptor);
    return ntohs(address.sin_port);
}

static inline int redis_server_connect(const redis_server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", server->socket);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

/* Send one command line and return the beginning of the reply; "" without a reply. Static storage.
 */
static inline const char *redis_server_say(const redis_server *server, const char *command)
{
    static char answer[65536];
    char line[4096];
    answer[0] = '\0';
    int descriptor = redis_server_connect(server);
    if (descriptor < 0)
        return answer;
    int length = snprintf(line, sizeof(line), "%s\r\n", command);
    ssize_t size = 0;
    if (send(descriptor, line, (size_t)length, MSG_NOSIGNAL) == length)
        size = recv(descriptor, answer, sizeof(answer) - 1, 0);
    answer[size > 0 ? size : 0] = '\0';
    close(descriptor);
    return answer;
}

static inline void redis_server_run(const redis_server *server)
{
    char port[16];
    const char *arguments[64] = {"redis-server",
                                 "--port",
                                 port,
                                 "--bind",
                                 "127.0.0.1",
                                 "--unixsocket",
                                 server->socket,
                                 "--dir",
                                 server->folder.folder,
                                 "--save",
                                 "",
                                 "--logfile",
                                 "log",
                                 "--databases",
                                 "16"};
    size_t count = 15;
    snprintf(port, sizeof(port), "%d", server->port);
    for (const char *const *option = server->options; option && *option && count < 63; option++)
        arguments[count++] = *option;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp("redis-server", (char *const *)(uintptr_t)arguments);
    _exit(127);
}

/* Start it (again) and wait until it answers. */
static inline void redis_server_start(redis_server *server)
{
    server->process = fork();
    assert_true(server->process >= 0);
    if (server->process == 0)
        redis_server_run(server);
    for (int tries = 0; tries < 1000; tries++) {
        const char *answer = redis_server_say(server, "PING");
        if (strncmp(answer, "+PONG", 5) == 0 || strncmp(answer, "-NOAUTH", 7) == 0)
            return;
        usleep(10000);
    }
    fail_msg("redis-server does not answer at %s", server->socket);
}

/* `options` must live as long as the server; ended by NULL. */
static inline void redis_server_make(redis_server *server, const char *const *options, bool tcp)
{
    *server = (redis_server){.folder = temporary_make(), .options = options};
    server->port = tcp ? redis_server_free_port() : 0;
    snprintf(server->socket, sizeof(server->socket), "%.80s/socket", server->folder.folder);
    redis_server_start(server);
}

static inline void redis_server_kill(redis_server *server)
{
    if (server->process <= 0)
        return;
    kill(server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
    server->process = 0;
    unlink(server->socket);
}

static inline void redis_server_remove(redis_server *server)
{
    redis_server_kill(server);
    temporary_remove(&server->folder);
}

/* In main: run the tests, an array, with this server; nothing where there is none. */
#define REDIS_SERVER_RUN_TESTS(server, options, tests)                                             \
    do {                                                                                           \
        if (!redis_server_possible())                                                              \
            return 0;                                                                              \
        redis_server_make(server, options, false);                                                 \
        int failures = cmocka_run_group_tests(tests, NULL, NULL);                                  \
        redis_server_remove(server);                                                               \
        return failures;                                                                           \
    } while (0)

#endif
