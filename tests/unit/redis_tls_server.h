/* redis_tls_server.h - certificates for one test program, and a redis-server that speaks TLS with
 * them. */
#ifndef NITRO_TESTS_UNIT_REDIS_TLS_SERVER_H
#define NITRO_TESTS_UNIT_REDIS_TLS_SERVER_H

#include "unit/certificates.h"
#include "unit/redis_server.h"

typedef struct redis_tls_server {
    temporary
        folder; /* of the certificates: ca, server, client, expired and stranger, .pem and .key */
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
    else
        return certificates_possible();
    return false;
}

static inline const char *redis_tls_file(redis_tls_server *tls, size_t slot, const char *name)
{
    snprintf(tls->files[slot], sizeof(tls->files[slot]), "%s/%s", tls->folder.folder, name);
    return tls->files[slot];
}

static inline void redis_tls_make(redis_tls_server *tls)
{
    *tls = (redis_tls_server){.folder = temporary_make(), .tls_port = redis_server_free_port()};
    certificates_make_authority(&tls->folder, "ca");
    certificates_make_authority(&tls->folder, "stranger");
    certificates_make(&tls->folder, "server", 2);
    certificates_make(&tls->folder, "client", 2);
    certificates_make(&tls->folder, "expired", 0);
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
                                   "--appendfsync",
                                   "always", /* 'everysec' may delay a write past a kill */
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
