/* TLS with OpenSSL: checks that the certificate names the host, and bounds every wait. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "store/redis/redis_tls.h"

#define READ_BYTES 16384
#define VERDICT_MS 300 /* the longest wait for a server that sends nothing after the handshake */

struct redis_tls {
    SSL_CTX *settings;
    SSL *ssl;
    int descriptor, timeout_ms;
    char *waiting; /* to be written: shape [size]; the first `written` bytes are */
    size_t size, written, capacity;
    char problem[256];
};

nitro_status nitro_redis_require_tls(nitro_context *context)
{
    (void)context;
    return NITRO_OK;
}

void nitro_redis_tls_free(redis_tls *tls)
{
    if (!tls)
        return;
    SSL_free(tls->ssl);
    SSL_CTX_free(tls->settings);
    if (tls->waiting)
        explicit_bzero(tls->waiting, tls->capacity);
    free(tls->waiting);
    free(tls);
}

const char *nitro_redis_tls_problem(const redis_tls *tls)
{
    return tls->problem;
}

/* ---- Errors of OpenSSL ----------------------------------------------------------------------- */

static void set_problem(redis_tls *tls, const char *text)
{
    snprintf(tls->problem, sizeof(tls->problem), "%s", text);
}

/* The first error in OpenSSL's queue, which is emptied. */
static redis_tls_result note_protocol_error(redis_tls *tls)
{
    unsigned long error = ERR_get_error();
    int reason = ERR_GET_REASON(error);
    const char *text = ERR_reason_error_string(error);
    ERR_clear_error();
    set_problem(tls, text ? text : "the TLS connection failed");
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return REDIS_TLS_CLOSED;
#endif
    /* An alert of the other side is 1000 plus its number. */
    bool is_alert = ERR_GET_LIB(error) == ERR_LIB_SSL && reason > SSL_AD_REASON_OFFSET;
    return is_alert ? REDIS_TLS_REFUSED : REDIS_TLS_FAILED;
}

/* After an incomplete call: wait until it can be repeated, or report why not. */
static redis_tls_result wait_or_fail(redis_tls *tls, int returned)
{
    int error = errno, want = SSL_get_error(tls->ssl, returned);
    struct pollfd ready = {.fd = tls->descriptor,
                           .events = want == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN};
    if (want == SSL_ERROR_WANT_READ || want == SSL_ERROR_WANT_WRITE) {
        int count = poll(&ready, 1, tls->timeout_ms);
        if (count > 0 || (count < 0 && errno == EINTR))
            return REDIS_TLS_DONE;
        set_problem(tls, count == 0 ? "no answer" : strerror(errno));
        return count == 0 ? REDIS_TLS_SILENT : REDIS_TLS_FAILED;
    }
    if (want == SSL_ERROR_SSL)
        return note_protocol_error(tls);
    ERR_clear_error();
    set_problem(tls, error != 0 && want == SSL_ERROR_SYSCALL ? strerror(error)
                                                             : "the server closed the connection");
    return REDIS_TLS_CLOSED;
}

/* ---- Certificates ---------------------------------------------------------------------------- */

/* OpenSSL would ask for it on the terminal. */
static int refuse_passphrase(char *buffer, int size, int writing, void *user)
{
    (void)buffer;
    (void)size;
    (void)writing;
    (void)user;
    return -1;
}

static nitro_status fail_file(redis_store *store, const char *option, const char *path)
{
    unsigned long error = ERR_peek_last_error();
    const char *text = ERR_reason_error_string(error);
    ERR_clear_error();
    return nitro_fail(
        store->context, NITRO_ERR_DENIED, "%s: ?%s=%s: %s; it must be a readable PEM file%s",
        store->url->shown, option, path, text ? text : "it cannot be used",
        strcmp(option, "key") == 0 ? " without a passphrase, made for the certificate" : "");
}

static nitro_status set_trust(redis_store *store, SSL_CTX *settings)
{
    const redis_url *url = store->url;
    SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, NULL);
    if (!url->ca)
        return SSL_CTX_set_default_verify_paths(settings) == 1
                   ? NITRO_OK
                   : nitro_fail(store->context, NITRO_ERR_DENIED,
                                "%s: the system's certificates cannot be read; name an authority "
                                "with ?ca=FILE",
                                url->shown);
    return SSL_CTX_load_verify_locations(settings, url->ca, NULL) == 1
               ? NITRO_OK
               : fail_file(store, "ca", url->ca);
}

