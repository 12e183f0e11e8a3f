/* cache.c - folders of the user's cache, one for each URL. */
#include "store/download/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

nitro_status nitro_cache_folder(nitro_context *context, const char *family, const char *url,
                                const char *inner, char **path)
{
    char family_of_url[64], *folder = NULL;
    snprintf(family_of_url, sizeof(family_of_url), "%.32s-%016llx", family,
             (unsigned long long)nitro_hash(url, strlen(url), 0));
    nitro_status status = nitro_user_cache(context, family_of_url, &folder);
    if (status != NITRO_OK)
        return status;
    char *below = nitro_asprintf(context, "%s/%s", folder, inner);
    char *note = below ? nitro_asprintf(context, "%s/url", folder) : NULL;
    struct stat there;
    status = note ? nitro_make_folders(context, below) : NITRO_ERR_NO_MEMORY;
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
