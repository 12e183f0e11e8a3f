/* Proxy kernels on CUDA: amount of work, device memory, and the check of results. */
#include <stdlib.h>

#include "proxies/kernels/proxy_cuda.h"
#include "proxies/kernels/work.h"

#define MAX_THREADS      ((size_t)1 << 30)
#define MIN_STREAM_BYTES ((size_t)64 << 20)

/* An error of the runtime, in words. */
static nitro_status say(nitro_context *context, const char *what, cudaError_t error)
{
    if (error == cudaSuccess)
        return NITRO_OK;
    cudaGetLastError(); /* cleared, so that the next call does not report it */
    return nitro_fail(
        context, error == cudaErrorMemoryAllocation ? NITRO_ERR_NO_MEMORY : NITRO_ERR_IO,
        "proxy on cuda: %s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

typedef struct card {
    int num_multiprocessors, threads_each, l2_bytes;
} card;

static nitro_status query_card(nitro_context *context, card *found)
{
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } queries[] = {{cudaDevAttrMultiProcessorCount, &found->num_multiprocessors},
                   {cudaDevAttrMaxThreadsPerMultiProcessor, &found->threads_each},
                   {cudaDevAttrL2CacheSize, &found->l2_bytes}};
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]) && error == cudaSuccess; i++)
        error = cudaDeviceGetAttribute(queries[i].value, queries[i].attribute, device);
    return say(context, "cannot query the device", error);
}

/* Words of a block's region, a multiple of a pass. Default: four times the L2 cache. */
static size_t count_words(const nitro_proxy_cuda *cuda, const card *on, size_t bytes)
{
    size_t pass_words = NITRO_PROXY_EXCHANGES(cuda->intensity) * NITRO_PROXY_CUDA_BLOCK;
    size_t pass_bytes = pass_words * sizeof(uint32_t);
    size_t suitable = 4 * (size_t)on->l2_bytes;
    if (!cuda->kind->streams || pass_words == 0)
        return 0;
    if (bytes == 0)
        bytes = suitable > MIN_STREAM_BYTES ? suitable : MIN_STREAM_BYTES;
    return pass_words * nitro_proxy_work_passes(bytes / cuda->num_blocks, pass_bytes);
}

static nitro_status choose_sizes(nitro_proxy_cuda *cuda, const nitro_proxy_work *work)
{
    card on = {0};
    nitro_status status = query_card(cuda->context, &on);
    if (status != NITRO_OK)
        return status;
    size_t num_threads = work->num_threads > 0
                             ? work->num_threads
                             : (size_t)on.num_multiprocessors * (size_t)on.threads_each;
    cuda->num_blocks = (unsigned)((num_threads - 1) / NITRO_PROXY_CUDA_BLOCK + 1);
    cuda->arguments.num_passes =
        (uint32_t)(work->num_passes > 0 ? work->num_passes : cuda->kind->num_passes);
    size_t region_words = count_words(cuda, &on, work->memory_bytes);
    if (region_words > UINT32_MAX)
        return nitro_fail(
            cuda->context, NITRO_ERR_ARGUMENT,
            "proxy on cuda: memory_bytes %zu are %zu words for each of %u blocks, and "
            "they may be %zu at most",
            work->memory_bytes, region_words, cuda->num_blocks, (size_t)UINT32_MAX);
    cuda->arguments.region_words = (uint32_t)region_words;
    return NITRO_OK;
}

static nitro_status get_memory(nitro_proxy_cuda *cuda)
{
    nitro_proxy_cuda_arguments *arguments = &cuda->arguments;
    size_t words[] = {(size_t)cuda->num_blocks * NITRO_PROXY_CUDA_BLOCK,
                      (size_t)cuda->num_blocks * arguments->region_words,
                      NITRO_PROXY_CUDA_COUNTERS};
    uint32_t **places[] = {&arguments->results, &arguments->words, &arguments->counters};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && error == cudaSuccess; i++)
        if (words[i] > 0)
            error = cudaMalloc((void **)places[i], words[i] * sizeof(uint32_t));
    return say(cuda->context, "cannot get memory", error);
}

