/* paths.c - the default place of models, by the XDG base directory rules. */
#include "apps/cli/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

nitro_status model_default_path(nitro_context *context, const char *computation, const char *device,
                                char **path)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    bool use_data = data && data[0] == '/'; /* the rules ignore relative paths */
    if (!use_data && !(home && home[0] == '/'))
        return nitro_fail(
            context, NITRO_ERR_NOT_FOUND,
            "no default folder for models: XDG_DATA_HOME and HOME are not set; name a file");
    char *made = nitro_asprintf(context, "%s%s/nitro/models/%s@%s.json", use_data ? data : home,
                                use_data ? "" : "/.local/share", computation, device);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *path = made;
    return NITRO_OK;
}

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
