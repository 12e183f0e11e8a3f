/* cuda_runtime.h - CUDA C++ of the emulation (README.md): compiles Nitro's .cu files as C++17 with
 * g++ and runs their kernels on the CPU. grid.cpp runs the threads. Missing intrinsics are added
 * here. */
#ifndef NITRO_TESTS_CUDA_EMULATION_CUDA_RUNTIME_H
#define NITRO_TESTS_CUDA_EMULATION_CUDA_RUNTIME_H

#include <cassert>
#include <cstdint>
#include <cstring>
#include <functional>
#include <math.h>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
/* One copy a host thread, and so a block: blocks run one after another. `extern __shared__` arrays,
 * the dynamic ones, must be named dynamic_shared (README.md). */
#define __shared__ thread_local

/* ---- Vector types ---- */

#define NITRO_EMULATED_VECTORS(type, name)                                                         \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct alignas(2 * sizeof(type)) name##2                                                       \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name##4                               \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    inline name##2 make_##name##2(type x, type y)                                                  \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    inline name##4 make_##name##4(type x, type y, type z, type w)                                  \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
NITRO_EMULATED_VECTORS(char, char)
NITRO_EMULATED_VECTORS(unsigned char, uchar)
NITRO_EMULATED_VECTORS(short, short)
NITRO_EMULATED_VECTORS(unsigned short, ushort)
NITRO_EMULATED_VECTORS(int, int)
NITRO_EMULATED_VECTORS(unsigned, uint)
NITRO_EMULATED_VECTORS(long long, longlong)
NITRO_EMULATED_VECTORS(unsigned long long, ulonglong)
NITRO_EMULATED_VECTORS(float, float)
NITRO_EMULATED_VECTORS(double, double)

/* ---- What the emulator offers to the functions below ---- */

/* Which thread runs now. No macros: launch configurations have members of these names. */
extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace cuda_emulation
{

extern __thread unsigned lane_now; /* of the thread that runs, in its warp */

/* Wait for all threads of the block; the vote is counted. */
int block_barrier(bool vote, int line);
/* Wait for the lanes of `mask`, all at an operation called `name`, and get what each brought. */
unsigned warp_barrier(const char *name, unsigned mask, uint64_t mine, uint64_t all[32]);
/* Now and then, let another thread of the block go on. */
void yield_sometimes();
[[noreturn]] void trap(const char *why);
long long clock();

/* Put a kernel into a stream. `bad_argument`: 1 + index of a pointer that is not device memory. */
cudaError_t launch(const void *kernel, const cudaLaunchConfig_t &config, std::function<void()> run,
                   unsigned bad_argument);
bool is_device_pointer(const volatile void *pointer);

template <typename T> bool is_usable(const T &argument)
{
    if constexpr (std::is_pointer_v<T>)
        return is_device_pointer((const volatile void *)argument);
    return true;
}

template <typename T> uint64_t to_bits(T value)
{
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <typename T> T from_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

/* Lanes that are not in the exchange have all bits set: NaN. */
template <typename T> T shuffle(const char *name, unsigned mask, T value, unsigned source)
{
    uint64_t all[32];
    unsigned present = warp_barrier(name, mask, to_bits(value), all);
    return from_bits<T>(present >> source & 1 ? all[source] : ~UINT64_C(0));
}

} // namespace cuda_emulation

template <typename... Expected, typename... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Expected...),
                               Actual &&...arguments)
{
    std::tuple<Expected...> values(std::forward<Actual>(arguments)...);
    unsigned bad_argument = 0, number = 0;
    std::apply(
        [&](const auto &...value) {
            ((number++, bad_argument = cuda_emulation::is_usable(value) || bad_argument
                                           ? bad_argument
                                           : number),
             ...);
        },
        values);
    return cuda_emulation::launch((const void *)kernel, *config,
                                  [kernel, values] { std::apply(kernel, values); }, bad_argument);
}

template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)pointer, bytes);
}

