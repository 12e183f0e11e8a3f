/* one_run.h - the result of nitro run for one input, and its report. */
#ifndef NITRO_APPS_CLI_COMMANDS_ONE_RUN_H
#define NITRO_APPS_CLI_COMMANDS_ONE_RUN_H

#include "apps/cli/inputs.h"
#include "apps/cli/output.h"

/** One run, filled step by step. */
typedef struct one_run {
    const invocation *call;
    loaded_module loaded;
    input_set inputs; /* of one */
    void *input;      /* loaded once; workers inherit it */
    char description[256];
    nitro_device *found;
    const char *device, *kind; /* its id and kind */
    char *model_path;
    char *shipped; /* what a model that ships with Nitro was learnt from; NULL: it does not ship */
    nitro_model *model; /* owned by the computation unless is_recorded; NULL: none */
    bool is_recorded;   /* made for another computation: a recorded one, without code */
    double uses;        /* of the input; 0: preparing does not count */
    nitro_decision decision;
    double decision_ms; /* features and model */
    json_t *outside;    /* names of features outside the training range; NULL: no model */
    size_t num_ranked;  /* of the model's variants, those that the computation has */
    size_t ranking[NITRO_MAX_VARIANTS];
    double scores[NITRO_MAX_VARIANTS]; /* by variant of the computation */
    nitro_sample *sample;
} one_run;

/** Print it as text or as JSON, with all variants when they were compared. @return exit code */
int one_run_report(const one_run *run, bool compare);

#endif
