/* Modelled cost of sparse matrix-vector products, y = A x in double precision with 32-bit indices.
 *
 *   every variant  writes y (8 bytes a row) and reads x: once, and again for each entry whose x
 *                  left the L2 cache (8 bytes, taken with the chance that x does not fit)
 *   csr            a thread a row: 12 bytes an entry, but neighbouring threads read far apart, so
 *                  lines come several times where the resident threads' lines outgrow the L2 cache;
 * a warp's lanes wait for its longest row, and the longest row is serial csr_vector     a warp a
 * row: coalesced; lanes idle in rows shorter than a warp, a reduction follows each row, and each
 * row's ends cut a sector dia            8 bytes a slot, no indices: dia_fillin slots an entry ell
 * 12 bytes a slot: ell_fillin slots an entry, in perfect balance sellp          as ell in slices of
 * neighbouring rows, each padded to its own longest row coo            16 bytes an entry in perfect
 * balance; y is zeroed first, and one global atomic addition ends every row and every warp's share
 *   hybrid         ell for a typical row's width, coo for what is longer: both costs, two kernels
 *
 * Their order on a device: padding against indices is the same everywhere; coo and hybrid depend on
 * global_atomic x peak_gbps, csr on l2_cache_size and cuda_cores x clock_rate, long rows on
 * peak_gbps (a wait of fixed length weighs more on a fast memory). */
#include <math.h>

#include "features/device/model/cost_model.h"

#define VALUE_BYTES 8.0
#define ENTRY_BYTES 12.0 /* value and column */
#define INDEX_BYTES 4.0
#define WARP        32.0
#define LINE_BYTES  128.0
/* Resident threads a core, between Fermi's 48 and Kepler's 11. */
#define THREADS_PER_CORE 16.0
/* Most extra lines an entry of csr when every line is evicted before its next use. */
#define LINE_RELOADS 2.0
/* Core cycles of a step along a row: alone, with the warp on one row, and over padded slots. */
#define STEP_CYCLES      25.0
#define LANE_CYCLES      20.0
#define COALESCED_CYCLES 10.0
#define REDUCTION_STEPS  5.0
/* Exposed latency of a step: a part of the memory latency, since several are in flight. */
#define STEP_NS         60.0
#define ROW_END_BYTES   48.0
#define SLICE_PADDING   0.8  /* of a slice, per unit of relative deviation */
#define SLICE_OVERHEAD  1.04 /* looking slices up, rounding their widths */
#define HYBRID_WIDTH    0.25 /* width of the ell part over the mean, less 1, per deviation */
#define HYBRID_OVERFLOW 0.4  /* part of the entries beyond it, for a heavy tail */

typedef struct matrix {
    double rows, cols, nnz;
    double mean, longest, rlsd;
    double dia_fillin, ell_fillin;
} matrix;

static const char *const features[] = {"rows",       "cols",       "nnz", "rlsd",
                                       "dia_fillin", "ell_fillin", NULL};

static matrix read_matrix(const double *values)
{
    matrix a = {.rows = fmax(values[0], 1),
                .cols = fmax(values[1], 1),
                .nnz = fmax(values[2], 1),
                .rlsd = values[3],
                .dia_fillin = fmax(values[4], 1),
                .ell_fillin = fmax(values[5], 1)};
    a.mean = a.nnz / a.rows;
    a.longest = a.ell_fillin * a.mean;
    return a;
}

/* x is read and y written, whatever the format. */
static double vector_bytes(const matrix *a, const nitro_cost_device *device)
{
    double x_bytes = VALUE_BYTES * a->cols;
    double cached = fmin(1, device->l2_cache_size * 1024 / x_bytes);
    return VALUE_BYTES * a->rows + x_bytes + (1 - cached) * VALUE_BYTES * a->nnz;
}

/* A cost in perfect balance: `format_bytes` are stored and read once. */
static nitro_cost streaming_cost(const matrix *a, const nitro_cost_device *device,
                                 double format_bytes)
{
    return (nitro_cost){.launches = 1,
                        .bytes = format_bytes + vector_bytes(a, device),
                        .imbalance = 1,
                        .flops_dp = 2 * a->nnz,
                        .memory_bytes = format_bytes + VALUE_BYTES * (a->rows + a->cols)};
}

/* The longest of a warp's rows: mean and two deviations, and no longer than the longest of all. */
static double longest_in_warp(const matrix *a)
{
    return fmin(a->longest, a->mean * (1 + 2 * a->rlsd));
}

