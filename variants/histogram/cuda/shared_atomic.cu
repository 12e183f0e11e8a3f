/* shared_atomic: every block counts in shared memory, and adds its table to the result at the end.
 *
 * Random samples of a warp cause bank conflicts: about three or four of 32 lanes share a bank, and
 * an addition takes as many cycles. So there are several copies of the table, interleaved by bin:
 * lanes of different copies never conflict, and with 16 copies of 256 bins memory bandwidth is the
 * limit. The hardware aggregates additions of 1 by several lanes to one address (ATOMS.POPC.INC),
 * so constant inputs need no special case.
 *
 * The number of copies is the largest that keeps full occupancy. A table larger than a block's
 * shared memory is counted in ranges, each of which reads all samples. */
#include "variants/histogram/cuda/histogram_kernels.cuh"

#define BLOCK            NITRO_HISTOGRAM_CUDA_BLOCK
#define MAX_COPIES_SHIFT 4
/* Least samples of a block for every bin: below, merging its table would dominate. */
#define SAMPLES_PER_BIN 4

extern __shared__ uint32_t dynamic_shared[];

typedef struct block_tables {
    int num_bins;   /* of all */
    int range_bins; /* of a range */
    int copies_shift;
} block_tables;

/* Where a lane counts: the bins of a range, in its copy of the table. */
typedef struct lane_table {
    uint32_t *counts; /* of the range's first bin; other bins' lie `1 << shift` words apart */
    uint32_t first, size;
    int shift;
} lane_table;

/* Counts one sample, if it is in this block's range. */
template <bool HAS_RANGES> NITRO_HISTOGRAM_DEVICE void add(const lane_table &table, uint32_t sample)
{
    uint32_t bin = HAS_RANGES ? sample - table.first : sample;
    if (!HAS_RANGES || bin < table.size)
        atomicAdd(table.counts + (bin << table.shift), 1u);
}

/* Each lane begins with another copy, in another bank. */
NITRO_HISTOGRAM_DEVICE void merge(const lane_table &table, uint32_t *counts)
{
    const uint32_t num_copies = 1u << table.shift;
    for (uint32_t bin = threadIdx.x; bin < table.size; bin += BLOCK) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < num_copies; i++)
            sum += dynamic_shared[bin << table.shift | ((threadIdx.x + i) & (num_copies - 1))];
        if (sum > 0)
            atomicAdd(counts + table.first + bin, sum);
    }
}

template <bool IS_DYNAMIC, bool HAS_RANGES>
static __global__ void __launch_bounds__(BLOCK)
    count_in_blocks(nitro_histogram_units units, block_tables tables, uint32_t *counts)
{
    lane_table table;
    table.shift = tables.copies_shift;
    table.first = blockIdx.y * (uint32_t)tables.range_bins;
    table.size = min((uint32_t)tables.range_bins, (uint32_t)tables.num_bins - table.first);
    table.counts = dynamic_shared + (threadIdx.x & ((1u << table.shift) - 1));
    if (IS_DYNAMIC)
        units.queue += blockIdx.y;
    for (uint32_t i = threadIdx.x; i < table.size << table.shift; i += BLOCK)
        dynamic_shared[i] = 0;
    __syncthreads();
    nitro_histogram_cursor cursor = nitro_histogram_start<IS_DYNAMIC>(units);
    for (; cursor.unit < cursor.end; cursor = nitro_histogram_next<IS_DYNAMIC>(units, cursor)) {
        uint4 vectors[NITRO_HISTOGRAM_UNIT_VECTORS];
        nitro_histogram_load(units, cursor.unit, vectors);
#pragma unroll
        for (int i = 0; i < NITRO_HISTOGRAM_UNIT_VECTORS; i++) {
            add<HAS_RANGES>(table, vectors[i].x);
            add<HAS_RANGES>(table, vectors[i].y);
            add<HAS_RANGES>(table, vectors[i].z);
            add<HAS_RANGES>(table, vectors[i].w);
        }
    }
    if (blockIdx.x == 0)
        for (int odd = (int)threadIdx.x; odd < nitro_histogram_num_odd(units); odd += BLOCK)
            add<HAS_RANGES>(table, units.samples[nitro_histogram_odd_index(units, odd)]);
    __syncthreads();
    merge(table, counts);
}

typedef void (*counting_kernel)(nitro_histogram_units, block_tables, uint32_t *);

