/* Modelled cost of the paper's six histogram variants (CUB): three ways to count, each with an even
 * share of the input a block or with tiles from a queue.
 *
 * Features: num_elements (4 bytes each); elements_per_bin (mean); sub_sample_sd, the standard
 * deviation of a sample's bin numbers over the number of bins (0.29 where all bins are as likely,
 * 0 where all fall into one).
 *
 *   sort_*           radix sort of the bin numbers, 5 bits a pass (two reads and a write), then
 *                    runs are counted; independent of contention
 *   global_atomic_*  one read, and a global atomic addition an element; where few bins are busy,
 *                    additions to one address serialise
 *   shared_atomic_*  one read, and a shared atomic addition an element, with replays where lanes of
 *                    a warp meet; a histogram larger than shared memory takes several readings, and
 *                    each block adds its bins to the result with global atomics
 *   *_even_share     crowded stretches of the input make some blocks late: imbalance
 *   *_dynamic        no such imbalance, but every tile is fetched with contended global atomics
 *
 * Their order on a device depends on shared_atomic, global_atomic and 1 / peak_gbps (the sort), as
 * in the paper. */
#include <math.h>

#include "features/device/model/cost_model.h"

#define ELEMENT_BYTES 4.0
#define BIN_BYTES     4.0
#define UNIFORM_SD    0.28867513459481287 /* 1 / sqrt(12) */
#define WARP          32.0
/* Additions to one address that serialise at the L2 cache when a single bin is busy. */
#define GLOBAL_QUEUE    64.0
#define SORT_BITS       5.0
#define SORT_CYCLES     40.0
#define COUNT_CYCLES    8.0
#define CORES_PER_BLOCK 16.0
#define TILE_ELEMENTS   4096.0
/* A fetch from the queue, which all blocks share, in uncontended global additions. */
#define FETCH_ATOMICS     192.0
#define CROWDED_IMBALANCE 0.4  /* of even shares when a single bin is busy */
#define SORT_IMBALANCE    0.06 /* of even shares of a sort: the last wave of blocks */

typedef struct histogram_input {
    double elements, bins;
    double spread;    /* (0, 1]: 1 when all bins are as busy */
    double busy_bins; /* that most elements fall into, at least 1 */
} histogram_input;

static const char *const features[] = {"num_elements", "elements_per_bin", "sub_sample_sd", NULL};

static histogram_input read_input(const double *values)
{
    histogram_input input = {.elements = fmax(values[0], 1)};
    input.bins = fmax(1, input.elements / fmax(values[1], 1e-9));
    input.spread = fmin(1, values[2] / UNIFORM_SD);
    input.busy_bins = fmax(1, input.bins * input.spread);
    return input;
}

static nitro_cost reading_cost(const histogram_input *input, double readings)
{
    return (nitro_cost){.launches = 1,
                        .bytes =
                            readings * ELEMENT_BYTES * input->elements + BIN_BYTES * input->bins,
                        .operations = readings * COUNT_CYCLES * input->elements,
                        .imbalance = 1,
                        .memory_bytes = ELEMENT_BYTES * input->elements + BIN_BYTES * input->bins};
}

static nitro_cost sort_cost(const histogram_input *input)
{
    double passes = fmax(1, ceil(log2(input->bins) / SORT_BITS));
    nitro_cost cost = reading_cost(input, 3 * passes + 1);
    cost.launches = 2 * passes + 1;
    cost.operations = passes * SORT_CYCLES * input->elements;
    cost.memory_bytes += ELEMENT_BYTES * input->elements; /* the sorted copy */
    return cost;
}

static nitro_cost global_atomic_cost(const histogram_input *input)
{
    nitro_cost cost = reading_cost(input, 1);
    cost.global_atomics = input->elements * (1 + (GLOBAL_QUEUE - 1) / input->busy_bins);
    return cost;
}

static nitro_cost shared_atomic_cost(const histogram_input *input, const nitro_cost_device *device)
{
    double room = device->shared_mem_per_block * 1024;
    double blocks = device->cuda_cores / CORES_PER_BLOCK;
    nitro_cost cost = reading_cost(input, ceil(BIN_BYTES * input->bins / room));
    cost.shared_atomics = input->elements * (1 + (WARP - 1) / input->busy_bins);
    cost.global_atomics = blocks * input->bins;
    return cost;
}

static nitro_cost in_even_shares(const histogram_input *input, nitro_cost cost)
{
    cost.imbalance = 1 + CROWDED_IMBALANCE * (1 - input->spread);
    return cost;
}

static nitro_cost from_a_queue(const histogram_input *input, nitro_cost cost)
{
    cost.global_atomics += FETCH_ATOMICS * ceil(input->elements / TILE_ELEMENTS);
    return cost;
}

static nitro_cost price_sort_even_share(const double *values, const nitro_cost_device *device)
{
    (void)device;
    histogram_input input = read_input(values);
    nitro_cost cost = sort_cost(&input);
    cost.imbalance = 1 + SORT_IMBALANCE;
    return cost;
}

static nitro_cost price_sort_dynamic(const double *values, const nitro_cost_device *device)
{
    (void)device;
    histogram_input input = read_input(values);
    return from_a_queue(&input, sort_cost(&input));
}

static nitro_cost price_global_atomic_even_share(const double *values,
                                                 const nitro_cost_device *device)
{
    (void)device;
    histogram_input input = read_input(values);
    return in_even_shares(&input, global_atomic_cost(&input));
}

static nitro_cost price_global_atomic_dynamic(const double *values, const nitro_cost_device *device)
{
    (void)device;
    histogram_input input = read_input(values);
    return from_a_queue(&input, global_atomic_cost(&input));
}

static nitro_cost price_shared_atomic_even_share(const double *values,
                                                 const nitro_cost_device *device)
{
    histogram_input input = read_input(values);
    return in_even_shares(&input, shared_atomic_cost(&input, device));
}

static nitro_cost price_shared_atomic_dynamic(const double *values, const nitro_cost_device *device)
{
    histogram_input input = read_input(values);
    return from_a_queue(&input, shared_atomic_cost(&input, device));
}

static const nitro_cost_variant variants[] = {
    {"sort_even_share", price_sort_even_share},
    {"sort_dynamic", price_sort_dynamic},
    {"global_atomic_even_share", price_global_atomic_even_share},
    {"global_atomic_dynamic", price_global_atomic_dynamic},
    {"shared_atomic_even_share", price_shared_atomic_even_share},
    {"shared_atomic_dynamic", price_shared_atomic_dynamic},
    {"block_sort_even_share", NULL}, /* not available on modelled devices */
    {"block_sort_dynamic", NULL},
    {NULL, NULL},
};

const nitro_cost_model nitro_cost_model_histogram = {"histogram", features, variants};
