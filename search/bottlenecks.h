/* bottlenecks.h - what performance counters say about what limits a kernel (Filipovic et al. 2021).
 * Internal to search/. */
#ifndef NITRO_SEARCH_BOTTLENECKS_H
#define NITRO_SEARCH_BOTTLENECKS_H

#include "nitro/nitro_backend.h"

/** Quantities that counters of every generation of GPUs give. */
typedef enum counter_quantity {
    DRAM_READ, /* transactions */
    DRAM_WRITE,
    L2_READ,
    L2_WRITE,
    TEXTURE,
    LOCAL_STORES, /* before Volta local memory overhead in percent; then sectors */
    SHARED_READ,
    SHARED_WRITE,
    INST_FP32,
    INST_FP64,
    INST_INTEGER,
    INST_MISC,
    INST_MEMORY,
    INST_CONTROL,
    INST_CONVERSION,
    INST_EXECUTED,
    ISSUE,       /* percent */
    DRAM_STRESS, /* 0 to 10; since Volta 0 to 100 */
    L2_STRESS,
    TEXTURE_STRESS,
    SHARED_STRESS,
    SM_ACTIVE, /* percent */
    WARP_EXECUTION,
    WARP_NONPREDICATED,
    GLOBAL_X, /* blocks */
    GLOBAL_Y,
    GLOBAL_Z,
    LOCAL_X, /* threads of a block */
    LOCAL_Y,
    LOCAL_Z,
    NUM_QUANTITIES
} counter_quantity;

/** Where a list of counters has the quantities. */
typedef struct counter_columns {
    bool volta;                    /* names of Volta and later */
    size_t column[NUM_QUANTITIES]; /* NITRO_NONE: missing */
} counter_columns;

/** NITRO_ERR_ARGUMENT: the names lack what is needed. @param[in] what  for the error. */
nitro_status search_counter_columns(nitro_context *context, const char *what,
                                    const char *const *names, size_t count,
                                    counter_columns *columns);

/** Quantities whose change is wished for. */
typedef enum counter_operation {
    OP_DRAM_READ,
    OP_DRAM_WRITE,
    OP_L2_READ,
    OP_L2_WRITE,
    OP_TEXTURE,
    OP_LOCAL,
    OP_SHARED_READ,
    OP_SHARED_WRITE,
    OP_FP32,
    OP_FP64,
    OP_INTEGER,
    OP_MISC,
    OP_MEMORY,
    OP_CONTROL,
    OP_CONVERSION,
    OP_ISSUE,
    OP_SM,
    OP_THREADS,
    NUM_OPERATIONS
} counter_operation;

/** The operations of a configuration from its counters; 0 where unknown. */
void search_counter_operations(const counter_columns *columns, const double *counters,
                               double *operations);
/**
 * Wished changes in [-1, 1].
 * @param[in] reaction  R: how great a bottleneck in instructions must be to count.
 * @param[in] cores     of the device; NaN: unknown, and parallelism is not judged.
 * @return false where the counters are incomplete.
 */
bool search_counter_wishes(const counter_columns *columns, const double *counters, double reaction,
                           double cores, double *wishes);

#endif
