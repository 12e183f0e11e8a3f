/* failing_allocation.c - loaded before a program, lets one of its allocations fail: the one whose
 * number is in FAILING_ALLOCATION. Without it, their number is written to stderr at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_bool has_begun; /* not while libraries are loaded */
static atomic_long num_allocations;
static long failing;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAILING_ALLOCATION");
    failing = number ? strtol(number, NULL, 10) : 0;
    atomic_store(&has_begun, true);
}

__attribute__((destructor)) static void end(void)
{
    if (failing == 0)
        fprintf(stderr, "%ld\n", atomic_load(&num_allocations));
}

static bool fails(void)
{
    if (!atomic_load(&has_begun) || atomic_fetch_add(&num_allocations, 1) + 1 != failing)
        return false;
    errno = ENOMEM;
    return true;
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
