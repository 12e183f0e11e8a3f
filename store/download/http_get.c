/* http_get.c - downloads with libcurl into PATH.part, which one process at a time writes; beside it
 * is the tag of the server's version (ETag, else Last-Modified). An interrupted download is resumed
 * with Range and If-Range, and restarted if the server's version has changed. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/download/http_get.h"

#define MAX_REDIRECTS 5L
#define TAG_BYTES     512

typedef struct download {
    nitro_context *context;
    const nitro_http_request *request;
    nitro_http_limits limits;
    char *part_path, *part_tag_path, *whole_tag_path;
    int descriptor; /* of PATH.part, locked; -1: none */
    uint64_t size;  /* of PATH.part */
    bool finished;
    CURL *curl;
    struct curl_slist *headers;
    uint64_t offset;      /* bytes present when this attempt began */
    char etag[TAG_BYTES]; /* of the response, as are these */
    char modified[TAG_BYTES];
    uint64_t range_start; /* of Content-Range; UINT64_MAX: none */
    bool begun;           /* the body has begun */
    nitro_status failure; /* of taking the body */
    bool again;           /* another attempt may succeed */
    char message[CURL_ERROR_SIZE];
} download;

/* ---- The partial file and its tag ------------------------------------------------------------ */

static nitro_status fail_write(const download *job, const char *path)
{
    return nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* The line of a tag file; "" if there is none. */
static void read_tag(const char *path, char tag[TAG_BYTES])
{
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(tag, 1, TAG_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    tag[size] = '\0';
    tag[strcspn(tag, "\r\n")] = '\0';
}

/* The tag of the response: a weak one cannot be used to resume. */
static nitro_status write_tag(const download *job, const char *path)
{
    bool strong = job->etag[0] && strncmp(job->etag, "W/", 2) != 0;
    const char *tag = strong ? job->etag : job->modified;
    if (tag[0])
        return nitro_file_write(job->context, path, tag, strlen(tag));
    unlink(path);
    return NITRO_OK;
}

static nitro_status truncate_part(download *job)
{
    job->size = 0;
    return ftruncate(job->descriptor, 0) == 0 && lseek(job->descriptor, 0, SEEK_SET) == 0
               ? NITRO_OK
               : fail_write(job, job->part_path);
}

static nitro_status append(download *job, const char *bytes, size_t size)
{
    if (job->size + size > job->request->max_bytes)
        return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: larger than the limit of %llu bytes",
                          job->request->url, (unsigned long long)job->request->max_bytes);
    for (size_t written = 0; written < size;) {
        ssize_t more = write(job->descriptor, bytes + written, size - written);
        if (more < 0 && errno != EINTR)
            return fail_write(job, job->part_path);
        written += more > 0 ? (size_t)more : 0;
    }
    job->size += size;
    return NITRO_OK;
}

/* The lock belongs to the descriptor. If another process finished the file while we waited, its
 * name is gone: open it again. */
static nitro_status open_part(download *job)
{
    struct stat ours, named;
    const char *path = job->request->path;
    job->part_path = nitro_asprintf(job->context, "%s.part", path);
    job->part_tag_path = nitro_asprintf(job->context, "%s.part.tag", path);
    job->whole_tag_path = nitro_asprintf(job->context, "%s.tag", path);
    if (!job->part_path || !job->part_tag_path || !job->whole_tag_path)
        return NITRO_ERR_NO_MEMORY;
    for (;;) {
        job->descriptor = open(job->part_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (job->descriptor < 0 || flock(job->descriptor, LOCK_EX) != 0 ||
            fstat(job->descriptor, &ours) != 0)
            return fail_write(job, job->part_path);
        if (stat(job->part_path, &named) == 0 && named.st_ino == ours.st_ino &&
            named.st_dev == ours.st_dev)
            break;
        close(job->descriptor);
    }
    job->size = (uint64_t)ours.st_size;
    return NITRO_OK;
}

/* Sync the complete file and rename it, after its predecessor's tag is removed. */
static nitro_status finish_part(download *job)
{
    unlink(job->whole_tag_path);
    if (fsync(job->descriptor) != 0 || rename(job->part_path, job->request->path) != 0)
        return fail_write(job, job->request->path);
    job->finished = true;
    unlink(job->part_tag_path);
    return job->request->revalidate ? write_tag(job, job->whole_tag_path) : NITRO_OK;
}

/* Keep a partial file to resume from, unless it is of no use. */
static void close_part(download *job, bool keep)
{
    if (job->descriptor >= 0 && !job->finished && (job->size == 0 || !keep))
        unlink(job->part_path);
    if (job->descriptor >= 0)
        close(job->descriptor);
    free(job->part_path);
    free(job->part_tag_path);
    free(job->whole_tag_path);
}

/* ---- Responses ------------------------------------------------------------------------------- */

static bool header_value(const char *line, size_t size, const char *name, char value[TAG_BYTES])
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
    if (size >= TAG_BYTES)
        size = 0;
    memcpy(value, line, size);
    value[size] = '\0';
    return true;
}

/* A redirect has several responses: each one resets the tags. */
static size_t take_header(char *line, size_t one, size_t size, void *user)
{
    download *job = user;
    char range[TAG_BYTES];
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

/* Does the body continue the file? */
static bool continues(const download *job, long code)
{
    return code == 206 && job->offset > 0 && job->range_start == job->offset;
}

/* Empty the file for a whole body. False: an error page, or the file cannot be emptied. */
static bool begin_body(download *job)
{
    long code = 0;
    curl_easy_getinfo(job->curl, CURLINFO_RESPONSE_CODE, &code);
    job->begun = true;
    if (continues(job, code))
        return true;
    if (code != 200)
        return false;
    job->offset = 0;
    job->failure = truncate_part(job);
    if (job->failure == NITRO_OK)
        job->failure = write_tag(job, job->part_tag_path);
    return job->failure == NITRO_OK;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *user)
{
    download *job = user;
    (void)one;
    if (!job->begun && !begin_body(job))
        return 0;
    job->failure = append(job, bytes, size);
    return job->failure == NITRO_OK ? size : 0;
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

/* Request the rest of a partial file, or a complete one only if it has changed. Without a tag of
 * the server neither is possible, and the whole file is requested. */
static nitro_status set_conditions(download *job)
{
    char tag[TAG_BYTES];
    bool added = true;
    struct stat whole;
    curl_slist_free_all(job->headers);
    job->headers = NULL;
    read_tag(job->part_tag_path, tag);
    if (job->size > 0 && !tag[0] && truncate_part(job) != NITRO_OK)
        return NITRO_ERR_IO;
    job->offset = job->size;
    if (job->offset > 0) {
        char range[64];
        snprintf(range, sizeof(range), "bytes=%llu-", (unsigned long long)job->offset);
        added = add_header(job, "Range", range) && add_header(job, "If-Range", tag);
    } else if (job->request->revalidate && stat(job->request->path, &whole) == 0) {
        read_tag(job->whole_tag_path, tag);
        if (tag[0])
            added = add_header(job, tag[0] == '"' ? "If-None-Match" : "If-Modified-Since", tag);
    }
    curl_easy_setopt(job->curl, CURLOPT_HTTPHEADER, job->headers);
    if (!added)
        return NITRO_ERR_NO_MEMORY;
    return lseek(job->descriptor, (off_t)job->offset, SEEK_SET) >= 0
               ? NITRO_OK
               : fail_write(job, job->part_path);
}

/* A site's own authority. libcurl has one compiled in, and does not read SSL_CERT_FILE. */
static nitro_status set_authority(download *job)
{
    nitro_setting_value file;
    nitro_status status = nitro_setting_get(job->context, NULL, "https_ca", &file);
    if (status == NITRO_OK && file.text[0] &&
        curl_easy_setopt(job->curl, CURLOPT_CAINFO, file.text) != CURLE_OK)
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "libcurl: out of memory");
    return status;
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
               : set_authority(job);
}

/* The remedy where the user has one, else "". @param[in] response  0: none */
static const char *advice(CURLcode code, long response)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        return "; check the network connection and the address";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return "; the server's certificate is not trusted, nothing was downloaded (the setting "
               "https_ca "
               "names another authority)";
    case CURLE_UNSUPPORTED_PROTOCOL:
        return response == 0 ? "; is this a web server's address?"
                             : "; redirects to another scheme are refused";
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

static nitro_status fail_transfer(download *job, CURLcode code, long response)
{
    job->again = is_temporary(code);
    return nitro_fail(job->context, NITRO_ERR_IO, "%s: %s%s", job->request->url,
                      job->message[0] ? job->message : curl_easy_strerror(code),
                      advice(code, response));
}

/* Responses without the file. */
static nitro_status fail_response(download *job, long code)
{
    const char *url = job->request->url;
    if (code == 404 || code == 410)
        return nitro_fail(job->context, NITRO_ERR_NOT_FOUND,
                          "%s: not found (the server answers %ld)", url, code);
    if (code == 416 || code == 206) { /* the server cannot continue the partial file */
        job->again = true;
        nitro_status status = truncate_part(job);
        return status == NITRO_OK ? nitro_fail(job->context, NITRO_ERR_IO,
                                               "%s: the server does not resume the download", url)
                                  : status;
    }
    job->again = code >= 500 || code == 408 || code == 429;
    return nitro_fail(job->context, NITRO_ERR_IO, "%s: the server answers %ld%s", url, code,
                      code == 401 || code == 403 ? ": access denied; put credentials into ~/.netrc"
                                                 : "");
}

static nitro_status attempt(download *job)
{
    long code = 0;
    job->begun = job->again = false;
    job->message[0] = '\0';
    job->failure = NITRO_OK;
    nitro_status status = set_conditions(job);
    if (status != NITRO_OK)
        return status;
    CURLcode result = curl_easy_perform(job->curl);
    curl_easy_getinfo(job->curl, CURLINFO_RESPONSE_CODE, &code);
    bool is_same = code == 304 && access(job->request->path, F_OK) == 0;
    bool is_file = code == 200 || is_same || continues(job, code);
    if (code >= 400 || (!is_file && (result == CURLE_OK || code == 206)))
        return fail_response(job, code);
    if (job->failure != NITRO_OK)
        return job->failure;
    if (result != CURLE_OK)
        return fail_transfer(job, result, code);
    if (is_same)
        return NITRO_OK;
    if (!job->begun && !begin_body(job)) /* an empty file */
        return job->failure;
    return finish_part(job);
}

static nitro_status attempt_repeatedly(download *job)
{
    unsigned wait_ms = job->limits.pause_ms;
    nitro_status status = attempt(job);
    for (unsigned i = 1; status != NITRO_OK && job->again && i < job->limits.attempts; i++) {
        const struct timespec pause = {wait_ms / 1000, (long)(wait_ms % 1000) * 1000000};
        nitro_log(job->context, NITRO_LOG_INFO, "%s: retrying in %u ms", job->request->url,
                  wait_ms);
        nanosleep(&pause, NULL);
        wait_ms *= 2;
        status = attempt(job);
    }
    return status;
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
                    .descriptor = -1,
                    .range_start = UINT64_MAX};
    nitro_status status = nitro_http_check_url(context, request->url);
    if (status == NITRO_OK)
        status = open_part(&job);
    if (status == NITRO_OK)
        status = set_options(&job);
    if (status == NITRO_OK)
        status = attempt_repeatedly(&job);
    close_part(&job, status != NITRO_ERR_FORMAT);
    curl_easy_cleanup(job.curl);
    curl_slist_free_all(job.headers);
    return status;
}