template <typename T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks, T *kernel,
                                                          int block_size, size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, (const void *)kernel,
                                                         block_size, dynamic_bytes);
}

/* ---- Waiting for each other ---- */

inline void __syncthreads(int line = __builtin_LINE())
{
    cuda_emulation::block_barrier(false, line);
}
inline int __syncthreads_count(int vote, int line = __builtin_LINE())
{
    return cuda_emulation::block_barrier(vote != 0, line);
}
inline int __syncthreads_or(int vote, int line = __builtin_LINE())
{
    return cuda_emulation::block_barrier(vote != 0, line) > 0;
}
inline int __syncthreads_and(int vote, int line = __builtin_LINE())
{
    return cuda_emulation::block_barrier(vote == 0, line) == 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFF)
{
    uint64_t all[32];
    cuda_emulation::warp_barrier("__syncwarp", mask, 0, all);
}
inline void __threadfence()
{
}
inline void __threadfence_block()
{
}
inline void __threadfence_system()
{
}

/* The lanes that happen to run together: this one alone is always a right answer. */
inline unsigned __activemask()
{
    return 1u << cuda_emulation::lane_now;
}

template <typename T> T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    unsigned lane = cuda_emulation::lane_now, last = (unsigned)width - 1;
    return cuda_emulation::shuffle("__shfl_sync", mask, value,
                                   (lane & ~last) | ((unsigned)source & last));
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    unsigned lane = cuda_emulation::lane_now, last = (unsigned)width - 1;
    return cuda_emulation::shuffle("__shfl_down_sync", mask, value,
                                   (lane & last) + delta > last ? lane : lane + delta);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    unsigned lane = cuda_emulation::lane_now, last = (unsigned)width - 1;
    return cuda_emulation::shuffle("__shfl_up_sync", mask, value,
                                   (lane & last) < delta ? lane : lane - delta);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    unsigned lane = cuda_emulation::lane_now, source = lane ^ (unsigned)lanes;
    return cuda_emulation::shuffle("__shfl_xor_sync", mask, value,
                                   source > (lane | ((unsigned)width - 1)) ? lane : source);
}
inline unsigned __ballot_sync(unsigned mask, int vote)
{
    uint64_t all[32];
    unsigned present = cuda_emulation::warp_barrier("__ballot_sync", mask, vote != 0, all);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        votes |= present >> lane & 1 && all[lane] ? 1u << lane : 0;
    return votes;
}
inline int __any_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, vote) != 0;
}
inline int __all_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, vote == 0) == 0;
}
template <typename T> unsigned __match_any_sync(unsigned mask, T value)
{
    uint64_t all[32];
    uint64_t mine = cuda_emulation::to_bits(value);
    unsigned present = cuda_emulation::warp_barrier("__match_any_sync", mask, mine, all);
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        same |= present >> lane & 1 && all[lane] == mine ? 1u << lane : 0;
    return same;
}

/* ---- Atomics ---- */

/* Each with its forms for a block and for the system, which are the same here. */
#define NITRO_EMULATED_ATOMIC(name, expression)                                                    \
    template <typename T> T name(T *address, std::common_type_t<T> value)                          \
    {                                                                                              \
        static_assert(std::is_arithmetic_v<T> && sizeof(T) >= 4);                                  \
        cuda_emulation::yield_sometimes();                                                         \
        T old = *address;                                                                          \
        *address = (expression);                                                                   \
        return old;                                                                                \
    }                                                                                              \
    template <typename T> T name##_block(T *address, std::common_type_t<T> value)                  \
    {                                                                                              \
        return name(address, value);                                                               \
    }                                                                                              \
    template <typename T> T name##_system(T *address, std::common_type_t<T> value)                 \
    {                                                                                              \
        return name(address, value);                                                               \
    }
