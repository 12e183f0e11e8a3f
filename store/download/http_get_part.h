/* http_get_part.h - a file while it is downloaded: PATH.part, which one process at a time may
 * write, and what tells the server's version of it (ETag, else Last-Modified) beside it. */
#ifndef NITRO_STORE_DOWNLOAD_HTTP_GET_PART_H
#define NITRO_STORE_DOWNLOAD_HTTP_GET_PART_H

#include "nitro/nitro_backend.h"

#define NITRO_HTTP_TAG_BYTES 512

typedef struct nitro_http_part {
    nitro_context *context;
    const char *path;     /* of the whole file */
    char *part_path;      /* PATH.part */
    char *part_tag_path;  /* PATH.part.tag: of what is in PATH.part */
    char *whole_tag_path; /* PATH.tag: of PATH */
    int descriptor;       /* of PATH.part, locked; -1: none */
    uint64_t size;        /* bytes that are there now */
    bool finished;
} nitro_http_part;

/** Open PATH.part, or make it; waits for another process that writes it. nitro_http_part_close it,
 *  also after an error. @param[in] path  borrowed. */
nitro_status nitro_http_part_open(nitro_context *context, const char *path, nitro_http_part *part);
/** @param[in] keep  what is there is worth to go on from. */
void nitro_http_part_close(nitro_http_part *part, bool keep);

/** A tag file's line; "" where there is none. */
void nitro_http_tag_read(const char *path, char tag[NITRO_HTTP_TAG_BYTES]);
/** Write PATH.part's tag; "": it has none. */
nitro_status nitro_http_part_set_tag(const nitro_http_part *part, const char *tag);

nitro_status nitro_http_part_truncate(nitro_http_part *part);
/** Write from this place on. */
nitro_status nitro_http_part_seek(nitro_http_part *part, uint64_t offset);
/** @return 0, or the system's error. */
int nitro_http_part_append(nitro_http_part *part, const char *bytes, size_t size);

/** The file is whole: durable and under its name. @param[in] tag  kept beside it; NULL: none is. */
nitro_status nitro_http_part_finish(nitro_http_part *part, const char *tag);

/** "PATH.part: cannot write: ..." */
nitro_status nitro_http_part_fail(const nitro_http_part *part, int error);

#endif
