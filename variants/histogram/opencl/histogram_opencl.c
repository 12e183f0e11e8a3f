/* Histogram on OpenCL devices: its kernels, and the variants in the host's order. */
#include "variants/histogram/histogram_opencl.h"

extern const char nitro_histogram_count_cl[];

/* Bins of one range: local memory also holds a few words of the kernel's own. At most 16 ranges, as
 * many as there are queues, are needed with 32 KB. */
#define RANGE_BINS "min(num_bins, (device.local_bytes - 1024) // 4)"
#define GROUPS     "min(device.units * GROUPS_A_UNIT, ceil_div(num_samples, TILE))"

#define COMMON(is_dynamic)                                                                         \
    .kit = &nitro_histogram_opencl_kit, .backend = "opencl", .origin = "count.cl",                 \
    .source = nitro_histogram_count_cl, .options = "-DIS_DYNAMIC=" #is_dynamic,                    \
    .parameters = {{"BLOCK", "[16, 64, 256]", "64"},                                               \
                   {"TILE", "[1024, 4096, 16384]", "4096"},                                        \
                   {"GROUPS_A_UNIT", "[1, 2, 4, 8, 16]", "4"}},                                    \
    .where = {"BLOCK <= device.max_local"}

#define CLEAR                                                                                      \
    {                                                                                              \
        .entry = "clear", .arguments = {"num_bins", "counts", "queues"}, .local = {"BLOCK"},       \
        .global = {                                                                                \
            "max(BLOCK, min(16 * BLOCK, ceil_div(num_bins, BLOCK) * BLOCK))"                       \
        }                                                                                          \
    }

#define GLOBALLY                                                                                   \
    {                                                                                              \
        .entry = "count_globally", .arguments = {"num_samples", "samples", "counts", "queues"},    \
        .local = {"BLOCK"}, .global = {                                                            \
            GROUPS " * BLOCK"                                                                      \
        }                                                                                          \
    }

#define LOCALLY                                                                                    \
    {                                                                                              \
        .entry = "count_locally", .arguments = {"num_samples", "num_bins", RANGE_BINS, "samples",  \
                                                "counts",      "queues",   "local"},               \
        .local = {"BLOCK"}, .local_bytes = "4 * " RANGE_BINS, .global = {                          \
            GROUPS " * BLOCK",                                                                     \
            "ceil_div(num_bins, " RANGE_BINS ")"                                                   \
        }                                                                                          \
    }

static const nitro_kernel global_even_share = {COMMON(0), .steps = {CLEAR, GLOBALLY}},
                          global_dynamic = {COMMON(1), .steps = {CLEAR, GLOBALLY}},
                          shared_even_share = {COMMON(0), .steps = {CLEAR, LOCALLY}},
                          shared_dynamic = {COMMON(1), .steps = {CLEAR, LOCALLY}};

static const nitro_variant variant_global_even_share =
                               NITRO_KERNEL_VARIANT("global_atomic_even_share", global_even_share),
                           variant_global_dynamic =
                               NITRO_KERNEL_VARIANT("global_atomic_dynamic", global_dynamic),
                           variant_shared_even_share =
                               NITRO_KERNEL_VARIANT("shared_atomic_even_share", shared_even_share),
                           variant_shared_dynamic =
                               NITRO_KERNEL_VARIANT("shared_atomic_dynamic", shared_dynamic);

static const nitro_variant *const variants[] = {
    &variant_global_even_share,
    &variant_global_dynamic,
    &variant_shared_even_share,
    &variant_shared_dynamic,
};

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_HISTOGRAM_NUM_ELEMENTS] <= NITRO_CUDA_MAX_COUNT;
}

const nitro_kit_device nitro_histogram_opencl_device = {
    .kind = "opencl",
    .memory = &nitro_opencl_memory,
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .allows = allows,
};
