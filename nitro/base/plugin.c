/* Loads plug-ins that are shared objects of their own, so that a program which does not need them
 * does not load their libraries either. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

#define DEFAULT_FOLDER  "nitro" NITRO_INTERFACE
#define PLUGINS_PACKAGE "libnitro" NITRO_INTERFACE "-plugins"

/* The setting, else DEFAULT_FOLDER in the folder of the object that this function is in. */
static nitro_status print_path(nitro_context *context, const char *name, char **path)
{
    nitro_setting_value set = {0};
    static const char here;
    Dl_info self = {0};
    nitro_status status = nitro_setting_get(context, NULL, "plugins", &set);
    if (status != NITRO_OK)
        return status;
    if (set.text[0]) {
        *path = nitro_asprintf(context, "%s/%s.so", set.text, name);
        return *path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    const char *slash = dladdr(&here, &self) ? strrchr(self.dli_fname, '/') : NULL;
    int length = slash ? (int)(slash - self.dli_fname) : 1;
    *path = nitro_asprintf(context, "%.*s/" DEFAULT_FOLDER "/%s.so", length,
                           slash ? self.dli_fname : ".", name);
    return *path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status load(nitro_context *context, const char *path, const void **functions)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                          "cannot load a plug-in: %s; install the package " PLUGINS_PACKAGE
                          ", or name the folder that has the plug-in by NITRO_PLUGINS",
                          dlerror());
    const nitro_plugin *plugin = dlsym(object, "nitro_exported_plugin");
    if (!plugin)
        return nitro_fail(
            context, NITRO_ERR_NOT_BUILT,
            "%s is not a plug-in of Nitro: it exports no nitro_exported_plugin; name the "
            "folder of plug-ins by NITRO_PLUGINS",
            path);
    if (strcmp(plugin->version, nitro_version()) != 0)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                          "%s is of Nitro %.40s, but this library is %s: install both from the "
                          "same build",
                          path, plugin->version, nitro_version());
    *functions = plugin->functions;
    return NITRO_OK;
}

nitro_status nitro_plugin_load(nitro_context *context, const char *name, const void **functions)
{
    char *path = NULL;
    nitro_status status = print_path(context, name, &path);
    if (status == NITRO_OK)
        status = load(context, path, functions);
    free(path);
    return status;
}
