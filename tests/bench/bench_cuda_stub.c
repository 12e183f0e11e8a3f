/* What stands in for the benches of CUDA variants in a build without CUDA. */
#include "bench/bench.h"

#define MISSING "not in this build: needs the CUDA toolkit and -DNITRO_CUDA=ON"

static int run(bench_report *report)
{
    (void)report;
    return bench_fail("this build is without CUDA: install the CUDA toolkit (nvcc), and configure "
                      "with -DNITRO_CUDA=ON (the default)");
}

const bench bench_histogram_cuda = {.name = "histogram_cuda", .description = MISSING, .run = run};
const bench bench_spmv_cuda = {.name = "spmv_cuda", .description = MISSING, .run = run};
