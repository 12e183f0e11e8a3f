/* Microbenchmarks of a CUDA device, timed by its own events on one stream. Each value is the median
 * of REPETITIONS runs after one that does not count, with half the interquartile range over the
 * median as its spread; before the first, the clocks get time to rise. Work is doubled until one
 * run takes TARGET_MS, so that a launch does not count.
 *
 *   copy_gbps      from one array to another on the device, 1 GiB each or an eighth of the free
 *                  memory; bytes read and bytes written both count. The best of three ways:
 *                  cudaMemcpyAsync, a block a tile of 16 KiB, and as many blocks as fit on the
 *                  device that step through the array; kernels with 16-byte words, four in flight.
 *   l2_gbps        reads of a quarter of the L2 cache, repeatedly by all multiprocessors, 16-byte
 *                  words, four in flight, past the L1 cache.
 *   shared_atomic  ms for 2^15 additions of 1 to 32-bit counters, one counter a block of 256
 * threads in its shared memory, as many blocks as fit on the device; all threads of a block contend
 * for one address. More additions are made, and their time is divided. global_atomic  the same with
 * one counter in global memory for all threads. shared_atomic_spread, global_atomic_spread  the
 * same with 256 counters, of which every addition takes another one at random: the hardware
 * aggregates a warp's additions to one address, which histograms of varied data do not see.
 *   launch_us      host time from launching an empty kernel until it has synchronised with it.
 *   sp_gflops,     fused multiply-adds (two operations each) in eight independent chains a thread,
 *   dp_gflops      with all threads that fit on the device.
 *
 * 2^15 additions, because that is what the paper's Table 1 is consistent with: K20c and GTX 770 add
 * to one address once a clock, and 32768 clocks are 0.046 and 0.030 ms; printed are 0.051 and
 * 0.034, launch included. So values here compare with the paper's but for its launch overhead, of a
 * few microseconds. */
#include <math.h>
#include <stdio.h>

#include "features/device/cuda/cuda_kind.h"
#include "features/device/cuda/cuda_measure.h"
#include "nitro/backend/statistics.h"

#define REPETITIONS        15
#define PROBES             3 /* runs to choose the fastest way to copy */
#define TARGET_MS          4.0
#define MAX_AMOUNT         (1u << 24)
#define WARM_UP_MS         300.0
#define MAX_WARM_UP_ROUNDS 2000 /* if the clock does not advance */
#define MAX_COPY_BYTES     ((size_t)1 << 30)
#define COPY_SHARE         8 /* of free memory: an eighth for each of two arrays */
#define L2_SHARE           4
#define MIN_READ_BYTES     ((size_t)1 << 16)
#define FACTOR             0.999
#define ADDEND             0.001

typedef struct bench {
    nitro_context *context;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned num_blocks;   /* that are resident at once */
    size_t num_bytes;      /* of the arrays */
    void *from, *to;       /* shape [num_bytes] */
    void *results;         /* shape [num_blocks x NITRO_CUDA_BLOCK_SIZE] of 8 bytes */
    unsigned amount;       /* of work in one run: passes, additions, rounds */
    unsigned num_counters; /* that additions go to */
} bench;

typedef cudaError_t (*launch)(bench *self);

static nitro_status check(const bench *self, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_IO, "measuring %s: %s (%s, CUDA error %d)", what,
                      cudaGetErrorString(error), cudaGetErrorName(error), (int)error);
}

/* ---- Launches ------------------------------------------------------------------------ */

static cudaError_t copy_by_driver(bench *self)
{
    return cudaMemcpyAsync(self->to, self->from, self->num_bytes, cudaMemcpyDeviceToDevice,
                           self->stream);
}

static cudaError_t copy_by_tiles(bench *self)
{
    return nitro_cuda_launch_copy_tiles(self->from, self->to,
                                        self->num_bytes / NITRO_CUDA_TILE_BYTES, self->stream);
}

static cudaError_t copy_by_steps(bench *self)
{
    return nitro_cuda_launch_copy_steps(self->from, self->to, self->num_bytes, self->num_blocks,
                                        self->stream);
}

