/* opencl_here.h - is there an OpenCL device? Asked in a child process. */
#ifndef NITRO_TESTS_UNIT_OPENCL_HERE_H
#define NITRO_TESTS_UNIT_OPENCL_HERE_H

#include "unit/unit.h"

extern const nitro_device_kind nitro_device_kind_opencl;

static inline bool opencl_here(void)
{
    nitro_context *context = unit_context();
    nitro_string_list ids = {0};
    bool is_here = nitro_device_kind_opencl.list(context, &ids) == NITRO_OK && ids.count > 0;
    nitro_string_list_free(&ids);
    nitro_context_free(context);
    return is_here;
}

/* ctest shows the test as skipped (SKIP_RETURN_CODE). */
static inline int opencl_skip(void)
{
    puts("SKIPPED: no OpenCL device is here: install pocl-opencl-icd");
    return 77;
}

#endif
