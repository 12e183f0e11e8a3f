/* proxy_cuda.h - shared by the proxy kernels of device kind `cuda`: launch, arguments, and what
 * differs between proxies. */
#ifndef NITRO_PROXIES_KERNELS_PROXY_CUDA_H
#define NITRO_PROXIES_KERNELS_PROXY_CUDA_H

#include <cuda_runtime_api.h>

#include "nitro/nitro_backend.h"
#include "proxies/kernels/intensity.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NITRO_PROXY_CUDA_BLOCK    NITRO_PROXY_LANES /* threads a block */
#define NITRO_PROXY_CUDA_BINS     256 /* counters of a table; a thread has one in each */
#define NITRO_PROXY_CUDA_TABLES   4
#define NITRO_PROXY_CUDA_COUNTERS (NITRO_PROXY_CUDA_TABLES * NITRO_PROXY_CUDA_BINS)
#define NITRO_PROXY_CUDA_RING     10 /* words of shared memory a thread */

/** Arguments of a kernel; pointers are to device memory. */
typedef struct nitro_proxy_cuda_arguments {
    uint32_t *results;     /* shape [num_blocks x NITRO_PROXY_CUDA_BLOCK] */
    uint32_t *words;       /* shape [num_blocks x region_words] */
    uint32_t *counters;    /* shape [NITRO_PROXY_CUDA_COUNTERS] */
    uint32_t region_words; /* a multiple of a block's words in a pass */
    uint32_t num_passes;
    nitro_proxy_operands operands;
} nitro_proxy_cuda_arguments;

/** Launch the kernel of an intensity; in the .cu file of each proxy. */
typedef cudaError_t nitro_proxy_cuda_launch(unsigned intensity, unsigned num_blocks,
                                            const nitro_proxy_cuda_arguments *arguments,
                                            cudaStream_t stream);
nitro_proxy_cuda_launch nitro_proxy_launch_sp_gflop, nitro_proxy_launch_dp_gflop,
    nitro_proxy_launch_atomic, nitro_proxy_launch_mem_bw, nitro_proxy_launch_sh_mem_bw;

/** The bin of a lane, scattered as in a histogram. */
NITRO_PROXY_INLINE uint32_t nitro_proxy_cuda_bin(uint32_t lane)
{
    return lane * 0x9e3779b9u >> 24; /* below NITRO_PROXY_CUDA_BINS */
}

typedef struct nitro_proxy_cuda nitro_proxy_cuda;

/** What differs between proxies. */
typedef struct nitro_proxy_cuda_kind {
    nitro_proxy_cuda_launch *launch;
    size_t num_passes; /* that suit it */
    bool streams;      /* traverses memory: a region for each block */
    bool counts;       /* adds to the counters */
    /** The kind's part of a thread's result after one run on initialised memory. `words`, shape
     * [region_words], is its block's region before; overwritten with that after the run. */
    uint32_t (*expect)(const nitro_proxy_cuda *cuda, uint32_t lane, uint32_t *words);
} nitro_proxy_cuda_kind;

struct nitro_proxy_cuda {
    nitro_context *context;
    const nitro_proxy_cuda_kind *kind;
    unsigned intensity, num_blocks;
    cudaStream_t stream;
    nitro_proxy_cuda_arguments arguments;
};

/** The functions of nitro_proxy_kernel for a kind. */
nitro_status nitro_proxy_cuda_create(nitro_context *context, const nitro_proxy_cuda_kind *kind,
                                     const nitro_proxy_work *work, void **state);
nitro_status nitro_proxy_cuda_run(void *state);
nitro_status nitro_proxy_cuda_check(void *state);
void nitro_proxy_cuda_free(void *state);

#ifdef __cplusplus
}
#endif

#endif
