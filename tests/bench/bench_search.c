/* Searchers on recorded spaces: the default one against the published ones, reproductions of
 * published figures, transfer between devices, the profile-based searcher, and the time of a step.
 *
 * NITRO_SHARED_DATA is the folder with search/spaces/KERNEL/DEVICE.csv.gz (docs/search.md).
 * NITRO_BENCH_PARTS chooses parts (compare, portfolio, profile, reproductions, speed, transfer;
 * default: all), NITRO_BENCH_REPEATS the searches of each space (35), NITRO_BENCH_SEARCHERS the
 * searchers, NITRO_BENCH_SPACES the kernels (for transfer, those whose names hold this text),
 * NITRO_BENCH_PYTHON a Python that has Kernel Tuner.
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/search_parts.h"

enum { MAX_METHODS = 16 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

unsigned search_num_repeats(void)
{
    return (unsigned)strtoul(setting("NITRO_BENCH_REPEATS", "35"), NULL, 10);
}

const char *search_data_folder(void)
{
    return setting("NITRO_SHARED_DATA", BENCH_SHARED_DATA);
}

/* Is this part wanted? NITRO_BENCH_PARTS lists some; all otherwise. */
static bool wanted(const char *part)
{
    const char *parts = setting("NITRO_BENCH_PARTS", part);
    return strstr(parts, part) != NULL;
}

static void list_spaces(glob_t *files)
{
    char pattern[4096];
    snprintf(pattern, sizeof(pattern), "%s/search/spaces/*/*.csv.gz", search_data_folder());
    glob(pattern, 0, NULL, files);
}

/* "gemm/rtx_titan" */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    while (slash > path && slash[-1] != '/')
        slash--;
    snprintf(name, size, "%s", slash);
    char *end = strstr(name, ".csv");
    if (end)
        *end = '\0';
}

/* ---- All methods on all spaces --------------------------------------------------------------- */

/* A searcher, and its options as "option=value,...". */
typedef struct method {
    char text[256]; /* "NAME" or "NAME:OPTIONS" */
    const nitro_searcher *searcher;
    const char *options; /* NULL: defaults */
} method;

typedef struct comparison {
    bench_report *report;
    size_t num_methods, num_spaces;
    method methods[MAX_METHODS]; /* the first is judged against the others */
    double ratios[MAX_METHODS], scores[MAX_METHODS];
} comparison;

static bool parse_methods(comparison *compared)
{
    char copy[2048], *rest = copy;
    snprintf(copy, sizeof(copy), "%s",
             setting("NITRO_BENCH_SEARCHERS",
                     "auto;bayes-ei;bayes-multi;bayes-multi-advanced;genetic;pso;annealing;mls;"
                     "diffevo;mcmc;random"));
    while (rest && compared->num_methods < MAX_METHODS) {
        method *added = &compared->methods[compared->num_methods++];
        char *text = strsep(&rest, ";"), name[64];
        snprintf(added->text, sizeof(added->text), "%s", text);
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
        char *colon = strchr(added->text, ':');
        added->options = colon ? colon + 1 : NULL;
        added->searcher = nitro_searcher_find(name);
        if (!added->searcher)
            return false;
    }
    return true;
}

static bool score_method(nitro_context *context, const nitro_recording *recording,
                         const method *scored, nitro_search_score *score)
{
    const nitro_search_trial trial = {.searcher = scored->searcher,
                                      .searcher_options = scored->options,
                                      .repetitions = search_num_repeats(),
                                      .max_evaluations = 220};
    return nitro_search_score_searcher(context, recording, &trial, score) == NITRO_OK;
}

static void print_score(const method *scored, const nitro_search_score *score, double ratio)
{
    fprintf(stderr, "%-30s %-22s", "", scored->text);
    for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++)
        fprintf(stderr, " %9.5g +- %6.2g", score->best_ms[i], score->best_error[i]);
    fprintf(stderr, " %9.4g +- %6.2g %6.3f %6.3f %7.2f\n", score->mae, score->mae_error, ratio,
            score->community, score->cpu_ms);
}

/* A measure of a score: 0: MAE, then the best times after 100 and 220 evaluations. */
static double measure_of(const double *best_ms, double mae, int measure)
{
    return measure == 0 ? mae : best_ms[measure + 1];
}

static bool is_judged_against(const search_baseline *row)
{
    return strstr(row->name, "hybrid_vndx") ||
           (strstr(row->name, "(default)") && !strstr(row->name, "as it is"));
}

