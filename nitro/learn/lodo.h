/* lodo.h - leave-one-device-out (LODO) validation: the only evidence of how good a model is on
 * an unmeasured device. Internal to nitro/learn. */
#ifndef NITRO_LEARN_LODO_H
#define NITRO_LEARN_LODO_H

#include "nitro/learn/fit.h"

/** Quality of another setting minus that of the default, on one device, in percent. */
typedef struct nitro_gain {
    double mean;     /* over the device's rows; NaN without rows */
    double variance; /* of that mean */
} nitro_gain;

/** What models chose on each source when it was the validation device. */
typedef struct nitro_lodo {
    double *scores;    /* shape [num_rows x num_variants] of the task's sources: by a model trained
                          on other devices and other inputs; NaN in rows without */
    size_t *num_rows;  /* shape [num_devices]: rows with scores */
    double *qualities; /* shape [num_devices]: their mean quality in percent; NaN without rows */
    double *weights;   /* shape [num_devices]: how much each is like the target in its situation;
                          NULL: by distance */
    size_t num_mixes;  /* of an ensemble fitted with all members: subsets of them, a bit a member,
                          the empty one included; else 0 */
    nitro_gain *mix_gains; /* shape [num_mixes x num_devices]: of each subset over all members; the
                              empty one's are not set */
} nitro_lodo;

/**
 * Fit as the task says, but without one source device and one part of the inputs at a time, and
 * score that device on that part: an input that the model saw on another device would be easier.
 * Where there are many samples, a random part of them is used: means need no more.
 * @param[out] result  free with nitro_lodo_free.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (fewer than two sources have usable rows, or there is only
 *         one input); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_lodo_run(nitro_context *context, const nitro_fit_task *task, nitro_lodo *result);
void nitro_lodo_free(nitro_lodo *result);

/** Gains of one run over another, of the same sources and inputs.
 *  @param[out] gains  shape [num_devices]. */
void nitro_lodo_compare(const nitro_dataset *sources, const nitro_lodo *base,
                        const nitro_lodo *other, nitro_gain *gains);

#endif
