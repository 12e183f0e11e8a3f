/* What performance counters say about what limits a kernel. */
#include "search/bottlenecks.h"

#include <math.h>
#include <string.h>

/* Names before Volta, and from Volta on. Sizes have no other name. */
static const char *const names[NUM_QUANTITIES][2] = {
    [DRAM_READ] = {"dram_read_transactions", "dram__sectors_read.sum"},
    [DRAM_WRITE] = {"dram_write_transactions", "dram__sectors_write.sum"},
    [L2_READ] = {"l2_read_transactions", "lts__t_sectors_op_read.sum"},
    [L2_WRITE] = {"l2_write_transactions", "lts__t_sectors_op_write.sum"},
    [TEXTURE] = {"tex_cache_transactions", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    [LOCAL_STORES] = {"local_memory_overhead", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    [SHARED_READ] = {"shared_load_transactions",
                     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    [SHARED_WRITE] = {"shared_store_transactions",
                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    [INST_FP32] = {"inst_fp_32", "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"},
    [INST_FP64] = {"inst_fp_64", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"},
    [INST_INTEGER] = {"inst_integer", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"},
    [INST_MISC] = {"inst_misc", "smsp__sass_thread_inst_executed_op_misc_pred_on.sum"},
    [INST_MEMORY] = {"inst_compute_ld_st", "smsp__sass_thread_inst_executed_op_memory_pred_on.sum"},
    [INST_CONTROL] = {"inst_control", "smsp__sass_thread_inst_executed_op_control_pred_on.sum"},
    [INST_CONVERSION] = {"inst_bit_convert",
                         "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"},
    [INST_EXECUTED] = {"inst_executed", "smsp__inst_executed.sum"},
    [ISSUE] = {"issue_slot_utilization", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    [DRAM_STRESS] = {"dram_utilization", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    [L2_STRESS] = {"l2_utilization", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
    [TEXTURE_STRESS] = {"tex_utilization", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_"
                                           "of_peak_sustained_active"},
    [SHARED_STRESS] = {"shared_utilization", "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_"
                                             "of_peak_sustained_elapsed"},
    [SM_ACTIVE] = {"sm_efficiency", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    [WARP_EXECUTION] = {"warp_execution_efficiency",
                        "smsp__thread_inst_executed_per_inst_executed.ratio"},
    [WARP_NONPREDICATED] = {"warp_nonpred_execution_efficiency",
                            "smsp__thread_inst_executed_per_inst_executed.pct"},
    [GLOBAL_X] = {"global_x", "global_x"},
    [GLOBAL_Y] = {"global_y", "global_y"},
    [GLOBAL_Z] = {"global_z", "global_z"},
    [LOCAL_X] = {"local_x", "local_x"},
    [LOCAL_Y] = {"local_y", "local_y"},
    [LOCAL_Z] = {"local_z", "local_z"},
};

static size_t find(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return NITRO_NONE;
}

nitro_status search_counter_columns(nitro_context *context, const char *what,
                                    const char *const *list, size_t count, counter_columns *columns)
{
    counter_columns found = {0};
    found.volta = find(list, count, names[INST_EXECUTED][1]) != NITRO_NONE;
    for (size_t q = 0; q < NUM_QUANTITIES; q++) {
        found.column[q] = find(list, count, names[q][found.volta]);
        if (found.column[q] == NITRO_NONE && q < GLOBAL_X)
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "%s: counter '%s' is missing, which the searcher 'profile' needs: "
                              "record evaluations with it",
                              what, names[q][found.volta]);
    }
    *columns = found;
    return NITRO_OK;
}

static double quantity(const counter_columns *columns, const double *counters,
                       counter_quantity which)
{
    size_t column = columns->column[which];
    return column == NITRO_NONE ? NAN : counters[column];
}

static double num_threads(const counter_columns *columns, const double *counters)
{
    double product = 1;
    for (int q = GLOBAL_X; q <= LOCAL_Z; q++)
        product *= quantity(columns, counters, (counter_quantity)q);
    return product;
}

/* In percent of the traffic of L2. */
static double local_overhead(const counter_columns *columns, const double *counters)
{
    double stores = quantity(columns, counters, LOCAL_STORES);
    double traffic = quantity(columns, counters, L2_WRITE);
    if (!columns->volta)
        return stores;
    return traffic > 0 ? 100 * stores / traffic : 0;
}

void search_counter_operations(const counter_columns *columns, const double *counters,
                               double *operations)
{
    static const counter_quantity plain[] = {
        DRAM_READ,   DRAM_WRITE,   L2_READ,         L2_WRITE,  TEXTURE,      LOCAL_STORES,
        SHARED_READ, SHARED_WRITE, INST_FP32,       INST_FP64, INST_INTEGER, INST_MISC,
        INST_MEMORY, INST_CONTROL, INST_CONVERSION, ISSUE,     SM_ACTIVE};
    for (size_t o = 0; o < OP_THREADS; o++)
        operations[o] = quantity(columns, counters, plain[o]);
    operations[OP_LOCAL] = local_overhead(columns, counters);
    operations[OP_THREADS] = num_threads(columns, counters);
    for (size_t o = 0; o < NUM_OPERATIONS; o++)
        if (!isfinite(operations[o]))
            operations[o] = 0;
}

/* Shares of a memory's stress that reads and writes have. */
static void share_stress(double reads, double writes, double stress, double *wishes)
{
    double sum = reads + writes;
    wishes[0] = sum > 0 ? -reads / sum * stress / 10 : 0;
    wishes[1] = sum > 0 ? -writes / sum * stress / 10 : 0;
}

/* What exceeds the reaction, to [0, 1]. */
static double beyond(double bottleneck, double reaction)
{
    return bottleneck <= reaction ? 0 : (bottleneck - reaction) / (1 - reaction);
}

static void wish_memory(const counter_columns *columns, const double *counters, double *wishes)
{
    double scale = columns->volta ? 0.1 : 1;
    double dram = scale * quantity(columns, counters, DRAM_STRESS);
    double l2 = scale * quantity(columns, counters, L2_STRESS);
    double texture = scale * quantity(columns, counters, TEXTURE_STRESS);
    share_stress(quantity(columns, counters, DRAM_READ), quantity(columns, counters, DRAM_WRITE),
                 dram, wishes + OP_DRAM_READ);
    share_stress(quantity(columns, counters, L2_READ), quantity(columns, counters, L2_WRITE), l2,
                 wishes + OP_L2_READ);
    share_stress(quantity(columns, counters, SHARED_READ),
                 quantity(columns, counters, SHARED_WRITE),
                 scale * quantity(columns, counters, SHARED_STRESS), wishes + OP_SHARED_READ);
    wishes[OP_TEXTURE] = -texture / 10;
    wishes[OP_LOCAL] =
        -local_overhead(columns, counters) / 100 * fmax(dram, fmax(l2, texture)) / 10;
}

static void wish_instructions(const counter_columns *columns, const double *counters,
                              double reaction, double *wishes)
{
    double issue = quantity(columns, counters, ISSUE);
    double execution = quantity(columns, counters, WARP_EXECUTION);
    if (columns->volta)
        execution *= 100.0 / 32;
    double fit = 32 * quantity(columns, counters, INST_EXECUTED) * (100 / execution) *
                 (100 / quantity(columns, counters, WARP_NONPREDICATED));
    double used = columns->volta ? fmin(1, issue / 50) : issue / 100;
    double most = 0;
    for (int i = 0; i <= INST_CONVERSION - INST_FP32; i++) {
        double share =
            fit > 0 ? quantity(columns, counters, (counter_quantity)(INST_FP32 + i)) / fit : 0;
        most = fmax(most, share);
        wishes[OP_FP32 + i] = -beyond(share * used, reaction);
    }
    wishes[OP_ISSUE] = (100 - issue) / 100 * beyond(most, reaction);
}

bool search_counter_wishes(const counter_columns *columns, const double *counters, double reaction,
                           double cores, double *wishes)
{
    wish_memory(columns, counters, wishes);
    wish_instructions(columns, counters, reaction, wishes);
    wishes[OP_SM] = (100 - quantity(columns, counters, SM_ACTIVE)) / 100;
    double threads = num_threads(columns, counters);
    wishes[OP_THREADS] = isfinite(threads) && cores > 0 ? fmax(0, 1 - threads / (5 * cores)) : 0;
    for (size_t o = 0; o < NUM_OPERATIONS; o++)
        if (!isfinite(wishes[o]))
            return false;
    return true;
}
