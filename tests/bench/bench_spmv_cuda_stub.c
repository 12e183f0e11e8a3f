/* What stands in for the bench "spmv_cuda" in a build without CUDA. */
#include "bench/bench.h"

static int run(bench_report *report)
{
    (void)report;
    return bench_fail(
        "this build is without CUDA: install the CUDA toolkit (nvcc), and configure with "
        "-DNITRO_CUDA=ON (the default)");
}

const bench bench_spmv_cuda = {
    .name = "spmv_cuda",
    .description = "not in this build: needs the CUDA toolkit and -DNITRO_CUDA=ON",
    .run = run,
};
