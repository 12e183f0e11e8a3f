/* http_get.h - downloads over HTTP(S) into files. Interrupted downloads are resumed, busy servers
 * are asked again, redirects to another scheme are refused, certificates are always verified. */
#ifndef NITRO_STORE_DOWNLOAD_HTTP_GET_H
#define NITRO_STORE_DOWNLOAD_HTTP_GET_H

#include "nitro/nitro_backend.h"

/** Zero: the default. */
typedef struct nitro_http_limits {
    long connect_s;     /* 20: to connect */
    long stall_s;       /* 30: abort after so long below stall_bytes_s */
    long stall_bytes_s; /* 200 bytes a second */
    long total_s;       /* 3600: one attempt */
    unsigned attempts;  /* 4, with growing pauses */
    unsigned pause_ms;  /* 500: the first pause */
} nitro_http_limits;

typedef struct nitro_http_request {
    const char *url;    /* http:// or https:// */
    const char *path;   /* of the complete file; PATH.part until then */
    uint64_t max_bytes; /* NITRO_ERR_FORMAT beyond */
    /** If PATH and its tag (PATH.tag) exist, download only if the file has changed. */
    bool revalidate;
    const nitro_http_limits *limits; /* NULL: the defaults */
} nitro_http_request;

/**
 * Download, or resume a download. Waits for another process that downloads the same file.
 * @return NITRO_OK (with `revalidate` also: PATH is unchanged); NITRO_ERR_NOT_FOUND (404, 410);
 *         NITRO_ERR_IO (no connection, certificate not trusted, too slow, refused);
 *         NITRO_ERR_FORMAT (larger than max_bytes); NITRO_ERR_ARGUMENT (no such URL);
 *         NITRO_ERR_NOT_BUILT (no libcurl).
 */
nitro_status nitro_http_get(nitro_context *context, const nitro_http_request *request);

/** NITRO_ERR_ARGUMENT: not http(s) with a host, or with credentials, query or fragment. */
nitro_status nitro_http_check_url(nitro_context *context, const char *url);

#endif
