/* A step of Bayesian optimisation over gemm's configurations after 220 observations, against a step
 * of Kernel Tuner's with expected improvement over as many of a space of ten parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/search_parts.h"

enum { OBSERVED = 220, STEPS = 20 };

static double thread_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Processor time a step, one question and its answer, from step `first` on. */
static nitro_status time_steps(nitro_context *context, const char *name, size_t first,
                               const nitro_recording *recording, double *step_ms)
{
    const nitro_searcher *searcher = nitro_searcher_find(name);
    void *state = NULL;
    const nitro_search_task task = {
        .space = recording->space, .budget = OBSERVED + STEPS, .seed = 1};
    nitro_status status = searcher->open(context, &task, &state);
    double begin = 0;
    for (size_t e = 0; status == NITRO_OK && e < OBSERVED + STEPS; e++) {
        nitro_search_question question;
        if (e == first)
            begin = thread_ms();
        status = searcher->ask(state, &question);
        if (status == NITRO_OK)
            status = searcher->tell(state, &recording->answers[question.configuration]);
    }
    *step_ms = (thread_ms() - begin) / (double)(OBSERVED + STEPS - first);
    searcher->close(state);
    return status;
}

static const char peer[] =
    "import os, random, time\n"
    "os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
    "from types import SimpleNamespace as S\n"
    "from kernel_tuner.strategies.bayes_opt import BayesianOptimization\n"
    "random.seed(1)\n"
    "names = [str(i) for i in range(10)]\n"
    "values = {n: [.125, .375, .625, .875] for n in names}\n"
    "same = {n: {v: v for v in values[n]} for n in names}\n"
    "space = [tuple(values['0'][c >> 2 * i & 3] for i in range(10)) for c in random.sample(range(4 "
    "** 10), 17956)]\n"
    "marks = []\n"
    "def cost(c):\n"
    "    marks.append(time.process_time())\n"
    "    return 1 + random.random()\n"
    "cost.runner = S(dev=S(max_threads=1024))\n"
    "o = S(strategy_options={'method': 'ei', 'samplingmethod': 'random', 'popsize': 220}, "
    "tune_params=values)\n"
    "b = BayesianOptimization(space, S(is_param_config_valid=lambda c: True), [None] * 10, o, "
    "same, same, cost)\n"
    "b.optimize(241)\n"
    "print(1e3 * (marks[-1] - marks[-21]) / 20)\n";

/* NaN where there is no Python with Kernel Tuner and scikit-learn. */
static double time_peer(void)
{
    const char *python = getenv("NITRO_BENCH_PYTHON");
    char command[8192];
    double ms = 0;
    snprintf(command, sizeof(command), "%s - 2>/dev/null <<'PEER'\n%sPEER\n",
             python ? python : "python3", peer);
    FILE *pipe = popen(command, "r");
    int found = pipe ? fscanf(pipe, "%lf", &ms) : 0;
    if (pipe)
        pclose(pipe);
    if (found != 1)
        fprintf(stderr, "SKIPPED: no Python with Kernel Tuner and scikit-learn (set "
                        "NITRO_BENCH_PYTHON): no peer's "
                        "time of a step\n");
    return found == 1 ? ms : 0;
}

int search_bench_speed(bench_report *report, nitro_context *context)
{
    static const char *const names[] = {"bayes-ei", "bayes-multi-advanced", "auto"};
    static const size_t first[] = {OBSERVED, OBSERVED, 0}; /* auto: with its share of refits */
    char path[4096], title[128];
    nitro_recording *recording = NULL;
    snprintf(path, sizeof(path), "%s/search/spaces/gemm/rtx_2080_ti.csv.gz", search_data_folder());
    if (nitro_recording_read(context, path, NULL, &recording) != NITRO_OK)
        return bench_fail("search: %s cannot be read", path);
    double peer_ms = time_peer();
    int failed = 0;
    for (size_t i = 0; i < 3 && !failed; i++) {
        double step_ms;
        failed = time_steps(context, names[i], first[i], recording, &step_ms) != NITRO_OK;
        snprintf(title, sizeof(title), "a step of %s, 17956 x %s; Kernel Tuner", names[i],
                 first[i] ? "220" : "0 to 240");
        if (!failed)
            bench_add(report, title, step_ms, peer_ms > 0 ? peer_ms : step_ms, "ms", 0);
    }
    nitro_recording_free(recording);
    return failed ? bench_fail("search: a step failed") : 0;
}
