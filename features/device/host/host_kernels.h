/* host_kernels.h - loops of the host's microbenchmarks whose speed depends on the instruction set;
 * chosen at run time. */
#ifndef NITRO_FEATURES_DEVICE_HOST_HOST_KERNELS_H
#define NITRO_FEATURES_DEVICE_HOST_HOST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct nitro_host_kernels {
    const char *name; /* "avx512f" */

    /**
     * Chains of multiplications and additions, fused where supported: each element of chain k
     * starts with k and computes value = value * factor + addend in every round. @return the sum of
     * all elements.
     */
    double (*chains_sp)(size_t rounds, float factor, float addend);
    double (*chains_dp)(size_t rounds, double factor, double addend);
    double flops_sp, flops_dp; /* operations a round */

    /** Read `size` bytes, a multiple of NITRO_HOST_READ_BYTES with that alignment, `passes` times.
     * @return exclusive or of all 64-bit words read. */
    uint64_t (*read)(const void *bytes, size_t size, size_t passes);
} nitro_host_kernels;

#define NITRO_HOST_READ_BYTES 512

/** Kernels for the widest vectors that variants may use here (nitro_host_simd_bits). */
const nitro_host_kernels *nitro_host_kernels_find(void);

#endif
