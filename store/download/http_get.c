/* http_get.c - downloads with libcurl. An interrupted download is resumed with Range and If-Range,
 * and restarted if the server's version has changed; http_get_part.h has its file. */
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "store/download/http_get.h"
#include "store/download/http_get_part.h"

#define MAX_REDIRECTS 5L

typedef struct download {
    nitro_context *context;
    const nitro_http_request *request;
    nitro_http_limits limits;
    nitro_http_part part;
    CURL *curl;
    struct curl_slist *headers;
    uint64_t offset;                /* bytes present when this attempt began */
    char tag[NITRO_HTTP_TAG_BYTES]; /* of the response */
    char etag[NITRO_HTTP_TAG_BYTES];
    char modified[NITRO_HTTP_TAG_BYTES];
    uint64_t range_start; /* of Content-Range; UINT64_MAX: none */
    bool begun;           /* the body has begun */
    bool too_large;
    int write_error;
    char message[CURL_ERROR_SIZE];
} download;

/* ---- Responses ------------------------------------------------------------------------------- */

static bool header_value(const char *line, size_t size, const char *name,
                         char value[NITRO_HTTP_TAG_BYTES])
{
    size_t length = strlen(name);
    if (size <= length || strncasecmp(line, name, length) != 0 || line[length] != ':')
        return false;
    line += length + 1;
    size -= length + 1;
    while (size > 0 && (*line == ' ' || *line == '\t'))
        line++, size--;
    while (size > 0 && (line[size - 1] == '\r' || line[size - 1] == '\n' || line[size - 1] == ' '))
        size--;
    if (size >= NITRO_HTTP_TAG_BYTES)
        size = 0;
    memcpy(value, line, size);
    value[size] = '\0';
    return true;
}

/* A redirect has several responses: each one resets the tags. */
static size_t take_header(char *line, size_t one, size_t size, void *user)
{
    download *job = user;
    char range[NITRO_HTTP_TAG_BYTES];
    (void)one;
    if (size > 5 && strncmp(line, "HTTP/", 5) == 0) {
        job->etag[0] = job->modified[0] = '\0';
        job->range_start = UINT64_MAX;
    }
    header_value(line, size, "ETag", job->etag);
    header_value(line, size, "Last-Modified", job->modified);
    if (header_value(line, size, "Content-Range", range) && strncmp(range, "bytes ", 6) == 0)
        job->range_start = strtoull(range + 6, NULL, 10);
    return size;
}

/* Does the body continue the file? If it is a whole one, the file is emptied first. */
static bool begin_body(download *job)
{
    long code = 0;
    curl_easy_getinfo(job->curl, CURLINFO_RESPONSE_CODE, &code);
    job->begun = true;
    bool strong = job->etag[0] && strncmp(job->etag, "W/", 2) != 0;
    snprintf(job->tag, sizeof(job->tag), "%s", strong ? job->etag : job->modified);
    if (code == 206 && job->offset > 0 && job->range_start == job->offset)
        return true;
    if (code != 200) /* another range, or an error page */
        return false;
    job->offset = 0;
    return nitro_http_part_truncate(&job->part) == NITRO_OK &&
           nitro_http_part_set_tag(&job->part, job->tag) == NITRO_OK;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *user)
{
    download *job = user;
    (void)one;
    if (!job->begun && !begin_body(job))
        return 0;
    if (job->part.size + size > job->request->max_bytes) {
        job->too_large = true;
        return 0;
    }
    job->write_error = nitro_http_part_append(&job->part, bytes, size);
    return job->write_error == 0 ? size : 0;
}

/* ---- One attempt ----------------------------------------------------------------------------- */

static bool add_header(download *job, const char *name, const char *value)
{
    char *line = nitro_asprintf(job->context, "%s: %s", name, value);
    struct curl_slist *longer = line ? curl_slist_append(job->headers, line) : NULL;
    free(line);
    if (longer)
        job->headers = longer;
    return longer != NULL;
}

/* Ask for the rest of a partial file, or whether a complete one has changed. Without a tag of the
 * server neither is possible, and the whole file is requested. */
