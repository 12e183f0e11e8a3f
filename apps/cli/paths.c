/* paths.c - checks of output paths, and their folders. */
#include "apps/cli/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

nitro_status require_writable(nitro_context *context, const char *path)
{
    struct stat about;
    if (!path)
        return NITRO_OK;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return nitro_fail(context, NITRO_ERR_IO, "%s is a folder: name a file in it", path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? nitro_asprintf(context, "%.*s/", (int)(slash - path), path)
                         : nitro_strdup(context, ".");
    if (!folder)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    if (access(folder, W_OK | X_OK) != 0)
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot write into the folder %s: %s", path,
                            folder, strerror(errno));
    free(folder);
    return status;
}

nitro_status make_folders_above(nitro_context *context, const char *path)
{
    char *copy = nitro_strdup(context, path);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && status == NITRO_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            status = nitro_fail(context, NITRO_ERR_IO, "cannot make the folder %s: %s", copy,
                                strerror(errno));
        *slash = '/';
    }
    free(copy);
    return status;
}
