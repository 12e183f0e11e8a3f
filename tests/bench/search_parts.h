/* search_parts.h - parts of `nitro-bench search`. */
#ifndef NITRO_BENCH_SEARCH_PARTS_H
#define NITRO_BENCH_SEARCH_PARTS_H

#include "bench/bench.h"
#include "nitro/nitro_backend.h"

/** Folder of the recorded spaces: NITRO_SHARED_DATA, else beside the project. */
const char *search_data_folder(void);
unsigned search_num_repeats(void);

/** What another searcher was measured to reach on a space; NaN: not given. */
typedef struct search_baseline {
    char name[128];
    double best_ms[NITRO_SEARCH_POINTS], mae;
} search_baseline;

/** Rows of BASELINES.md for a space ("gemm/rtx_2080_ti"). @return how many. */
size_t search_baselines(const char *space, search_baseline *rows, size_t most);
/** Our searchers against these rows, where they are of the same method. */
int search_bench_reproductions(bench_report *report, nitro_context *context, const char *space,
                               const nitro_recording *recording);

/** The profile-based searcher with models of itself and of the other GPU. */
int search_bench_profile(bench_report *report, nitro_context *context);
/** `auto` with the best configurations of other devices as starts. */
int search_bench_transfer(bench_report *report, nitro_context *context);
/** Portfolios, known devices and unknown ones, and searches that start from them. */
int search_bench_portfolio(bench_report *report, nitro_context *context);
/** A step of Bayesian optimisation against scikit-learn's. */
int search_bench_speed(bench_report *report, nitro_context *context);

#endif
