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
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    bool use_cache = cache && cache[0] == '/'; /* relative paths are invalid by the XDG rules */
    if (!use_cache && !(home && home[0] == '/'))
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no folder for %s: set XDG_CACHE_HOME or HOME to an absolute path",
                          family);
    char *folder = nitro_asprintf(context, "%s%s/nitro/%s", use_cache ? cache : home,
                                  use_cache ? "" : "/.cache", family);
    nitro_status status = folder ? nitro_make_folders(context, folder) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *path = folder;
    else
        free(folder);
    return status;
}
