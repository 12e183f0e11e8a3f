/* cost_model.h - shared by the cost models: the device features that they use, and the work of a
 * variant that cost_model.c turns into a time. */
#ifndef NITRO_FEATURES_DEVICE_MODEL_COST_MODEL_H
#define NITRO_FEATURES_DEVICE_MODEL_COST_MODEL_H

#include "nitro/nitro_backend.h"

/** The device features that a cost model may use, under their names and in their units. */
typedef struct nitro_cost_device {
    double global_mem;
    double cuda_cores;
    double clock_rate;
    double l2_cache_size;
    double shared_mem_per_block;
    double peak_gbps;
    double shared_atomic;
    double global_atomic;
} nitro_cost_device;

/** Work of one run of a variant on one input. */
typedef struct nitro_cost {
    bool is_absent;        /* the variant does not exist on these devices; all else is 0 */
    double launches;       /* kernel launches */
    double bytes;          /* moved from and to device memory */
    double operations;     /* cycles of one core, over all threads, idle lanes included */
    double longest_ns;     /* time of the slowest thread if it ran alone */
    double global_atomics; /* additions, weighted by contention */
    double shared_atomics;
    double imbalance;    /* >= 1: the busiest processor's work over the mean */
    double memory_bytes; /* of the input and its format on the device */
    /* Only for profiles; times do not depend on them. */
    double flops_sp, flops_dp;
    double shared_accesses; /* loads and stores of shared memory */
} nitro_cost;

typedef struct nitro_cost_variant {
    const char *name;
    /** `features` in the order of the model's feature list; all finite. NULL: these devices do not
     *  have the variant. */
    nitro_cost (*price)(const double *features, const nitro_cost_device *device);
} nitro_cost_variant;

/** One computation. Both lists end with a NULL name. */
typedef struct nitro_cost_model {
    const char *computation;
    const char *const *features;
    const nitro_cost_variant *variants;
} nitro_cost_model;

#define NITRO_COST_MAX_FEATURES 8

extern const nitro_cost_model nitro_cost_model_spmv;
extern const nitro_cost_model nitro_cost_model_histogram;

/** Time without noise, in ms. */
double nitro_cost_time_ms(const nitro_cost *cost, const nitro_cost_device *device);

/** NITRO_ERR_ARGUMENT: the device is of another kind. */
nitro_status nitro_cost_require_modelled(nitro_context *context, const nitro_device *device);

/**
 * Work of every variant of a computation on an input, by the computation's cost model.
 * @param[out] costs  shape [num_variants of the schema].
 */
nitro_status nitro_cost_price(nitro_context *context, const nitro_device *device,
                              const nitro_schema *schema, const nitro_sample *sample,
                              nitro_cost_device *board, nitro_cost *costs);
/** exp(deviation x normal), drawn from a hash of the seed and the parts. */
double nitro_cost_noise(double deviation, uint64_t seed, const char *const *parts, size_t count);
/** The device's features; NITRO_ERR_NO_DATA names one that is missing. */
nitro_status nitro_cost_read_device(nitro_context *context, const nitro_device *device,
                                    nitro_cost_device *board);

/** Implements nitro_device_kind's `simulate_profiles`. */
nitro_status nitro_cost_simulate_profiles(nitro_context *context, const nitro_device *device,
                                          const nitro_schema *schema, const nitro_sample *sample,
                                          uint64_t seed, nitro_profile_function function,
                                          void *user);

/** Implements nitro_device_kind's `simulate`. */
nitro_status nitro_cost_simulate(nitro_context *context, const nitro_device *device,
                                 const nitro_schema *schema, uint64_t seed, nitro_sample *sample);

#endif
