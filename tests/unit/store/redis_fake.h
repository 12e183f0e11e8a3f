/* redis_fake.h - a process that acts as a Redis server at a socket: it answers what a test
 * gives it, or passes everything on to a real one and cuts the connection at a chosen moment. */
#ifndef NITRO_TESTS_UNIT_STORE_REDIS_FAKE_H
#define NITRO_TESTS_UNIT_STORE_REDIS_FAKE_H

#include <poll.h>

#include "unit/redis_server.h"

typedef struct redis_fake {
    temporary folder;
    char url[128];
    char socket[96];
    pid_t process;
} redis_fake;

static inline int redis_fake_listen(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(descriptor >= 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(descriptor, 16), 0);
    return descriptor;
}

static inline void redis_fake_send(int to, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        at += sent;
        size -= (size_t)sent;
    }
}

/* Each request on a connection gets the next answer; after the last one the connection ends. Every
 * connection begins with the first answer again. */
static inline void redis_fake_answer(int listening, const char *const *answers)
{
    char request[65536];
    for (;;) {
        int client = accept(listening, NULL, NULL);
        for (const char *const *answer = answers; client >= 0 && *answer; answer++) {
            if (recv(client, request, sizeof(request), 0) <= 0)
                break;
            redis_fake_send(client, *answer, strlen(*answer));
        }
        if (client >= 0)
            close(client);
    }
}

static inline void redis_fake_begin(redis_fake *fake)
{
    fake->folder = temporary_make();
    snprintf(fake->socket, sizeof(fake->socket), "%s/fake", fake->folder.folder);
    snprintf(fake->url, sizeof(fake->url), "redis+unix://%s?timeout=2", fake->socket);
}

/* `answers` end with NULL. */
static inline void redis_fake_make(redis_fake *fake, const char *const *answers)
{
    redis_fake_begin(fake);
    int listening = redis_fake_listen(fake->socket);
    fake->process = fork();
    assert_true(fake->process >= 0);
    if (fake->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        redis_fake_answer(listening, answers);
    }
    close(listening);
}

/* Pass on one connection until the client says `word`: then its request goes on, but the answer to
 * it is swallowed, or comes after `garbage`, and the connection ends. Returns whether that
 * happened.
 */
static inline bool redis_fake_pass_on(int client, int server, const char *word, const char *garbage)
{
    char bytes[65536];
    bool heard = false;
    struct pollfd both[] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    while (poll(both, 2, -1) > 0) {
        for (int from = 0; from < 2; from++) {
            if (!both[from].revents)
                continue;
            ssize_t size = recv(both[from].fd, bytes, sizeof(bytes), 0);
            if (size > 0 && from == 1 && heard && garbage) {
                char garbled[sizeof(bytes) + 16];
                int begin = snprintf(garbled, 16, "%s", garbage);
                memcpy(garbled + begin, bytes, (size_t)size);
                redis_fake_send(client, garbled, (size_t)(begin + size));
            }
            if (size <= 0 || (from == 1 && heard))
                return heard;
            redis_fake_send(both[1 - from].fd, bytes, (size_t)size);
            heard = heard || (from == 0 && word && memmem(bytes, (size_t)size, word, strlen(word)));
        }
    }
    return heard;
}

/* In front of a real server: the answer to the first request that holds `word` is lost, or comes
 * after `garbage`; with `ends` it is the last one. */
static inline void redis_fake_make_lossy_once(redis_fake *fake, const redis_server *real,
                                              const char *word, const char *garbage, bool ends)
{
    redis_fake_begin(fake);
    int listening = redis_fake_listen(fake->socket);
    fake->process = fork();
    assert_true(fake->process >= 0);
    if (fake->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (bool lost = false;;) {
            int client = accept(listening, NULL, NULL), server = redis_server_connect(real);
            if (redis_fake_pass_on(client, server, lost ? NULL : word, garbage))
                lost = true;
            close(client);
            close(server);
            if (lost && ends)
                _exit(0);
        }
    }
    close(listening);
}

static inline void redis_fake_make_lossy(redis_fake *fake, const redis_server *real,
                                         const char *word, const char *garbage)
{
    redis_fake_make_lossy_once(fake, real, word, garbage, false);
}

static inline void redis_fake_remove(redis_fake *fake)
{
    kill(fake->process, SIGKILL);
    waitpid(fake->process, NULL, 0);
    temporary_remove(&fake->folder);
}

#endif