static nitro_status set_conditions(download *job)
{
    char tag[NITRO_HTTP_TAG_BYTES];
    bool added = true;
    struct stat whole;
    curl_slist_free_all(job->headers);
    job->headers = NULL;
    nitro_http_tag_read(job->part.part_tag_path, tag);
    if (job->part.size > 0 && !tag[0] && nitro_http_part_truncate(&job->part) != NITRO_OK)
        return NITRO_ERR_IO;
    job->offset = job->part.size;
    if (job->offset > 0) {
        char range[64];
        snprintf(range, sizeof(range), "bytes=%llu-", (unsigned long long)job->offset);
        added = add_header(job, "Range", range) && add_header(job, "If-Range", tag);
    } else if (job->request->revalidate && stat(job->request->path, &whole) == 0) {
        nitro_http_tag_read(job->part.whole_tag_path, tag);
        if (tag[0])
            added = add_header(job, tag[0] == '"' ? "If-None-Match" : "If-Modified-Since", tag);
    }
    curl_easy_setopt(job->curl, CURLOPT_HTTPHEADER, job->headers);
    return added ? nitro_http_part_seek(&job->part, job->offset) : NITRO_ERR_NO_MEMORY;
}

static nitro_status set_options(download *job)
{
    const char *scheme = strncmp(job->request->url, "https:", 6) == 0 ? "https" : "http";
    const nitro_http_limits *limits = &job->limits;
    CURL *curl = job->curl = curl_easy_init();
    if (!curl)
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "cannot initialize libcurl");
    bool failed = curl_easy_setopt(curl, CURLOPT_URL, job->request->url) ||
                  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, scheme) ||
                  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, scheme) ||
                  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L) ||
                  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, MAX_REDIRECTS) ||
                  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L) ||
                  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L) ||
                  curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL) ||
                  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) ||
                  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, limits->connect_s) ||
                  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, limits->stall_s) ||
                  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, limits->stall_bytes_s) ||
                  curl_easy_setopt(curl, CURLOPT_TIMEOUT, limits->total_s) ||
                  curl_easy_setopt(curl, CURLOPT_USERAGENT, "nitro") ||
                  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, job->message) ||
                  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header) ||
                  curl_easy_setopt(curl, CURLOPT_HEADERDATA, job) ||
                  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) ||
                  curl_easy_setopt(curl, CURLOPT_WRITEDATA, job);
    return failed
               ? nitro_fail(
                     job->context, NITRO_ERR_IO,
                     "libcurl lacks an option: version 7.85 or newer with HTTP and TLS is required")
               : NITRO_OK;
}

/* Result of an attempt: a status, and whether another attempt may succeed. */
typedef struct outcome {
    nitro_status status;
    bool again;
} outcome;

/* The remedy where the user has one, else "". */
static const char *advice(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        return "; check the network connection and the address";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return "; the server's certificate is not trusted, nothing was downloaded";
    case CURLE_UNSUPPORTED_PROTOCOL:
        return "; redirects to another scheme are refused";
    case CURLE_PARTIAL_FILE:
        return "; run the command again to resume";
    case CURLE_OPERATION_TIMEDOUT:
        return "; the transfer is too slow; run the command again to resume";
    default:
        return "";
    }
}

static bool is_temporary(CURLcode code)
{
    return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
           code == CURLE_GOT_NOTHING || code == CURLE_HTTP2_STREAM || code == CURLE_HTTP2;
}

static outcome judge_transfer(download *job, CURLcode code)
{
    const char *url = job->request->url;
    if (job->too_large)
        return (outcome){nitro_fail(job->context, NITRO_ERR_FORMAT,
                                    "%s: larger than the limit of %llu bytes", url,
                                    (unsigned long long)job->request->max_bytes),
                         false};
    if (job->write_error)
        return (outcome){nitro_http_part_fail(&job->part, job->write_error), false};
    return (outcome){nitro_fail(job->context, NITRO_ERR_IO, "%s: %s%s", url,
                                job->message[0] ? job->message : curl_easy_strerror(code),
                                advice(code)),
                     is_temporary(code)};
}

