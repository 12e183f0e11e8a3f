/* Threads of host variants. Inputs stay on one thread where waking others takes longer than they
 * save. */
#include "nitro/computation_kit.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define LEAST_NS      2000 /* less work is never divided */
#define NUM_ADDITIONS 20000
#define WAKE_ROUNDS   5
#define MAX_TRIES     4
#define DISTURBED_NS  1e6
#define MIN_WAKE_NS   1024
#define MAX_WAKE_NS   131072
#define ANY_THREADS   INT32_MAX

/* What waking a number of threads takes, as a power of two, so that a little noise changes nothing.
 * Processes cache it: it depends on how OpenMP's threads wait. */
typedef struct wake_cost {
    int32_t threads; /* 0: not measured; ANY_THREADS: assumed */
    float ns;
} wake_cost;

static _Atomic(wake_cost) cached_cost;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What a part does while waking is measured: a chain of additions that takes some 50 us. Threads
 * that sleep may be woken on the caller's core, and parts without work would hide that they run one
 * after another. */
static void add_repeatedly(const void *state, int part, int parts)
{
    (void)state;
    (void)parts;
    volatile double result;
    double sum = part;
    for (int i = 0; i < NUM_ADDITIONS; i++) {
        sum += 1;
        __asm__ volatile("" : "+m"(sum));
    }
    result = sum;
    (void)result;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of so many parts on as many threads; infinite if other work holds a core. */
static double time_of_parts(int parts)
{
    double times_ns[WAKE_ROUNDS];
    for (int i = 0; i < WAKE_ROUNDS; i++) {
        double begin = now_ns();
        nitro_host_run_parts(add_repeatedly, NULL, parts);
        times_ns[i] = now_ns() - begin;
        if (times_ns[i] > DISTURBED_NS)
            return INFINITY;
    }
    qsort(times_ns, WAKE_ROUNDS, sizeof(*times_ns), compare);
    return times_ns[WAKE_ROUNDS / 2];
}

/* New threads may share a core with the caller for some milliseconds, hence the pauses. */
static double measure_wake_ns(int threads)
{
    double extra_ns = INFINITY;
    for (int i = 0; i < MAX_TRIES && !isfinite(extra_ns); i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        nitro_host_run_parts(add_repeatedly, NULL, threads); /* starts the threads */
        extra_ns = time_of_parts(threads) - time_of_parts(1);
    }
    if (!isfinite(extra_ns))
        return MAX_WAKE_NS;
    return exp2(round(log2(fmin(fmax(extra_ns, MIN_WAKE_NS), MAX_WAKE_NS))));
}

static double wake_ns(int threads)
{
    wake_cost cost = atomic_load_explicit(&cached_cost, memory_order_relaxed);
    if (cost.threads != threads && cost.threads != ANY_THREADS) {
        cost = (wake_cost){.threads = threads, .ns = (float)measure_wake_ns(threads)};
        atomic_store_explicit(&cached_cost, cost, memory_order_relaxed);
    }
    return cost.ns;
}

void nitro_host_assume_wake_ns(double ns)
{
    wake_cost cost = {.threads = ns < 0 ? 0 : ANY_THREADS, .ns = (float)ns};
    atomic_store_explicit(&cached_cost, cost, memory_order_relaxed);
}

int nitro_host_num_parts(double serial_ns)
{
#ifdef __SANITIZE_THREAD__
    return 1; /* the thread sanitizer does not know the OpenMP runtime's barriers */
#endif
    if (serial_ns < LEAST_NS)
        return 1;
    int threads = omp_get_max_threads();
    threads = threads < NITRO_HOST_MAX_PARTS ? threads : NITRO_HOST_MAX_PARTS;
    if (threads == 1 || omp_get_active_level() >= omp_get_max_active_levels())
        return 1;
    double saved_ns = serial_ns - serial_ns / threads;
    return saved_ns > wake_ns(threads) ? threads : 1;
}

void nitro_host_run_parts(nitro_host_body *body, const void *state, int parts)
{
    if (parts == 1) {
        body(state, 0, 1);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int part = 0; part < parts; part++)
        body(state, part, parts);
}

int64_t nitro_host_split_evenly(int64_t count, int part, int parts)
{
    return count / parts * part + count % parts * part / parts;
}
