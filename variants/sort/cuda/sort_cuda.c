/* Sort on CUDA devices: CUB's merge sort and radix sort, each behind one function (cub_sorts.cu),
 * which the tests replace, and locality. */
#include "nitro/cuda.hpp"
#include "variants/sort/cuda/sort_kernels_cuda.h"

static int prepare(void *argument, void *user)
{
    const nitro_sort_cuda_method *method = user;
    nitro_sort_cuda *sort = argument;
    size_t bytes = 0;
    if (nitro_kit_upload(&nitro_sort_kit, argument) != 0 || (*method)(sort, NULL, &bytes) != 0)
        return sort->cuda.failure;
    return nitro_kit_make_room(&nitro_sort_kit, argument, (int64_t)bytes);
}

static int run(void *argument, void *user)
{
    const nitro_sort_cuda_method *method = user;
    nitro_sort_cuda *sort = argument;
    size_t bytes = (size_t)sort->cuda.room.bytes;
    if (sort->host.num_keys == 0)
        return 0;
    if (!sort->cuda.room.memory)
        return nitro_cuda_fail(&sort->cuda, "sort was not prepared");
    return (*method)(sort, sort->cuda.room.memory, &bytes);
}

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SORT_NUM_KEYS] <= NITRO_CUDA_MAX_COUNT;
}

static const nitro_sort_cuda_method merge_method = nitro_sort_cuda_merge;
static const nitro_sort_cuda_method locality_method = nitro_sort_cuda_locality;
static const nitro_sort_cuda_method radix_method = nitro_sort_cuda_radix;

#define VARIANT(its_name, method)                                                                  \
    {                                                                                              \
        .name = its_name, .version = "1", .run = run, .prepare = prepare, .user = (void *)&method  \
    }
static const nitro_variant merge = VARIANT("merge", merge_method);
static const nitro_variant locality = VARIANT("locality", locality_method);
static const nitro_variant radix = VARIANT("radix", radix_method);

static const nitro_variant *const variants[] = {&merge, &locality, &radix};

const nitro_kit_device nitro_sort_cuda_device =
    NITRO_CUDA_DEVICE(nitro_sort_cuda, variants, .allows = allows, .allows_reads = "num_keys");
