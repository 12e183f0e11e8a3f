/* paths.c - checks of output paths, their folders, and files that are installed. */
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

nitro_status make_folder(nitro_context *context, const char *folder, bool *made)
{
    struct stat about;
    *made = mkdir(folder, 0777) == 0;
    int reason = *made ? 0 : errno;
    if (reason == EEXIST)
        reason = stat(folder, &about) == 0 && S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    if (reason != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot make the folder %s: %s", folder,
                          strerror(reason));
    if (access(folder, W_OK | X_OK) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot write into the folder %s: %s", folder,
                          strerror(errno));
    return NITRO_OK;
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
            status = nitro_fail(
                context, NITRO_ERR_IO,
                "cannot make the folder %s for the model: %s; name the model's file with --output",
                copy, strerror(errno));
        *slash = '/';
    }
    free(copy);
    return status;
}

char *find_shared_file(nitro_context *context, const char *name)
{
    static const char models[] = "/share/nitro/models";
    nitro_string_list folders = {0};
    char *found = NULL;
    /* Built-in variants lie where this table lies. */
    if (nitro_model_folders(context, (const void *)nitro_builtin_modules(), &folders) != NITRO_OK)
        return NULL;
    for (size_t i = 0; i < folders.count && !found; i++) {
        const char *folder = folders.items[i];
        size_t length = strlen(folder), tail = sizeof models - 1;
        if (length < tail || strcmp(folder + length - tail, models) != 0)
            continue;
        length -= strlen("models");
        found = nitro_asprintf(context, "%.*s%s", (int)length, folder, name);
        if (found && access(found, R_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    nitro_string_list_free(&folders);
    return found;
}
