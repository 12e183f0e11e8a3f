/* Loads CUPTI at run time, so that one binary serves all machines: nothing of CUDA is linked here.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "nitro/computation_kit.h"
#include "proxies/profilers/profile_cupti.h"

#define LIBRARY      "libcupti.so.13"
#define HOST_LIBRARY "libnvperf_host.so"
#define DRIVER       "libcuda.so.1"

typedef struct function_row {
    const char *symbol;
    size_t offset;
} function_row;

#define ROW(member, symbol) {#symbol, offsetof(cupti_functions, member)},
static const function_row driver_rows[] = {CUPTI_DRIVER_FUNCTIONS(ROW){NULL, 0}};
static const function_row cupti_rows[] = {CUPTI_FUNCTIONS(ROW){NULL, 0}};

static nitro_status find_functions(nitro_context *context, void *library, const char *name,
                                   const function_row *rows, cupti_functions *functions)
{
    for (const function_row *row = rows; row->symbol; row++) {
        void *function = dlsym(library, row->symbol);
        if (!function)
            return nitro_fail(context, NITRO_ERR_IO,
                              "%s has no function %s: it belongs to another version of CUDA than "
                              "13; install CUDA 13's and put its folder into LD_LIBRARY_PATH",
                              name, row->symbol);
        memcpy((char *)functions + row->offset, &function, sizeof function);
    }
    return NITRO_OK;
}

/* CUPTI opens it by name, and finds the loaded one. */
static nitro_status open_host_library(nitro_context *context, void *library)
{
    char origin[PATH_MAX], path[2 * PATH_MAX];
    if (dlinfo(library, RTLD_DI_ORIGIN, origin) != 0)
        return nitro_fail(context, NITRO_ERR_IO, "cannot locate %s: %s", LIBRARY, dlerror());
    snprintf(path, sizeof path, "%s/%s", origin, HOST_LIBRARY);
    if (dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO,
                      "%s is installed, but not the library that it needs: %s; install all "
                      "of CUDA 13's CUPTI",
                      LIBRARY, dlerror());
}

nitro_status cupti_open_library(nitro_context *context, cupti_functions *functions)
{
    cupti_functions found = *functions;
    void *library = nitro_cuda_library_open(LIBRARY);
    if (!library)
        return nitro_fail(context, NITRO_ERR_IO,
                          "kernels cannot be profiled here: %s was found neither by the dynamic "
                          "loader nor under $CUDA_HOME, /usr/local/cuda or in Python's packages; "
                          "install CUDA 13's CUPTI or put its folder into LD_LIBRARY_PATH",
                          LIBRARY);
    nitro_status status = find_functions(context, library, LIBRARY, cupti_rows, &found);
    if (status == NITRO_OK)
        status = open_host_library(context, library);
    if (status == NITRO_OK)
        *functions = found;
    return status;
}

nitro_status cupti_open_driver(nitro_context *context, cupti_functions *functions)
{
    cupti_functions found = *functions;
    void *library = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return nitro_fail(context, NITRO_ERR_IO,
                          "kernels cannot be profiled here: there is no NVIDIA driver (%s)",
                          dlerror());
    nitro_status status = find_functions(context, library, DRIVER, driver_rows, &found);
    if (status == NITRO_OK)
        *functions = found;
    return status;
}
