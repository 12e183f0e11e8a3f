/* cache.c - folders of the user's cache, one for each URL. */
#include "store/download/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static nitro_status make_folders(nitro_context *context, const char *path)
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

nitro_status nitro_cache_folder(nitro_context *context, const char *family, const char *url,
                                const char *inner, char **path)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    bool use_cache = cache && cache[0] == '/'; /* relative paths are invalid by the XDG rules */
    if (!use_cache && !(home && home[0] == '/'))
        return nitro_fail(
            context, NITRO_ERR_NOT_FOUND,
            "no folder for downloads: set XDG_CACHE_HOME or HOME to an absolute path");
    char *folder = nitro_asprintf(context, "%s%s/nitro/%s-%016llx", use_cache ? cache : home,
                                  use_cache ? "" : "/.cache", family,
                                  (unsigned long long)nitro_hash(url, strlen(url), 0));
    char *below = folder ? nitro_asprintf(context, "%s/%s", folder, inner) : NULL;
    char *note = below ? nitro_asprintf(context, "%s/url", folder) : NULL;
    struct stat there;
    nitro_status status = note ? make_folders(context, below) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && stat(note, &there) != 0)
        status = nitro_file_write(context, note, url, strlen(url));
    free(below);
    free(note);
    if (status == NITRO_OK)
        *path = folder;
    else
        free(folder);
    return status;
}
