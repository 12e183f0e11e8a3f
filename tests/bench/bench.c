/* nitro-bench: the benchmarks' command line, timing in turns, and the report as table or JSON. */
#include "bench/bench.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_MS    5
#define TURN_CALLS 40

struct bench_report {
    const bench *bench;
    json_t *cases; /* array of objects; NULL once out of memory */
};

#define BENCH(name) extern const bench bench_##name;
#include "bench/benches.list"
#undef BENCH

static const bench *const benches[] = {
#define BENCH(name) &bench_##name,
#include "bench/benches.list"
#undef BENCH
};
#define NUM_BENCHES (sizeof(benches) / sizeof(benches[0]))

int bench_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("nitro-bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 1;
}

void bench_add(bench_report *report, const char *name, double ours, double reference,
               const char *unit, double spread)
{
    json_t *added = json_pack("{ss ss sf sf sf ss sf}", "bench", report->bench->name, "case", name,
                              "ours", ours, "reference", reference, "ratio", ours / reference,
                              "unit", unit, "spread", spread);
    if (!report->cases || !added || json_array_append_new(report->cases, added) != 0) {
        json_decref(report->cases);
        report->cases = NULL;
    }
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(bench_subject *subject, double *times_ms, size_t count)
{
    qsort(times_ms, count, sizeof(*times_ms), compare_times);
    double quartiles = times_ms[count * 3 / 4] - times_ms[count / 4];
    subject->median_ms = times_ms[count / 2];
    subject->best_ms = times_ms[0];
    subject->spread = quartiles / 2 / subject->median_ms;
}

/* Times of one subject. */
typedef struct series {
    double *times_ms;
    size_t count, most;
} series;

/* Repeats a subject: as a program that calls it repeatedly does, with its data in the caches and
 * the processor adapted to it. The first call finds what other subjects left, and does not count.
 */
static void take_turn(const bench_subject *subject, series *to)
{
    double begin = now_ms();
    size_t last = to->count + TURN_CALLS < to->most ? to->count + TURN_CALLS : to->most;
    subject->run(subject->state);
    if (now_ms() - begin >= TURN_MS)
        last = to->count + 1;
    do {
        double before = now_ms();
        subject->run(subject->state);
        to->times_ms[to->count++] = now_ms() - before;
    } while (to->count < last && now_ms() - begin < TURN_MS);
}

/* Is another round of turns to follow? */
static bool continues(const series *all, size_t count, size_t min_calls, bool in_budget)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].count < min_calls)
            return true;
    for (size_t i = 0; i < count; i++)
        if (all[i].count == all[i].most)
            return false;
    return in_budget;
}

int bench_measure(bench_subject *subjects, size_t count, size_t min_calls, double budget_ms)
{
    size_t most = min_calls > 1000 ? min_calls : 1000;
    double *times_ms = calloc(count * most, sizeof(*times_ms));
    series *all = calloc(count, sizeof(*all));
    if (!times_ms || !all)
        return bench_fail("out of memory for %zu times", count * most);
    for (size_t i = 0; i < count; i++)
        all[i] = (series){.times_ms = times_ms + i * most, .most = most};
    double begin = now_ms();
    do
        for (size_t i = 0; i < count; i++)
            if (all[i].count < most)
                take_turn(&subjects[i], &all[i]);
    while (continues(all, count, min_calls, now_ms() - begin < budget_ms));
    for (size_t i = 0; i < count; i++)
        summarise(&subjects[i], all[i].times_ms, all[i].count);
    free(times_ms);
    free(all);
    return 0;
}

static double number(const json_t *object, const char *key)
{
    return json_real_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void print_table(const bench *of, const json_t *cases)
{
    size_t index;
    const json_t *row;
    int width = 50;
    json_array_foreach(cases, index, row) width =
        (int)fmax(width, (double)strlen(text(row, "case")));
    printf("%s: %s\n\n%-*s %12s %12s %8s %-6s %7s\n", of->name, of->description, width, "case",
           "ours", "reference", "ratio", "unit", "spread");
    json_array_foreach(cases, index, row)
        printf("%-*s %12.5g %12.5g %8.3f %-6s %6.1f%%\n", width, text(row, "case"),
               number(row, "ours"), number(row, "reference"), number(row, "ratio"),
               text(row, "unit"), 100 * number(row, "spread"));
    printf("\n");
}

static const bench *find_bench(const char *name)
{
    for (size_t i = 0; i < NUM_BENCHES; i++)
        if (strcmp(benches[i]->name, name) == 0)
            return benches[i];
    return NULL;
}

static int list_benches(void)
{
    for (size_t i = 0; i < NUM_BENCHES; i++)
        printf("%-14s %s\n", benches[i]->name, benches[i]->description);
    return 0;
}

static int run_bench(const bench *chosen, bool as_json, json_t *all)
{
    bench_report report = {.bench = chosen, .cases = json_array()};
    if (chosen->run(&report) != 0) {
        json_decref(report.cases);
        return 1;
    }
    if (!report.cases)
        return bench_fail("%s: out of memory", chosen->name);
    if (as_json)
        json_array_extend(all, report.cases);
    else
        print_table(chosen, report.cases);
    json_decref(report.cases);
    return 0;
}

static int run_all(int count, char **names, bool as_json)
{
    json_t *all = json_array();
    int failed = all ? 0 : bench_fail("out of memory");
    for (int i = 0; i < count && !failed; i++)
        if (names[i][0] != '-')
            failed = run_bench(find_bench(names[i]), as_json, all);
    if (!failed && as_json) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        printf("\n");
    }
    json_decref(all);
    return failed;
}

static int usage(FILE *to)
{
    fputs("usage: nitro-bench NAME... [--json]\n       nitro-bench --list\n", to);
    return to == stdout ? 0 : 2;
}

int main(int count, char **arguments)
{
    bool as_json = false;
    int num_names = 0;
    setenv("NITRO_PLUGINS", PLUGINS, 0);
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--list") == 0)
            return list_benches();
        if (strcmp(arguments[i], "--help") == 0)
            return usage(stdout);
        if (strcmp(arguments[i], "--json") == 0) {
            as_json = true;
        } else if (find_bench(arguments[i])) {
            num_names++;
        } else {
            bench_fail("no benchmark '%s'; --list shows them", arguments[i]);
            return usage(stderr);
        }
    }
    return num_names > 0 ? run_all(count - 1, arguments + 1, as_json) : usage(stderr);
}
