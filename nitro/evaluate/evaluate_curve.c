/* Growing sets of a target's sources: nearest first, and in an order drawn by the seed. */
#include <stdlib.h>
#include <string.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_similarity.h"

typedef struct ranked_source {
    double rank; /* dissimilarity, or a hash */
    size_t device;
} ranked_source;

static int compare_ranks(const void *left, const void *right)
{
    const ranked_source *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/** Rank the marked sources. */
static size_t rank_sources(const nitro_evaluation *evaluation, size_t target, const bool *marks,
                           const nitro_string_list *hardware, bool by_similarity,
                           ranked_source *sources)
{
    nitro_device *const *devices = evaluation->dataset->devices;
    size_t count = 0;
    for (size_t d = 0; d < evaluation->dataset->num_devices; d++) {
        if (!marks[d])
            continue;
        double hash =
            (double)nitro_hash(devices[d]->id, strlen(devices[d]->id), evaluation->seed + 1);
        sources[count++] = (ranked_source){
            by_similarity ? nitro_device_dissimilarity(devices[d], devices[target], hardware)
                          : hash,
            d};
    }
    qsort(sources, count, sizeof *sources, compare_ranks);
    return count;
}

static nitro_status grow(nitro_evaluation *evaluation, const ranked_source *sources, size_t count,
                         const char *order, nitro_evaluation_step step, void *user)
{
    nitro_status status = NITRO_OK;
    memset(evaluation->is_source, 0,
           evaluation->dataset->num_devices * sizeof *evaluation->is_source);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        evaluation->is_source[sources[i].device] = true;
        status = step(user, order, i + 1, evaluation->dataset->devices[sources[i].device]->id);
    }
    return status;
}

nitro_status nitro_evaluation_grow_sources(nitro_evaluation *evaluation, size_t target,
                                           nitro_evaluation_step step, void *user)
{
    nitro_context *context = evaluation->context;
    const nitro_dataset *dataset = evaluation->dataset;
    bool *marks = NULL, *all = evaluation->is_source;
    nitro_string_list hardware = {0};
    ranked_source *sources = nitro_calloc(context, dataset->num_devices, sizeof *sources);
    bool *growing = nitro_calloc(context, dataset->num_devices, sizeof *growing);
    nitro_status status = sources && growing ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_evaluation_mark_sources(evaluation, target, &marks);
    if (status == NITRO_OK)
        status = nitro_device_hardware_features(context, dataset->schema, dataset->devices[target],
                                                &hardware);
    evaluation->is_source = growing;
    for (size_t similarity = 2; similarity-- > 0 && status == NITRO_OK;) {
        size_t count = rank_sources(evaluation, target, marks, &hardware, similarity == 1, sources);
        status = grow(evaluation, sources, count, similarity ? "nearest" : "random", step, user);
    }
    evaluation->is_source = all;
    nitro_string_list_free(&hardware);
    free(marks);
    free(sources);
    free(growing);
    return status;
}

nitro_status nitro_evaluation_select_nearest(const nitro_evaluation *evaluation, size_t target,
                                             nitro_dataset **sources)
{
    nitro_context *context = evaluation->context;
    const nitro_dataset *dataset = evaluation->dataset;
    bool *marks = NULL;
    nitro_string_list hardware = {0};
    ranked_source *ranked = nitro_calloc(context, dataset->num_devices, sizeof *ranked);
    nitro_status status =
        ranked ? nitro_evaluation_mark_sources(evaluation, target, &marks) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_device_hardware_features(context, dataset->schema, dataset->devices[target],
                                                &hardware);
    if (status == NITRO_OK) {
        rank_sources(evaluation, target, marks, &hardware, true, ranked);
        for (size_t d = 0; d < dataset->num_devices; d++)
            marks[d] = d == ranked[0].device;
        status = nitro_dataset_select(context, dataset, marks, evaluation->is_train, sources);
    }
    nitro_string_list_free(&hardware);
    free(marks);
    free(ranked);
    return status;
}