static counting_kernel choose_kernel(bool is_dynamic, const nitro_histogram_cuda_tables *tables)
{
    bool has_ranges = tables->num_ranges > 1;
    if (is_dynamic)
        return has_ranges ? count_in_blocks<true, true> : count_in_blocks<true, false>;
    return has_ranges ? count_in_blocks<false, true> : count_in_blocks<false, false>;
}

static nitro_histogram_cuda_tables choose_tables(const nitro_histogram_cuda *histogram)
{
    nitro_histogram_cuda_tables tables = {};
    int num_bins = (int)histogram->host.num_bins;
    int most_bins = histogram->max_shared_bytes / (int)sizeof(uint32_t);
    tables.num_ranges = (num_bins + most_bins - 1) / most_bins;
    tables.range_bins = (num_bins + tables.num_ranges - 1) / tables.num_ranges;
    tables.size_bytes = (size_t)tables.range_bins * sizeof(uint32_t);
    while (tables.copies_shift < MAX_COPIES_SHIFT &&
           2 * tables.size_bytes <= (size_t)histogram->usual_shared_bytes) {
        tables.copies_shift++;
        tables.size_bytes *= 2;
    }
    return tables;
}

/* Prefer shared memory over L1, or occupancy may be lower than the tables were chosen for; samples
 * are read once and do not need L1. The limit belongs to the kernel, not to the argument: always
 * the device's, so that no argument lowers it for another. */
static int request_room(nitro_histogram_cuda *histogram, counting_kernel kernel)
{
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                             cudaSharedmemCarveoutMaxShared);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     histogram->max_shared_bytes);
    return nitro_cuda_check(&histogram->cuda, error, "requesting shared memory");
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    nitro_cuda *cuda = &histogram->cuda;
    int of_even_share = 0, of_dynamic = 0; /* blocks on a multiprocessor at once */
    if (nitro_histogram_cuda_upload(histogram) != 0)
        return cuda->failure;
    if (histogram->tables.num_blocks > 0)
        return 0;
    nitro_histogram_cuda_tables tables = choose_tables(histogram);
    if (tables.num_ranges > NITRO_HISTOGRAM_CUDA_MAX_RANGES)
        return nitro_cuda_fail(cuda, "%lld bins take %d readings with %d bytes of shared memory",
                               (long long)histogram->host.num_bins, tables.num_ranges,
                               histogram->max_shared_bytes);
    counting_kernel even_share = choose_kernel(false, &tables);
    counting_kernel dynamic = choose_kernel(true, &tables);
    if (request_room(histogram, even_share) != 0 || request_room(histogram, dynamic) != 0 ||
        nitro_cuda_check(cuda,
                         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_even_share, even_share,
                                                                       BLOCK, tables.size_bytes),
                         "querying occupancy") != 0 ||
        nitro_cuda_check(cuda,
                         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_dynamic, dynamic, BLOCK,
                                                                       tables.size_bytes),
                         "querying occupancy") != 0)
        return cuda->failure;
    int fewest = of_even_share < of_dynamic ? of_even_share : of_dynamic;
    tables.num_blocks = histogram->num_multiprocessors * (fewest > 1 ? fewest : 1);
    histogram->tables = tables;
    return 0;
}

static int launch(nitro_histogram_cuda *histogram, uint32_t *queue)
{
    const nitro_histogram_cuda_tables *tables = &histogram->tables;
    int64_t num_samples = histogram->host.num_samples;
    if (tables->num_blocks == 0)
        return nitro_cuda_fail(&histogram->cuda, "shared_atomic was not prepared");
    nitro_histogram_units units =
        nitro_histogram_make_units(histogram->samples, num_samples, queue);
    int64_t worth = num_samples / SAMPLES_PER_BIN / tables->range_bins;
    int most = worth < tables->num_blocks ? (int)worth : tables->num_blocks;
    cudaLaunchConfig_t config = nitro_cuda_grid(
        &histogram->cuda, (int64_t)nitro_histogram_num_blocks(&units, most) * BLOCK, BLOCK);
    config.gridDim.y = (unsigned)tables->num_ranges;
    config.dynamicSmemBytes = tables->size_bytes;
    block_tables table = {(int)histogram->host.num_bins, tables->range_bins, tables->copies_shift};
    return nitro_cuda_check(&histogram->cuda,
                            cudaLaunchKernelEx(&config, choose_kernel(queue != NULL, tables), units,
                                               table, histogram->counts),
                            "launching shared_atomic");
}

NITRO_HISTOGRAM_VARIANTS(shared_atomic, "1", launch, prepare)
