/* cuda_flops.cuh - the steps of SP-GFLOP and DP-GFLOP: fused multiply-adds with factor 1 and term
 * 1, unknown to the compiler, on independent chains. Each chain counts its steps. */
#ifndef NITRO_PROXIES_CUDA_FLOPS_CUH
#define NITRO_PROXIES_CUDA_FLOPS_CUH

#include "proxies/kernels/cuda_body.cuh"

template <class REAL> struct nitro_proxy_flops {
    REAL sums[NITRO_PROXY_SUMS];
    REAL one;

    __device__ __forceinline__ nitro_proxy_flops(const nitro_proxy_cuda_arguments &arguments)
        : one((REAL)arguments.operands.one)
    {
        NITRO_PROXY_UNROLL
        for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
            sums[i] = (REAL)(threadIdx.x + i);
    }
    __device__ __forceinline__ void step(unsigned n)
    {
        REAL &sum = sums[n % NITRO_PROXY_SUMS];
        sum = fma(sum, one, one); /* of the type REAL: FFMA or DFMA */
    }
    __device__ __forceinline__ void end_pass()
    {
    }
    __device__ __forceinline__ uint32_t result() const
    {
        uint32_t total = 0;
        NITRO_PROXY_UNROLL
        for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
            total += (uint32_t)sums[i];
        return total;
    }
};

#endif
