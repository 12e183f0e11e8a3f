/* host_kernels.h - the loops of the host's microbenchmarks whose speed depends on what the
 * processor can do: chosen where the program runs. */
#ifndef NITRO_FEATURES_DEVICE_HOST_HOST_KERNELS_H
#define NITRO_FEATURES_DEVICE_HOST_HOST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct nitro_host_kernels {
    const char *name; /* "avx512f" */

    /**
     * Chains of multiplications and additions, fused where the processor can: element e of chain k
     * begins with k, and goes value = value * factor + addend in every round.
     * @return the sum of all of them.
     */
    double (*chains_sp)(size_t rounds, float factor, float addend);
    double (*chains_dp)(size_t rounds, double factor, double addend);
    double flops_sp, flops_dp; /* operations of a round */

    /** Read `size` bytes, a multiple of NITRO_HOST_READ_BYTES at an address of that alignment, so
     *  many times. @return exclusive or of all 64-bit words read. */
    uint64_t (*read)(const void *bytes, size_t size, size_t passes);
} nitro_host_kernels;

#define NITRO_HOST_READ_BYTES 512

/** All that this build has and this processor can do, the widest first; ended by a NULL name. */
const nitro_host_kernels *nitro_host_kernels_find(void);

#endif
