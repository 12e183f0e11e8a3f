/* device_cases.h - checks that the kernels of the CUDA microbenchmarks did all their work, on the
 * emulation and on a GPU. */
#ifndef NITRO_TESTS_CUDA_DEVICE_CASES_H
#define NITRO_TESTS_CUDA_DEVICE_CASES_H

#include <math.h>

#include "features/device/cuda/cuda_measure.h"
#include "unit/unit.h"

static inline void assert_works(cudaError_t error)
{
    if (error != cudaSuccess)
        fail_msg("%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
}

static inline void *allocate(size_t bytes)
{
    void *memory = NULL;
    assert_works(cudaMalloc(&memory, bytes));
    return memory;
}

static inline void download(void *to, const void *from, size_t bytes)
{
    assert_works(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/* All bytes arrive, and none beyond; also where the steps do not come out even. */
static inline void test_copies(void **state)
{
    (void)state;
    enum { TILES = 3, SIZE = TILES * 256 * 4 * 16 };
    static unsigned char bytes[SIZE], copied[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251);
    void *from = allocate(SIZE), *to = allocate(SIZE);
    assert_works(cudaMemcpy(from, bytes, SIZE, cudaMemcpyHostToDevice));
    assert_works(nitro_cuda_launch_copy_tiles(from, to, TILES, NULL));
    download(copied, to, SIZE);
    assert_memory_equal(copied, bytes, SIZE);
    static const size_t sizes[] = {16, 16 * 1000, 16 * 2048, 16 * 2500, SIZE - 16};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_works(cudaMemset(to, 0, SIZE));
        assert_works(nitro_cuda_launch_copy_steps(from, to, sizes[i], 2, NULL));
        download(copied, to, SIZE);
        assert_memory_equal(copied, bytes, sizes[i]);
        for (size_t k = sizes[i]; k < SIZE; k++)
            assert_int_equal(copied[k], 0);
    }
    cudaFree(from);
    cudaFree(to);
}

/* Every word is read as often as there are passes: read twice, nothing of it is left. */
static inline void test_reads(void **state)
{
    (void)state;
    enum { SIZE = 1 << 16, BLOCKS = 3, THREADS = BLOCKS * NITRO_CUDA_BLOCK_SIZE };
    static unsigned words[SIZE / 4], sums[THREADS];
    unsigned expected = 0;
    for (size_t i = 0; i < SIZE / 4; i++)
        expected ^= words[i] = (unsigned)i * 2654435761u + 12345;
    void *from = allocate(SIZE);
    unsigned *to = allocate(sizeof(sums));
    assert_works(cudaMemcpy(from, words, SIZE, cudaMemcpyHostToDevice));
    for (unsigned passes = 1; passes <= 5; passes++) {
        assert_works(nitro_cuda_launch_read(from, SIZE, passes, BLOCKS, to, NULL));
        download(sums, to, sizeof(sums));
        unsigned sum = 0;
        for (size_t i = 0; i < THREADS; i++)
            sum ^= sums[i];
        assert_int_equal(sum, passes % 2 ? expected : 0);
    }
    cudaFree(from);
    cudaFree(to);
}

/* No addition is lost, and with many counters almost all of them get some. */
static inline void check_additions(unsigned *counters, unsigned num_counters)
{
    enum { BLOCKS = 5, ADDITIONS = 7, PER_BLOCK = NITRO_CUDA_BLOCK_SIZE * ADDITIONS };
    unsigned counted[NITRO_CUDA_MOST_COUNTERS], sum = 0, num_used = 0;
    assert_works(cudaMemset(counters, 0, sizeof(counted)));
    assert_works(nitro_cuda_launch_add_global(counters, num_counters, ADDITIONS, BLOCKS, NULL));
    download(counted, counters, sizeof(counted));
    for (size_t i = 0; i < NITRO_CUDA_MOST_COUNTERS; i++) {
        sum += counted[i];
        num_used += counted[i] > 0;
    }
    assert_int_equal(sum, BLOCKS * PER_BLOCK);
    assert_true(num_used <= num_counters && num_used >= num_counters - num_counters / 16);
    assert_works(nitro_cuda_launch_add_shared(counters, num_counters, ADDITIONS, BLOCKS, NULL));
    download(counted, counters, sizeof(counted));
    for (size_t i = 0; i < BLOCKS; i++)
        assert_int_equal(counted[i], PER_BLOCK);
}

static inline void test_additions(void **state)
{
    (void)state;
    unsigned *counters = allocate(NITRO_CUDA_MOST_COUNTERS * sizeof(*counters));
    for (int repetition = 0; repetition < 5; repetition++) {
        check_additions(counters, 1);
        check_additions(counters, NITRO_CUDA_MOST_COUNTERS);
    }
    cudaFree(counters);
}

#define CHECK_CHAINS(type, launch, fused)                                                          \
    do {                                                                                           \
        enum { BLOCKS = 2, ROUNDS = 3, THREADS = BLOCKS * NITRO_CUDA_BLOCK_SIZE };                 \
        static type results[THREADS];                                                              \
        const type factor = (type)0.75, addend = (type)0.3;                                        \
        type *memory = allocate(sizeof(results));                                                  \
        assert_works(launch(memory, factor, addend, ROUNDS, BLOCKS, NULL));                        \
        download(results, memory, sizeof(results));                                                \
        for (unsigned thread = 0; thread < THREADS; thread++) {                                    \
            type total = 0;                                                                        \
            for (unsigned k = 0; k < NITRO_CUDA_NUM_SUMS; k++) {                                   \
                type sum = (type)(thread + k);                                                     \
                for (unsigned i = 0; i < ROUNDS * NITRO_CUDA_NUM_STEPS; i++)                       \
                    sum = fused(sum, factor, addend);                                              \
                total += sum;                                                                      \
            }                                                                                      \
            assert_true(results[thread] == total);                                                 \
        }                                                                                          \
        cudaFree(memory);                                                                          \
    } while (0)

static inline void test_chains(void **state)
{
    (void)state;
    CHECK_CHAINS(float, nitro_cuda_launch_sp, fmaf);
    CHECK_CHAINS(double, nitro_cuda_launch_dp, fma);
    assert_works(nitro_cuda_launch_nothing(NULL));
    assert_works(cudaDeviceSynchronize());
}

#endif
