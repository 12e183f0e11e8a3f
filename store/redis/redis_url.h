/*
 * redis_url.h - parses a Redis URL and finds the credentials:
 *
 *     redis://[user[:password]@]host[:port][/database][?OPTION&...]
 *     rediss://...                                     the same over TLS
 *     redis+unix://[user[:password]@]/path[?OPTION&...]
 *
 * Options: timeout=SECONDS (of connecting, and of a command), prefix=NAME (of every key, "nitro"),
 * database=NUMBER; over TLS also ca=FILE, cert=FILE, key=FILE. User and password are %-decoded.
 * Where the URL has no password, NITRO_REDIS_PASSWORD or the file that NITRO_REDIS_PASSWORD_FILE
 * names has it, and NITRO_REDIS_USER the user.
 */
#ifndef NITRO_STORE_REDIS_REDIS_URL_H
#define NITRO_STORE_REDIS_REDIS_URL_H

#include "nitro/nitro_backend.h"

typedef enum redis_transport { REDIS_OVER_TCP, REDIS_OVER_TLS, REDIS_OVER_UNIX } redis_transport;

typedef struct redis_url {
    redis_transport transport;
    char *host; /* the server's host name, or the path of its socket */
    int port;
    int database;
    double timeout_ms;
    char *prefix;
    char *ca, *cert, *key; /* files for TLS; NULL: the system's, none, none */
    char *user, *password; /* NULL: none */
    char *shown;           /* for messages: without user and password */
} redis_url;

/**
 * @param address  what follows "scheme:". @return NITRO_OK; NITRO_ERR_ARGUMENT: the URL is
 * malformed, or no password is given; errors of nitro_file_read_private. No message holds the
 * password.
 */
nitro_status nitro_redis_url_parse(nitro_context *context, redis_transport transport,
                                   const char *address, redis_url **url);
/** Also wipes the password. */
void nitro_redis_url_free(redis_url *url);

#endif