/* A certificate without a key has it in the same file. */
static nitro_status set_own_certificate(redis_store *store, SSL_CTX *settings)
{
    const redis_url *url = store->url;
    const char *key = url->key ? url->key : url->cert;
    SSL_CTX_set_default_passwd_cb(settings, refuse_passphrase);
    if (url->key && !url->cert)
        return nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                          "%s: ?key= needs ?cert=: name the certificate too", url->shown);
    if (!url->cert)
        return NITRO_OK;
    if (SSL_CTX_use_certificate_chain_file(settings, url->cert) != 1)
        return fail_file(store, "cert", url->cert);
    if (SSL_CTX_use_PrivateKey_file(settings, key, SSL_FILETYPE_PEM) != 1)
        return fail_file(store, "key", key);
    return NITRO_OK;
}

/* The certificate must name the URL's host, as a name or as an address. */
static bool expect_host(SSL *ssl, const char *host)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1)
        return true;
    ERR_clear_error();
    return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}

static nitro_status make(redis_store *store, redis_node *node, redis_tls *tls)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    ERR_clear_error();
    tls->descriptor = node->connection->fd;
    tls->timeout_ms = (int)store->url->timeout_ms + 1;
    tls->settings = SSL_CTX_new(TLS_client_method());
    if (tls->settings && SSL_CTX_set_min_proto_version(tls->settings, TLS1_2_VERSION) == 1)
        status = set_trust(store, tls->settings);
    if (status == NITRO_OK)
        status = set_own_certificate(store, tls->settings);
    if (status != NITRO_OK)
        return status;
    SSL_CTX_set_mode(tls->settings,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    tls->ssl = SSL_new(tls->settings);
    if (!tls->ssl || !expect_host(tls->ssl, node->host) ||
        SSL_set_fd(tls->ssl, tls->descriptor) != 1)
        return nitro_fail(store->context, NITRO_ERR_NO_MEMORY, "%s: OpenSSL cannot be initialised",
                          store->url->shown);
    int flags = fcntl(tls->descriptor, F_GETFL);
    if (flags < 0 || fcntl(tls->descriptor, F_SETFL, flags | O_NONBLOCK) < 0)
        return nitro_fail(store->context, NITRO_ERR_IO, "%s: %s", store->url->shown,
                          strerror(errno));
    return NITRO_OK;
}

/* ---- Handshake ------------------------------------------------------------------------------- */

/* What to do about a refused certificate, by OpenSSL's error. */
static const char *advice_on(long verdict)
{
    switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "use a name that is in the certificate, or install one for this name on the server";
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return "the server's administrator has to renew it; is this machine's clock right?";
    default:
        return "name the authority that signed it with ?ca=FILE, if you trust it";
    }
}

static nitro_status fail_handshake(redis_store *store, redis_node *node, const redis_tls *tls,
                                   redis_tls_result result)
{
    const char *name = nitro_redis_node_name(store, node), *url = store->url->shown;
    long verdict = SSL_get_verify_result(tls->ssl);
    bool passes = result == REDIS_TLS_SILENT || result == REDIS_TLS_CLOSED;
    store->may_pass = passes;
    if (passes)
        return nitro_fail(store->context, NITRO_ERR_IO,
                          "%s: TLS with %s: %s; is the server up, and does it speak TLS at this "
                          "port? If not, the URL begins with redis://",
                          url, name, tls->problem);
    if (verdict != X509_V_OK)
        return nitro_fail(store->context, NITRO_ERR_DENIED,
                          "%s: the certificate of %s is not accepted: %s; %s", url, name,
                          X509_verify_cert_error_string(verdict), advice_on(verdict));
    if (result == REDIS_TLS_REFUSED)
        return nitro_fail(store->context, NITRO_ERR_DENIED,
                          "%s: %s ends the handshake: %s; it may want a certificate: "
                          "?cert=FILE&key=FILE",
                          url, name, tls->problem);
    return nitro_fail(store->context, NITRO_ERR_DENIED,
                      "%s: the server at %s offers no safe TLS version: %s; without TLS the URL "
                      "begins with redis://",
                      url, name, tls->problem);
}

