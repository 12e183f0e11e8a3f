/* cuda_libraries.h - NVRTC and the CUDA driver, opened when they are first asked for. Internal to
 * nitro/. Functions have the types of CUDA 11 to 13; 0 is success. */
#ifndef NITRO_KERNELS_CUDA_LIBRARIES_H
#define NITRO_KERNELS_CUDA_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

typedef void *nvrtc_program;

typedef struct nvrtc_library {
    int (*version)(int *major, int *minor);
    int (*create)(nvrtc_program *program, const char *source, const char *name, int num_headers,
                  const char *const *headers, const char *const *names);
    int (*compile)(nvrtc_program program, int num_options, const char *const *options);
    int (*log_size)(nvrtc_program program, size_t *bytes);
    int (*log)(nvrtc_program program, char *text);
    int (*cubin_size)(nvrtc_program program, size_t *bytes);
    int (*cubin)(nvrtc_program program, char *image);
    int (*destroy)(nvrtc_program *program);
    const char *(*error)(int code);
} nvrtc_library;

enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_CAPTURE_RELAXED = 2,
    CUDA_INVALID_IMAGE = 200,
    CUDA_NO_BINARY_FOR_GPU = 209,
    CUDA_NOT_READY = 600
};

/* Of CUdevice_attribute and CUfunction_attribute. */
enum {
    CUDA_MAX_THREADS = 1,
    CUDA_NUM_UNITS = 16,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_FUNCTION_DYNAMIC_BYTES = 8
};

typedef struct cuda_driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*error)(int code, const char **text);
    int (*get_context)(void **context);
    int (*set_context)(void *context);
    int (*get_device)(int *device);
    int (*primary_context)(void **context, int device);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*set_function)(void *function, int attribute, int value);
    int (*get_function)(int *value, int attribute, void *function);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
                  void *stream, void **arguments, void **extra);
    int (*free_memory)(size_t *free_bytes, size_t *total_bytes);
    int (*allocate)(uint64_t *memory, size_t bytes);
    int (*free)(uint64_t memory);
    int (*upload)(uint64_t to, const void *from, size_t bytes, void *stream);
    int (*download)(void *to, uint64_t from, size_t bytes, void *stream);
    int (*copy)(uint64_t to, uint64_t from, size_t bytes, void *stream);
    int (*fill)(uint64_t to, unsigned char byte, size_t bytes, void *stream);
    int (*wait)(void *stream);
    int (*is_capturing)(void *stream, int *status);
    int (*capture_mode)(int *mode);
    int (*create_event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*elapsed)(float *elapsed_ms, void *begin, void *end);
    int (*free_event)(void *event);
} cuda_driver;

/** NULL: not installed. */
const nvrtc_library *nitro_nvrtc_load(void);
const cuda_driver *nitro_cuda_driver_load(void);

#endif
