/*
 * sorting_module.c - the computation as a module for the command line: it reads keys from a file,
 * or makes them up, so that `nitro tune ./sorting.so` can measure the variants.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sorting.h"

static void unload(void *argument)
{
    sort_call *call = argument;
    free((void *)(uintptr_t)call->keys);
    free(call->sorted);
    free(call->expected);
    free(call);
}

/** Make a call that owns `keys`, which are freed on error too. */
static nitro_status wrap(nitro_context *context, unsigned *keys, size_t length, unsigned bound,
                         void **argument)
{
    sort_call *call = calloc(1, sizeof *call);
    if (!call) {
        free(keys);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu keys", length);
    }
    call->keys = keys;
    call->length = length;
    call->bound = bound;
    call->sorted = calloc(length + 1, sizeof *call->sorted);
    call->expected = calloc(length + 1, sizeof *call->expected);
    if (!keys || !call->sorted || !call->expected) {
        unload(call);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu keys", length);
    }
    *argument = call;
    return NITRO_OK;
}

/** A file of numbers, separated by white space; `bound`, above all of them, is an unsigned too. */
static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    FILE *file = fopen(path, "r");
    unsigned *keys = NULL, bound = 1;
    long long key = 0;
    size_t length = 0, room = 0;
    if (!file)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "cannot open %s", path);
    while (fscanf(file, "%lld", &key) == 1 && key >= 0 && key < UINT_MAX) {
        if (length == room) {
            room = room > 0 ? 2 * room : 1024;
            unsigned *larger = realloc(keys, room * sizeof *keys);
            if (!larger) {
                free(keys);
                fclose(file);
                return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", path);
            }
            keys = larger;
        }
        keys[length++] = (unsigned)key;
        bound = key >= bound ? (unsigned)key + 1 : bound;
    }
    bool complete = feof(file) && length > 0 && key >= 0 && key < UINT_MAX;
    fclose(file);
    if (!complete) {
        free(keys);
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: key %zu is not a number below %u", path,
                          length, UINT_MAX);
    }
    return wrap(context, keys, length, bound, argument);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/** 8 to 2^18 keys below 2^6 to 2^22, ascending but for all, every 16th or every 1000th of them. */
static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    static const size_t strays[] = {1, 16, 1000};
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u ^ (index + 1) * 0xD1B54A32D192ED03u;
    for (int i = 0; i < 8; i++)
        draw(&state);
    size_t length = (size_t)1 << (3 + draw(&state) % 15);
    unsigned bound = 1u << (6 + draw(&state) % 17);
    size_t stray = strays[draw(&state) % 3];
    length += draw(&state) % length;
    snprintf(name, name_size, "%zu-below-%u-stray-%zu", length, bound, stray);
    if (!argument)
        return NITRO_OK;
    unsigned *keys = calloc(length, sizeof *keys);
    for (size_t i = 0; keys && i < length; i++)
        keys[i] = draw(&state) % stray == 0 ? (unsigned)(draw(&state) % bound)
                                            : (unsigned)((uint64_t)i * bound / length);
    return wrap(context, keys, length, bound, argument);
}

static void describe(const void *argument, char *text, size_t size)
{
    const sort_call *call = argument;
    snprintf(text, size, "%zu keys below %u", call->length, call->bound);
}

/** What the command line looks for in the shared object: its computations, up to an empty entry. */
__attribute__((visibility("default"))) const nitro_module *nitro_module_get(void);

const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {{.version = NITRO_MODULE_VERSION,
                                            .name = "sort_keys",
                                            .description = "sort unsigned keys (files of numbers)",
                                            .declaration = &sorting,
                                            .hooks = &sorting_hooks,
                                            .load = load,
                                            .generate = generate,
                                            .unload = unload,
                                            .describe = describe},
                                           {0}};
    return modules;
}
