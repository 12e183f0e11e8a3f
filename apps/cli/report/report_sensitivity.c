/* report_sensitivity.c - on how many devices one variant is the best, over all devices and per
 * generation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report.h"

#define TOLERANCE 0.05

/** Names of the generations, "" for devices that have none, in order. */
static void list_generations(report *self, nitro_string_list *names)
{
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        char name[128];
        report_generation(self->dataset->devices[d], name, sizeof name);
        report_add_new_name(self, names, name);
    }
    nitro_string_list_sort(names);
}

/** "generation 1 (Kepler)": with the architecture's name, where all of its devices have the same.
 */
static void describe_generation(const report *self, const char *generation, const bool *devices,
                                char *text, size_t size)
{
    const char *shared = NULL;
    bool same = true;
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        const char *own = nitro_device_label(self->dataset->devices[d], "architecture");
        if (!devices[d])
            continue;
        same = same && own && (!shared || strcmp(own, shared) == 0);
        shared = own;
    }
    if (same && shared && strcmp(shared, generation) != 0)
        snprintf(text, size, "%s (%s)", generation, shared);
    else
        snprintf(text, size, "%s", generation);
}

/** Which devices are of this generation, shape [num_devices]. @return how many */
static size_t mark_generation(const report *self, const char *generation, bool *devices)
{
    size_t count = 0;
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        char name[128];
        report_generation(self->dataset->devices[d], name, sizeof name);
        devices[d] = strcmp(name, generation) == 0;
        count += devices[d];
    }
    return count;
}

/** "on 1 device", "on 2 devices". */
static const char *name_number(size_t num_devices, char *name, size_t size)
{
    snprintf(name, size, num_devices == 1 ? "on %zu device" : "on %zu devices", num_devices);
    return name;
}

/** A table with a column for every number of devices. */
static void begin_sharing(report_table *table, size_t most)
{
    char name[48];
    report_table_columns(table, "devices,counts as best,inputs||0");
    for (size_t n = 1; n <= most; n++)
        report_table_column(table, name_number(n, name, sizeof name), "%", 1);
}

static void add_sharing(report_table *table, const char *group, double tolerance,
                        const size_t *counts, size_t inputs, size_t num_devices, size_t most)
{
    report_table_cells(table, "%s %s %f", group, tolerance > 0.0 ? "within 5 %" : "the fastest",
                       (double)inputs);
    for (size_t n = 1; n <= most; n++)
        report_table_number(table, n <= num_devices ? report_percent(counts[n], inputs) : NAN);
}

static const char sharing_method[] =
    "For every input, the largest number of devices on which one and the same variant is the best: "
    "the fastest itself, or at most 5 % slower. Only inputs with times on all of the devices "
    "count.";

/** "both devices", "all 3 devices". */
static const char *name_all(size_t num_devices, char *name, size_t size)
{
    if (num_devices == 2)
        snprintf(name, size, "both devices");
    else
        snprintf(name, size, "all %zu devices", num_devices);
    return name;
}

static void share_all(report *self, report_part *part, size_t *counts)
{
    const double tolerances[] = {0.0, TOLERANCE};
    size_t most = self->dataset->num_devices, inputs = 0;
    double all[2] = {NAN, NAN};
    char name[48];
    begin_sharing(&part->table, most);
    for (size_t n = 1; n <= most; n++)
        report_add_name(self, &part->chart.categories, name_number(n, name, sizeof name));
    report_add_name(self, &part->chart.series, "the fastest variant");
    report_add_name(self, &part->chart.series, "within 5 % of it");
    report_chart_allocate(self, &part->chart);
    for (size_t t = 0; t < 2 && self->status == NITRO_OK; t++) {
        self->status =
            nitro_study_share(self->context, self->dataset, NULL, tolerances[t], counts, &inputs);
        add_sharing(&part->table, "all devices", tolerances[t], counts, inputs, most, most);
        for (size_t n = 1; n <= most; n++)
            report_chart_set(&part->chart, t, n - 1, report_percent(counts[n], inputs));
        all[t] = report_percent(counts[most], inputs);
    }
    name_all(most, name, sizeof name);
    if (inputs == 0)
        report_omit(self, part, "No input was measured on %s.", name);
    else
        report_say(self, part,
                   "One variant is the fastest on %s for %.0f %% of the inputs; for %.0f %% one "
                   "is within 5 %% of the fastest on %s. The rest depends on the device.",
                   name, all[0], all[1], most == 2 ? "both" : "all of them");
}