static nitro_status shake_hands(redis_store *store, redis_node *node, redis_tls *tls)
{
    double deadline_ms = nitro_clock_wall_ms(store->context) + store->url->timeout_ms;
    for (;;) {
        errno = 0;
        int returned = SSL_connect(tls->ssl);
        if (returned == 1)
            return NITRO_OK;
        redis_tls_result result = wait_or_fail(tls, returned);
        if (result == REDIS_TLS_DONE && nitro_clock_wall_ms(store->context) > deadline_ms) {
            set_problem(tls, "the handshake takes too long");
            result = REDIS_TLS_SILENT;
        }
        if (result != REDIS_TLS_DONE)
            return fail_handshake(store, node, tls, result);
    }
}

/* Since TLS 1.3 a server checks our certificate after the handshake. A command sent before that
 * could lose its alert: wait for the server's first bytes, mostly a session ticket.
 */
static nitro_status await_verdict(redis_store *store, redis_node *node, redis_tls *tls)
{
    char byte;
    size_t size = 0;
    struct pollfd ready = {.fd = tls->descriptor, .events = POLLIN};
    if (SSL_version(tls->ssl) < TLS1_3_VERSION)
        return NITRO_OK;
    int most_ms = tls->timeout_ms < VERDICT_MS ? tls->timeout_ms : VERDICT_MS;
    if (poll(&ready, 1, most_ms) <= 0)
        return NITRO_OK;
    errno = 0;
    int returned = SSL_peek_ex(tls->ssl, &byte, 1, &size);
    if (returned == 1 || SSL_get_error(tls->ssl, returned) == SSL_ERROR_WANT_READ)
        return NITRO_OK;
    return fail_handshake(store, node, tls, wait_or_fail(tls, returned));
}

nitro_status nitro_redis_tls_start(redis_store *store, redis_node *node)
{
    redis_tls *tls = nitro_calloc(store->context, 1, sizeof(*tls));
    if (!tls)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = make(store, node, tls);
    if (status == NITRO_OK)
        status = shake_hands(store, node, tls);
    if (status == NITRO_OK)
        status = await_verdict(store, node, tls);
    if (status == NITRO_OK)
        node->tls = tls;
    else
        nitro_redis_tls_free(tls);
    return status;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

nitro_status nitro_redis_tls_append(nitro_context *context, redis_tls *tls, const char *bytes,
                                    size_t size)
{
    if (tls->size + size > tls->capacity) {
        size_t capacity = 2 * tls->capacity + size;
        char *grown = realloc(tls->waiting, capacity);
        if (!grown)
            return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu bytes", capacity);
        tls->waiting = grown;
        tls->capacity = capacity;
    }
    memcpy(tls->waiting + tls->size, bytes, size);
    tls->size += size;
    return NITRO_OK;
}

redis_tls_result nitro_redis_tls_write(redis_tls *tls, bool *done)
{
    size_t written = 0;
    *done = tls->written == tls->size;
    if (*done)
        return REDIS_TLS_DONE;
    ERR_clear_error();
    errno = 0;
    int returned =
        SSL_write_ex(tls->ssl, tls->waiting + tls->written, tls->size - tls->written, &written);
    if (returned != 1)
        return wait_or_fail(tls, returned);
    tls->written += written;
    *done = tls->written == tls->size;
    if (*done)
        tls->size = tls->written = 0;
    return REDIS_TLS_DONE;
}

redis_tls_result nitro_redis_tls_read(redis_tls *tls, redisReader *reader)
{
    char bytes[READ_BYTES];
    size_t size = 0;
    ERR_clear_error();
    errno = 0;
    int returned = SSL_read_ex(tls->ssl, bytes, sizeof(bytes), &size);
    if (returned != 1)
        return wait_or_fail(tls, returned);
    if (redisReaderFeed(reader, bytes, size) == REDIS_OK)
        return REDIS_TLS_DONE;
    set_problem(tls, "out of memory");
    return REDIS_TLS_FAILED;
}
