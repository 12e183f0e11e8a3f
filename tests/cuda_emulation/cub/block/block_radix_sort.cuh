/* block_radix_sort.cuh - CUB's sort within a block, in the emulation: one thread sorts. */
#ifndef NITRO_TESTS_CUDA_EMULATION_CUB_BLOCK_RADIX_SORT_CUH
#define NITRO_TESTS_CUDA_EMULATION_CUB_BLOCK_RADIX_SORT_CUH

#include <algorithm>

#include "cuda_runtime.h"

namespace cub
{

template <typename Key, int THREADS, int PER_THREAD> class BlockRadixSort
{
  public:
    struct TempStorage {
        Key keys[THREADS * PER_THREAD];
    };

    explicit BlockRadixSort(TempStorage &room) : keys(room.keys)
    {
    }

    /* By the bits [begin, end); thread t gets keys t * PER_THREAD and following. As in CUB, `room`
     * may be used again after the next barrier only. */
    void Sort(Key (&mine)[PER_THREAD], int begin, int end)
    {
        const Key mask = (Key)(((uint64_t)1 << (end - begin)) - 1);
        std::copy(mine, mine + PER_THREAD, keys + threadIdx.x * PER_THREAD);
        __syncthreads();
        if (threadIdx.x == 0)
            std::stable_sort(keys, keys + THREADS * PER_THREAD, [=](Key a, Key b) {
                return (a >> begin & mask) < (b >> begin & mask);
            });
        __syncthreads();
        std::copy(keys + threadIdx.x * PER_THREAD, keys + (threadIdx.x + 1) * PER_THREAD, mine);
    }

  private:
    Key *keys;
};

} // namespace cub

#endif