static cudaError_t read_again(bench *self)
{
    return nitro_cuda_launch_read(self->from, self->num_bytes, self->amount, self->num_blocks,
                                  self->results, self->stream);
}

static cudaError_t add_shared(bench *self)
{
    return nitro_cuda_launch_add_shared(self->results, self->num_counters, self->amount,
                                        self->num_blocks, self->stream);
}

static cudaError_t add_global(bench *self)
{
    return nitro_cuda_launch_add_global(self->results, self->num_counters, self->amount,
                                        self->num_blocks, self->stream);
}

static cudaError_t multiply_sp(bench *self)
{
    return nitro_cuda_launch_sp(self->results, (float)FACTOR, (float)ADDEND, self->amount,
                                self->num_blocks, self->stream);
}

static cudaError_t multiply_dp(bench *self)
{
    return nitro_cuda_launch_dp(self->results, FACTOR, ADDEND, self->amount, self->num_blocks,
                                self->stream);
}

/* ---- Timing ---------------------------------------------------------------------------------- */

static nitro_status time_once(bench *self, launch run, const char *what, double *elapsed_ms)
{
    float elapsed = 0;
    cudaError_t error = nitro_cuda_launch_spin(NITRO_CUDA_LEAD_CYCLES, 1, self->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(self->begin, self->stream);
    if (error == cudaSuccess)
        error = run(self);
    if (error == cudaSuccess)
        error = cudaEventRecord(self->end, self->stream);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(self->end);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&elapsed, self->begin, self->end);
    *elapsed_ms = (double)elapsed;
    return check(self, error, what);
}

/* Median and spread of `count` runs after a warm-up; NaN if the clock does not advance. */
static nitro_status repeat(bench *self, launch run, const char *what, size_t count,
                           double *median_ms, double *spread)
{
    double times_ms[REPETITIONS], unused_ms;
    nitro_status status = time_once(self, run, what, &unused_ms);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = time_once(self, run, what, &times_ms[i]);
    if (status != NITRO_OK)
        return status;
    nitro_sort(times_ms, count);
    *median_ms = times_ms[0] > 0 ? nitro_median(times_ms, count) : NAN;
    *spread = times_ms[0] > 0 ? nitro_relative_spread(times_ms, count) : 0;
    return NITRO_OK;
}

/* Doubles the work until a run is long enough for the clock. Times two runs each, since a kernel's
 * first run includes loading it. */
static nitro_status choose_amount(bench *self, launch run, const char *what)
{
    double first_ms = 0, second_ms = 0;
    nitro_status status = NITRO_OK;
    for (self->amount = 1; self->amount < MAX_AMOUNT; self->amount *= 2) {
        status = time_once(self, run, what, &first_ms);
        if (status == NITRO_OK)
            status = time_once(self, run, what, &second_ms);
        if (status != NITRO_OK || fmin(first_ms, second_ms) >= TARGET_MS)
            break;
    }
    return status;
}

/* ---- The benchmarks -------------------------------------------------------------------------- */

static nitro_status measure_copy(bench *self, nitro_facts *facts)
{
    static const char what[] = "copy bandwidth";
    static const launch ways[] = {copy_by_driver, copy_by_tiles, copy_by_steps};
    double best_ms = INFINITY, median_ms, spread;
    launch best = ways[0];
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && status == NITRO_OK; i++) {
        status = repeat(self, ways[i], what, PROBES, &median_ms, &spread);
        if (status == NITRO_OK && median_ms < best_ms) {
            best_ms = median_ms;
            best = ways[i];
        }
    }
    if (status == NITRO_OK)
        status = repeat(self, best, what, REPETITIONS, &median_ms, &spread);
    if (status != NITRO_OK)
        return status;
    facts->measured[NITRO_CUDA_COPY_GBPS] = 2 * (double)self->num_bytes / (median_ms * 1e6);
    facts->spread[NITRO_CUDA_COPY_GBPS] = spread;
    return NITRO_OK;
}

