/* spmv_compare.h - the part of bench "spmv" that compares with other libraries. */
#ifndef NITRO_TESTS_BENCH_SPMV_COMPARE_H
#define NITRO_TESTS_BENCH_SPMV_COMPARE_H

#include "bench/bench.h"
#include "nitro/nitro.h"

/** Adds the best of our variants over the best library, for matrices with that many non-zeros.
 *  Says on stderr which libraries and matrices are skipped. */
int bench_spmv_compare(bench_report *report, nitro_context *context, double min_nonzeros,
                       double max_nonzeros);

#endif
