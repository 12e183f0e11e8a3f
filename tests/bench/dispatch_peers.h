/* dispatch_peers.h - the parts of bench "dispatch" that need other things than models. */
#ifndef NITRO_TESTS_BENCH_DISPATCH_PEERS_H
#define NITRO_TESTS_BENCH_DISPATCH_PEERS_H

#include "bench/bench.h"
#include "bench/dispatch_model.h"

/** Total time of a stream of mixed SpMV inputs by the default variant, the best fixed one, Nitro,
 *  and an oracle. */
int bench_dispatch_stream(bench_report *report, nitro_context *context);

/** Decisions by each strategy beside those by auto, and by exported C files, compiled by cc -O2,
 *  beside those by the library. @param[in] inputs  shape [DISPATCH_INPUTS]. */
int bench_dispatch_strategies(bench_report *report, nitro_context *context,
                              const double (*inputs)[DISPATCH_FEATURES]);

#endif
