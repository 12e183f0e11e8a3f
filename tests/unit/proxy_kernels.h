/* proxy_kernels.h - checks for all proxy kernels of one kind of device: on the host, on the
 * emulation of CUDA, and on a GPU. */
#ifndef NITRO_TESTS_UNIT_PROXY_KERNELS_H
#define NITRO_TESTS_UNIT_PROXY_KERNELS_H

#include "unit/unit.h"

/* The kernels of a kind of device; at least one a proxy. */
typedef struct kernel_list {
    const nitro_proxy_kernel *items[64];
    size_t count;
} kernel_list;

static kernel_list kernels_of(const char *device_kind)
{
    kernel_list list = {.count = 0};
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->device_kind, device_kind) == 0 && list.count < 64)
            list.items[list.count++] = *each;
    assert_true(list.count >= 5);
    return list;
}

static void check_run(const nitro_proxy_kernel *kernel, const nitro_proxy_work *work)
{
    nitro_context *context = unit_context();
    void *made = NULL;
    assert_ok(context, kernel->create(context, work, &made));
    assert_ok(context, kernel->run(made));
    assert_ok(context, kernel->run(made));
    assert_ok(context, kernel->check(made)); /* whatever ran before */
    assert_ok(context, kernel->check(made));
    kernel->free(made);
    nitro_context_free(context);
}

/* Every intensity, with memory of which some is never reached, all is gone through again and again
 * in several passes, and all in each pass. */
static void check_results(const char *device_kind, void *stream)
{
    static const nitro_proxy_work works[] = {
        {.num_threads = 3, .num_passes = 3, .memory_bytes = 1000000},
        {.num_threads = 300, .num_passes = 7, .memory_bytes = 150000},
        {.num_threads = 1, .num_passes = 5, .memory_bytes = 1},
    };
    kernel_list list = kernels_of(device_kind);
    for (size_t i = 0; i < list.count; i++)
        for (unsigned intensity = 0; intensity <= NITRO_PROXY_MAX_INTENSITY; intensity++)
            for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
                nitro_proxy_work work = works[w];
                work.intensity = intensity;
                work.stream = stream;
                check_run(list.items[i], &work);
            }
}

static void check_refusals(const char *device_kind)
{
    static const struct {
        nitro_proxy_work work;
        const char *problem;
    } refused[] = {
        {{.intensity = 6}, "intensity is 6; the maximum is 5"},
        {{.num_passes = 400001}, "num_passes is 400001; the maximum is 400000"},
        {{.num_threads = SIZE_MAX}, "num_threads is "},
        {{.memory_bytes = SIZE_MAX}, "memory_bytes is "},
    };
    kernel_list list = kernels_of(device_kind);
    for (size_t k = 0; k < list.count; k++)
        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
            nitro_context *context = unit_context();
            void *made = NULL;
            assert_fails(context, list.items[k]->create(context, &refused[i].work, &made),
                         NITRO_ERR_ARGUMENT, refused[i].problem);
            assert_null(made);
            nitro_context_free(context);
        }
}

#endif