/* Responses without the file. */
static outcome judge_response(download *job, long code)
{
    const char *url = job->request->url;
    if (code == 404 || code == 410)
        return (outcome){nitro_fail(job->context, NITRO_ERR_NOT_FOUND,
                                    "%s: not found (the server answers %ld)", url, code),
                         false};
    if (code == 416 || code == 206) { /* the server cannot continue the partial file */
        nitro_status status = nitro_http_part_truncate(&job->part);
        return (outcome){status == NITRO_OK
                             ? nitro_fail(job->context, NITRO_ERR_IO,
                                          "%s: the server does not resume the download", url)
                             : status,
                         true};
    }
    return (outcome){
        nitro_fail(job->context, NITRO_ERR_IO, "%s: the server answers %ld%s", url, code,
                   code == 401 || code == 403 ? ": access denied; put credentials into ~/.netrc"
                                              : ""),
        code >= 500 || code == 408 || code == 429};
}

static outcome attempt(download *job)
{
    long code = 0;
    job->begun = job->too_large = false;
    job->message[0] = '\0';
    job->write_error = 0;
    nitro_status status = set_conditions(job);
    if (status != NITRO_OK)
        return (outcome){status, false};
    CURLcode result = curl_easy_perform(job->curl);
    curl_easy_getinfo(job->curl, CURLINFO_RESPONSE_CODE, &code);
    bool is_file = code == 200 || (code == 206 && job->range_start == job->offset);
    if (code >= 300 && code != 304 && !(code < 400 && result != CURLE_OK))
        return judge_response(job, code);
    if (code == 206 && !is_file)
        return judge_response(job, code);
    if (result != CURLE_OK)
        return judge_transfer(job, result);
    if (code == 304)
        return (outcome){NITRO_OK, false};
    if (!is_file)
        return judge_response(job, code);
    if (!job->begun && !begin_body(job)) /* an empty file */
        return (outcome){nitro_http_part_fail(&job->part, errno), false};
    const char *tag = job->request->revalidate ? job->tag : NULL;
    return (outcome){nitro_http_part_finish(&job->part, tag), false};
}

static void pause_ms(unsigned milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static nitro_status attempt_repeatedly(download *job)
{
    outcome last = {NITRO_OK, true};
    unsigned wait_ms = job->limits.pause_ms;
    for (unsigned i = 0; last.again && i < job->limits.attempts; i++) {
        if (i > 0) {
            nitro_log(job->context, NITRO_LOG_INFO, "%s: retrying in %u ms", job->request->url,
                      wait_ms);
            pause_ms(wait_ms);
            wait_ms *= 2;
        }
        last = attempt(job);
        if (last.status == NITRO_OK)
            break;
    }
    return last.status;
}

static nitro_http_limits with_defaults(const nitro_http_limits *given)
{
    nitro_http_limits limits = given ? *given : (nitro_http_limits){0};
    limits.connect_s = limits.connect_s ? limits.connect_s : 20;
    limits.stall_s = limits.stall_s ? limits.stall_s : 30;
    limits.stall_bytes_s = limits.stall_bytes_s ? limits.stall_bytes_s : 200;
    limits.total_s = limits.total_s ? limits.total_s : 3600;
    limits.attempts = limits.attempts ? limits.attempts : 4;
    limits.pause_ms = limits.pause_ms ? limits.pause_ms : 500;
    return limits;
}

nitro_status nitro_http_get(nitro_context *context, const nitro_http_request *request)
{
    download job = {.context = context,
                    .request = request,
                    .limits = with_defaults(request->limits),
                    .range_start = UINT64_MAX};
    nitro_status status = nitro_http_check_url(context, request->url);
    if (status != NITRO_OK)
        return status;
    status = nitro_http_part_open(context, request->path, &job.part);
    if (status == NITRO_OK)
        status = set_options(&job);
    if (status == NITRO_OK)
        status = attempt_repeatedly(&job);
    nitro_http_part_close(&job.part, status != NITRO_ERR_FORMAT);
    curl_easy_cleanup(job.curl);
    curl_slist_free_all(job.headers);
    return status;
}
