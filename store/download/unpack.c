/* unpack.c - unpacks one member of a .tar.gz with libarchive, with all other formats disabled.
 * Names in the archive are compared only, and never used as paths. */
#include "store/download/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_MEMBERS 1000
#define BLOCK_BYTES ((size_t)1 << 16)

typedef struct unpacking {
    nitro_context *context;
    const char *archive_path, *member, *path;
    FILE *file;
    uint64_t max_bytes;
    struct archive *archive;
} unpacking;

static nitro_status refuse(const unpacking *job, const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: %s", job->archive_path, problem);
}

static nitro_status fail_archive(const unpacking *job)
{
    const char *problem = archive_error_string(job->archive);
    return refuse(job, problem ? problem : "not a valid .tar.gz");
}

static bool leads_outside(const char *name)
{
    if (!name || name[0] == '/')
        return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/' ? 1 : 0;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

static nitro_status copy_data(const unpacking *job, FILE *file)
{
    char block[BLOCK_BYTES];
    uint64_t written = 0;
    for (;;) {
        la_ssize_t size = archive_read_data(job->archive, block, sizeof(block));
        if (size == 0)
            return NITRO_OK;
        if (size < 0)
            return fail_archive(job);
        written += (uint64_t)size;
        if (written > job->max_bytes)
            return refuse(job, "unpacks to more bytes than the limit");
        if (fwrite(block, 1, (size_t)size, file) != (size_t)size)
            return nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write: %s", job->path,
                              strerror(errno));
    }
}

static nitro_status write_member(const unpacking *job)
{
    nitro_status status = copy_data(job, job->file);
    if (status == NITRO_OK && (fflush(job->file) != 0 || fsync(fileno(job->file)) != 0))
        status = nitro_fail(job->context, NITRO_ERR_IO, "%s: cannot write: %s", job->path,
                            strerror(errno));
    return status;
}

/* Every member counts, since skipping one decompresses it too. */
static nitro_status check_entry(const unpacking *job, struct archive_entry *entry, uint64_t *total)
{
    int64_t size = archive_entry_size(entry);
    if (leads_outside(archive_entry_pathname(entry)))
        return refuse(job, "a member's path leads outside the archive; nothing was unpacked");
    *total += size > 0 ? (uint64_t)size : 0;
    return size < 0 || *total > job->max_bytes ? refuse(job, "unpacks to more bytes than the limit")
                                               : NITRO_OK;
}

static nitro_status check_all(unpacking *job)
{
    struct archive_entry *entry;
    uint64_t total = 0;
    size_t count = 0;
    nitro_status status = NITRO_OK;
    int result;
    while (status == NITRO_OK && (result = archive_read_next_header(job->archive, &entry)) == 0) {
        status = check_entry(job, entry, &total);
        if (status == NITRO_OK && ++count > MAX_MEMBERS)
            status = refuse(job, "more than 1000 members");
    }
    if (status == NITRO_OK && result != ARCHIVE_EOF)
        status = fail_archive(job);
    return status;
}

static nitro_status find_and_write(unpacking *job)
{
    struct archive_entry *entry;
    int result;
    while ((result = archive_read_next_header(job->archive, &entry)) == 0) {
        const char *name = archive_entry_pathname(entry);
        if (!name || strcmp(name, job->member) != 0)
            continue;
        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
            return refuse(job, "the matrix is a link instead of a file");
        return write_member(job);
    }
    if (result != ARCHIVE_EOF)
        return fail_archive(job);
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: the archive has no file %s",
                      job->archive_path, job->member);
}

static nitro_status with_archive(unpacking *job, nitro_status (*read)(unpacking *job))
{
    job->archive = archive_read_new();
    if (!job->archive)
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "out of memory for decompression");
    nitro_status status = NITRO_OK;
    if (archive_read_support_filter_gzip(job->archive) != ARCHIVE_OK ||
        archive_read_support_format_tar(job->archive) != ARCHIVE_OK ||
        archive_read_open_filename(job->archive, job->archive_path, BLOCK_BYTES) != ARCHIVE_OK)
        status = fail_archive(job);
    if (status == NITRO_OK)
        status = read(job);
    archive_read_free(job->archive);
    return status;
}

nitro_status nitro_unpack_member(nitro_context *context, const char *archive_path,
                                 const char *member, uint64_t max_bytes, const char *path,
                                 FILE *file)
{
    unpacking job = {.context = context,
                     .archive_path = archive_path,
                     .member = member,
                     .path = path,
                     .file = file,
                     .max_bytes = max_bytes};
    nitro_status status = with_archive(&job, check_all); /* all of it, before anything is written */
    return status == NITRO_OK ? with_archive(&job, find_and_write) : status;
}
