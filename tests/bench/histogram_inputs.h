/* histogram_inputs.h - what histogram is measured on, on every kind of device. */
#ifndef NITRO_TESTS_BENCH_HISTOGRAM_INPUTS_H
#define NITRO_TESTS_BENCH_HISTOGRAM_INPUTS_H

#include "apps/histogram/samples.h"
#include "bench/bench.h"

/** Measure one input; a failure is said by bench_fail. */
typedef int (*histogram_measure_function)(bench_report *report, const char *input,
                                          nitro_histogram *histogram);

/** Generate one input after the other, each of `num_samples`, and have it measured. */
int histogram_inputs_measure(bench_report *report, int64_t num_samples,
                             histogram_measure_function measure);

#endif
