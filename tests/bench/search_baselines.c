/* Measured baselines of other searchers: rows of BASELINES.md, beside the recorded spaces; and how
 * our searchers of the same methods compare. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/search_parts.h"

enum { MAX_ROWS = 64 };

/* "| NAME | REPEATS | @20 | @50 | @100 | @220 | MAE |": false: no such row. */
static bool parse_row(char *line, search_baseline *row)
{
    char *cells[8] = {NULL}, *rest = line + 1;
    size_t count = 0;
    while (count < 8 && rest)
        cells[count++] = strsep(&rest, "|");
    if (line[0] != '|' || count < 8 || strstr(cells[0], "---") || strstr(cells[0], "searcher"))
        return false;
    snprintf(row->name, sizeof(row->name), "%s", cells[0] + 1);
    for (size_t end = strlen(row->name); end > 0 && row->name[end - 1] == ' ';)
        row->name[--end] = '\0';
    for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++)
        row->best_ms[i] = strchr(cells[2 + i], '-') ? (double)NAN : strtod(cells[2 + i], NULL);
    row->mae = strtod(cells[6], NULL);
    return row->mae > 0;
}

size_t search_baselines(const char *space, search_baseline *rows, size_t most)
{
    char path[4096], line[1024];
    size_t count = 0, length = strlen(space);
    bool is_here = false;
    snprintf(path, sizeof(path), "%s/search/BASELINES.md", search_data_folder());
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "## ", 3) == 0)
            is_here = strncmp(line + 3, space, length) == 0 && line[3 + length] == ' ';
        if (is_here && count < most && parse_row(line, &rows[count]))
            count++;
    }
    if (file)
        fclose(file);
    return count;
}

/* Rows of BASELINES.md, by the beginning of their names, and our searcher of the same method. */
static const struct {
    const char *row, *searcher, *options;
} pairs[] = {
    {"prototype EI", "bayes-ei", NULL},
    {"prototype advanced multi", "bayes-multi-advanced", NULL},
    {"KT 1.5 GA", "genetic", NULL},
    {"KT 1.5 annealing", "annealing", NULL},
    {"KT 1.5 differential evolution", "diffevo", NULL},
    {"KT 1.5 PSO", "pso", NULL},
    {"KT 0.4.2 ga", "genetic", "preset=kernel-tuner-0.4.2"},
    {"KT 0.4.2 ei", "bayes-ei", NULL},
    {"KT 0.4.2 multi (", "bayes-multi", NULL},
    {"KT 0.4.2 multi-advanced", "bayes-multi-advanced", NULL},
};

int search_bench_reproductions(bench_report *report, nitro_context *context, const char *space,
                               const nitro_recording *recording)
{
    search_baseline rows[MAX_ROWS];
    size_t count = search_baselines(space, rows, MAX_ROWS);
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
            nitro_search_score score;
            char title[512];
            const nitro_search_trial trial = {.searcher = nitro_searcher_find(pairs[i].searcher),
                                              .searcher_options = pairs[i].options,
                                              .repetitions = search_num_repeats(),
                                              .max_evaluations = 220};
            if (strncmp(rows[r].name, pairs[i].row, strlen(pairs[i].row)) != 0)
                continue;
            if (nitro_search_score_searcher(context, recording, &trial, &score) != NITRO_OK)
                return 1;
            snprintf(title, sizeof(title), "%.100s: MAE of %s; of %.200s", space, pairs[i].searcher,
                     rows[r].name);
            bench_add(report, title, score.mae, rows[r].mae, "ms", score.mae_error / score.mae);
        }
    return 0;
}
