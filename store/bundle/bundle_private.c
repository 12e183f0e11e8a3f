/* bundle_private.c - private folders for copies of a local folder's files. A process that is killed
 * leaves its folder; the next one removes it, once nobody holds its lock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/bundle/bundle.h"

#define PREFIX        "nitro-bundles-"
#define LEAST_AGE_S   600 /* a younger one may be about to be locked */
#define SUFFIX_LENGTH 6   /* of mkdtemp's X */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void nitro_bundle_private_remove(const char *folder, int lock)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (lock >= 0)
        close(lock);
}

/* Is it a folder of ours that no process uses? @param[out] lock  close() it, where it is. */
static bool is_left(const char *path, int *lock)
{
    struct stat file;
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *lock >= 0 && fstat(*lock, &file) == 0 && file.st_uid == geteuid() &&
           time(NULL) - file.st_mtime > LEAST_AGE_S && flock(*lock, LOCK_EX | LOCK_NB) == 0;
}

static void remove_left(nitro_context *context, const char *shared)
{
    DIR *folder = opendir(shared);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            strlen(entry->d_name) != strlen(PREFIX) + SUFFIX_LENGTH)
            continue;
        int lock = -1;
        char *path = nitro_asprintf(context, "%s/%s", shared, entry->d_name);
        if (path && is_left(path, &lock))
            nitro_bundle_private_remove(path, lock);
        else if (lock >= 0)
            close(lock);
        free(path);
    }
    if (folder)
        closedir(folder);
}

static nitro_status fail_at(nitro_context *context, const char *path)
{
    return nitro_fail(context, NITRO_ERR_IO, "%s: cannot create the folder: %s; set TMPDIR", path,
                      strerror(errno));
}

nitro_status nitro_bundle_private_make(nitro_context *context, char **folder, int *lock)
{
    const char *shared = secure_getenv("TMPDIR");
    if (!shared || shared[0] != '/')
        shared = "/tmp";
    remove_left(context, shared);
    char *made = nitro_asprintf(context, "%s/" PREFIX "XXXXXX", shared);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    if (!mkdtemp(made)) {
        nitro_status status = fail_at(context, made);
        free(made);
        return status;
    }
    int held = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *inner = nitro_asprintf(context, "%s/" NITRO_BUNDLE_FOLDER, made);
    nitro_status status = inner ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (inner && (held < 0 || flock(held, LOCK_EX) != 0 || mkdir(inner, 0700) != 0))
        status = fail_at(context, inner);
    free(inner);
    if (status == NITRO_OK) {
        *folder = made;
        *lock = held;
    } else {
        nitro_bundle_private_remove(made, held);
        free(made);
    }
    return status;
}
