/* Folders of the user's cache. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/nitro_backend.h"

nitro_status nitro_make_folders(nitro_context *context, const char *path)
{
    char *copy = nitro_asprintf(context, "%s/", path);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && status == NITRO_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot create the folder: %s", copy,
                                strerror(errno));
        *slash = '/';
    }
    free(copy);
    return status;
}

nitro_status nitro_user_cache(nitro_context *context, const char *family, char **path)
{
    char *folder = NULL;
    nitro_status status = nitro_user_path(context, "XDG_CACHE_HOME", ".cache", family, &folder);
    if (status == NITRO_OK && !folder)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no folder for %s: set XDG_CACHE_HOME or HOME to an absolute path",
                          family);
    if (status == NITRO_OK)
        status = nitro_make_folders(context, folder);
    if (status == NITRO_OK)
        *path = folder;
    else
        free(folder);
    return status;
}
