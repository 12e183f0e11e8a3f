/* report_twins.c - devices with the same hardware whose measurements differ: what another campaign,
 * driver, compiler or library version does, which no device feature shows. */
#include <math.h>
#include <stdlib.h>

#include "apps/cli/report/report.h"
#include "nitro/backend/statistics.h"

/** Devices as similar as this count as the same hardware. */
#define SAME_HARDWARE 0.995

/** Both devices on the inputs that they share. */
typedef struct comparison {
    size_t inputs, same;
    double quality; /* sum: of the first one's best variant on the second */
    double *ratios; /* shape [inputs]: time of the second over that of the first, same variant */
    size_t first_wins[NITRO_MAX_VARIANTS], second_wins[NITRO_MAX_VARIANTS];
} comparison;

static size_t find_best(const double *times, size_t num_variants)
{
    size_t best = NITRO_NONE;
    for (size_t v = 0; v < num_variants; v++)
        if (isfinite(times[v]) && (best == NITRO_NONE || times[v] < times[best]))
            best = v;
    return best;
}

/** The rows of a device by input; NITRO_NONE: none. */
static size_t *find_rows(nitro_context *context, const nitro_dataset *dataset, size_t device)
{
    size_t *rows = nitro_calloc(context, dataset->num_inputs + 1, sizeof *rows);
    for (size_t i = 0; rows && i < dataset->num_inputs; i++)
        rows[i] = NITRO_NONE;
    for (size_t row = 0; rows && row < dataset->num_rows; row++)
        if (dataset->row_device[row] == device)
            rows[dataset->row_input[row]] = row;
    return rows;
}

static void compare_input(const double *first, const double *second, size_t num_variants,
                          comparison *made)
{
    size_t a = find_best(first, num_variants), b = find_best(second, num_variants);
    if (a == NITRO_NONE || b == NITRO_NONE || !isfinite(second[a]))
        return;
    made->ratios[made->inputs++] = second[a] / first[a];
    made->same += a == b;
    made->quality += second[b] / second[a];
    made->first_wins[a]++;
    made->second_wins[b]++;
}

static void compare(report *self, size_t first, size_t second, comparison *made)
{
    const nitro_dataset *dataset = self->dataset;
    size_t num_variants = dataset->schema->num_variants;
    size_t *a = find_rows(self->context, dataset, first);
    size_t *b = find_rows(self->context, dataset, second);
    made->ratios = nitro_calloc(self->context, dataset->num_inputs + 1, sizeof *made->ratios);
    for (size_t i = 0; a && b && made->ratios && i < dataset->num_inputs; i++)
        if (a[i] != NITRO_NONE && b[i] != NITRO_NONE)
            compare_input(dataset->times_ms + a[i] * num_variants,
                          dataset->times_ms + b[i] * num_variants, num_variants, made);
    nitro_sort(made->ratios, made->ratios ? made->inputs : 0);
    free(a);
    free(b);
    report_keep(self, a && b && made->ratios ? NITRO_OK : NITRO_ERR_NO_MEMORY);
}

static const char *most_frequent(const nitro_schema *schema, const size_t *wins)
{
    size_t most = 0;
    for (size_t v = 1; v < schema->num_variants; v++)
        most = wins[v] > wins[most] ? v : most;
    return schema->variants[most];
}

/** A row of the table; the pair that agrees least is the one to tell of. */
static void add_pair(report *self, report_part *part, size_t first, size_t second,
                     double similarity, double *least)
{
    const nitro_schema *schema = self->dataset->schema;
    const char *a = self->dataset->devices[first]->id, *b = self->dataset->devices[second]->id;
    comparison made = {0};
    compare(self, first, second, &made);
    double same = report_percent(made.same, made.inputs);
    if (made.inputs > 0) {
        const char *best_a = most_frequent(schema, made.first_wins);
        const char *best_b = most_frequent(schema, made.second_wins);
        report_table_cells(&part->table, "%s %s %f %f %f %f %s %s %f", a, b, similarity,
                           (double)made.inputs, same, 100.0 * made.quality / (double)made.inputs,
                           best_a, best_b, nitro_quantile(made.ratios, made.inputs, 0.5));
        if (same < *least) {
            *least = same;
            free(part->finding);
            part->finding = NULL;
            if (same >= 99.5)
                report_say(self, part,
                           "%s and %s are alike by their device features (similarity %.2f), and "
                           "have the same best variant for %.0f %% of the inputs.",
                           a, b, similarity, same);
            else
                report_say(self, part,
                           "%s and %s are alike by their device features (similarity %.2f), and "
                           "yet have the same best variant for only %.0f %% of the inputs: most "
                           "often %s on the one, %s on the other. Such differences come from the "
                           "campaign or the software (driver, compiler, library version, clocks); "
                           "no device feature shows them, so that a model of one can be wrong on "
                           "the other.",
                           a, b, similarity, same, best_a, best_b);
        }
    }
    free(made.ratios);
}

static void add_pairs(report *self, report_part *part, const double *matrix)
{
    size_t count = self->dataset->num_devices;
    double least = INFINITY;
    report_table_columns(&part->table,
                         "device,other,similarity||2,inputs of both||0,same best variant|%|1,"
                         "quality of its best on the other|%|1,most often best,most often best on "
                         "the other,median time ratio||2");
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (matrix[i * count + j] >= SAME_HARDWARE)
                add_pair(self, part, i, j, matrix[i * count + j], &least);
    if (!isfinite(least))
        report_omit(self, part, "No two devices have the same hardware and inputs.");
}

void report_add_twins(report *self, const nitro_string_list *features, const double *matrix)
{
    report_part *part = report_add(self, "twins", "Same hardware, another campaign", NULL);
    part->method = "Pairs with a similarity of at least 0.995. The quality is that of the first "
                   "device's best variants on the second, the ratio the time there over that on "
                   "the first.";
    if (!matrix || features->count < 2) /* by one, all are 1 or -1 */
        report_omit(self, part, "Takes three devices with two common device features.");
    else
        add_pairs(self, part, matrix);
}
