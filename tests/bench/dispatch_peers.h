/* dispatch_peers.h - the parts of bench "dispatch" that need other things than models. */
#ifndef NITRO_TESTS_BENCH_DISPATCH_PEERS_H
#define NITRO_TESTS_BENCH_DISPATCH_PEERS_H

#include "bench/bench.h"
#include "nitro/nitro.h"

/** Total time of a stream of mixed SpMV inputs by the default variant, the best fixed one, Nitro,
 *  and an oracle. */
int bench_dispatch_stream(bench_report *report, nitro_context *context);

#endif
