/*
 * kernels_module.c - kernels with many configurations, compiled at run time by OpenCL devices or by
 * NVRTC, as a module for the command line:
 *
 *     cmake -S . -B build -DCMAKE_PREFIX_PATH=/opt/nitro && cmake --build build
 *     nitro search build/libkernels.so:ktt_gemm:tuned --device opencl --budget 50
 *     nitro tune build/libkernels.so:ktt_reduction --device opencl --generate 20
 */
#include "kernel_computation.h"

static int evaluate(const void *argument, double *values, void *user)
{
    const nitro_kit *kit = user;
    size_t count = 0;
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_SCALAR)
            values[count++] =
                (double)*(const int64_t *)((const char *)argument + kit->fields[i].offset);
    return 0;
}

nitro_status kernels_add_features(nitro_computation *computation, const nitro_kit *kit)
{
    nitro_feature features[NITRO_KIT_MAX_FIELDS];
    size_t count = 0;
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_SCALAR)
            features[count++] = (nitro_feature){kit->fields[i].name, "", NITRO_SCALE_SIGNED_LOG, 0};
    return nitro_computation_add_features(computation, features, count, evaluate, (void *)kit);
}

nitro_status kernels_load(nitro_context *context, const char *path, void **data)
{
    (void)data;
    return nitro_fail(context, NITRO_ERR_UNSUPPORTED, "%s: this has generated inputs only", path);
}

void kernels_fill(nitro_random *random, const float *numbers, int64_t count)
{
    float *to = (float *)numbers; /* const for the kernels */
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(2 * nitro_random_uniform(random) - 1);
}

int64_t kernels_multiple(double size, int64_t step)
{
    int64_t multiple = (int64_t)(size / (double)step + 0.5);
    return step * (multiple > 1 ? multiple : 1);
}

#define EACH(its) extern const nitro_module its##_module_opencl, its##_module_cuda;
#include "kernels.list"
#undef EACH

NITRO_API const nitro_module *nitro_module_get(void); /* what the command line looks for */

const nitro_module *nitro_module_get(void)
{
    static nitro_module modules[32];
    size_t count = 0;
#define EACH(its)                                                                                  \
    modules[count++] = its##_module_opencl;                                                        \
    modules[count++] = its##_module_cuda;
#include "kernels.list"
#undef EACH
    return modules;
}