/* The judged method beside the best of the others, those of BASELINES.md among them. */
static void report_space(const comparison *compared, const char *name,
                         const nitro_search_score *scores)
{
    static const char *const titles[] = {"MAE", "best at 100", "best at 220"};
    search_baseline rows[64];
    size_t num_rows = search_baselines(name, rows, 64);
    for (int measure = 0; measure < 3; measure++) {
        double own = measure_of(scores[0].best_ms, scores[0].mae, measure), best = INFINITY;
        double error = measure == 0 ? scores[0].mae_error : scores[0].best_error[measure + 1];
        const char *best_name = "";
        char title[768];
        for (size_t m = 1; m < compared->num_methods; m++) {
            double other = measure_of(scores[m].best_ms, scores[m].mae, measure);
            best_name = other < best ? compared->methods[m].text : best_name;
            best = fmin(best, other);
        }
        for (size_t r = 0; r < num_rows; r++) {
            double other = measure_of(rows[r].best_ms, rows[r].mae, measure);
            if (!is_judged_against(&rows[r]) || !(other < best))
                continue;
            best_name = rows[r].name;
            best = other;
        }
        snprintf(title, sizeof(title), "%s: %s of %.200s; of %.200s", name, titles[measure],
                 compared->methods[0].text, best_name);
        if (best > 0 && best < INFINITY)
            bench_add(compared->report, title, own, best, "ms", own > 0 ? error / own : 0);
    }
}

static int compare_on(comparison *compared, nitro_context *context, const char *path)
{
    char name[128];
    nitro_recording *recording = NULL;
    nitro_search_score random, scores[MAX_METHODS];
    name_of(path, name, sizeof(name));
    int failed = nitro_recording_read(context, path, NULL, &recording) != NITRO_OK ||
                 nitro_search_score_random(context, recording, &random) != NITRO_OK;
    fprintf(stderr, "%-30s %-22s %19s %19s %19s %19s %19s %6s %6s %7s\n", name, "", "@20", "@50",
            "@100", "@220", "MAE", "/rand", "P", "ms");
    for (size_t m = 0; m < compared->num_methods && !failed && wanted("compare"); m++) {
        failed = !score_method(context, recording, &compared->methods[m], &scores[m]);
        if (failed)
            break;
        compared->ratios[m] += scores[m].mae / random.mae;
        compared->scores[m] += scores[m].community;
        print_score(&compared->methods[m], &scores[m], scores[m].mae / random.mae);
    }
    if (!failed && wanted("reproductions"))
        failed = search_bench_reproductions(compared->report, context, name, recording);
    nitro_recording_free(recording);
    if (failed)
        return 1;
    if (wanted("compare")) {
        report_space(compared, name, scores);
        compared->num_spaces++;
    }
    return 0;
}

static void report_means(const comparison *compared)
{
    size_t best = compared->num_methods > 1, best_score = best;
    double n = (double)compared->num_spaces;
    for (size_t m = 0; m < compared->num_methods; m++) {
        fprintf(stderr, "mean over %zu spaces: %-22s MAE / random's %.4f  P %.4f\n",
                compared->num_spaces, compared->methods[m].text, compared->ratios[m] / n,
                compared->scores[m] / n);
        best = m > 0 && compared->ratios[m] < compared->ratios[best] ? m : best;
        best_score = m > 0 && compared->scores[m] > compared->scores[best_score] ? m : best_score;
    }
    bench_add(compared->report, "mean MAE / random's: ours; best other", compared->ratios[0] / n,
              compared->ratios[best] / n, "", 0);
    bench_add(compared->report, "mean P: ours; best other", compared->scores[0] / n,
              compared->scores[best_score] / n, "", 0);
}

static int compare_all(bench_report *report, nitro_context *context)
{
    static comparison compared;
    glob_t files = {0};
    compared.report = report;
    if (!parse_methods(&compared))
        return bench_fail("search: NITRO_BENCH_SEARCHERS names an unknown searcher");
    int failed = 0;
    list_spaces(&files);
    for (size_t i = 0; i < files.gl_pathc && !failed; i++)
        if (strstr(files.gl_pathv[i], setting("NITRO_BENCH_SPACES", "/")))
            failed = compare_on(&compared, context, files.gl_pathv[i]);
    globfree(&files);
    if (compared.num_spaces > 0)
        report_means(&compared);
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("no context");
    int failed = 0;
    if (wanted("compare") || wanted("reproductions"))
        failed = compare_all(report, context);
    if (!failed && wanted("profile"))
        failed = search_bench_profile(report, context);
    if (!failed && wanted("transfer"))
        failed = search_bench_transfer(report, context);
    if (!failed && wanted("portfolio"))
        failed = search_bench_portfolio(report, context);
    if (!failed && wanted("speed"))
        failed = search_bench_speed(report, context);
    if (failed) {
        char message[1024];
        nitro_context_last_error(context, message, sizeof(message));
        bench_fail("search: last error: %s", message);
    }
    nitro_context_free(context);
    return failed;
}

const bench bench_search = {"search", "searchers on recorded spaces, against published ones", run};
