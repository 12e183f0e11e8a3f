/* Compiles kernels, and keeps what was compiled on disk: a file for each source, options, compiler
 * and device, whose name is a hash of them. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/base/context.h"
#include "nitro/kernels/kernel.h"

#define FORMAT          "nitro-kernel 1"
#define HEADER_BYTES    48 /* format, hash of the image */
#define MAX_IMAGE_BYTES ((size_t)256 << 20)

size_t nitro_kernel_num_parameters(const nitro_kernel *kernel)
{
    size_t count = 0;
    while (count < NITRO_KERNEL_MAX_PARAMETERS && kernel->parameters[count].name)
        count++;
    return count;
}

char *nitro_kernel_values_text(nitro_context *context, const nitro_kernel *kernel,
                               const char *const *values, const char *is, const char *between)
{
    char *text = nitro_strdup(context, "");
    for (size_t p = 0; p < nitro_kernel_num_parameters(kernel) && text; p++) {
        char *longer = nitro_asprintf(context, "%s%s%s%s%s", text, p > 0 ? between : "",
                                      kernel->parameters[p].name, is, values[p]);
        free(text);
        text = longer;
    }
    return text;
}

nitro_status nitro_kernel_cache_folder(nitro_context *context, char **path)
{
    nitro_setting_value set = {0};
    nitro_status status = nitro_setting_get(context, NULL, "kernel_cache", &set);
    if (status != NITRO_OK)
        return status;
    if (!set.text[0])
        return nitro_user_cache(context, "kernels", path);
    *path = nitro_strdup(context, set.text);
    return *path ? nitro_make_folders(context, *path) : NITRO_ERR_NO_MEMORY;
}

/* Logged once in a process, by the first context that has a log: it holds for all kernels. */
static void log_not_kept(nitro_context *context)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char error[512];
    if (!context->log || atomic_flag_test_and_set(&told))
        return;
    nitro_context_last_error(context, error, sizeof(error));
    nitro_log(context, NITRO_LOG_WARNING,
              "a compiled kernel is not kept, so every process compiles it again: %s; name a "
              "folder that can be written by the setting kernel_cache (NITRO_KERNEL_CACHE)",
              error);
}

/* Path of the image, or NULL: without a folder nothing is kept, which is logged. */
static char *find_path(nitro_context *context, const nitro_kernel_target *target,
                       const char *source, const char *options)
{
    char *folder = NULL, *path = NULL;
    if (nitro_kernel_cache_folder(context, &folder) == NITRO_OK) {
        uint64_t first = nitro_hash(target->identity, strlen(target->identity), 1);
        uint64_t second = nitro_hash(options, strlen(options), first);
        path = nitro_asprintf(context, "%s/%016llx%016llx", folder, (unsigned long long)second,
                              (unsigned long long)nitro_hash(source, strlen(source), second));
    } else {
        log_not_kept(context);
    }
    free(folder);
    return path;
}

static void print_header(const void *image, size_t bytes, char header[HEADER_BYTES])
{
    memset(header, ' ', HEADER_BYTES);
    int length = snprintf(header, HEADER_BYTES, FORMAT " %016llx",
                          (unsigned long long)nitro_hash(image, bytes, bytes));
    header[length] = ' ';
    header[HEADER_BYTES - 1] = '\n';
}

static bool read_image(nitro_context *context, const char *path, void **image, size_t *bytes)
{
    char *text = NULL, header[HEADER_BYTES];
    size_t size = 0;
    if (!path || nitro_file_read_regular(context, path, MAX_IMAGE_BYTES, &text, &size) != NITRO_OK)
        return false;
    bool is_whole = size > HEADER_BYTES;
    if (is_whole) {
        print_header(text + HEADER_BYTES, size - HEADER_BYTES, header);
        is_whole = memcmp(text, header, HEADER_BYTES) == 0;
    }
    if (is_whole) {
        *bytes = size - HEADER_BYTES;
        memmove(text, text + HEADER_BYTES, *bytes);
        *image = text;
        utimensat(AT_FDCWD, path, NULL, 0); /* used now: nitro_kernel_cache_trim() goes by it */
    } else {
        free(text);
    }
    return is_whole;
}

static void write_image(nitro_context *context, const char *path, const void *image, size_t bytes)
{
    char *text = path ? nitro_calloc(context, 1, HEADER_BYTES + bytes) : NULL;
    if (!text)
        return;
    print_header(image, bytes, text);
    memcpy(text + HEADER_BYTES, image, bytes);
    if (nitro_file_write(context, path, text, HEADER_BYTES + bytes) != NITRO_OK)
        log_not_kept(context);
    else if (path[strlen(path) - 1] == '0')
        nitro_kernel_cache_trim(context, path); /* a sixteenth of them: it lists the folder */
    free(text);
}

/* The parameters are defined above the source, not by options: their values may have spaces. */
static char *configured_source(nitro_context *context, const nitro_kernel *kernel,
                               const char *const *values)
{
    char *defines = nitro_kernel_values_text(context, kernel, values, " ", "\n#define ");
    char *source = NULL;
    if (defines)
        source = nitro_asprintf(context, "%s%s\n#line 1\n%s", defines[0] ? "#define " : "", defines,
                                kernel->source);
    free(defines);
    return source;
}

static void log_compiled(nitro_context *context, const nitro_kernel *kernel,
                         const char *const *values, double compile_ms)
{
    char *text = nitro_kernel_values_text(context, kernel, values, "=", " ");
    nitro_log(context, NITRO_LOG_INFO, "%s: compiled with '%s' in %.0f ms", kernel->origin,
              text ? text : "", compile_ms);
    free(text);
}

nitro_status nitro_kernel_make_image(nitro_context *context, const nitro_kernel_backend *backend,
                                     const nitro_kernel_target *target, const nitro_kernel *kernel,
                                     const char *const *values, bool may_read, void **image,
                                     size_t *bytes, double *compile_ms)
{
    const char *options = kernel->options ? kernel->options : "";
    char *source = configured_source(context, kernel, values);
    if (!source)
        return NITRO_ERR_NO_MEMORY;
    char *path = find_path(context, target, source, options);
    nitro_status status = NITRO_OK;
    *compile_ms = 0;
    if (!may_read || !read_image(context, path, image, bytes)) {
        double start_ms = nitro_clock_wall_ms(context);
        status = backend->compile(context, target, kernel->origin, source, options, image, bytes);
        *compile_ms = nitro_clock_wall_ms(context) - start_ms;
        if (status == NITRO_OK) {
            log_compiled(context, kernel, values, *compile_ms);
            write_image(context, path, *image, *bytes);
        }
    }
    free(path);
    free(source);
    return status;
}

nitro_status nitro_kernel_compile(nitro_context *context, const nitro_kernel_backend *backend,
                                  const nitro_kernel_target *target, const nitro_kernel *kernel,
                                  const char *const *values, void **image, size_t *bytes,
                                  double *compile_ms)
{
    return nitro_kernel_make_image(context, backend, target, kernel, values, true, image, bytes,
                                   compile_ms);
}
