/* Reads files up to a size limit, writes them atomically, and finds the folders of users. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nitro/nitro_backend.h"

static nitro_status read_all(nitro_context *context, const char *path, FILE *file, size_t max_bytes,
                             char **text, size_t *size)
{
    size_t capacity = 1 << 16, used = 0;
    char *buffer = NULL;
    for (;;) {
        char *grown = realloc(buffer, capacity);
        if (!grown) {
            free(buffer);
            return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory at %zu bytes", path,
                              capacity);
        }
        buffer = grown;
        used += fread(buffer + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1 || used > max_bytes)
            break;
        capacity *= 2;
    }
    if (ferror(file)) {
        free(buffer);
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path,
                          errno == EISDIR ? "it is a folder; name a file in it" : strerror(errno));
    }
    if (used > max_bytes) {
        free(buffer);
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: larger than the limit of %zu bytes", path,
                          max_bytes);
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return NITRO_OK;
}

/* Too many open files are no reason to do without a file that is optional. */
static nitro_status opening_failure(int error)
{
    if (error == ENOMEM || error == EMFILE || error == ENFILE)
        return NITRO_ERR_NO_MEMORY;
    return error == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO;
}

nitro_status nitro_file_read(nitro_context *context, const char *path, size_t max_bytes,
                             char **text, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return nitro_fail(context, opening_failure(errno), "%s: cannot open: %s", path,
                          strerror(errno));
    nitro_status status = read_all(context, path, file, max_bytes, text, size);
    fclose(file);
    return status;
}

/* Names of files that the process has open: /dev/stdout may lead to a regular file, or to none if
 * it is closed, but a rename would replace the name, as root for the whole machine. */
static bool is_open_file(const char *path)
{
    return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

nitro_status nitro_file_read_regular(nitro_context *context, const char *path, size_t max_bytes,
                                     char **text, size_t *size)
{
    struct stat file;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !is_open_file(path))
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: it is %s", path,
                          S_ISDIR(file.st_mode) ? "a folder; name a file in it"
                                                : "a pipe or a device, not a file");
    return nitro_file_read(context, path, max_bytes, text, size);
}

static bool write_all(int descriptor, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Terminals, pipes and /dev/null are written to, not replaced. */
static nitro_status write_special(nitro_context *context, const char *path, const char *text,
                                  size_t size)
{
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool written = descriptor >= 0 && write_all(descriptor, text, size);
    int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    return written
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_IO, "%s: cannot write: %s", path, strerror(error));
}

/* Makes a rename durable. Some file systems do not support it, which is no error. */
static void sync_folder_of(const char *path)
{
    char *copy = strdup(path);
    int descriptor = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(copy);
}

nitro_status nitro_file_create_beside(nitro_context *context, const char *path, char **temporary,
                                      int *descriptor)
{
    for (int tries = 0; tries < 16; tries++) {
        uint64_t random;
        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
            break;
        char *name = nitro_asprintf(context, "%s.%016" PRIx64, path, random);
        if (!name)
            return NITRO_ERR_NO_MEMORY;
        *descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*descriptor >= 0) {
            *temporary = name;
            return NITRO_OK;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    return nitro_fail(context, NITRO_ERR_IO, "%s: cannot write beside it: %s", path,
                      strerror(errno));
}

/* The permissions of a file of ours are kept. In a shared folder another user may have made the
 * file, and chosen its mode. */
static bool keep_permissions(const char *path, int descriptor)
{
    struct stat old;
    if (lstat(path, &old) != 0 || !S_ISREG(old.st_mode) || old.st_uid != geteuid())
        return true;
    return fchmod(descriptor, old.st_mode & 0777) == 0;
}

static nitro_status replace(nitro_context *context, const char *path, const char *text, size_t size)
{
    char *temporary = NULL;
    int descriptor = -1;
    nitro_status status = nitro_file_create_beside(context, path, &temporary, &descriptor);
    if (status != NITRO_OK)
        return status;
    bool written = write_all(descriptor, text, size) && fsync(descriptor) == 0 &&
                   keep_permissions(path, descriptor);
    int error = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && rename(temporary, path) != 0) {
        written = false;
        error = errno;
    }
    if (written) {
        sync_folder_of(path);
    } else {
        unlink(temporary);
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot write: %s", path, strerror(error));
    }
    free(temporary);
    return status;
}

