/*
 * bench.h - the small framework behind `nitro-bench NAME [--json]`. A benchmark is one file,
 * bench_<name>.c, and one line in benches.list. It measures ours and a reference (the naive way, or
 * a peer) in the same run, in turns, so that what else the machine does hits both alike.
 */
#ifndef NITRO_TESTS_BENCH_BENCH_H
#define NITRO_TESTS_BENCH_BENCH_H

#include <stddef.h>

/** Collects the cases of one run. */
typedef struct bench_report bench_report;

typedef struct bench {
    const char *name;
    const char *description;          /* what is measured, against what, and by which formula */
    int (*run)(bench_report *report); /* adds its cases; 0 on success */
} bench;

/**
 * Add a case. `ours` and `reference` are in `unit` ("ms", "GB/s", "ns"...); the report adds their
 * ratio, ours over reference. `spread` is relative, that of ours.
 */
void bench_add(bench_report *report, const char *name, double ours, double reference,
               const char *unit, double spread);

/** Print on stderr why a benchmark cannot go on; returns 1, for `return bench_fail(...)`. */
int bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** One of several things measured in turns. */
typedef struct bench_subject {
    void (*run)(void *state);
    void *state;
    double median_ms; /* result: median wall time of a run */
    double best_ms;   /* result: the shortest, for bandwidths: load only ever takes from them */
    double spread;    /* result: half the interquartile range over the median */
} bench_subject;

/**
 * Run all subjects in turns, each several times in a row after one call that does not count: at
 * least `min_calls` times, and more until `budget_ms` is spent. Returns 0, or 1 when out of memory
 * (said on stderr).
 */
int bench_measure(bench_subject *subjects, size_t count, size_t min_calls, double budget_ms);

#endif
