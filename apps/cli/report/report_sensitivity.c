/* report_sensitivity.c - on how many devices one variant is the best, over all devices and per
 * generation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report.h"

#define TOLERANCE 0.05

/** Names of the generations, "" for devices that have none, in order. */
static nitro_status list_generations(const report *self, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < self->dataset->num_devices && status == NITRO_OK; d++) {
        char name[128];
        report_generation(self->dataset->devices[d], name, sizeof name);
        if (nitro_string_list_find(names, name) == NITRO_NONE)
            status = nitro_string_list_add(self->context, names, name);
    }
    nitro_string_list_sort(names);
    return status;
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

/** A table with a column for every number of devices. */
static void begin_sharing(report_table *table, size_t most)
{
    report_table_columns(table, "devices,counts as best,inputs||0");
    for (size_t n = 1; n <= most; n++) {
        char title[48];
        snprintf(title, sizeof title, n == 1 ? "on %zu device" : "on %zu devices", n);
        report_table_column(table, title, "%", 1);
    }
}

static void add_sharing(report_table *table, const char *group, double tolerance,
                        const size_t *counts, size_t inputs, size_t num_devices, size_t most)
{
    report_table_text(table, "%s", group);
    report_table_text(table, tolerance > 0.0 ? "within 5 %%" : "the fastest");
    report_table_number(table, (double)inputs);
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

static nitro_status share_all(report *self, report_part *part, size_t *counts)
{
    const double tolerances[] = {0.0, TOLERANCE};
    size_t most = self->dataset->num_devices, inputs = 0;
    double all[2] = {NAN, NAN};
    char name[48];
    nitro_status status = NITRO_OK;
    begin_sharing(&part->table, most);
    for (size_t n = 1; n <= most && status == NITRO_OK; n++) {
        snprintf(name, sizeof name, n == 1 ? "on %zu device" : "on %zu devices", n);
        status = nitro_string_list_add(self->context, &part->chart.categories, name);
    }
    if (status == NITRO_OK)
        status = nitro_string_list_add(self->context, &part->chart.series, "the fastest variant");
    if (status == NITRO_OK)
        status = nitro_string_list_add(self->context, &part->chart.series, "within 5 % of it");
    if (status == NITRO_OK)
        status = report_chart_allocate(self->context, &part->chart);
    for (size_t t = 0; t < 2 && status == NITRO_OK; t++) {
        status =
            nitro_study_share(self->context, self->dataset, NULL, tolerances[t], counts, &inputs);
        if (status != NITRO_OK)
            break;
        add_sharing(&part->table, "all devices", tolerances[t], counts, inputs, most, most);
        for (size_t n = 1; n <= most; n++)
            report_chart_set(&part->chart, t, n - 1, report_percent(counts[n], inputs));
        all[t] = report_percent(counts[most], inputs);
    }
    if (status != NITRO_OK)
        return status;
    if (inputs == 0)
        return report_omit(self, part, "No input was measured on %s.",
                           name_all(most, name, sizeof name));
    return report_say(self, part,
                      "One variant is the fastest on %s for %.0f %% of the inputs; for %.0f %% one "
                      "is within 5 %% of the fastest on %s. The rest depends on the device.",
                      name_all(most, name, sizeof name), all[0], all[1],
                      most == 2 ? "both" : "all of them");
}

static nitro_status add_sensitivity_of_all(report *self, size_t *counts)
{
    report_part *part =
        report_add(self, "sensitivity", "Device sensitivity of the best variant", "Figure 4");
    if (self->dataset->num_devices < 2)
        return report_omit(self, part, "There is only one device.");
    part->method = sharing_method;
    part->chart.kind = REPORT_DOTS;
    part->chart.y_label = "share of inputs (%)";
    part->chart.unit = "%";
    part->chart.low = 0.0;
    part->chart.high = 100.0;
    nitro_status status = share_all(self, part, counts);
    return status == NITRO_OK ? report_part_status(part) : status;
}

/** Both rows of one generation, and its bars. */
static nitro_status share_generation(report *self, report_part *part, const char *group,
                                     const bool *devices, size_t num_devices, size_t most,
                                     double *values, size_t *counts)
{
    const double tolerances[] = {0.0, TOLERANCE};
    double all[2] = {NAN, NAN};
    char name[48];
    nitro_status status = NITRO_OK;
    for (size_t t = 0; t < 2 && status == NITRO_OK; t++) {
        size_t inputs = 0;
        char category[300];
        snprintf(category, sizeof category, "%s, %s", t ? "within 5 %" : "fastest", group);
        status = nitro_study_share(self->context, self->dataset, devices, tolerances[t], counts,
                                   &inputs);
        if (status == NITRO_OK)
            status = nitro_string_list_add(self->context, &part->chart.categories, category);
        if (status != NITRO_OK)
            break;
        add_sharing(&part->table, group, tolerances[t], counts, inputs, num_devices, most);
        for (size_t n = 1; n <= most; n++)
            values[t * most + n - 1] = n <= num_devices ? report_percent(counts[n], inputs) : NAN;
        all[t] = report_percent(counts[num_devices], inputs);
    }
    if (status != NITRO_OK || isnan(all[0]))
        return status;
    return report_say(self, part,
                      "Within %s one variant is the fastest on %s for %.0f %% of the inputs, and "
                      "within 5 %% of the fastest for %.0f %%.",
                      group, name_all(num_devices, name, sizeof name), all[0], all[1]);
}

/** All generations of two devices or more. @param values shape [2 * generations x most] */
static nitro_status share_generations(report *self, report_part *part,
                                      const nitro_string_list *names, size_t most, bool *devices,
                                      double *values, size_t *counts)
{
    nitro_status status = NITRO_OK;
    size_t rows = 0;
    char group[256];
    begin_sharing(&part->table, most);
    for (size_t g = 0; g < names->count && status == NITRO_OK; g++) {
        size_t count = mark_generation(self, names->items[g], devices);
        if (count < 2 || !*names->items[g])
            continue;
        describe_generation(self, names->items[g], devices, group, sizeof group);
        status =
            share_generation(self, part, group, devices, count, most, values + rows * most, counts);
        rows += 2;
    }
    for (size_t n = 1; n <= most && status == NITRO_OK; n++) {
        char name[48];
        snprintf(name, sizeof name, n == 1 ? "on %zu device" : "on %zu devices", n);
        status = nitro_string_list_add(self->context, &part->chart.series, name);
    }
    if (status == NITRO_OK)
        status = report_chart_allocate(self->context, &part->chart);
    for (size_t r = 0; r < rows && status == NITRO_OK; r++)
        for (size_t n = 0; n < most; n++)
            report_chart_set(&part->chart, n, r, values[r * most + n]);
    return status;
}

static nitro_status add_sensitivity_of_generations(report *self, size_t *counts)
{
    report_part *part = report_add(self, "sensitivity-generation",
                                   "Device sensitivity within a generation", "Figure 5");
    size_t num_devices = self->dataset->num_devices, most = 0, groups = 0;
    nitro_string_list names = {0};
    nitro_status status = list_generations(self, &names);
    bool *devices = nitro_calloc(self->context, num_devices, sizeof *devices);
    double *values = nitro_calloc(self->context, 2 * names.count + 1, num_devices * sizeof *values);
    if (!devices || !values)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t g = 0; status == NITRO_OK && g < names.count; g++) {
        size_t count = *names.items[g] ? mark_generation(self, names.items[g], devices) : 0;
        groups += count >= 2;
        most = count > most ? count : most;
    }
    if (status == NITRO_OK && groups == 0)
        status = report_omit(self, part,
                             "No two devices have the same generation (device feature or label "
                             "'generation', or label 'architecture').");
    else if (status == NITRO_OK)
        status = share_generations(self, part, &names, most, devices, values, counts);
    part->method = sharing_method;
    part->chart.kind = REPORT_STACK;
    part->chart.ordered = true;
    part->chart.y_label = "share of inputs (%)";
    part->chart.unit = "%";
    part->chart.low = 0.0;
    part->chart.high = 100.0;
    free(devices);
    free(values);
    nitro_string_list_free(&names);
    return status == NITRO_OK ? report_part_status(part) : status;
}

nitro_status report_add_sensitivity(report *self)
{
    size_t *counts = nitro_calloc(self->context, self->dataset->num_devices + 1, sizeof *counts);
    if (!counts)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = add_sensitivity_of_all(self, counts);
    if (status == NITRO_OK)
        status = add_sensitivity_of_generations(self, counts);
    free(counts);
    return status;
}
