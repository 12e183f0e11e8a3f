/* Opens libraries of the CUDA toolkit, wherever it was installed from: NVIDIA's installers, Python
 * packages, conda. */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "nitro/computation_kit.h"

/* Kept for good: these libraries register code with the driver. */
#define FLAGS (RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)

static void *open_matching(const char *pattern)
{
    glob_t found = {0};
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !library; i++)
            library = dlopen(found.gl_pathv[i], FLAGS);
    globfree(&found);
    return library;
}

static void *open_below(const char *root, const char *folder, const char *name)
{
    static const char *const places[] = {"lib64", "lib", "extras/CUPTI/lib64",
                                         "lib/python3*/*-packages/nvidia/*/lib"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !library; i++) {
        char pattern[PATH_MAX];
        int length =
            snprintf(pattern, sizeof(pattern), "%s%s/%s/%s", root, folder, places[i], name);
        if (length > 0 && (size_t)length < sizeof(pattern))
            library = open_matching(pattern);
    }
    return library;
}

void *nitro_cuda_library_open(const char *name)
{
    static const struct {
        const char *variable, *folder;
    } named[] = {{"CUDA_HOME", ""},
                 {"CUDA_PATH", ""},
                 {"VIRTUAL_ENV", ""},
                 {"CONDA_PREFIX", ""},
                 {"HOME", "/.local"}};
    void *library = dlopen(name, FLAGS); /* also in LD_LIBRARY_PATH */
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]) && !library; i++) {
        const char *root = secure_getenv(named[i].variable);
        if (root && root[0] == '/')
            library = open_below(root, named[i].folder, name);
    }
    if (!library)
        library = open_below("/usr/local/cuda", "", name);
    return library ? library : open_below("/usr/local", "", name);
}
