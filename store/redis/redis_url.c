/* Parses a Redis URL. Errors never show the password. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_secret.h"
#include "store/redis/redis_url.h"

#define DEFAULT_PORT       6379
#define DEFAULT_TIMEOUT_MS 5000
#define MAX_TIMEOUT_S      3600
#define MAX_DATABASE       1048576

static const char *const schemes[] = {
    [REDIS_OVER_TCP] = "redis", [REDIS_OVER_TLS] = "rediss", [REDIS_OVER_UNIX] = "redis+unix"};

static nitro_status refuse(nitro_context *context, const redis_url *url, const char *problem)
{
    return nitro_fail(
        context, NITRO_ERR_ARGUMENT,
        "%s: %s; write redis://[user:password@]host[:port]/database or "
        "redis+unix:///path, with %%XX for characters like / @ : in user and password",
        url->shown, problem);
}

static int hex_digit(char digit)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF",
               *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)((at - digits) % 16) : -1;
}

/* %XX decoded, into a new string; NULL with *malformed where it is not %XX, or is %00. */
static char *decode(nitro_context *context, const char *text, size_t size, bool *malformed)
{
    char *decoded = nitro_calloc(context, size + 1, 1);
    size_t length = 0;
    for (size_t i = 0; decoded && i < size; i++) {
        int byte = (unsigned char)text[i];
        if (text[i] == '%') {
            int high = i + 2 < size ? hex_digit(text[i + 1]) : -1;
            int low = high < 0 ? -1 : hex_digit(text[i + 2]);
            byte = low < 0 ? 0 : 16 * high + low;
            i += 2;
        }
        if (byte == 0) {
            *malformed = true;
            free(decoded);
            return NULL;
        }
        decoded[length++] = (char)byte;
    }
    return decoded;
}

static nitro_status take_part(nitro_context *context, const redis_url *url, const char *text,
                              size_t size, char **part)
{
    bool malformed = false;
    char *decoded = decode(context, text, size, &malformed);
    if (malformed)
        return refuse(context, url, "a % is not followed by two hexadecimal digits");
    if (!decoded)
        return NITRO_ERR_NO_MEMORY;
    free(*part);
    *part = decoded;
    return NITRO_OK;
}

static nitro_status take_number(nitro_context *context, const redis_url *url, const char *text,
                                size_t size, int most, const char *problem, int *number)
{
    int value = 0;
    if (size == 0 || size > 9)
        return refuse(context, url, problem);
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return refuse(context, url, problem);
        value = 10 * value + (text[i] - '0');
    }
    if (value > most)
        return refuse(context, url, problem);
    *number = value;
    return NITRO_OK;
}

static nitro_status take_user(nitro_context *context, redis_url *url, const char *text, size_t size)
{
    const char *colon = memchr(text, ':', size);
    size_t user_size = colon ? (size_t)(colon - text) : size;
    nitro_status status = NITRO_OK;
    if (user_size > 0)
        status = take_part(context, url, text, user_size, &url->user);
    if (status == NITRO_OK && colon)
        status = take_part(context, url, colon + 1, size - user_size - 1, &url->password);
    return status;
}

/* host, host:port, [IPv6] or [IPv6]:port */
static nitro_status take_host(nitro_context *context, redis_url *url, const char *text, size_t size)
{
    const char *end = text + size, *host = text, *host_end, *port;
    if (size > 0 && text[0] == '[') {
        host++;
        host_end = memchr(host, ']', size - 1);
        if (!host_end || (host_end + 1 < end && host_end[1] != ':'))
            return refuse(context, url, "the address in [ ] is malformed");
        port = host_end + 1 < end ? host_end + 1 : NULL;
    } else {
        port = memchr(text, ':', size);
        host_end = port ? port : end;
    }
    if (host == host_end)
        return refuse(context, url, "no host is named");
    nitro_status status = take_part(context, url, host, (size_t)(host_end - host), &url->host);
    if (status == NITRO_OK && port)
        status = take_number(context, url, port + 1, (size_t)(end - port - 1), 65535,
                             "the port is not a number up to 65535", &url->port);
    return status;
}

static nitro_status take_timeout(nitro_context *context, redis_url *url, const char *text,
                                 size_t size)
{
    char copy[32] = "";
    double seconds;
    if (size < sizeof(copy))
        memcpy(copy, text, size);
    if (!nitro_parse_number(copy, &seconds) || !(seconds >= 0.001 && seconds <= MAX_TIMEOUT_S))
        return refuse(context, url, "timeout is not a number of seconds from 0.001 to 3600");
    url->timeout_ms = 1000 * seconds;
    return NITRO_OK;
}