NITRO_EMULATED_ATOMIC(atomicAdd, (T)(old + value))
NITRO_EMULATED_ATOMIC(atomicSub, (T)(old - value))
NITRO_EMULATED_ATOMIC(atomicMax, old > value ? old : value)
NITRO_EMULATED_ATOMIC(atomicMin, old < value ? old : value)
NITRO_EMULATED_ATOMIC(atomicExch, value)
NITRO_EMULATED_ATOMIC(atomicAnd, (T)(old &value))
NITRO_EMULATED_ATOMIC(atomicOr, (T)(old | value))
NITRO_EMULATED_ATOMIC(atomicXor, (T)(old ^ value))
NITRO_EMULATED_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
NITRO_EMULATED_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)

template <typename T>
T atomicCAS(T *address, std::common_type_t<T> expected, std::common_type_t<T> value)
{
    static_assert(std::is_integral_v<T>);
    cuda_emulation::yield_sometimes();
    T old = *address;
    if (old == expected)
        *address = value;
    return old;
}
template <typename T>
T atomicCAS_block(T *address, std::common_type_t<T> expected, std::common_type_t<T> value)
{
    return atomicCAS(address, expected, value);
}

/* ---- Loads and stores with cache hints ---- */

/* The same address, or the end of the kernel: a device reads and writes whole vectors. */
template <typename T> T *nitro_emulated_aligned(T *address)
{
    if ((uintptr_t)address % sizeof(T) != 0 && sizeof(T) <= 16)
        cuda_emulation::trap("misaligned address");
    return address;
}

#define NITRO_EMULATED_LOAD(name)                                                                  \
    template <typename T> T name(const T *address)                                                 \
    {                                                                                              \
        return *nitro_emulated_aligned(address);                                                   \
    }
NITRO_EMULATED_LOAD(__ldg)
NITRO_EMULATED_LOAD(__ldca)
NITRO_EMULATED_LOAD(__ldcg)
NITRO_EMULATED_LOAD(__ldcs)
NITRO_EMULATED_LOAD(__ldlu)
NITRO_EMULATED_LOAD(__ldcv)
#define NITRO_EMULATED_STORE(name)                                                                 \
    template <typename T> void name(T *address, std::common_type_t<T> value)                       \
    {                                                                                              \
        *nitro_emulated_aligned(address) = value;                                                  \
    }
NITRO_EMULATED_STORE(__stwb)
NITRO_EMULATED_STORE(__stcg)
NITRO_EMULATED_STORE(__stcs)
NITRO_EMULATED_STORE(__stwt)

/* ---- Arithmetic ---- */

template <typename T, typename U> std::common_type_t<T, U> min(T a, U b)
{
    return b < a ? b : a;
}
template <typename T, typename U> std::common_type_t<T, U> max(T a, U b)
{
    return a < b ? b : a;
}
inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}
inline int __popcll(unsigned long long bits)
{
    return __builtin_popcountll(bits);
}
inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}
inline int __ffsll(long long bits)
{
    return __builtin_ffsll(bits);
}
inline int __clz(int bits)
{
    return bits == 0 ? 32 : __builtin_clz((unsigned)bits);
}
inline int __clzll(long long bits)
{
    return bits == 0 ? 64 : __builtin_clzll((unsigned long long)bits);
}
inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}
inline float __int_as_float(int bits)
{
    return cuda_emulation::from_bits<float>(cuda_emulation::to_bits(bits));
}
inline int __float_as_int(float value)
{
    return cuda_emulation::from_bits<int>(cuda_emulation::to_bits(value));
}
inline double __longlong_as_double(long long bits)
{
    return cuda_emulation::from_bits<double>(cuda_emulation::to_bits(bits));
}
inline long long __double_as_longlong(double value)
{
    return cuda_emulation::from_bits<long long>(cuda_emulation::to_bits(value));
}
inline long long clock64()
{
    return cuda_emulation::clock();
}
inline void __nanosleep(unsigned)
{
    cuda_emulation::yield_sometimes();
}
[[noreturn]] inline void __trap()
{
    cuda_emulation::trap("__trap was called");
}

#endif
