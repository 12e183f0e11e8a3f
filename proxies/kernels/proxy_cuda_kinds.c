/* The proxy kernels of device kind `cuda`, and their expected results. */
#include "proxies/kernels/proxy_cuda.h"

static uint32_t expect_flops(const nitro_proxy_cuda *cuda, uint32_t lane, uint32_t *words)
{
    (void)words;
    uint32_t sum = cuda->arguments.num_passes * NITRO_PROXY_STEPS(cuda->intensity);
    for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
        sum += lane + i;
    return sum;
}

static uint32_t expect_nothing(const nitro_proxy_cuda *cuda, uint32_t lane, uint32_t *words)
{
    (void)cuda;
    (void)lane;
    (void)words;
    return 0;
}

/* Exchanges a thread's words, `stride` apart, with its carried word, cyclically. */
static uint32_t exchange(const nitro_proxy_cuda *cuda, uint32_t carried, uint32_t *words,
                         size_t num_words, size_t stride)
{
    size_t num_exchanges =
        (size_t)cuda->arguments.num_passes * NITRO_PROXY_EXCHANGES(cuda->intensity);
    for (size_t i = 0, at = 0; i < num_exchanges; i++) {
        uint32_t taken = words[at * stride];
        words[at * stride] = carried;
        carried = taken;
        at = at + 1 == num_words ? 0 : at + 1;
    }
    return carried;
}

static uint32_t expect_region(const nitro_proxy_cuda *cuda, uint32_t lane, uint32_t *words)
{
    return exchange(cuda, lane, words + lane, cuda->arguments.region_words / NITRO_PROXY_CUDA_BLOCK,
                    NITRO_PROXY_CUDA_BLOCK);
}

static uint32_t expect_ring(const nitro_proxy_cuda *cuda, uint32_t lane, uint32_t *words)
{
    (void)words;
    uint32_t ring[NITRO_PROXY_CUDA_RING];
    for (uint32_t i = 0; i < NITRO_PROXY_CUDA_RING; i++)
        ring[i] = i;
    uint32_t total = exchange(cuda, lane, ring, NITRO_PROXY_CUDA_RING, 1);
    for (uint32_t i = 0; i < NITRO_PROXY_CUDA_RING; i++)
        total = total * 31 + ring[i];
    return total;
}

/* The plug-in nitro_proxy_cuda_NAME, and its kind. */
#define KERNEL(name, proxy_name, what, ...)                                                        \
    static const nitro_proxy_cuda_kind name##_kind = {.launch = nitro_proxy_launch_##name,         \
                                                      __VA_ARGS__};                                \
    static nitro_status create_##name(nitro_context *context, const nitro_proxy_work *work,        \
                                      void **state)                                                \
    {                                                                                              \
        return nitro_proxy_cuda_create(context, &name##_kind, work, state);                        \
    }                                                                                              \
    const nitro_proxy_kernel nitro_proxy_cuda_##name = {.proxy = proxy_name,                       \
                                                        .device_kind = "cuda",                     \
                                                        .description = what,                       \
                                                        .create = create_##name,                   \
                                                        .run = nitro_proxy_cuda_run,               \
                                                        .check = nitro_proxy_cuda_check,           \
                                                        .free = nitro_proxy_cuda_free,             \
                                                        .symbol = "nitro_proxy_" #name}

KERNEL(sp_gflop, "SP-GFLOP", "fused multiplications and additions in single precision",
       .num_passes = 100, .expect = expect_flops);
KERNEL(dp_gflop, "DP-GFLOP", "fused multiplications and additions in double precision",
       .num_passes = 50, .expect = expect_flops);
KERNEL(atomic, "ATOMIC", "additions to counters in global and shared memory, 256 bins",
       .num_passes = 20, .counts = true, .expect = expect_nothing);
KERNEL(mem_bw, "MEM-BW", "loads and stores that stream through more memory than the caches hold",
       .num_passes = 20, .streams = true, .expect = expect_region);
KERNEL(sh_mem_bw, "SH-MEM-BW", "loads and stores in shared memory, without bank conflicts",
       .num_passes = 100, .expect = expect_ring);
