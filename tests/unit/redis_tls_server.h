/* redis_tls_server.h - certificates for one test program, and a redis-server that speaks TLS with
 * them. */
#ifndef NITRO_TESTS_UNIT_REDIS_TLS_SERVER_H
#define NITRO_TESTS_UNIT_REDIS_TLS_SERVER_H

#include "unit/redis_server.h"

typedef struct redis_tls_server {
    temporary folder; /* of the certificates: ca, server, client and stranger, .pem and .key */
    redis_server server;
    int tls_port;
    char port_text[8], files[3][160];
    const char *options[16];
} redis_tls_server;

/* Do this build and this machine's redis-server support TLS? */
static inline bool redis_tls_possible(void)
{
    if (!redis_in_build("rediss:", "libssl-dev") || !redis_server_installed())
        return false;
    if (system("ldd \"$(command -v redis-server)\" | grep -q libssl") != 0)
        print_message("SKIPPED: this redis-server has no TLS\n");
    else if (system("command -v openssl >/dev/null 2>&1") != 0)
        print_message("SKIPPED: no openssl here (apt-get install openssl)\n");
    else
        return true;
    return false;
}

static inline void redis_tls_run(const redis_tls_server *tls, const char *format, const char *name)
{
    char command[1024], line[512];
    snprintf(line, sizeof(line), format, name, name, name, name);
    snprintf(command, sizeof(command), "cd %s && (%s) >log 2>&1", tls->folder.folder, line);
    if (system(command) != 0)
        fail_msg("this fails: %s", line);
}

/* A certificate that its own key signs. */
static inline void redis_tls_make_authority(const redis_tls_server *tls, const char *name)
{
    redis_tls_run(tls,
                  "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                  "-subj /CN=%s -keyout %s.key -out %s.pem",
                  name);
}

/* One that `ca` signs, for the host name localhost alone. */
static inline void redis_tls_make_certificate(const redis_tls_server *tls, const char *name)
{
    redis_tls_run(tls,
                  "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=%s "
                  "-keyout %s.key -out %s.csr && echo subjectAltName=DNS:localhost >names",
                  name);
    redis_tls_run(tls,
                  "openssl x509 -req -in %s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
                  "-extfile names -out %s.pem",
                  name);
}

static inline const char *redis_tls_file(redis_tls_server *tls, size_t slot, const char *name)
{
    snprintf(tls->files[slot], sizeof(tls->files[slot]), "%s/%s", tls->folder.folder, name);
    return tls->files[slot];
}

static inline void redis_tls_make(redis_tls_server *tls)
{
    *tls = (redis_tls_server){.folder = temporary_make(), .tls_port = redis_server_free_port()};
    redis_tls_make_authority(tls, "ca");
    redis_tls_make_authority(tls, "stranger");
    redis_tls_make_certificate(tls, "server");
    redis_tls_make_certificate(tls, "client");
    snprintf(tls->port_text, sizeof(tls->port_text), "%d", tls->tls_port);
    const char *const options[] = {"--tls-port",
                                   tls->port_text,
                                   "--tls-auth-clients",
                                   "no",
                                   "--tls-ca-cert-file",
                                   redis_tls_file(tls, 0, "ca.pem"),
                                   "--tls-cert-file",
                                   redis_tls_file(tls, 1, "server.pem"),
                                   "--tls-key-file",
                                   redis_tls_file(tls, 2, "server.key"),
                                   "--appendonly",
                                   "yes",
                                   NULL};
    memcpy(tls->options, options, sizeof(options));
    redis_server_make(&tls->server, tls->options, true);
}

static inline void redis_tls_remove(redis_tls_server *tls)
{
    redis_server_remove(&tls->server);
    temporary_remove(&tls->folder);
}

#endif
