/* winners.c - counts which variant is the fastest how often, and what always using one would cost:
 * the geometric mean of its slowdown, over the inputs on which it has a time. */
#include "apps/cli/commands/winners.h"

#include <math.h>
#include <stdlib.h>

/** The fastest time but that of variant `best`; infinite when there is none. */
static double runner_up_ms(const nitro_sample *sample, size_t best)
{
    double least = INFINITY;
    for (size_t v = 0; v < sample->num_entries; v++)
        if (v != best && sample->entries[v].median_ms < least)
            least = sample->entries[v].median_ms;
    return least;
}

static nitro_status count_win(winner_table *self, const nitro_sample *sample, size_t best)
{
    winner_row *row = &self->rows[best];
    double ratio = runner_up_ms(sample, best) / sample->entries[best].median_ms;
    row->wins++;
    if (!isfinite(ratio) || ratio <= row->clearest_ratio)
        return NITRO_OK;
    char *input = nitro_strdup(self->context, sample->input);
    if (!input)
        return NITRO_ERR_NO_MEMORY;
    free(row->clearest);
    row->clearest = input;
    row->clearest_ratio = ratio;
    return NITRO_OK;
}

static nitro_status count_sample(void *user, const nitro_sample *sample)
{
    winner_table *self = user;
    size_t best = nitro_sample_best(sample);
    if (best == NITRO_NONE) {
        self->untimed++;
        return NITRO_OK;
    }
    self->samples++;
    for (size_t v = 0; v < sample->num_entries; v++) {
        winner_row *row = &self->rows[v];
        row->excluded += sample->entries[v].outcome == NITRO_OUTCOME_NOT_ALLOWED;
        if (sample->entries[v].outcome == NITRO_OUTCOME_MEASURED) {
            row->timed++;
            row->log_slowdown +=
                log(sample->entries[v].median_ms / sample->entries[best].median_ms);
        }
    }
    return count_win(self, sample, best);
}

nitro_status winners_load(nitro_store *store, const char *computation, const char *device,
                          winner_table *winners)
{
    *winners = (winner_table){.context = nitro_store_context(store)};
    nitro_status status = nitro_store_get_schema(store, computation, &winners->schema);
    if (status != NITRO_OK)
        return status;
    winners->rows =
        nitro_calloc(winners->context, winners->schema->num_variants, sizeof(*winners->rows));
    status = winners->rows ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_store_each_sample(store, computation, device, count_sample, winners);
    if (status != NITRO_OK)
        winners_free(winners);
    return status;
}

void winners_free(winner_table *winners)
{
    for (size_t v = 0; winners->rows && v < winners->schema->num_variants; v++)
        free(winners->rows[v].clearest);
    free(winners->rows);
    nitro_schema_free(winners->schema);
    *winners = (winner_table){0};
}

static double slowdown(const winner_row *row)
{
    return row->timed ? exp(row->log_slowdown / (double)row->timed) : NAN;
}

/** One line of variants without any time: of those that constraints exclude from every input (a
 *  variant for another kind of device is excluded alike), or of the others. */
static void print_untimed(const winner_table *winners, bool excluded)
{
    const char *title = excluded ? "not allowed on any input, or not available on this device: "
                                 : "no time on any input: ";
    size_t count = 0;
    for (size_t v = 0; v < winners->schema->num_variants; v++) {
        const winner_row *row = &winners->rows[v];
        if (!row->timed && (row->excluded == winners->samples) == excluded)
            printf("%s%s", count++ ? ", " : title, winners->schema->variants[v]);
    }
    if (count > 0)
        putchar('\n');
}

nitro_status winners_print(const winner_table *winners)
{
    text_table table;
    table_begin(&table, winners->context, "variant,>wins,>share,>slowdown,>no time,clearest win");
    for (size_t v = 0; v < winners->schema->num_variants; v++) {
        const winner_row *row = &winners->rows[v];
        if (!row->timed && winners->samples)
            continue;
        double share =
            winners->samples ? 100.0 * (double)row->wins / (double)winners->samples : NAN;
        table_cell(&table, "%s", winners->schema->variants[v]);
        table_cell(&table, "%zu", row->wins);
        table_cell(&table, isfinite(share) ? "%.0f%%" : "-", share);
        table_cell(&table, row->timed ? "%.2fx" : "-", slowdown(row));
        table_cell(&table, "%zu", winners->samples - row->timed);
        if (row->clearest)
            table_cell(&table, "%s (%.2fx faster)", row->clearest, row->clearest_ratio);
        else
            table_cell(&table, "%s", "");
    }
    nitro_status status = table_end(&table);
    if (status == NITRO_OK && winners->samples) {
        print_untimed(winners, true);
        print_untimed(winners, false);
    }
    return status;
}

json_t *winners_json(const winner_table *winners)
{
    json_t *array = json_array();
    for (size_t v = 0; array && v < winners->schema->num_variants; v++) {
        const winner_row *row = &winners->rows[v];
        json_t *object = json_pack(
            "{s:o, s:I, s:o, s:o, s:I, s:o}", "variant", json_text(winners->schema->variants[v]),
            "wins", (json_int_t)row->wins, "share",
            json_value((double)row->wins / (double)winners->samples), "mean_slowdown",
            json_value(slowdown(row)), "without_time", (json_int_t)(winners->samples - row->timed),
            "clearest_input", json_text(row->clearest));
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}
