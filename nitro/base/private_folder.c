/* Private folders below $TMPDIR. A process that is killed leaves its folder; the next one removes
 * it, once nobody holds its lock. */
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

#include "nitro/nitro_backend.h"

#define LEAST_AGE_S   600 /* a younger one may be about to be locked */
#define SUFFIX_LENGTH 6   /* of mkdtemp's X */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void nitro_private_folder_remove(const char *folder, int lock)
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

static void remove_left(nitro_context *context, const char *shared, const char *prefix)
{
    DIR *folder = opendir(shared);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            strlen(entry->d_name) != strlen(prefix) + SUFFIX_LENGTH)
            continue;
        int lock = -1;
        char *path = nitro_asprintf(context, "%s/%s", shared, entry->d_name);
        if (path && is_left(path, &lock))
            nitro_private_folder_remove(path, lock);
        else if (lock >= 0)
            close(lock);
        free(path);
    }
    if (folder)
        closedir(folder);
}

nitro_status nitro_private_folder_make(nitro_context *context, const char *prefix, char **folder,
                                       int *lock)
{
    const char *shared = secure_getenv("TMPDIR");
    if (!shared || shared[0] != '/')
        shared = "/tmp";
    remove_left(context, shared, prefix);
    char *made = nitro_asprintf(context, "%s/%sXXXXXX", shared, prefix);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    bool is_made = mkdtemp(made) != NULL;
    int held = is_made ? open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (held >= 0 && flock(held, LOCK_EX) == 0) {
        *folder = made;
        *lock = held;
        return NITRO_OK;
    }
    nitro_status status =
        nitro_fail(context, NITRO_ERR_IO, "%s: cannot create the folder: %s; set TMPDIR", made,
                   strerror(errno));
    if (is_made)
        nitro_private_folder_remove(made, held);
    free(made);
    return status;
}