/* The largest power of two within that fraction of the cache, and within the array. */
static size_t choose_read_bytes(const bench *self, const nitro_facts *facts)
{
    double l2_bytes = facts->values[NITRO_CUDA_L2_CACHE_SIZE_BYTES];
    size_t bytes = MIN_READ_BYTES;
    while (2 * (double)bytes <= l2_bytes / L2_SHARE && 2 * bytes <= self->num_bytes)
        bytes *= 2;
    return bytes;
}

/* @param[in] work  of one run with amount 1; the value is work by time, or time by work. */
static nitro_status measure_work(bench *self, launch run, const char *what, double work,
                                 bool is_rate, nitro_cuda_benchmark benchmark, nitro_facts *facts)
{
    double median_ms, spread;
    nitro_status status = choose_amount(self, run, what);
    if (status == NITRO_OK)
        status = repeat(self, run, what, REPETITIONS, &median_ms, &spread);
    if (status != NITRO_OK)
        return status;
    facts->measured[benchmark] =
        is_rate ? work * self->amount / median_ms : median_ms / (work * self->amount);
    facts->spread[benchmark] = spread;
    return NITRO_OK;
}

static nitro_status measure_l2(bench *self, nitro_facts *facts)
{
    size_t all_bytes = self->num_bytes;
    self->num_bytes = choose_read_bytes(self, facts);
    nitro_status status =
        measure_work(self, read_again, "level-2 bandwidth", (double)self->num_bytes / 1e6, true,
                     NITRO_CUDA_L2_GBPS, facts);
    self->num_bytes = all_bytes;
    return status;
}

static nitro_status measure_operations(bench *self, nitro_facts *facts)
{
    const double threads = (double)self->num_blocks * NITRO_CUDA_BLOCK_SIZE;
    const double additions = threads / NITRO_COUNTED_ADDITIONS;
    const double gflops = 2 * threads * NITRO_CUDA_NUM_SUMS * NITRO_CUDA_NUM_STEPS / 1e6;
    const struct {
        nitro_cuda_benchmark benchmark;
        launch run;
        unsigned num_counters;
        double work;
        bool is_rate;
    } benchmarks[] = {
        {NITRO_CUDA_SHARED_ATOMIC, add_shared, 1, additions, false},
        {NITRO_CUDA_GLOBAL_ATOMIC, add_global, 1, additions, false},
        {NITRO_CUDA_SHARED_ATOMIC_SPREAD, add_shared, NITRO_CUDA_MOST_COUNTERS, additions, false},
        {NITRO_CUDA_GLOBAL_ATOMIC_SPREAD, add_global, NITRO_CUDA_MOST_COUNTERS, additions, false},
        {NITRO_CUDA_SP_GFLOPS, multiply_sp, 0, gflops, true},
        {NITRO_CUDA_DP_GFLOPS, multiply_dp, 0, gflops, true},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]) && status == NITRO_OK; i++) {
        self->num_counters = benchmarks[i].num_counters;
        status = measure_work(
            self, benchmarks[i].run, nitro_cuda_kind.benchmarks[benchmarks[i].benchmark],
            benchmarks[i].work, benchmarks[i].is_rate, benchmarks[i].benchmark, facts);
    }
    return status;
}

/* Host time from launch to synchronisation: the latency that a caller sees. */
static nitro_status measure_launch(bench *self, nitro_facts *facts)
{
    static const char what[] = "launches";
    enum { LAUNCHES = 100 };
    double times_us[REPETITIONS];
    for (size_t i = 0; i < REPETITIONS; i++) {
        double begin_ms = nitro_clock_wall_ms(self->context);
        cudaError_t error = cudaSuccess;
        for (int k = 0; k < LAUNCHES && error == cudaSuccess; k++) {
            error = nitro_cuda_launch_nothing(self->stream);
            if (error == cudaSuccess)
                error = cudaStreamSynchronize(self->stream);
        }
        if (error != cudaSuccess)
            return check(self, error, what);
        times_us[i] = (nitro_clock_wall_ms(self->context) - begin_ms) * 1e3 / LAUNCHES;
    }
    nitro_sort(times_us, REPETITIONS);
    if (times_us[0] > 0) {
        facts->measured[NITRO_CUDA_LAUNCH_US] = nitro_median(times_us, REPETITIONS);
        facts->spread[NITRO_CUDA_LAUNCH_US] = nitro_relative_spread(times_us, REPETITIONS);
    }
    return NITRO_OK;
}

