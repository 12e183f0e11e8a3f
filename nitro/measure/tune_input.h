/* tune_input.h - measures one input of a tuning run after the other, and stores the samples. */
#ifndef NITRO_MEASURE_TUNE_INPUT_H
#define NITRO_MEASURE_TUNE_INPUT_H

#include "nitro/measure/measure_input.h"
#include "nitro/measure/tune_claims.h"
#include "nitro/measure/tune_plan.h"

/** Inputs stay loaded between their blocks, so that these are far apart and cost only their own
 * time. On devices other than the host each holds a context of the device. */
#define NITRO_MOST_KEPT           64
#define NITRO_MOST_KEPT_ON_DEVICE 4

/** An input between two blocks. */
typedef struct nitro_kept_input {
    size_t input;
    nitro_measuring *measuring;
    nitro_sample *sample; /* of the blocks so far */
} nitro_kept_input;

/** A tuning run. */
typedef struct nitro_tuning {
    nitro_tune_plan plan;
    nitro_tune_options options;
    nitro_tune_progress progress;
    nitro_tune_claims claims;
    double start_ms;
    nitro_kept_input kept[NITRO_MOST_KEPT];
    size_t num_kept;
    size_t kept_bytes;
    bool is_exclusive;    /* the device has room for the worker of one input only */
    double pass_start_ms; /* of the current pass over inputs, by the real clock */
    nitro_status first_failure;
    char first_message[1024];
} nitro_tuning;

/**
 * Measure the first block of an input, and store it for all devices of the plan. If it needs
 * further ones, it is kept.
 * @param[out] input_failed  on error: true if others may succeed.
 */
nitro_status nitro_tune_input(nitro_tuning *tuning, size_t input, bool *input_failed);
/** Is this input kept? */
bool nitro_tuning_keeps(const nitro_tuning *tuning, size_t input);
/** Is there no room for another kept input? */
bool nitro_tuning_is_full(const nitro_tuning *tuning);
/** Measure and store further blocks of the kept inputs, in turns, until their times hold; then
 * unload them, and end their claims. */
nitro_status nitro_tune_kept(nitro_tuning *tuning);
/** Unload the kept inputs. */
void nitro_tuning_unload(nitro_tuning *tuning);
/** Extend the claims of kept inputs, if it is time to. */
void nitro_tuning_renew_claims(nitro_tuning *tuning);
/** Report that a block of this input is stored. @return NITRO_ERR_INTERRUPTED, or NITRO_OK. */
nitro_status nitro_tuning_report(nitro_tuning *tuning, size_t input);

#endif
