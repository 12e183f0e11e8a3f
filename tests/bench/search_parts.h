/* search_parts.h - parts of `nitro-bench search`. */
#ifndef NITRO_BENCH_SEARCH_PARTS_H
#define NITRO_BENCH_SEARCH_PARTS_H

#include "bench/bench.h"
#include "nitro/nitro_backend.h"

/** Folder of the recorded spaces: NITRO_SHARED_DATA, else beside the project. */
const char *search_data_folder(void);
unsigned search_num_repeats(void);

/** The profile-based searcher with models of itself and of the other GPU. */
int search_bench_profile(bench_report *report, nitro_context *context);
/** `auto` with the best configurations of other devices as starts. */
int search_bench_transfer(bench_report *report, nitro_context *context);
/** A step of Bayesian optimisation against scikit-learn's. */
int search_bench_speed(bench_report *report, nitro_context *context);

#endif
