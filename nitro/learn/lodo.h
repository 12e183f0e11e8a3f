/* lodo.h - what models say of a source that they did not learn from: the only evidence of how
 * good a model is on a device that nobody measured. Internal to nitro/. */
#ifndef NITRO_LEARN_LODO_H
#define NITRO_LEARN_LODO_H

#include "nitro/learn/training_task.h"

/** What another choice gains on one device: its quality minus the usual one's, percent. */
typedef struct nitro_gain {
    double mean;     /* over the device's rows; NaN without rows */
    double variance; /* of that mean */
} nitro_gain;

/** Each source in turn as a pretended target. */
typedef struct nitro_lodo {
    double *scores;    /* shape [num_rows x num_variants] of the lesson's sources: by a model that
                          learnt from other sources and other inputs; NaN in rows without */
    size_t *num_rows;  /* shape [num_devices]: rows with scores */
    double *qualities; /* shape [num_devices]: their mean quality in percent; NaN without rows */
    size_t num_mixes;  /* of a strategy that averages others: subsets of its members, by the bits of
                          their numbers, from 0 (none, of quality NaN) on; else 0 */
    nitro_gain *mix_gains; /* shape [num_mixes x num_devices]: of each subset over all members */
} nitro_lodo;

/**
 * Learn as the lesson says, without one source and a part of the inputs at a time, and score that
 * source on that part. A row that its model saw on another device would look too well known.
 * Of many samples, a part teaches and is scored: what is asked for are shares and means.
 * @param[in]  model  what the whole lesson made: the others see the same relative features.
 * @param[out] result  free with nitro_lodo_free.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (fewer than two sources teach, or only one input);
 *         NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_lodo_run(nitro_context *context, const nitro_training_task *task,
                            const nitro_model *model, nitro_lodo *result);
void nitro_lodo_free(nitro_lodo *result);

/** What one run's scores gain over those of another run, of the same sources and inputs.
 *  @param[out] gains  shape [num_devices]. */
void nitro_lodo_compare(const nitro_dataset *sources, const nitro_lodo *usual,
                        const nitro_lodo *other, nitro_gain *gains);

#endif
