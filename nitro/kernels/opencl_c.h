/* opencl_c.h - OpenCL C for CUDA's compilers, as far as kernels of one source for both need it:
 * qualifiers, sizes and indices, vectors of 2 and 4 floats with arithmetic. __local declares arrays
 * in kernels only, not parameters of functions. NVRTC gets it from memory (NITRO_KERNEL_OPENCL_C).
 */
#define __kernel extern "C" __global__
#define __global
#define __constant const
#define __local    __shared__
#define restrict __restrict__

#define CLK_LOCAL_MEM_FENCE 0
#define barrier(fence)      __syncthreads()

typedef unsigned uint;

#define OPENCL_FUNCTION static __device__ __forceinline__
#define OPENCL_INDEX(name, type, expression)                                                       \
    OPENCL_FUNCTION type name(int dimension)                                                       \
    {                                                                                              \
        return (type)(expression);                                                                 \
    }
#define OPENCL_OF(index) (dimension == 0 ? (index).x : dimension == 1 ? (index).y : (index).z)
OPENCL_INDEX(get_local_id, int, OPENCL_OF(threadIdx))
OPENCL_INDEX(get_group_id, int, OPENCL_OF(blockIdx))
OPENCL_INDEX(get_local_size, int, OPENCL_OF(blockDim))
OPENCL_INDEX(get_num_groups, int, OPENCL_OF(gridDim))
OPENCL_INDEX(get_global_id, int, OPENCL_OF(blockIdx) * OPENCL_OF(blockDim) + OPENCL_OF(threadIdx))
OPENCL_INDEX(get_global_size, int, OPENCL_OF(gridDim) * OPENCL_OF(blockDim))

OPENCL_FUNCTION uint atomic_cmpxchg(volatile uint *to, uint expected, uint value)
{
    return atomicCAS((uint *)to, expected, value);
}

template <typename T> OPENCL_FUNCTION void prefetch(const T *from, size_t)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
#else
    (void)from;
#endif
}

/* The reciprocal square root of floats, approximately where the GPU has it so. */
OPENCL_FUNCTION float opencl_rsqrt(float x)
{
#ifdef __CUDA_ARCH__
    return rsqrtf(x);
#else
    return 1 / sqrtf(x);
#endif
}
OPENCL_FUNCTION float2 opencl_rsqrt(float2 v)
{
    return float2{opencl_rsqrt(v.x), opencl_rsqrt(v.y)};
}
OPENCL_FUNCTION float4 opencl_rsqrt(float4 v)
{
    return float4{opencl_rsqrt(v.x), opencl_rsqrt(v.y), opencl_rsqrt(v.z), opencl_rsqrt(v.w)};
}
#define rsqrt opencl_rsqrt

#define OPENCL_OPERATOR(op)                                                                        \
    OPENCL_FUNCTION float2 operator op(float2 a, float2 b)                                         \
    {                                                                                              \
        return float2{a.x op b.x, a.y op b.y};                                                     \
    }                                                                                              \
    OPENCL_FUNCTION float2 operator op(float2 a, float b)                                          \
    {                                                                                              \
        return float2{a.x op b, a.y op b};                                                         \
    }                                                                                              \
    OPENCL_FUNCTION float2 operator op(float a, float2 b)                                          \
    {                                                                                              \
        return float2{a op b.x, a op b.y};                                                         \
    }                                                                                              \
    OPENCL_FUNCTION float4 operator op(float4 a, float4 b)                                         \
    {                                                                                              \
        return float4{a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w};                             \
    }                                                                                              \
    OPENCL_FUNCTION float4 operator op(float4 a, float b)                                          \
    {                                                                                              \
        return float4{a.x op b, a.y op b, a.z op b, a.w op b};                                     \
    }                                                                                              \
    OPENCL_FUNCTION float4 operator op(float a, float4 b)                                          \
    {                                                                                              \
        return float4{a op b.x, a op b.y, a op b.z, a op b.w};                                     \
    }
OPENCL_OPERATOR(+)
OPENCL_OPERATOR(-)
OPENCL_OPERATOR(*)
OPENCL_OPERATOR(/)
template <typename V, typename W> OPENCL_FUNCTION V &operator+=(V &a, W b)
{
    return a = a + b;
}
