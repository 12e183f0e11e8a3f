/* dispatch_early.h - what stopping sums of kernels early could gain at best. */
#ifndef NITRO_TESTS_BENCH_DISPATCH_EARLY_H
#define NITRO_TESTS_BENCH_DISPATCH_EARLY_H

#include "bench/bench.h"
#include "bench/dispatch_model.h"

/** Of an SVM made from so many inputs. */
int bench_dispatch_early(bench_report *report, nitro_context *context, size_t num_trained);

#endif