static nitro_status take_prefix(nitro_context *context, redis_url *url, const char *text,
                                size_t size)
{
    nitro_status status = take_part(context, url, text, size, &url->prefix);
    if (status == NITRO_OK && !nitro_name_is_valid(url->prefix))
        return refuse(context, url, "prefix is not a name of letters, digits and _.+-");
    return status;
}

static nitro_status take_option(nitro_context *context, redis_url *url, const char *text,
                                size_t size)
{
    const char *equals = memchr(text, '=', size);
    size_t name_size = equals ? (size_t)(equals - text) : size;
    const char *value = equals ? equals + 1 : text + size;
    size_t value_size = (size_t)(text + size - value);
    struct {
        const char *name;
        char **text;
    } files[] = {{"ca", &url->ca}, {"cert", &url->cert}, {"key", &url->key}};
#define IS(option) (name_size == strlen(option) && memcmp(text, option, name_size) == 0)
    if (IS("timeout"))
        return take_timeout(context, url, value, value_size);
    if (IS("prefix"))
        return take_prefix(context, url, value, value_size);
    if (IS("database"))
        return take_number(context, url, value, value_size, MAX_DATABASE,
                           "the database is not a number", &url->database);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (IS(files[i].name) && url->transport == REDIS_OVER_TLS)
            return take_part(context, url, value, value_size, files[i].text);
#undef IS
    return refuse(context, url,
                  "an option is unknown; the options are timeout, prefix and database (rediss: "
                  "also ca, cert, key)");
}

static nitro_status take_options(nitro_context *context, redis_url *url, const char *text)
{
    nitro_status status = NITRO_OK;
    while (*text && status == NITRO_OK) {
        size_t size = strcspn(text, "&");
        status = take_option(context, url, text, size);
        text += size + (text[size] == '&');
    }
    return status;
}

/* The part between user and options. */
static nitro_status take_place(nitro_context *context, redis_url *url, const char *text,
                               size_t size)
{
    if (url->transport == REDIS_OVER_UNIX) {
        if (size < 2 || text[0] != '/')
            return refuse(context, url, "the socket's path does not start with /");
        return take_part(context, url, text, size, &url->host);
    }
    const char *slash = memchr(text, '/', size);
    size_t host_size = slash ? (size_t)(slash - text) : size;
    nitro_status status = take_host(context, url, text, host_size);
    if (status == NITRO_OK && slash && host_size + 1 < size)
        status = take_number(context, url, slash + 1, size - host_size - 1, MAX_DATABASE,
                             "the database after / is not a number", &url->database);
    return status;
}

static nitro_status take_all(nitro_context *context, redis_url *url, const char *address)
{
    if (strncmp(address, "//", 2) != 0)
        return refuse(context, url, "// is missing after the scheme");
    const char *text = address + 2;
    size_t size = strcspn(text, "?");
    const char *options = text[size] == '?' ? text + size + 1 : "";
    /* Only the part up to the first / may hold a user: a socket's path may hold any '@'. */
    size_t authority = strcspn(text, "/?");
    const char *at = memrchr(text, '@', authority);
    nitro_status status = NITRO_OK;
    if (at)
        status = take_user(context, url, text, (size_t)(at - text));
    size_t user_size = at ? (size_t)(at - text) + 1 : 0;
    if (status == NITRO_OK)
        status = take_place(context, url, text + user_size, size - user_size);
    return status == NITRO_OK ? take_options(context, url, options) : status;
}

nitro_status nitro_redis_url_parse(nitro_context *context, redis_transport transport,
                                   const char *address, redis_url **url)
{
    redis_url *parsed = nitro_calloc(context, 1, sizeof(*parsed));
    if (!parsed)
        return NITRO_ERR_NO_MEMORY;
    parsed->transport = transport;
    parsed->port = DEFAULT_PORT;
    parsed->timeout_ms = DEFAULT_TIMEOUT_MS;
    parsed->prefix = nitro_strdup(context, "nitro");
    parsed->shown = nitro_store_redact(context, schemes[transport], address);
    nitro_status status = parsed->prefix && parsed->shown ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = take_all(context, parsed, address);
    if (status == NITRO_OK)
        status = nitro_redis_secret_complete(context, parsed);
    if (status == NITRO_OK)
        *url = parsed;
    else
        nitro_redis_url_free(parsed);
    return status;
}

void nitro_redis_url_free(redis_url *url)
{
    if (!url)
        return;
    if (url->password)
        explicit_bzero(url->password, strlen(url->password));
    free(url->password);
    free(url->user);
    free(url->host);
    free(url->prefix);
    free(url->ca);
    free(url->cert);
    free(url->key);
    free(url->shown);
    free(url);
}
