/* A target's sources. */
#include <stdlib.h>
#include <string.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"

/** Does the device have usable samples of training inputs? */
static bool is_usable(const nitro_evaluation *evaluation, size_t device)
{
    const nitro_dataset *dataset = evaluation->dataset;
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == device && evaluation->is_train[dataset->row_input[row]] &&
            nitro_dataset_row_is_usable(dataset, row))
            return true;
    return false;
}

/** Are both of one generation, by a device feature or a label of that name? */
static bool is_same_generation(const nitro_device *a, const nitro_device *b)
{
    const char *label_a = nitro_device_label(a, "generation");
    const char *label_b = nitro_device_label(b, "generation");
    if (label_a && label_b && strcmp(label_a, label_b) == 0)
        return true;
    return nitro_device_value(a, "generation") == nitro_device_value(b, "generation");
}

static bool is_source(const nitro_evaluation *evaluation, size_t device, size_t target)
{
    const nitro_device *const *devices = (const nitro_device *const *)evaluation->dataset->devices;
    if (!evaluation->is_source[device] ||
        (!evaluation->is_own && nitro_device_is_same(evaluation->dataset->devices[device],
                                                     evaluation->dataset->devices[target])) ||
        !is_usable(evaluation, device))
        return false;
    return !evaluation->without_generation || !is_same_generation(devices[device], devices[target]);
}

nitro_status nitro_evaluation_mark_sources(const nitro_evaluation *evaluation, size_t target,
                                           bool **marks)
{
    const nitro_dataset *dataset = evaluation->dataset;
    bool *made = nitro_calloc(evaluation->context, dataset->num_devices, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    size_t count = 0;
    for (size_t d = 0; d < dataset->num_devices; d++) {
        made[d] = is_source(evaluation, d, target);
        count += made[d];
    }
    if (count > 0) {
        *marks = made;
        return NITRO_OK;
    }
    free(made);
    return nitro_fail(evaluation->context, NITRO_ERR_NO_DATA,
                      "target %s has no source with samples of training inputs%s",
                      dataset->devices[target]->id,
                      evaluation->without_generation ? ", of another generation" : "");
}

nitro_status nitro_evaluation_select_sources(const nitro_evaluation *evaluation, size_t target,
                                             nitro_dataset **sources)
{
    bool *marks = NULL;
    nitro_status status = nitro_evaluation_mark_sources(evaluation, target, &marks);
    if (status == NITRO_OK)
        status = nitro_dataset_select(evaluation->context, evaluation->dataset, marks,
                                      evaluation->is_train, sources);
    free(marks);
    return status;
}
