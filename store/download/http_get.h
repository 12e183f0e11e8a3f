/*
 * http_get.h - downloads over HTTP(S) into files. Hides libcurl, and what goes wrong on the way:
 * cut connections are taken up where they ended, servers that are busy are asked again, and no
 * redirect leads to another scheme. Certificates are always checked.
 */
#ifndef NITRO_STORE_DOWNLOAD_HTTP_GET_H
#define NITRO_STORE_DOWNLOAD_HTTP_GET_H

#include "nitro/nitro_backend.h"

/** Zero: the default. */
typedef struct nitro_http_limits {
    long connect_s;     /* 20: until a connection stands */
    long stall_s;       /* 30: slower than stall_bytes_s for so long, and it is given up */
    long stall_bytes_s; /* 200 bytes a second */
    long total_s;       /* 3600: one attempt as a whole */
    unsigned attempts;  /* 4: with growing pauses between */
    unsigned pause_ms;  /* 500: the first pause */
} nitro_http_limits;

typedef struct nitro_http_request {
    const char *url;    /* http:// or https:// */
    const char *path;   /* where the whole file goes, by a rename; PATH.part until then */
    uint64_t max_bytes; /* NITRO_ERR_FORMAT beyond */
    /** Where PATH is there with what the server said of it (PATH.tag), ask whether it changed. */
    bool revalidate;
    const nitro_http_limits *limits; /* NULL: the defaults */
} nitro_http_request;

/**
 * Download, or take up a download that was cut. Waits for another process that downloads the same.
 * @return NITRO_OK (with `revalidate` also: PATH is still what the server has); NITRO_ERR_NOT_FOUND
 *         (404, 410); NITRO_ERR_IO (no connection, no trust, too slow, refused; said which);
 *         NITRO_ERR_FORMAT (larger than max_bytes); NITRO_ERR_ARGUMENT (no such URL);
 *         NITRO_ERR_NOT_BUILT (no libcurl).
 */
nitro_status nitro_http_get(nitro_context *context, const nitro_http_request *request);

/** Is this an address that can be asked: http(s), a host, no credentials, query or fragment? */
nitro_status nitro_http_check_url(nitro_context *context, const char *url);

#endif