static void fill_region(uint32_t *words, size_t num_words)
{
    for (size_t i = 0; i < num_words; i++)
        words[i] = nitro_proxy_first_word(i);
}

/* Initialises memory. All regions are equal. */
static nitro_status prepare(nitro_proxy_cuda *cuda)
{
    nitro_proxy_cuda_arguments *arguments = &cuda->arguments;
    size_t region_bytes = arguments->region_words * sizeof(uint32_t);
    uint32_t *region = nitro_calloc(cuda->context, arguments->region_words + (size_t)1, 4);
    if (!region)
        return NITRO_ERR_NO_MEMORY;
    fill_region(region, arguments->region_words);
    cudaError_t error = cudaStreamSynchronize(cuda->stream);
    for (size_t i = 0; i < cuda->num_blocks && region_bytes > 0 && error == cudaSuccess; i++)
        error = cudaMemcpy(arguments->words + i * arguments->region_words, region, region_bytes,
                           cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaMemset(arguments->counters, 0, NITRO_PROXY_CUDA_COUNTERS * sizeof(uint32_t));
    if (error == cudaSuccess)
        error = cudaMemset(arguments->results, 0,
                           (size_t)cuda->num_blocks * NITRO_PROXY_CUDA_BLOCK * sizeof(uint32_t));
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize(); /* the stream may not synchronise with the default one */
    free(region);
    return say(cuda->context, "cannot initialise memory", error);
}

nitro_status nitro_proxy_cuda_create(nitro_context *context, const nitro_proxy_cuda_kind *kind,
                                     const nitro_proxy_work *work, void **state)
{
    nitro_status status = nitro_proxy_work_check(context, work, "cuda", MAX_THREADS);
    if (status != NITRO_OK)
        return status;
    nitro_proxy_cuda *cuda = nitro_calloc(context, 1, sizeof(*cuda));
    if (!cuda)
        return NITRO_ERR_NO_MEMORY;
    cuda->context = context;
    cuda->kind = kind;
    cuda->intensity = work->intensity;
    cuda->stream = work->stream;
    cuda->arguments.operands = (nitro_proxy_operands)NITRO_PROXY_OPERANDS;
    status = choose_sizes(cuda, work);
    if (status == NITRO_OK)
        status = get_memory(cuda);
    if (status == NITRO_OK)
        status = prepare(cuda);
    if (status == NITRO_OK)
        *state = cuda;
    else
        nitro_proxy_cuda_free(cuda);
    return status;
}

nitro_status nitro_proxy_cuda_run(void *state)
{
    nitro_proxy_cuda *cuda = state;
    return say(
        cuda->context, "cannot launch the kernel",
        cuda->kind->launch(cuda->intensity, cuda->num_blocks, &cuda->arguments, cuda->stream));
}

void nitro_proxy_cuda_free(void *state)
{
    nitro_proxy_cuda *cuda = state;
    if (!cuda)
        return;
    cudaStreamSynchronize(cuda->stream); /* errors are ignored: memory is freed in any case */
    cudaFree(cuda->arguments.counters);
    cudaFree(cuda->arguments.words);
    cudaFree(cuda->arguments.results);
    free(cuda);
}

/* The expected memory of a block after a run. */
typedef struct remains {
    uint32_t results[NITRO_PROXY_CUDA_BLOCK];
    uint32_t *words; /* shape [region_words] */
} remains;

static nitro_status check_block(const nitro_proxy_cuda *cuda, size_t block, const remains *expected,
                                remains *found)
{
    size_t num_words = cuda->arguments.region_words;
    cudaError_t error =
        cudaMemcpy(found->results, cuda->arguments.results + block * NITRO_PROXY_CUDA_BLOCK,
                   sizeof(found->results), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess && num_words > 0)
        error = cudaMemcpy(found->words, cuda->arguments.words + block * num_words,
                           num_words * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        return say(cuda->context, "cannot read a run's results", error);
    for (size_t lane = 0; lane < NITRO_PROXY_CUDA_BLOCK; lane++)
        if (found->results[lane] != expected->results[lane])
            return nitro_fail(cuda->context, NITRO_ERR_MISMATCH,
                              "thread %zu of block %zu gives %u, and its steps one by one give %u",
                              lane, block, (unsigned)found->results[lane],
                              (unsigned)expected->results[lane]);
    for (size_t i = 0; i < num_words; i++)
        if (found->words[i] != expected->words[i])
            return nitro_fail(cuda->context, NITRO_ERR_MISMATCH,
                              "word %zu of block %zu is %u, and exchanges one by one leave %u", i,
                              block, (unsigned)found->words[i], (unsigned)expected->words[i]);
    return NITRO_OK;
}

static nitro_status check_counters(const nitro_proxy_cuda *cuda)
{
    uint32_t counters[NITRO_PROXY_CUDA_COUNTERS], expected[NITRO_PROXY_CUDA_BINS] = {0};
    uint32_t each = cuda->num_blocks * cuda->arguments.num_passes *
                    (NITRO_PROXY_STEPS(cuda->intensity) / NITRO_PROXY_CUDA_TABLES);
    cudaError_t error =
        cudaMemcpy(counters, cuda->arguments.counters, sizeof(counters), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        return say(cuda->context, "cannot read the counters", error);
    for (uint32_t lane = 0; lane < NITRO_PROXY_CUDA_BLOCK && cuda->kind->counts; lane++)
        expected[nitro_proxy_cuda_bin(lane)] += each;
    for (size_t i = 0; i < NITRO_PROXY_CUDA_COUNTERS; i++)
        if (counters[i] != expected[i % NITRO_PROXY_CUDA_BINS])
            return nitro_fail(cuda->context, NITRO_ERR_MISMATCH,
                              "counter %zu is %u, and the additions to it were %u", i,
                              (unsigned)counters[i], (unsigned)expected[i % NITRO_PROXY_CUDA_BINS]);
    return NITRO_OK;
}

/* Checks all blocks if they are few, else the first and the last. */
static nitro_status check_blocks(const nitro_proxy_cuda *cuda, const remains *expected,
                                 remains *found)
{
    nitro_status status = NITRO_OK;
    size_t step = cuda->num_blocks <= 8 ? 1 : cuda->num_blocks - 1;
    for (size_t block = 0; block < cuda->num_blocks && status == NITRO_OK; block += step)
        status = check_block(cuda, block, expected, found);
    return status;
}

nitro_status nitro_proxy_cuda_check(void *state)
{
    nitro_proxy_cuda *cuda = state;
    size_t num_words = cuda->arguments.region_words;
    remains *sides = nitro_calloc(cuda->context, 2, sizeof(*sides)); /* expected, found */
    uint32_t *words = nitro_calloc(cuda->context, 2 * num_words + 1, sizeof(*words));
    nitro_status status = sides && words ? prepare(cuda) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_proxy_cuda_run(cuda);
    if (status == NITRO_OK)
        status = say(cuda->context, "the kernel failed", cudaStreamSynchronize(cuda->stream));
    if (status == NITRO_OK) {
        sides[0].words = words;
        sides[1].words = words + num_words;
        fill_region(words, num_words);
        for (uint32_t lane = 0; lane < NITRO_PROXY_CUDA_BLOCK; lane++)
            sides[0].results[lane] =
                cuda->kind->expect(cuda, lane, words) +
                nitro_proxy_expect_neutral(cuda->intensity, cuda->arguments.num_passes, lane);
        status = check_blocks(cuda, &sides[0], &sides[1]);
    }
    if (status == NITRO_OK)
        status = check_counters(cuda);
    free(words);
    free(sides);
    return status;
}
