/* failing_malloc.h - a test whose allocations fail when it wants. Not under sanitizers, which have
 * a malloc of their own. */
#ifndef NITRO_TESTS_UNIT_FAILING_MALLOC_H
#define NITRO_TESTS_UNIT_FAILING_MALLOC_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static size_t num_left = SIZE_MAX; /* allocations before the one that fails */

static bool fails(void)
{
    bool is_the_one = num_left != SIZE_MAX && num_left-- == 0;
    if (is_the_one)
        errno = ENOMEM;
    return is_the_one;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    return fails() ? NULL : next(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
    return fails() ? NULL : next(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "realloc");
    return fails() ? NULL : next(memory, size);
}

#endif

#endif
