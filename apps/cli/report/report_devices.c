/* report_devices.c - the devices of a report and their similarity. A device's generation is a
 * descriptive feature, else a label. */
#include <math.h>
#include <stdlib.h>

#include "apps/cli/device_set.h"
#include "apps/cli/report/report.h"

void report_generation(const nitro_device *device, char *name, size_t size)
{
    double number = nitro_device_value(device, "generation");
    const char *architecture = nitro_device_label(device, "architecture");
    const char *label = nitro_device_label(device, "generation");
    if (isfinite(number))
        snprintf(name, size, "generation %g", number);
    else
        snprintf(name, size, "%s", label ? label : architecture ? architecture : "");
}

static const char *label_or_dash(const nitro_device *device, const char *name)
{
    const char *text = nitro_device_label(device, name);
    return text ? text : "-";
}

static void say_what_did_not_run(report *self, report_part *part)
{
    const nitro_schema *schema = self->dataset->schema;
    nitro_string_list names = {0};
    char text[512];
    for (size_t v = 0; v < schema->num_variants; v++)
        if (!report_has_run(self->dataset, v))
            report_add_name(self, &names, schema->variants[v]);
    join_list(&names, text, sizeof text);
    if (names.count > 0)
        report_say(self, part, "Variants that ran on no device are not listed: %s.", text);
    nitro_string_list_free(&names);
}

void report_add_devices(report *self)
{
    const nitro_dataset *dataset = self->dataset;
    report_part *part = report_add(self, "devices", "Devices", "Table 1");
    report_table *table = &part->table;
    report_table_columns(table,
                         "device,kind,model,architecture,generation,device features||0,inputs||0");
    size_t modelled = 0;
    for (size_t d = 0; d < dataset->num_devices; d++) {
        const nitro_device *device = dataset->devices[d];
        char generation[128];
        nitro_study_wins wins;
        report_generation(device, generation, sizeof generation);
        nitro_study_count_wins(dataset, d, &wins);
        modelled += device_is_modelled(device);
        report_table_cells(table, "%s %s %s %s %s %f %f", device->id, device_kind_text(device),
                           label_or_dash(device, "model"), label_or_dash(device, "architecture"),
                           *generation ? generation : "-", (double)device->num_features,
                           (double)wins.inputs);
    }
    part->method = "Inputs are those with times of at least two variants on the device.";
    report_say(self, part, "%zu device%s, %zu variant%s of %s, %zu input%s, %zu input feature%s.",
               dataset->num_devices, plural(dataset->num_devices), dataset->schema->num_variants,
               plural(dataset->schema->num_variants), self->computation, dataset->num_inputs,
               plural(dataset->num_inputs), dataset->schema->num_features,
               plural(dataset->schema->num_features));
    say_what_did_not_run(self, part);
    if (modelled)
        report_say(self, part,
                   "%zu of the devices %s modelled: their times come from a documented "
                   "cost model and are never a result.",
                   modelled, modelled == 1 ? "is" : "are");
}

static void fill_similarity(report *self, report_part *part, const double *matrix)
{
    size_t count = self->dataset->num_devices;
    part->method = "Cosine of the angle between two devices' features, each scaled to [-1, 1] over "
                   "these devices: 1 is identical, -1 is opposite. 'nitro devices similarity' "
                   "computes the same for features of your choice.";
    report_table_columns(&part->table, "device");
    for (size_t d = 0; d < count; d++) {
        const char *id = self->dataset->devices[d]->id;
        report_table_column(&part->table, id, NULL, 2);
        report_add_name(self, &part->chart.categories, id);
        report_add_name(self, &part->chart.series, id);
    }
    report_chart_allocate(self, &part->chart);
    for (size_t i = 0; i < count; i++) {
        report_table_device(&part->table, self->dataset->devices[i]->id);
        for (size_t j = 0; j < count; j++) {
            double value = matrix[i * count + j];
            report_table_number(&part->table, value);
            report_chart_set(&part->chart, i, j, value);
        }
    }
}

/** For every device the one most like it; the one least like any other is named. */
static void say_similarity(report *self, report_part *part, const double *matrix,
                           const nitro_string_list *features)
{
    size_t count = self->dataset->num_devices, lonely = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double nearest = -INFINITY;
        for (size_t j = 0; j < count; j++)
            nearest = j != i ? fmax(nearest, matrix[i * count + j]) : nearest;
        if (nearest < least) {
            least = nearest;
            lonely = i;
        }
    }
    char names[1024];
    join_list(features, names, sizeof names);
    report_say(
        self, part,
        "The most isolated device is %s (similarity to its nearest: %.2f): measurements of the "
        "others predict it least. Compared by the device features that every device has: %s.",
        self->dataset->devices[lonely]->id, least, names);
}

static void add_similarity(report *self, const nitro_string_list *features, const double *matrix)
{
    report_part *part = report_add(self, "similarity", "Similarity of the devices", "Table 2");
    part->chart.kind = REPORT_MATRIX;
    part->chart.low = -1.0;
    part->chart.high = 1.0;
    if (self->dataset->num_devices < 3) /* each feature scaled over two devices is -1 and 1 */
        report_omit(self, part,
                    "Similarity needs at least three devices, as features are scaled over them.");
    else if (!matrix)
        report_omit(self, part, "There is no device feature that every device has.");
    else {
        fill_similarity(self, part, matrix);
        say_similarity(self, part, matrix, features);
    }
}

void report_add_similarity(report *self)
{
    const nitro_dataset *dataset = self->dataset;
    nitro_string_list features = {0};
    double *matrix = NULL;
    size_t count = dataset->num_devices;
    report_keep(self, nitro_study_common_features(self->context, dataset, &features));
    if (count > 2 && features.count > 0) {
        matrix = nitro_calloc(self->context, count * count, sizeof *matrix);
        report_keep(self,
                    matrix ? nitro_device_similarity(
                                 self->context, (const nitro_device *const *)dataset->devices,
                                 count, (const char *const *)features.items, features.count, matrix)
                           : NITRO_ERR_NO_MEMORY);
    }
    if (self->status == NITRO_OK) {
        add_similarity(self, &features, matrix);
        report_add_twins(self, &features, matrix);
    }
    free(matrix);
    nitro_string_list_free(&features);
}
