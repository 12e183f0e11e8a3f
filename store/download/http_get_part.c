/* http_get_part.c - a file being downloaded, locked by one process. File and tag change in such an
 * order that a tag is never that of other bytes. */
#include "store/download/http_get_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

nitro_status nitro_http_part_fail(const nitro_http_part *part, int error)
{
    return nitro_fail(part->context, NITRO_ERR_IO, "%s: cannot write: %s", part->part_path,
                      strerror(error));
}

/* ---- Tags ------------------------------------------------------------------------------------ */

void nitro_http_tag_read(const char *path, char tag[NITRO_HTTP_TAG_BYTES])
{
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(tag, 1, NITRO_HTTP_TAG_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    tag[size] = '\0';
    tag[strcspn(tag, "\r\n")] = '\0';
}

static nitro_status write_tag(const nitro_http_part *part, const char *path, const char *tag)
{
    if (!tag[0]) {
        unlink(path);
        return NITRO_OK;
    }
    return nitro_file_write(part->context, path, tag, strlen(tag));
}

nitro_status nitro_http_part_set_tag(const nitro_http_part *part, const char *tag)
{
    return write_tag(part, part->part_tag_path, tag);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

nitro_status nitro_http_part_truncate(nitro_http_part *part)
{
    part->size = 0;
    return ftruncate(part->descriptor, 0) == 0 ? nitro_http_part_seek(part, 0)
                                               : nitro_http_part_fail(part, errno);
}

nitro_status nitro_http_part_seek(nitro_http_part *part, uint64_t offset)
{
    return lseek(part->descriptor, (off_t)offset, SEEK_SET) >= 0
               ? NITRO_OK
               : nitro_http_part_fail(part, errno);
}

int nitro_http_part_append(nitro_http_part *part, const char *bytes, size_t size)
{
    for (size_t written = 0; written < size;) {
        ssize_t more = write(part->descriptor, bytes + written, size - written);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return errno;
        written += (size_t)more;
    }
    part->size += size;
    return 0;
}

/* ---- Open, finish, close --------------------------------------------------------------------- */

/* The lock belongs to the descriptor. If another process finished the file while we waited, its
 * name is gone: open it again. */
static nitro_status open_locked(nitro_http_part *part)
{
    struct stat ours, named;
    for (;;) {
        part->descriptor = open(part->part_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (part->descriptor < 0 || flock(part->descriptor, LOCK_EX) != 0 ||
            fstat(part->descriptor, &ours) != 0)
            return nitro_http_part_fail(part, errno);
        if (stat(part->part_path, &named) == 0 && named.st_ino == ours.st_ino &&
            named.st_dev == ours.st_dev)
            break;
        close(part->descriptor);
    }
    part->size = (uint64_t)ours.st_size;
    return NITRO_OK;
}

nitro_status nitro_http_part_open(nitro_context *context, const char *path, nitro_http_part *part)
{
    *part = (nitro_http_part){.context = context, .path = path, .descriptor = -1};
    part->part_path = nitro_asprintf(context, "%s.part", path);
    part->part_tag_path = nitro_asprintf(context, "%s.part.tag", path);
    part->whole_tag_path = nitro_asprintf(context, "%s.tag", path);
    return part->part_path && part->part_tag_path && part->whole_tag_path ? open_locked(part)
                                                                          : NITRO_ERR_NO_MEMORY;
}

/* Removes the old file's tag first. */
nitro_status nitro_http_part_finish(nitro_http_part *part, const char *tag)
{
    unlink(part->whole_tag_path);
    if (fsync(part->descriptor) != 0 || rename(part->part_path, part->path) != 0)
        return nitro_fail(part->context, NITRO_ERR_IO, "%s: cannot write: %s", part->path,
                          strerror(errno));
    part->finished = true;
    unlink(part->part_tag_path);
    return tag ? write_tag(part, part->whole_tag_path, tag) : NITRO_OK;
}

void nitro_http_part_close(nitro_http_part *part, bool keep)
{
    if (part->descriptor >= 0 && !part->finished && (part->size == 0 || !keep))
        unlink(part->part_path);
    if (part->descriptor >= 0)
        close(part->descriptor);
    free(part->part_path);
    free(part->part_tag_path);
    free(part->whole_tag_path);
}
