/* Searchers on recorded spaces: the default one against the published ones, reproductions of
 * published figures, transfer between devices, the profile-based searcher, and the time of a step.
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/search_parts.h"
#include "bench/search_simulation.h"

enum { MAX_METHODS = 16 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

size_t search_num_repeats(void)
{
    return (size_t)strtoul(setting("NITRO_BENCH_REPEATS", "35"), NULL, 10);
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

typedef struct comparison {
    bench_report *report;
    size_t num_methods, num_spaces;
    simulated_method methods[MAX_METHODS]; /* the first is judged against the others */
    double ratios[MAX_METHODS], scores[MAX_METHODS];
} comparison;

static bool parse_methods(comparison *compared)
{
    char copy[2048], *rest = copy;
    snprintf(copy, sizeof(copy), "%s",
             setting("NITRO_BENCH_SEARCHERS",
                     "auto;bayes-ei;bayes-multi;bayes-multi-advanced;genetic;pso;annealing;mls;"
                     "diffevo;mcmc;random"));
    while (rest && compared->num_methods < MAX_METHODS)
        if (!simulated_method_parse(strsep(&rest, ";"),
                                    &compared->methods[compared->num_methods++]))
            return false;
    return true;
}

static int compare_on(comparison *compared, const char *path, const simulated_space *space)
{
    char name[128], title[768];
    simulated_result random = simulate_random(space), results[MAX_METHODS];
    size_t best = 1;
    name_of(path, name, sizeof(name));
    fprintf(stderr, "%-30s %-22s %9s %9s %9s %9s %18s %6s %6s %7s\n", name, "", "@20", "@50",
            "@100", "@220", "MAE", "/rand", "P", "ms");
    for (size_t m = 0; m < compared->num_methods; m++) {
        simulated_result *r = &results[m];
        const simulated_task task = {
            space, &compared->methods[m], search_num_repeats(), SIMULATED_BUDGET, NULL, 0, NULL,
            false};
        if (!simulate(&task, r))
            return 1;
        compared->ratios[m] += r->mae / random.mae;
        compared->scores[m] += r->score;
        if (m > 0 && r->mae < results[best].mae)
            best = m;
        fprintf(stderr, "%-30s %-22s %9.5g %9.5g %9.5g %9.5g %9.4g +- %6.2g %6.3f %6.3f %7.2f\n",
                "", compared->methods[m].text, r->at[0], r->at[1], r->at[2], r->at[3], r->mae,
                r->mae_error, r->mae / random.mae, r->score, r->step_ms);
    }
    if (compared->num_methods > 1) {
        snprintf(title, sizeof(title), "%s: MAE of %s; of %s", name, compared->methods[0].text,
                 compared->methods[best].text);
        bench_add(compared->report, title, results[0].mae, results[best].mae, "ms",
                  results[0].mae > 0 ? results[0].mae_error / results[0].mae : 0);
    }
    compared->num_spaces++;
    return 0;
}

static int compare_all(bench_report *report, nitro_context *context)
{
    static comparison compared;
    glob_t files = {0};
    compared.report = report;
    if (!parse_methods(&compared))
        return bench_fail("search: bad NITRO_BENCH_SEARCHERS");
    int failed = 0;
    list_spaces(&files);
    for (size_t i = 0; i < files.gl_pathc && !failed; i++) {
        simulated_space space;
        if (!strstr(files.gl_pathv[i], setting("NITRO_BENCH_SPACES", "/")))
            continue;
        failed = !simulated_space_read(context, files.gl_pathv[i], &space) ||
                 compare_on(&compared, files.gl_pathv[i], &space);
        simulated_space_free(&space);
    }
    size_t best = 1, best_score = 1;
    double n = (double)compared.num_spaces;
    for (size_t m = 0; m < compared.num_methods; m++) {
        fprintf(stderr, "mean over %zu spaces: %-22s MAE / random's %.4f  P %.4f\n",
                compared.num_spaces, compared.methods[m].text, compared.ratios[m] / n,
                compared.scores[m] / n);
        best = m > 0 && compared.ratios[m] < compared.ratios[best] ? m : best;
        best_score = m > 0 && compared.scores[m] > compared.scores[best_score] ? m : best_score;
    }
    if (compared.num_spaces > 0 && compared.num_methods > 1) {
        bench_add(report, "mean MAE / random's: ours; best other", compared.ratios[0] / n,
                  compared.ratios[best] / n, "", 0);
        bench_add(report, "mean P: ours; best other", compared.scores[0] / n,
                  compared.scores[best_score] / n, "", 0);
    }
    globfree(&files);
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("no context");
    int failed = 0;
    if (wanted("compare"))
        failed = compare_all(report, context);
    if (!failed && wanted("profile"))
        failed = search_bench_profile(report, context);
    if (!failed && wanted("transfer"))
        failed = search_bench_transfer(report, context);
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
