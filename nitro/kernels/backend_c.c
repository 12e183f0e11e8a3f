/* Kernels in C for the host: compiled to a shared object, and called with an array of pointers to
 * the arguments, as `int NAME(void *const *arguments)`; 0 is success. A launch is one call, so
 * `local` and `global` are for other languages. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/kernels/c_compiler.h"
#include "nitro/kernels/kernel.h"

#define MESSAGE_BYTES   2000
#define OWN_WORDS       8 /* after the options */
#define MAX_IMAGE_BYTES ((size_t)256 << 20)

/* What -march=native depends on: a folder of compiled kernels may serve several machines. */
static uint64_t processor_digest(void)
{
    static const char *const keys[] = {"model name", "flags", "CPU part", "Features"};
    char *line = NULL;
    size_t size = 0;
    uint64_t digest = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && getline(&line, &size, file) > 1) /* up to the blank line after the first one */
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            if (strncmp(line, keys[k], strlen(keys[k])) == 0)
                digest = nitro_hash(line, strlen(line), digest);
    free(line);
    if (file)
        fclose(file);
    return digest;
}

static nitro_status open_target(nitro_context *context, const char *device, void *stream,
                                nitro_kernel_target *target)
{
    uint64_t digest = 0;
    (void)device;
    (void)stream;
    nitro_status status = nitro_c_compiler_digest(context, &digest);
    if (status != NITRO_OK)
        return status;
    snprintf(target->identity, sizeof(target->identity), "c %.200s %016llx %016llx",
             nitro_c_compiler(), (unsigned long long)digest,
             (unsigned long long)processor_digest());
    target->limits[0] = (double)sysconf(_SC_NPROCESSORS_ONLN);
    target->limits[1] = 1;
    target->limits[2] = 0;
    target->state = NULL;
    return NITRO_OK;
}

static void close_target(nitro_kernel_target *target)
{
    (void)target;
}

/* Words of `options`, which is cut at its spaces. */
static nitro_status add_options(nitro_context *context, const char *origin, char *options,
                                char **words, size_t *count)
{
    char *rest = NULL, *word = strtok_r(options, " ", &rest);
    const size_t before = *count;
    for (; word && *count < NITRO_C_MAX_WORDS - OWN_WORDS; word = strtok_r(NULL, " ", &rest))
        words[(*count)++] = word;
    return word ? nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: more than %zu compiler options",
                             origin, NITRO_C_MAX_WORDS - OWN_WORDS - before)
                : NITRO_OK;
}

static nitro_status compile_in(nitro_context *context, const char *folder, const char *origin,
                               const char *source, char *options, void **image, size_t *bytes)
{
    static char to[] = "-o";
    char file[NITRO_C_PATH_BYTES], object[NITRO_C_PATH_BYTES];
    char messages[NITRO_C_PATH_BYTES], said[MESSAGE_BYTES];
    char *words[NITRO_C_MAX_WORDS], command[NITRO_C_COMPILER_BYTES];
    size_t count;
    bool compiled;
    snprintf(file, sizeof(file), "%s/kernel.c", folder);
    snprintf(object, sizeof(object), "%s/kernel.so", folder);
    snprintf(messages, sizeof(messages), "%s/messages", folder);
    nitro_status status = nitro_c_compiler_words(context, command, words, &count);
    if (status == NITRO_OK)
        status = add_options(context, origin, options, words, &count);
    if (status != NITRO_OK)
        return status;
    words[count++] = to;
    words[count++] = object;
    words[count++] = file;
    words[count] = NULL;
    status = nitro_file_write(context, file, source, strlen(source));
    if (status == NITRO_OK)
        status = nitro_c_compile(context, words, messages, &compiled);
    if (status == NITRO_OK && !compiled) {
        nitro_c_messages(context, messages, said, sizeof(said));
        status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: does not compile: %s", origin, said);
    }
    char *read = NULL;
    if (status == NITRO_OK)
        status = nitro_file_read(context, object, MAX_IMAGE_BYTES, &read, bytes);
    if (status == NITRO_OK)
        *image = read;
    return status;
}

static nitro_status compile(nitro_context *context, const nitro_kernel_target *target,
                            const char *origin, const char *source, const char *options,
                            void **image, size_t *bytes)
{
    char *folder = NULL;
    int lock = -1;
    (void)target;
    char *copy = nitro_strdup(context, options);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_c_folder(context, "nitro-kernel-", &folder, &lock);
    if (status == NITRO_OK) {
        status = compile_in(context, folder, origin, source, copy, image, bytes);
        nitro_private_folder_remove(folder, lock);
    }
    free(folder);
    free(copy);
    return status;
}

static nitro_status find_entries(nitro_context *context, void *library, const char *const *entries,
                                 size_t count, void **functions)
{
    for (size_t i = 0; i < count; i++) {
        functions[i] = dlsym(library, entries[i]);
        if (!functions[i])
            return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                              "the kernel's source has no function %s, or it is static",
                              entries[i]);
    }
    return NITRO_OK;
}

/* From a file of its own name: dlopen knows objects by their names. */
static nitro_status load(nitro_context *context, const nitro_kernel_target *target,
                         const void *image, size_t bytes, const char *const *entries, size_t count,
                         void **program, void **functions)
{
    char path[NITRO_C_PATH_BYTES], *folder = NULL;
    int lock = -1;
    void *library = NULL;
    (void)target;
    nitro_status status = nitro_c_folder(context, "nitro-kernel-", &folder, &lock);
    if (status != NITRO_OK)
        return status;
    snprintf(path, sizeof(path), "%s/kernel.so", folder);
    status = nitro_file_write(context, path, image, bytes);
    if (status == NITRO_OK) {
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        status = library ? find_entries(context, library, entries, count, functions)
                         : nitro_fail(context, NITRO_ERR_FORMAT,
                                      "a compiled kernel cannot be loaded: %s", dlerror());
    }
    nitro_private_folder_remove(folder, lock);
    free(folder);
    if (status == NITRO_OK)
        *program = library;
    else if (library)
        dlclose(library);
    return status;
}

static int launch(void *function, const nitro_kernel_launch *launch_, char *problem, size_t size)
{
    int (*entry)(void *const *) = NULL;
    void *arguments[NITRO_KERNEL_MAX_ARGUMENTS];
    *(void **)&entry = function;
    for (size_t a = 0; a < launch_->num_arguments; a++)
        arguments[a] = (void *)launch_->arguments[a].value;
    int failure = entry(arguments);
    if (failure)
        snprintf(problem, size, "the kernel returned %d", failure);
    return failure;
}

static void unload(void *program, void **functions, size_t count)
{
    (void)functions;
    (void)count;
    dlclose(program);
}

extern const nitro_kernel_backend nitro_kernel_backend_c;
const nitro_kernel_backend nitro_kernel_backend_c = {
    .name = "c",
    .description = "C source for the host, compiled by cc or $CC",
    .device_kind = "host",
    .open = open_target,
    .close = close_target,
    .compile = compile,
    .load = load,
    .launch = launch,
    .unload = unload,
};
