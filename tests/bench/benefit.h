/* benefit.h - what bench "benefit" measures of a computation, in three files: bench_benefit.c tunes
 * and learns, benefit_measure.c measures test inputs, benefit_report.c adds up. */
#ifndef NITRO_TESTS_BENCH_BENEFIT_H
#define NITRO_TESTS_BENCH_BENEFIT_H

#include "bench/bench.h"
#include "nitro/nitro_backend.h"

enum { BENEFIT_NUM_USES = 3 };
extern const double benefit_uses[BENEFIT_NUM_USES];

/** All that was measured of one test input. */
typedef struct benefit_input {
    char name[80];
    bool outside;                      /* of the training range */
    double run_ms[NITRO_MAX_VARIANTS]; /* infinite: not allowed */
    bool has_failed[NITRO_MAX_VARIANTS];
    double prepare_ms[NITRO_MAX_VARIANTS];
    size_t usual, by_rule;           /* the default variant, and the rule's */
    size_t chosen[BENEFIT_NUM_USES]; /* by auto */
    double select_ms[BENEFIT_NUM_USES];
    double library_run_ms, library_prepare_ms; /* NaN: not measured */
} benefit_input;

typedef struct benefit_setting {
    nitro_context *context;
    const nitro_module *module;
    nitro_computation *computation;
    nitro_computation *plain; /* without a model */
    size_t num_variants;
    benefit_input *inputs;
    size_t num_inputs;
    char folder[256];
} benefit_setting;

/** Print what failed and the context's last error; returns 1. */
int benefit_fail(const benefit_setting *s, const char *what);
/** Measure the test inputs; 0 on success. */
int benefit_measure(benefit_setting *s, size_t num_generated);
/** Add the totals, and list the `num_worst` inputs whose choices lose most on stderr. */
void benefit_add(bench_report *report, const benefit_setting *s, size_t num_worst);

#endif