static nitro_cost price_csr(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    double resident = fmin(a.rows, THREADS_PER_CORE * device->cuda_cores);
    double pressure = resident * LINE_BYTES / (device->l2_cache_size * 1024);
    double apart = fmin(1, a.mean * ENTRY_BYTES / LINE_BYTES);
    double reloads = LINE_RELOADS * apart * pressure / (1 + pressure);
    nitro_cost cost = streaming_cost(&a, device, ENTRY_BYTES * a.nnz + INDEX_BYTES * a.rows);
    cost.bytes += reloads * ENTRY_BYTES * a.nnz;
    cost.operations = a.rows * longest_in_warp(&a) * STEP_CYCLES;
    cost.longest_ns = a.longest * STEP_NS;
    return cost;
}

static nitro_cost price_csr_vector(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    double steps = ceil(a.mean / WARP) + REDUCTION_STEPS;
    nitro_cost cost = streaming_cost(&a, device, ENTRY_BYTES * a.nnz + INDEX_BYTES * a.rows);
    cost.bytes += ROW_END_BYTES * a.rows;
    cost.operations = a.rows * steps * WARP * LANE_CYCLES;
    cost.longest_ns = (a.longest / WARP + REDUCTION_STEPS) * STEP_NS;
    return cost;
}

static nitro_cost price_dia(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    double slots = a.dia_fillin * a.nnz;
    nitro_cost cost = streaming_cost(&a, device, VALUE_BYTES * slots);
    cost.operations = slots * COALESCED_CYCLES;
    cost.longest_ns = slots / a.rows * STEP_NS;
    return cost;
}

/* Rows padded to a common width, `padding` slots an entry. */
static nitro_cost padded_cost(const matrix *a, const nitro_cost_device *device, double padding,
                              double width)
{
    double slots = padding * a->nnz;
    nitro_cost cost = streaming_cost(a, device, ENTRY_BYTES * slots);
    cost.operations = slots * COALESCED_CYCLES;
    cost.longest_ns = width * STEP_NS;
    return cost;
}

static nitro_cost price_ell(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    return padded_cost(&a, device, a.ell_fillin, a.longest);
}

static nitro_cost price_sellp(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    double padding = fmin(a.ell_fillin, 1 + SLICE_PADDING * a.rlsd);
    return padded_cost(&a, device, padding * SLICE_OVERHEAD, a.longest);
}

/* Adds the entries' triplets and the atomic additions that end rows and warps. */
static void add_triplets(nitro_cost *cost, double entries, double row_ends)
{
    double bytes = (ENTRY_BYTES + INDEX_BYTES) * entries;
    cost->bytes += bytes;
    cost->memory_bytes += bytes;
    cost->operations += entries * COALESCED_CYCLES;
    cost->global_atomics += row_ends + entries / WARP;
}

static nitro_cost price_coo(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    nitro_cost cost = streaming_cost(&a, device, 0);
    cost.launches = 2;
    cost.bytes += VALUE_BYTES * a.rows; /* y is zeroed */
    add_triplets(&cost, a.nnz, fmin(a.rows, a.nnz));
    return cost;
}

static nitro_cost price_hybrid(const double *values, const nitro_cost_device *device)
{
    matrix a = read_matrix(values);
    double width = fmin(a.longest, a.mean * (1 + HYBRID_WIDTH * fmin(a.rlsd, 1)));
    double overflow = a.longest > width ? HYBRID_OVERFLOW * a.rlsd / (1 + a.rlsd) : 0;
    nitro_cost cost = padded_cost(&a, device, width / a.mean, width);
    cost.launches = 2;
    add_triplets(&cost, overflow * a.nnz, overflow * fmin(a.rows, a.nnz));
    return cost;
}

/* Without a price: not available on modelled devices. cuSPARSE's algorithms are not public. */
static const nitro_cost_variant variants[] = {
    {"csr", price_csr},
    {"csr_vector", price_csr_vector},
    {"dia", price_dia},
    {"ell", price_ell},
    {"coo", price_coo},
    {"hybrid", price_hybrid},
    {"sellp", price_sellp},
    {"cusparse_csr1", NULL},
    {"cusparse_csr2", NULL},
    {"csr_merge", NULL},
    {"csr_adaptive", NULL},
    {"sell_c_sigma", NULL},
    {"cusparse_coo", NULL},
    {"cusparse_sell", NULL},
    {"cusparse_bsr", NULL},
    {"cache_blocked", NULL},
    {NULL, NULL},
};

const nitro_cost_model nitro_cost_model_spmv = {"spmv", features, variants};
