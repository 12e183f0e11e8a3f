/* paths.c - the default place of models, by the XDG base directory rules. */
#include "apps/cli/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

nitro_status model_default_path(nitro_context *context, const char *computation, const char *device,
                                char **path)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    bool use_data = data && data[0] == '/'; /* relative ones do not count, say the rules */
    if (!use_data && !(home && home[0] == '/'))
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "neither XDG_DATA_HOME nor HOME says where models are kept; name a file");
    char *made = nitro_asprintf(context, "%s%s/nitro/models/%s@%s.json", use_data ? data : home,
                                use_data ? "" : "/.local/share", computation, device);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *path = made;
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
            status = nitro_fail(context, NITRO_ERR_IO, "cannot make the folder %s: %s", copy,
                                strerror(errno));
        *slash = '/';
    }
    free(copy);
    return status;
}
