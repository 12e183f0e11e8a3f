/* Threads of host variants. Inputs stay on one thread where waking others takes longer than they
 * save. */
#include "nitro/kit/host_parts.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

#include "nitro/base/child_process.h"
#include "nitro/computation_kit.h"

#define LEAST_NS      2000 /* less work is never divided */
#define NUM_ADDITIONS 2000
#define WAKE_ROUNDS   9
#define MAX_TRIES     4
#define SURPRISING_NS 8000 /* for threads that do not sleep */
#define MAX_LATER     4    /* tries of a process, after the first, whose cost is surprising */
#define LATER_NS      1e9  /* between these */
#define MIN_WAKE_NS   1024
#define MAX_WAKE_NS   131072
#define ANY_THREADS   INT32_MAX

/* What waking a number of threads takes, as a power of two, so that a little noise changes nothing.
 * The least that was measured counts, by this process or by one that shares its cost: while another
 * program runs on a processor, waking seems to take a hundred times as long. */
typedef struct wake_cost {
    int32_t threads; /* 0: not measured; ANY_THREADS: assumed */
    float ns;
} wake_cost;

typedef _Atomic(wake_cost) wake_cost_cell;
static wake_cost_cell own_cost;
static _Atomic(wake_cost_cell *) cell = &own_cost;
/* By this process: for how many threads, how often after the first time, and when last. */
static _Atomic int32_t measured_threads;
static _Atomic int32_t num_later;
static _Atomic double measured_ns;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What a part does while waking is measured: a chain of additions that takes some 5 us. Threads
 * that sleep may be woken on the caller's core, and parts without work would hide that they run one
 * after another. Longer parts would hide the cost behind what two threads of one core take from
 * each other. */
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

/* The least time of so many parts on as many threads: other work only adds to it. */
static double time_of_parts(int parts)
{
    double least_ns = INFINITY;
    for (int i = 0; i < WAKE_ROUNDS; i++) {
        double begin = now_ns();
        nitro_host_run_parts(add_repeatedly, NULL, parts);
        least_ns = fmin(least_ns, now_ns() - begin);
    }
    return least_ns;
}

/* New threads may share a core with the caller for some milliseconds, hence the pauses. */
static double measure_wake_ns(int threads, int max_tries)
{
    double extra_ns = INFINITY;
    for (int i = 0; i < max_tries && extra_ns > SURPRISING_NS; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        nitro_host_run_parts(add_repeatedly, NULL, threads); /* starts the threads */
        extra_ns = fmin(extra_ns, time_of_parts(threads) - time_of_parts(1));
    }
    return exp2(round(log2(fmin(fmax(extra_ns, MIN_WAKE_NS), MAX_WAKE_NS))));
}

/* Is it time to measure again a cost that surprises? */
static bool is_due(wake_cost cost)
{
    return cost.ns > SURPRISING_NS &&
           atomic_load_explicit(&num_later, memory_order_relaxed) < MAX_LATER &&
           now_ns() - atomic_load_explicit(&measured_ns, memory_order_relaxed) > LATER_NS;
}

static double wake_ns(int threads)
{
    wake_cost_cell *shared = atomic_load_explicit(&cell, memory_order_acquire);
    wake_cost cost = atomic_load_explicit(shared, memory_order_relaxed);
    bool is_first = cost.threads != threads ||
                    atomic_load_explicit(&measured_threads, memory_order_relaxed) != threads;
    if (cost.threads == ANY_THREADS || !(is_first || is_due(cost)))
        return cost.ns;
    wake_cost now = {.threads = threads,
                     .ns = (float)measure_wake_ns(threads, is_first ? MAX_TRIES : 1)};
    atomic_store_explicit(&measured_threads, threads, memory_order_relaxed);
    atomic_store_explicit(&num_later, is_first ? 0 : num_later + 1, memory_order_relaxed);
    atomic_store_explicit(&measured_ns, now_ns(), memory_order_relaxed);
    cost = atomic_load_explicit(shared, memory_order_relaxed);
    if (cost.threads == threads && cost.ns <= now.ns)
        return cost.ns;
    atomic_store_explicit(shared, now, memory_order_relaxed);
    return now.ns;
}

void nitro_host_assume_wake_ns(double ns)
{
    wake_cost cost = {.threads = ns < 0 ? 0 : ANY_THREADS, .ns = (float)ns};
    atomic_store_explicit(atomic_load(&cell), cost, memory_order_relaxed);
}

void nitro_host_share_wake_cost(void)
{
    wake_cost_cell *expected = &own_cost;
    if (atomic_load(&cell) != expected)
        return;
    wake_cost_cell *made =
        mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return; /* each process has its own */
    atomic_store(made, atomic_load(&own_cost));
    if (!atomic_compare_exchange_strong(&cell, &expected, made))
        munmap(made, sizeof *made);
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
    if (threads == 1 || omp_get_active_level() >= omp_get_max_active_levels() ||
        nitro_child_lacks_team())
        return 1;
    double saved_ns = serial_ns - serial_ns / threads;
    return saved_ns > wake_ns(threads) ? threads : 1;
}

void nitro_host_run_parts(nitro_host_body *body, const void *state, int parts)
{
    if (parts == 1 || nitro_child_lacks_team()) {
        for (int part = 0; part < parts; part++)
            body(state, part, parts);
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
