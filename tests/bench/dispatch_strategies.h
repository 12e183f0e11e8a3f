/* dispatch_strategies.h - the part of bench "dispatch" that compares strategies. */
#ifndef NITRO_TESTS_BENCH_DISPATCH_STRATEGIES_H
#define NITRO_TESTS_BENCH_DISPATCH_STRATEGIES_H

#include "bench/bench.h"
#include "bench/dispatch_model.h"

/** Decisions by each strategy beside those by auto, and by exported C files, compiled by cc -O2,
 *  beside those by the library. @param[in] inputs  shape [DISPATCH_INPUTS]. */
int bench_dispatch_strategies(bench_report *report, nitro_context *context,
                              const double (*inputs)[DISPATCH_FEATURES]);

#endif
