/* A step of Bayesian optimisation over gemm's configurations after 220 observations, against one
 * fit and prediction by scikit-learn, which Kernel Tuner's Bayesian optimisation is built on. */
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
    "import os,time,sys\n"
    "os.environ['OMP_NUM_THREADS']=os.environ['OPENBLAS_NUM_THREADS']='1'\n"
    "import numpy as np\n"
    "from sklearn.gaussian_process import GaussianProcessRegressor as G\n"
    "from sklearn.gaussian_process.kernels import Matern\n"
    "r=np.random.default_rng(1)\n"
    "x=r.random((17956,10));y=r.random(220)\n"
    "best=1e9\n"
    "for i in range(3):\n"
    "    b=time.process_time()\n"
    "    g=G(Matern(1.5,nu=1.5),optimizer=None,normalize_y=True).fit(x[:220],y)\n"
    "    m,s=g.predict(x[220:],return_std=True)\n"
    "    best=min(best,time.process_time()-b)\n"
    "print(1e3*best)\n";

/* NaN where there is no Python with scikit-learn. */
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
        fprintf(stderr, "SKIPPED: no Python with scikit-learn (set NITRO_BENCH_PYTHON): no peer's "
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
        snprintf(title, sizeof(title), "a step of %s, 17956 x %s; scikit-learn", names[i],
                 first[i] ? "220" : "0 to 240");
        if (!failed)
            bench_add(report, title, step_ms, peer_ms > 0 ? peer_ms : step_ms, "ms", 0);
    }
    nitro_recording_free(recording);
    return failed ? bench_fail("search: a step failed") : 0;
}