static void add_sensitivity_of_all(report *self, size_t *counts)
{
    report_part *part =
        report_add(self, "sensitivity", "Device sensitivity of the best variant", "Figure 4");
    if (self->dataset->num_devices < 2) {
        report_omit(self, part, "There is only one device.");
        return;
    }
    part->method = sharing_method;
    report_chart_percent(&part->chart, REPORT_DOTS, "share of inputs (%)");
    share_all(self, part, counts);
}

/** Both rows of one generation, and its bars. */
static void share_generation(report *self, report_part *part, const char *group,
                             const bool *devices, size_t num_devices, size_t most, double *values,
                             size_t *counts)
{
    const double tolerances[] = {0.0, TOLERANCE};
    double all[2] = {NAN, NAN};
    char name[48];
    for (size_t t = 0; t < 2; t++) {
        size_t inputs = 0;
        char category[300];
        snprintf(category, sizeof category, "%s, %s", t ? "within 5 %" : "fastest", group);
        report_add_name(self, &part->chart.categories, category);
        report_keep(self, nitro_study_share(self->context, self->dataset, devices, tolerances[t],
                                            counts, &inputs));
        add_sharing(&part->table, group, tolerances[t], counts, inputs, num_devices, most);
        for (size_t n = 1; n <= most; n++)
            values[t * most + n - 1] = n <= num_devices ? report_percent(counts[n], inputs) : NAN;
        all[t] = report_percent(counts[num_devices], inputs);
    }
    if (!isnan(all[0]))
        report_say(
            self, part,
            "Within %s one variant is the fastest on %s for %.0f %% of the inputs, and within "
            "5 %% of the fastest for %.0f %%.",
            group, name_all(num_devices, name, sizeof name), all[0], all[1]);
}

/** All generations of two devices or more. @param values shape [2 * generations x most] */
static void share_generations(report *self, report_part *part, const nitro_string_list *names,
                              size_t most, bool *devices, double *values, size_t *counts)
{
    size_t rows = 0;
    char group[256];
    begin_sharing(&part->table, most);
    for (size_t g = 0; g < names->count; g++) {
        size_t count = mark_generation(self, names->items[g], devices);
        if (count < 2 || !*names->items[g])
            continue;
        describe_generation(self, names->items[g], devices, group, sizeof group);
        share_generation(self, part, group, devices, count, most, values + rows * most, counts);
        rows += 2;
    }
    for (size_t n = 1; n <= most; n++) {
        char name[48];
        report_add_name(self, &part->chart.series, name_number(n, name, sizeof name));
    }
    report_chart_allocate(self, &part->chart);
    for (size_t r = 0; r < rows; r++)
        for (size_t n = 0; n < most; n++)
            report_chart_set(&part->chart, n, r, values[r * most + n]);
}

static void add_sensitivity_of_generations(report *self, size_t *counts)
{
    report_part *part = report_add(self, "sensitivity-generation",
                                   "Device sensitivity within a generation", "Figure 5");
    size_t num_devices = self->dataset->num_devices, most = 0, groups = 0;
    nitro_string_list names = {0};
    list_generations(self, &names);
    bool *devices = nitro_calloc(self->context, num_devices, sizeof *devices);
    double *values = nitro_calloc(self->context, 2 * names.count + 1, num_devices * sizeof *values);
    report_keep(self, devices && values ? NITRO_OK : NITRO_ERR_NO_MEMORY);
    for (size_t g = 0; self->status == NITRO_OK && g < names.count; g++) {
        size_t count = *names.items[g] ? mark_generation(self, names.items[g], devices) : 0;
        groups += count >= 2;
        most = count > most ? count : most;
    }
    if (groups == 0)
        report_omit(self, part,
                    "No two devices have the same generation (device feature or label "
                    "'generation', or label 'architecture').");
    else
        share_generations(self, part, &names, most, devices, values, counts);
    part->method = sharing_method;
    report_chart_percent(&part->chart, REPORT_STACK, "share of inputs (%)");
    part->chart.ordered = true;
    free(devices);
    free(values);
    nitro_string_list_free(&names);
}

void report_add_sensitivity(report *self)
{
    size_t *counts = nitro_calloc(self->context, self->dataset->num_devices + 1, sizeof *counts);
    if (!counts) {
        report_keep(self, NITRO_ERR_NO_MEMORY);
        return;
    }
    add_sensitivity_of_all(self, counts);
    add_sensitivity_of_generations(self, counts);
    free(counts);
}