/* What a link of ours leads to is replaced, not the link. In a shared folder another user's link
 * may lead to any file. */
nitro_status nitro_file_write(nitro_context *context, const char *path, const char *text,
                              size_t size)
{
    struct stat old, link;
    bool exists = stat(path, &old) == 0;
    if ((exists && !S_ISREG(old.st_mode)) || is_open_file(path))
        return write_special(context, path, text, size);
    bool is_link = exists && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    char *target = is_link && link.st_uid == geteuid() ? realpath(path, NULL) : NULL;
    nitro_status status = replace(context, target ? target : path, text, size);
    free(target);
    return status;
}

static nitro_status require_private(nitro_context *context, const char *path, int descriptor)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return nitro_fail(context, NITRO_ERR_IO, "%s: not a regular file; store the secret in one",
                          path);
    if (file.st_uid != geteuid() && file.st_uid != 0)
        return nitro_fail(
            context, NITRO_ERR_IO,
            "%s: another user owns this file and can read the secret; create your own file", path);
    if (file.st_mode & 077)
        return nitro_fail(context, NITRO_ERR_IO,
                          "%s: other users may read or write this secret file (mode %04o): chmod "
                          "600 it, and change the secret if it may have been seen",
                          path, (unsigned)(file.st_mode & 07777));
    return NITRO_OK;
}

/* A single read, so that no reallocated buffer keeps a copy of the secret. */
static nitro_status read_secret(nitro_context *context, const char *path, int descriptor,
                                char *text, size_t text_size)
{
    size_t used = 0;
    while (used < text_size) {
        ssize_t part = read(descriptor, text + used, text_size - used);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return nitro_fail(context, NITRO_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
        if (part == 0)
            break;
        used += (size_t)part;
    }
    if (used == text_size)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: longer than a secret of %zu bytes", path,
                          text_size - 1);
    if (memchr(text, '\0', used))
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: contains a zero byte; not a text file",
                          path);
    text[used] = '\0';
    return NITRO_OK;
}

nitro_status nitro_file_read_private(nitro_context *context, const char *path, char *text,
                                     size_t text_size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return nitro_fail(context, errno == ENOENT ? NITRO_ERR_NOT_FOUND : NITRO_ERR_IO,
                          "%s: cannot open: %s", path, strerror(errno));
    nitro_status status = require_private(context, path, descriptor);
    if (status == NITRO_OK)
        status = read_secret(context, path, descriptor, text, text_size);
    if (status != NITRO_OK)
        explicit_bzero(text, text_size);
    close(descriptor);
    return status;
}

nitro_status nitro_file_create_private(nitro_context *context, const char *path, const char *text)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0 && errno == EEXIST)
        return nitro_fail(context, NITRO_ERR_EXISTS,
                          "%s: already exists, and a secret is never overwritten: use another name",
                          path);
    if (descriptor < 0)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
    bool written = write_all(descriptor, text, strlen(text)) && fsync(descriptor) == 0;
    int error = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written)
        return NITRO_OK;
    unlink(path);
    return nitro_fail(context, NITRO_ERR_IO, "%s: cannot write: %s", path, strerror(error));
}

nitro_status nitro_user_path(nitro_context *context, const char *variable, const char *below_home,
                             const char *name, char **path)
{
    const char *folder = secure_getenv(variable), *home = secure_getenv("HOME");
    *path = NULL;
    if (folder && folder[0] == '/')
        *path = nitro_asprintf(context, "%s/nitro/%s", folder, name);
    else if (home && home[0] == '/')
        *path = nitro_asprintf(context, "%s/%s/nitro/%s", home, below_home, name);
    else
        return NITRO_OK;
    return *path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}
