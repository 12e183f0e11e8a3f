/* StarPU as a peer: what it takes to submit one task of a codelet with two implementations, and to
 * wait for it. Built where Debian's libstarpu-dev is found. */
#include "bench/dispatch_peers.h"

#ifdef NITRO_BENCH_STARPU
#include <starpu.h>
#include <stdlib.h>

#define BATCH 64

static void first(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
}

static void second(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "nitro_bench"};
static struct starpu_codelet codelet = {
    .cpu_funcs = {first, second}, .nbuffers = 0, .model = &model, .name = "nitro_bench"};

static void submit_batch(void *state)
{
    (void)state;
    for (size_t i = 0; i < BATCH; i++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &codelet;
        task->synchronous = 1;
        if (starpu_task_submit(task) != 0)
            abort();
    }
}

static void call_batch(void *state)
{
    (void)state;
    for (size_t i = 0; i < BATCH; i++) {
        void (*volatile function)(void *buffers[], void *argument) = i % 2 ? first : second;
        function(NULL, NULL);
    }
}

int bench_dispatch_starpu(bench_report *report)
{
    struct starpu_conf conf;
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_HOME", "/tmp",
           0); /* its measured times are kept there, not in the user's home */
    starpu_conf_init(&conf);
    conf.sched_policy_name = "dmda";
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0)
        return bench_fail("StarPU does not start");
    bench_subject subjects[] = {{.run = submit_batch}, {.run = call_batch}};
    int failed = bench_measure(subjects, 2, 21, 700);
    bench_add(report, "StarPU (dmda), a task of 2 variants; a call",
              subjects[0].median_ms * 1e6 / BATCH, subjects[1].median_ms * 1e6 / BATCH, "ns",
              subjects[0].spread);
    starpu_shutdown();
    return failed;
}

#else

int bench_dispatch_starpu(bench_report *report)
{
    (void)report;
    return 0;
}

#endif
