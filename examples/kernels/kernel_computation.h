/*
 * kernel_computation.h - what the computations of this folder share. Each is a kernel with
 * parameters, compiled at run time, and runs on OpenCL and CUDA devices: its C file is compiled
 * twice, with ON_CUDA for the latter. The spaces are those of the KTT benchmarks (Petrovic et al.,
 * 2020).
 */
#ifndef KERNEL_COMPUTATION_H
#define KERNEL_COMPUTATION_H

#include <math.h>
#include <nitro/kernels.h>
#include <nitro/nitro_backend.h>
#include <stddef.h>
#include <stdio.h>

#ifdef ON_CUDA
#define ON(opencl, cuda) cuda
#define SYMBOL(name)     name##_cuda
#else
#define ON(opencl, cuda) opencl
#define SYMBOL(name)     name##_opencl
#endif

/* CUDA has no vectors of 8 and 16. */
#define VECTORS   ON("[1, 2, 4, 8, 16]", "[1, 2, 4]")
#define VECTORS_8 ON("[1, 2, 4, 8]", "[1, 2, 4]")
#define UNROLLS   "[0, 1, 2, 4, 8, 16, 32]"
#define YES_OR_NO "[0, 1]"

#define TEXT(number)  #number
#define STRING(macro) TEXT(macro)

/* Fields of the type CALL, which each file defines: numbers, and arrays of floats. */
#define NUMBER(member)       NITRO_NUMBER(CALL, member)
#define INPUT(member, count) NITRO_ARRAY(CALL, member, NITRO_IN, NITRO_FLOAT32, count)
#define OUTPUT(member, count, ...)                                                                 \
    NITRO_ARRAY(CALL, member, NITRO_OUT, NITRO_FLOAT32, count, __VA_ARGS__)
#define WITHIN(kind, its_tolerance) .agreement = NITRO_##kind, .tolerance = its_tolerance
/* Kept on the device alone. */
#define ON_DEVICE_ALONE(its_name, its_count)                                                       \
    {                                                                                              \
        .name = its_name, .role = NITRO_SCRATCH, .element = NITRO_FLOAT32,                         \
        .offset = NITRO_NOWHERE, .count = its_count                                                \
    }

/* Of the kernel `its`: a computation ktt_ITS with the variant "tuned". The file defines the type
 * its_call, `fields`, `make` and `reference`. */
#define KERNEL(its, its_options, ...)                                                              \
    extern const nitro_kit SYMBOL(its##_kit);                                                      \
    extern const nitro_module SYMBOL(its##_module);                                                \
    extern const char its##_cl[];                                                                  \
    static const nitro_kernel kernel = {.kit = &SYMBOL(its##_kit),                                 \
                                        .backend = ON("opencl", "cuda"),                           \
                                        .origin = #its ".cl",                                      \
                                        .source = its##_cl,                                        \
                                        .options = ON("", NITRO_KERNEL_OPENCL_C " ") its_options,  \
                                        __VA_ARGS__}
#define COMPUTATION(its, about, ...)                                                               \
    static const nitro_variant variant = NITRO_KERNEL_VARIANT("tuned", kernel);                    \
    static const nitro_variant *const variants[] = {&variant};                                     \
    static const nitro_kit_device device = {                                                       \
        .kind = ON("opencl", "cuda"),                                                              \
        .memory = &ON(nitro_opencl_memory, nitro_cuda_driver_memory),                              \
        .variants = variants,                                                                      \
        .num_variants = 1};                                                                        \
    static nitro_status add_features(nitro_computation *computation)                               \
    {                                                                                              \
        return kernels_add_features(computation, &SYMBOL(its##_kit));                              \
    }                                                                                              \
    static const nitro_kit_inputs inputs = {                                                       \
        .load = kernels_load, .make = make, .num_families = 1, __VA_ARGS__};                       \
    const nitro_kit SYMBOL(its##_kit) = {                                                          \
        .name = "ktt_" #its,                                                                       \
        .description = about,                                                                      \
        .argument_bytes = sizeof(its##_call),                                                      \
        .kept = offsetof(its##_call, kept),                                                        \
        .fields = fields,                                                                          \
        .num_fields = sizeof(fields) / sizeof(fields[0]),                                          \
        .usual = "tuned",                                                                          \
        .add_features = add_features,                                                              \
        .reference = reference,                                                                    \
        .inputs = &inputs,                                                                         \
        .device = &device,                                                                         \
    };                                                                                             \
    NITRO_KIT_KERNEL_MODULE(SYMBOL(its##_module), SYMBOL(its##_kit), "ktt_" #its, about,           \
                            ON("opencl", "cuda"))

/** The scalars of the argument are its features. */
nitro_status kernels_add_features(nitro_computation *computation, const nitro_kit *kit);
/** There are no files. */
nitro_status kernels_load(nitro_context *context, const char *path, void **data);
/** Fill with numbers from -1 to 1. */
void kernels_fill(nitro_random *random, const float *numbers, int64_t count);
/** The multiple of `step` that is nearest to `size`, at least one. */
int64_t kernels_multiple(double size, int64_t step);

#endif