/* ---- All ----------------------------------------------------------------------------- */

/* An idle device's clocks are low and take time to rise. */
static nitro_status warm_up(bench *self)
{
    double begin_ms = nitro_clock_wall_ms(self->context), unused_ms;
    nitro_status status = choose_amount(self, multiply_sp, "clocks");
    for (int i = 0; i < MAX_WARM_UP_ROUNDS && status == NITRO_OK; i++) {
        if (nitro_clock_wall_ms(self->context) - begin_ms > WARM_UP_MS)
            break;
        status = time_once(self, multiply_sp, "clocks", &unused_ms);
    }
    return status;
}

static nitro_status measure_all(bench *self, nitro_facts *facts)
{
    nitro_status status = warm_up(self);
    if (status == NITRO_OK)
        status = measure_copy(self, facts);
    if (status == NITRO_OK)
        status = measure_l2(self, facts);
    if (status == NITRO_OK)
        status = measure_operations(self, facts);
    return status == NITRO_OK ? measure_launch(self, facts) : status;
}

static size_t choose_copy_bytes(void)
{
    size_t available = 0, total;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        available = 0;
    size_t bytes = available / COPY_SHARE;
    if (bytes > MAX_COPY_BYTES)
        bytes = MAX_COPY_BYTES;
    if (bytes < MIN_READ_BYTES)
        bytes = MIN_READ_BYTES;
    return bytes - bytes % NITRO_CUDA_TILE_BYTES;
}

static nitro_status allocate(bench *self, const nitro_facts *facts)
{
    char what[64];
    double sms = facts->values[NITRO_CUDA_SM_COUNT];
    double threads = facts->values[NITRO_CUDA_THREADS_PER_SM];
    self->num_blocks =
        (unsigned)((sms > 0 ? sms : 1) *
                   (threads > NITRO_CUDA_BLOCK_SIZE ? floor(threads / NITRO_CUDA_BLOCK_SIZE) : 1));
    self->num_bytes = choose_copy_bytes();
    snprintf(what, sizeof(what), "with two arrays of %zu MiB", self->num_bytes >> 20);
    cudaError_t error = cudaSetDevice((int)facts->index);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&self->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaEventCreate(&self->begin);
    if (error == cudaSuccess)
        error = cudaEventCreate(&self->end);
    if (error == cudaSuccess)
        error = cudaMalloc(&self->from, self->num_bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&self->to, self->num_bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&self->results,
                           (size_t)self->num_blocks * NITRO_CUDA_BLOCK_SIZE * sizeof(double));
    if (error == cudaSuccess)
        error = cudaMemsetAsync(self->from, 1, self->num_bytes, self->stream);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(self->to, 2, self->num_bytes, self->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(self->stream);
    return check(self, error, what);
}

static void release(bench *self)
{
    cudaFree(self->results);
    cudaFree(self->to);
    cudaFree(self->from);
    if (self->end)
        cudaEventDestroy(self->end);
    if (self->begin)
        cudaEventDestroy(self->begin);
    if (self->stream)
        cudaStreamDestroy(self->stream);
}

nitro_status nitro_cuda_measure(nitro_context *context, nitro_facts *facts)
{
    bench self = {.context = context, .amount = 1};
    nitro_facts measured = *facts;
    nitro_status status = allocate(&self, facts);
    if (status == NITRO_OK)
        status = measure_all(&self, &measured);
    release(&self);
    if (status == NITRO_OK)
        *facts = measured;
    return status;
}
