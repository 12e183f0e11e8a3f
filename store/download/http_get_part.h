/* http_get_part.h - a file being downloaded: PATH.part, written by one process at a time, and
 * beside it the tag of the server's version (ETag, else Last-Modified). */
#ifndef NITRO_STORE_DOWNLOAD_HTTP_GET_PART_H
#define NITRO_STORE_DOWNLOAD_HTTP_GET_PART_H

#include "nitro/nitro_backend.h"

#define NITRO_HTTP_TAG_BYTES 512

typedef struct nitro_http_part {
    nitro_context *context;
    const char *path;     /* of the whole file */
    char *part_path;      /* PATH.part */
    char *part_tag_path;  /* PATH.part.tag */
    char *whole_tag_path; /* PATH.tag */
    int descriptor;       /* of PATH.part, locked; -1: none */
    uint64_t size;        /* bytes written so far */
    bool finished;
} nitro_http_part;

/** Open or create PATH.part; waits for another process that writes it. nitro_http_part_close() it
 *  also after an error. @param[in] path  borrowed. */
nitro_status nitro_http_part_open(nitro_context *context, const char *path, nitro_http_part *part);
/** @param[in] keep  PATH.part, to resume from. */
void nitro_http_part_close(nitro_http_part *part, bool keep);

/** The line of a tag file; "" if there is none. */
void nitro_http_tag_read(const char *path, char tag[NITRO_HTTP_TAG_BYTES]);
/** Write the tag of PATH.part; "": remove it. */
nitro_status nitro_http_part_set_tag(const nitro_http_part *part, const char *tag);

nitro_status nitro_http_part_truncate(nitro_http_part *part);
nitro_status nitro_http_part_seek(nitro_http_part *part, uint64_t offset);
/** @return 0, or an errno. */
int nitro_http_part_append(nitro_http_part *part, const char *bytes, size_t size);

/** Sync the complete file and rename it to PATH. @param[in] tag  written beside it; NULL: none. */
nitro_status nitro_http_part_finish(nitro_http_part *part, const char *tag);

/** "PATH.part: cannot write: ..." */
nitro_status nitro_http_part_fail(const nitro_http_part *part, int error);

#endif
